package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/units"
)

func TestAGroupOnAMeshReachesOnlyTheLinksAmongItsOwnMembers(t *testing.T) {
	mesh := Level{Name: "xgmi", Size: 8, Bandwidth: 313e9, Mesh: true}
	for name, c := range map[string]struct {
		level Level
		ranks int
		want  float64 // GB/s
	}{
		"all eight reach seven links":              {mesh, 8, 313},
		"four reach three of seven":                {mesh, 4, 313 * 3. / 7},
		"a pair reaches one":                       {mesh, 2, 313 / 7.},
		"one alone counts as a pair":               {mesh, 1, 313 / 7.},
		"no ranks count as a pair":                 {mesh, 0, 313 / 7.},
		"more ranks than the domain reach no more": {mesh, 16, 313},
		"a switch gives a pair everything":         {Level{Size: 8, Bandwidth: 371e9}, 2, 371},
		"a mesh of two is one link":                {Level{Size: 2, Bandwidth: 50e9, Mesh: true}, 2, 50},
		"a domain of one has its level's rate":     {Level{Size: 1, Bandwidth: 50e9}, 1, 50},
	} {
		if got := float64(c.level.Among(c.ranks)) / 1e9; math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("%s: %g GB/s, want %g", name, got, c.want)
		}
	}
}

func TestMeasuredPairsAgreeWithTheMesh(t *testing.T) {
	l := find(t, "mi300x:8").Levels[0]
	if got := float64(l.Among(2)); math.Abs(got/47.7e9-1) > 0.07 {
		t.Errorf("a pair of MI300X gets %.1f GB/s, 47.7 were measured", got/1e9)
	}
}

func TestHalfAMeshIsASmallerMeshWithTheSameLinks(t *testing.T) {
	for _, name := range []string{"mi300x", "mi325x", "mi355x", "gaudi3", "a100-4gpu", "h100-4gpu", "gh200", "h200-nvl", "nd-mi300x-v5"} {
		full := known().system(name).Inner[0]
		for n := 1; n <= full.Size; n++ {
			c := find(t, fmt.Sprintf("%s:%d", name, n))
			l := c.Levels[0]
			if l.Bandwidth != full.Among(n) || l.Mesh != (n > 1) {
				t.Errorf("%s: %v, mesh %v; the full node gives %d ranks %v", c.Name, l.Bandwidth, l.Mesh, n, full.Among(n))
			}
			if n > 2 && math.Abs(float64(l.Among(2)/full.Among(2))-1) > 1e-12 {
				t.Errorf("%s: a pair gets %v, in the full node %v", c.Name, l.Among(2), full.Among(2))
			}
		}
	}
}

func TestWhatAGroupReachesDoesNotFallWithItsSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Level{
			Size:      rapid.IntRange(1, 72).Draw(t, "size"),
			Bandwidth: units.BytesPerSecond(rapid.Float64Range(1, 1e12).Draw(t, "rate")),
			Mesh:      rapid.Bool().Draw(t, "mesh"),
		}
		n := rapid.IntRange(0, 80).Draw(t, "ranks")
		a, b := l.Among(n), l.Among(n+1)
		if !(a > 0 && a <= b && b <= l.Bandwidth) {
			t.Fatalf("%+v: %v among %d, %v among %d", l, a, n, b, n+1)
		}
	})
}

func TestAClusterFileHoldsAMeshAndAHostLink(t *testing.T) {
	c, err := Parse("lab.toml", []byte(meshLab))
	if err != nil {
		t.Fatal(err)
	}
	if !c.Levels[0].Mesh || c.Levels[1].Mesh || c.HostLink != 26e9 || c.Levels[0].Among(2) != 80e9 || c.InsideBandwidth(AllGather, 2) != 80e9 {
		t.Errorf("%+v", c)
	}
}

const meshLab = `gpu = "A100-SXM-40GB"
host_memory = "512GiB"
host_link = "26GB/s"

[[level]]
name = "nvlink"
size = 4
bandwidth = "240GB/s"
latency_us = 1.9
mesh = true

[[level]]
name = "leaf"
size = 2
bandwidth = "23.5GB/s"
latency_us = 4
`

func TestMistakesInAMeshOrAHostLinkAreExplained(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"a mesh of one":               {"size = 4", "size = 1", "level 1 (nvlink): mesh = true: a mesh needs a size of at least 2, not 1"},
		"a mesh of none":              {"size = 4", "size = 0", "level 1 (nvlink): size = 0: want at least 1"},
		"a mesh of minus four":        {"size = 4", "size = -4", "level 1 (nvlink): size = -4: want at least 1"},
		"a mesh outside":              {"latency_us = 4", "latency_us = 4\nmesh = true", "level 2 (leaf): mesh = true: only the innermost level can be a mesh"},
		"a mesh that is a number":     {"mesh = true", "mesh = 7", "lab.toml:10:1: level.mesh wants"},
		"a mesh of the whole cluster": {`host_link = "26GB/s"`, "mesh = true", `lab.toml:3:1: unknown key "mesh"`},
		"a negative host link":        {`"26GB/s"`, `"-26GB/s"`, `lab.toml:3:1: host_link is wrong: "-26GB/s" is negative`},
		"a host link of NaN":          {`"26GB/s"`, `"nanGB/s"`, "lab.toml:3:1: host_link is wrong"},
		"an endless host link":        {`"26GB/s"`, `"infGB/s"`, "lab.toml:3:1: host_link is wrong"},
		"an unbelievable host link":   {`"26GB/s"`, `"1e10GB/s"`, "host_link = 10.00 EB/s: want a rate of at least 0"},
		"a host link without a unit":  {`"26GB/s"`, `"26"`, `lab.toml:3:1: host_link is wrong: rate "26" must end in /s`},
	} {
		text := strings.Replace(meshLab, c.old, c.new, 1)
		if _, err := Parse("lab.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

func TestAHostLinkThatIsNoRateIsRefusedInCodeToo(t *testing.T) {
	for _, v := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e19} {
		c := find(t, "h100:8")
		c.HostLink = units.BytesPerSecond(v)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "host_link") {
			t.Errorf("%g: %v", v, err)
		}
	}
}
