package cluster

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sizes are the level sizes of a spec.
func sizes(c *Cluster) (list []int) {
	for _, l := range c.Levels {
		list = append(list, l.Size)
	}
	return list
}

func TestAGPUCountGivesTheseLevels(t *testing.T) {
	for _, c := range []struct {
		spec string
		want []int
	}{
		{"h100:1", []int{1}},
		{"h100:4", []int{4}},
		{"h100:5", []int{5}},
		{"h100:8", []int{8}},
		{"h100:16", []int{8, 2}},
		{"h100:256", []int{8, 32}},
		{"h100:512", []int{8, 32, 2}},
		{"h100:288", []int{8, 18, 2}},
		{"h100:16384", []int{8, 32, 64}},
		{"gb200-nvl72:6", []int{6}},
		{"gb200-nvl72:72", []int{72}},
		{"gb200-nvl72:288", []int{72, 4}},
		{"gb200-nvl72:1152", []int{72, 8, 2}},
		{"h100-nvl:2", []int{2}},
		{"h100-nvl:6", []int{2, 3}},
		{"h100-nvl:16", []int{2, 4, 2}},
		{" H100 : 16 ", []int{8, 2}},
		{"DGX-A100:16", []int{8, 2}},
	} {
		if got := sizes(find(t, c.spec)); !slices.Equal(got, c.want) {
			t.Errorf("%s: levels %v, want %v", c.spec, got, c.want)
		}
	}
}

func TestH100HasTheseFigures(t *testing.T) {
	c := find(t, "h100:512")
	want := []Level{
		{"nvlink", 8, 371e9, 1.9e-6, 1, false},
		{"leaf", 32, 48.5e9, 4e-6, 1, false},
		{"spine", 2, 48.5e9, 4e-6, 1, false},
	}
	for i, l := range c.Levels {
		l.Latency = want[i].Latency // equal to rounding
		if l != want[i] {
			t.Errorf("level %d is %+v, want %+v", i, l, want[i])
		}
	}
	if c.Name != "h100:512" || c.GPUsPerNode != 8 || c.NICsPerNode != 8 || c.Nodes() != 64 || c.Domain(1) != 256 || c.GPUs() != 512 {
		t.Errorf("%+v", c)
	}
}

func TestANodeAndADomainAreTwoNumbers(t *testing.T) {
	c := find(t, "gb200-nvl72:144")
	if c.GPUsPerNode != 4 || c.Levels[0].Size != 72 || c.Nodes() != 36 {
		t.Errorf("%d GPUs a node, domain of %d, %d nodes", c.GPUsPerNode, c.Levels[0].Size, c.Nodes())
	}
}

func TestOddLeafGroupsAreAnAssumption(t *testing.T) {
	if text := strings.Join(find(t, "h100:288").Assumptions, "\n"); !strings.Contains(text, "groups of 18 are assumed") {
		t.Error(text)
	}
	if text := strings.Join(find(t, "h100:512").Assumptions, "\n"); strings.Contains(text, "groups of") {
		t.Error(text)
	}
}

func TestSpecsThatNameNoClusterAreExplained(t *testing.T) {
	for spec, want := range map[string]string{
		"":                            "names no system",
		":8":                          "names no system",
		"hl00:8":                      `unknown cluster "hl00:8"; nearest: h100`,
		"h100":                        "no GPU count: want h100:GPUS, for example h100:8",
		"h100:":                       "no GPU count",
		"h100:0":                      "GPU count 0 is outside 1 to 10000000; nearest: h100:1",
		"h100:-8":                     "GPU count -8 is outside 1 to 10000000; nearest: h100:1",
		"h100:99999999999":            "GPU count 99999999999 is outside",
		"h100:9999999999999999999999": "is outside 1 to 10000000; nearest: h100:10000000",
		"gb200:16777216":              "is outside 1 to 10000000; nearest: gb200-nvl72:9999936",
		"h100:eight":                  `GPU count "eight" is not a whole number`,
		"h100:8:8":                    `GPU count "8:8" is not a whole number`,
		"h100:8.5":                    "is not a whole number",
		"h100:12":                     "12 is not a whole number of nvlink domains of 8 GPUs; nearest: 8, 16",
		"h100:264":                    "33 boxes of 8 do not fill whole leaf groups of 16 to 32; nearest: 256, 272",
		"h100:9999999":                "nearest: 9999968, 10000000",
		"gb200-nvl72:80":              "nearest: 72, 144",
		"h100-nvl:3":                  "3 is not a whole number of bridge domains of 2 GPUs; nearest: 2, 4",
	} {
		if _, err := Find(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", spec, err, want)
		}
	}
}

func TestEverySystemMakesValidClusters(t *testing.T) {
	for _, s := range All() {
		for _, boxes := range []int{1, 2, 16, s.Leaf, 2 * s.Leaf, 1000 * s.Leaf} {
			c, err := s.Cluster(s.Box() * boxes)
			if err != nil {
				t.Errorf("%s: %v", s.Name, err)
			} else if c.GPUs() != s.Box()*boxes {
				t.Errorf("%s has %d GPUs", c.Name, c.GPUs())
			}
		}
		if _, err := s.Cluster(1); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if s.Source == "" || s.HostMemory == 0 || s.HostLink == 0 {
			t.Errorf("%s: source %q, host memory %v, host link %v", s.Name, s.Source, s.HostMemory, s.HostLink)
		}
	}
	if !slices.IsSorted(Names()) || len(Names()) != len(All()) {
		t.Error(Names())
	}
}

func TestACountIsEitherExactOrRefusedWithValidNeighbours(t *testing.T) {
	systems := All()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(systems).Draw(t, "system")
		gpus := rapid.IntRange(1, 20000).Draw(t, "gpus")
		c, err := s.Cluster(gpus)
		if err != nil {
			_, list, ok := strings.Cut(err.Error(), "nearest: ")
			if !ok {
				t.Fatal(err)
			}
			for _, n := range strings.Split(list, ", ") {
				if _, err := Find(s.Name + ":" + n); err != nil {
					t.Fatalf("named as nearest: %v", err)
				}
			}
			return
		}
		if c.GPUs() != gpus || c.Levels[0].Size > s.Inner[0].Size {
			t.Fatalf("%d GPUs in %v", gpus, c.Levels)
		}
	})
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{"h100:256", "gb200-nvl72:288", "h100:", ":", "h100:-8", "h100:99999999999", "\xff:1", strings.Repeat("\x05", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		c, err := Find(spec)
		if err != nil {
			// A quoted byte may take four.
			if len(err.Error()) > 600 || strings.Contains(err.Error(), "\n") && !strings.Contains(spec, "\n") {
				t.Errorf("error of %q: %v", spec, err)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%q is invalid: %v", spec, err)
		}
	})
}
