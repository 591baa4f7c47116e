package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func mustKind(t *testing.T, spec string) *Kind {
	t.Helper()
	k, err := LoadKind(spec)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// ofFile is a cluster file of nodes of 8 in groups.
func ofFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.toml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const grouped = `gpu = "h100"
[[level]]
name = "nvlink"
size = 8
bandwidth = "371GB/s"
latency_us = 2
[[level]]
name = "leaf"
size = 3
bandwidth = "50GB/s"
latency_us = 4
[[level]]
name = "spine"
size = 2
bandwidth = "50GB/s"
latency_us = 4
`

func TestCounts(t *testing.T) {
	tests := []struct {
		name, spec string
		most       int
		want       []int
	}{
		{"all up to the domain, then whole domains", "h100:32", 64, []int{1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32}},
		{"a bound inside the domain", "h100:5", 64, []int{1, 2, 3, 4, 5}},
		{"nodes where a domain holds several", "gb200-nvl72:144", 64,
			[]int{1, 2, 3, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 144}},
		{"a file's groups are filled", ofFile(t, grouped), 64, []int{1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 48}},
		{"steps behind 8 domains", "h100:512", 24, []int{1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 192, 256, 384, 512}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := mustKind(t, test.spec).Counts(test.most); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestCountsOfEverySystemCanBeHad(t *testing.T) {
	for _, s := range All() {
		k := mustKind(t, s.Name)
		list := k.Counts(64)
		if len(list) > 64 || list[0] != 1 || list[len(list)-1] != k.Most || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s: %v", s.Name, list)
		}
		for _, n := range list {
			if c, err := k.Cluster(n); err != nil || c.GPUs() != n {
				t.Errorf("%s with %d GPUs: %v", s.Name, n, err)
			}
		}
	}
}

func TestAPartOfAClusterFile(t *testing.T) {
	k := mustKind(t, ofFile(t, grouped))
	c, err := k.Cluster(16)
	if err != nil || c.Name != "own:16" || len(c.Levels) != 2 || c.Levels[1].Size != 2 || c.GPUsPerNode != 8 {
		t.Fatalf("%+v, %v", c, err)
	}
	if c, err := k.Cluster(48); err != nil || c.Name != "own" || len(c.Levels) != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	for gpus, want := range map[int]string{0: "want 1 to 48; nearest: 1", 49: "nearest: 48", 12: "nearest: 8, 16", 32: "32 is not a whole number of leaf domains of 24 GPUs; nearest: 24, 48"} {
		if _, err := k.Cluster(gpus); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d GPUs: %v, want %q", gpus, err, want)
		}
	}
}

func TestASystemWithoutANumberHasNoMost(t *testing.T) {
	k := mustKind(t, "h100")
	if c, err := k.Cluster(32768); err != nil || c.GPUs() != 32768 || k.Most != 16384 || !k.Assumed {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := mustKind(t, "h100:64").Cluster(128); err == nil {
		t.Error("more than was asked for")
	}
}

func TestKindsThatDoNotExist(t *testing.T) {
	for spec, want := range map[string]string{"h10": "h100", "h100:12": "nearest: 8, 16", "./missing.toml": "no such file", "": "names no system"} {
		if _, err := LoadKind(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}
