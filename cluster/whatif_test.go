package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
	"meshplan/units"
)

// peak16 is the peak of a 16-bit job.
func peak16(g *GPU) units.FLOPsPerSecond {
	return max(g.PeakOf(plan.BF16), g.PeakOf(plan.FP16))
}

// with changes a cluster as the text says.
func with(t testing.TB, c *Cluster, text string) (*Cluster, []string) {
	t.Helper()
	changes, err := ParseChanges(text)
	if err != nil {
		t.Fatal(err)
	}
	n, notes, err := c.With(peak16, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return n, notes
}

func TestAChangeSetsItsFigureAndSaysFromWhatToWhat(t *testing.T) {
	lab, err := Parse("lab.toml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	h100, pcie := find(t, "h100:512"), find(t, "a100-pcie-bridged:16")
	for _, c := range []struct {
		name string
		on   *Cluster
		text string
		get  func(*Cluster) float64
		want float64
		note string
	}{
		{"the label of a NIC", h100, "nic=200G", func(c *Cluster) float64 { return float64(c.Levels[2].Bandwidth) }, 23.5e9, "nic is changed from 48.50 GB/s to 23.50 GB/s (bandwidth of the NICs, per GPU and direction)"},
		{"the label of NICs that GPUs share", lab, "nic=200G", func(c *Cluster) float64 { return float64(c.Levels[1].Bandwidth) }, 11.75e9, "from 50.00 GB/s to 11.75 GB/s"},
		{"an effective rate", h100, "nic=24GB/s", func(c *Cluster) float64 { return float64(c.Levels[1].Bandwidth) }, 24e9, "to 24.00 GB/s"},
		{"NICs outside a node of two levels", pcie, "nic=2x", func(c *Cluster) float64 { return float64(c.Levels[2].Bandwidth) }, 11.8e9, "from 5.900 GB/s to 11.80 GB/s"},
		{"and not inside it", pcie, "nic=2x", func(c *Cluster) float64 { return float64(c.Levels[1].Bandwidth) }, 20e9, ""},
		{"a level by its name", pcie, "pcie=25GB/s", func(c *Cluster) float64 { return float64(c.Levels[1].Bandwidth) }, 25e9, "pcie is changed from 20.00 GB/s to 25.00 GB/s (bandwidth of level pcie"},
		{"latency between nodes", h100, "nic-latency=2us", func(c *Cluster) float64 { return float64(c.Levels[2].Latency) }, 2e-6, "from 4.000 us to 2.000 us"},
		{"no latency at all", h100, "nic-latency=0s", func(c *Cluster) float64 { return float64(c.Levels[1].Latency) }, 0, "to 0 s"},
		{"oversubscription of the outermost level", h100, "oversubscription=4", func(c *Cluster) float64 { return c.Levels[2].Oversubscription }, 4, "from 1 to 4"},
		{"and not of the others", h100, "oversubscription=4", func(c *Cluster) float64 { return c.Levels[1].Oversubscription }, 1, ""},
		{"oversubscription of a level", h100, "leaf-oversubscription=2", func(c *Cluster) float64 { return c.Levels[1].Oversubscription }, 2, "from 1 to 2"},
		{"NVLink", h100, "nvlink=722GB/s", func(c *Cluster) float64 { return float64(c.Levels[0].Bandwidth) }, 722e9, "from 371.0 GB/s to 722.0 GB/s"},
		{"NVLS goes with NVLink", h100, "nvlink=2x", func(c *Cluster) float64 { return float64(c.NVLS) }, 960e9, "measured collectives inside nvlink are scaled: what the smallest message takes by 1, the rest by 0.5"},
		{"a larger domain", h100, "domain=64", func(c *Cluster) float64 { return float64(c.Levels[0].Size) }, 64, "domain is changed from 8 GPUs to 64 GPUs"},
		{"GPU memory as on the label", h100, "hbm=141GB", func(c *Cluster) float64 { return float64(c.GPU.Label / units.GiB) }, 141, "hbm is changed from 80 GB to 141 GB"},
		{"the same in GiB", h100, "hbm=141GiB", func(c *Cluster) float64 { return float64(c.GPU.Label / units.GiB) }, 141, "to 141 GB"},
		{"what the runtime keeps back stays", h100, "hbm=+10%", func(c *Cluster) float64 { return float64(c.GPU.Runtime) }, float64(h100.GPU.Runtime + 8*units.GiB), "to 88 GB"},
		{"HBM bandwidth", h100, "hbm-bandwidth=4.8TB/s", func(c *Cluster) float64 { return float64(c.GPU.HBM) }, 4.8e12, "measured GEMMs are scaled: compute by 1, memory traffic by "},
		{"peak", h100, "flops=494.5TFLOPS", func(c *Cluster) float64 { return float64(c.GPU.PeakOf(plan.BF16)) }, 494.5e12, "from 989.0 TFLOP/s to 494.5 TFLOP/s"},
		{"peaks of all precisions", h100, "flops=0.5 PFLOP/s", func(c *Cluster) float64 { return float64(c.GPU.PeakOf(plan.FP8) / h100.GPU.PeakOf(plan.FP8)) }, 500. / 989, "measured GEMMs are scaled: compute by 1.978, memory traffic by 1"},
		{"the best shape goes with the peak", h100, "flops=-50%", func(c *Cluster) float64 { return float64(c.GPU.BestShape) }, float64(h100.GPU.BestShape) / 2, "to 494.5 TFLOP/s"},
		{"host memory", h100, "host-memory=4TiB", func(c *Cluster) float64 { return float64(c.HostMemory) }, float64(4 * units.TiB), "from 2.000 TiB to 4.000 TiB"},
		{"a link to the host that was not known", lab, "host-link=26GB/s", func(c *Cluster) float64 { return float64(c.HostLink) }, 26e9, "from what is not known to 26.00 GB/s"},
		{"several changes", h100, "nic=2x, hbm = 96GB", func(c *Cluster) float64 { return float64(c.Levels[1].Bandwidth) }, 97e9, "hbm is changed from 80 GB to 96 GB"},
		{"the value that it has", h100, "nic=400G", func(c *Cluster) float64 { return float64(c.Levels[1].Bandwidth) }, 48.5e9, "nic is 48.50 GB/s already: nothing is changed"},
	} {
		n, notes := with(t, c.on, c.text)
		if got := c.get(n); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %s gives %g, want %g", c.name, c.text, got, c.want)
		}
		if text := strings.Join(notes, "\n"); !strings.Contains(text, c.note) {
			t.Errorf("%s: %s says\n%s\nwant %q", c.name, c.text, text, c.note)
		}
	}
}

func TestAChangedClusterSaysWhatWasChanged(t *testing.T) {
	c := find(t, "h100:256")
	n, _ := with(t, c, "nic=200G,nvlink=371GB/s,hbm=2x")
	if n.Changes() != "nic=200G, hbm=2x" {
		t.Error(n.Changes())
	}
	if n, _ = with(t, n, "flops=+10%"); n.Changes() != "nic=200G, hbm=2x, flops=1.1x" || c.Changes() != "" {
		t.Error(n.Changes())
	}
}

func TestMemoryOfAnH200GivesAnH100WhatAnH200Reports(t *testing.T) {
	c, _ := with(t, find(t, "h100:8"), "hbm=141GB")
	if want := find(t, "h200:8").GPU.Runtime; math.Abs(float64(c.GPU.Runtime/want)-1) > 0.01 {
		t.Errorf("%v, an H200 reports %v", c.GPU.Runtime, want)
	}
}

func TestMistakesInChangesAreExplained(t *testing.T) {
	for name, c := range map[string]struct{ on, text, want string }{
		"no value":                     {"h100:16", "nic", `"nic": want RESOURCE=VALUE, such as nic=200G`},
		"an empty value":               {"h100:16", "nic=", `"nic=": want RESOURCE=VALUE`},
		"an empty change":              {"h100:16", "nic=2x,", `"": want RESOURCE=VALUE`},
		"a resource set twice":         {"h100:16", "nic=2x,NIC=200G", "nic is set twice: to 2x and to 200G"},
		"an unknown resource":          {"h100:16", "nics=2x", `nics=2x: unknown resource "nics"; nearest: nic`},
		"a level of another cluster":   {"h100:16", "spines=2x", `unknown resource "spines"; known: nic, nic-latency`},
		"no unit":                      {"h100:16", "nic=24", "nic=24: want 24GB/s, or the label of a NIC such as 200G, or a relative value such as 2x or +10%; nearest: 24GB/s"},
		"a NIC of no known rate":       {"h100:16", "nic=300G", "nic=300G: the effective rate of NICs of 100G, 200G, 400G and 800G is known; nearest: 400G"},
		"a NIC of nothing":             {"h100:16", "nic=0G", "nearest: 100G"},
		"a rate of nothing":            {"h100:16", "nvlink=0GB/s", "nvlink=0GB/s: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 kB/s"},
		"a factor of nothing":          {"h100:16", "nvlink=0x", "nvlink=0x: want a factor above 0"},
		"less than nothing":            {"h100:16", "nvlink=-100%", "want more than -100%: a factor above 0"},
		"a factor that is no number":   {"h100:16", "nvlink=nanx", "want a factor above 0"},
		"a factor beyond any":          {"h100:16", "nvlink=1e9x", "want a factor above 0 and at most 1e+06, such as 2x, 0.5x or +10%; nearest: 1e+06x"},
		"memory without a unit":        {"h100:16", "hbm=141", "hbm=141: want 141GB, or a relative value such as 2x or +10%; nearest: 141GB"},
		"memory less than is kept":     {"h100:16", "hbm=0.1GB", "hbm: 0.1 GB is no more than the 0.7949 GB that the runtime of H100-SXM keeps back; nearest: 0.7957 GB"},
		"memory of a byte":             {"h100:16", "hbm=1B", "hbm: 1 B is no more than the 0.7949 GB"},
		"memory of some megabytes":     {"h100:16", "hbm=3MB", "hbm: 3 MB is no more than the 0.7949 GB"},
		"more memory than any GPU has": {"h100:16", "hbm=1PiB", "hbm=1PiB: want more than 0 and at most 100 TB; nearest: 100 TB"},
		"host memory of a byte":        {"h100:16", "host-memory=1B", "host-memory=1B: want 1.000 MiB to 500.0 TiB; nearest: 1.000 MiB"},
		"a memory of no bandwidth":     {"h100:16", "hbm-bandwidth=1B/s", "hbm-bandwidth=1B/s: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 kB/s"},
		"NICs of a bit a second":       {"h100:16", "nic=1b/s", "nic=1b/s: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 kB/s"},
		"a factor beyond any link":     {"h100:16", "nvlink=1e6x", "nvlink=1e+06x: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 PB/s"},
		"a peak beyond any GPU":        {"h100:16", "flops=1e6x", "flops=1e+06x: want 1.000 GFLOP/s to 1.000 EFLOP/s; nearest: 1.000 EFLOP/s"},
		"a domain of millions":         {"h100:16", "domain=100000000", "100000000 does not divide the 16 GPUs"},
		"a peak without a unit":        {"h100:16", "flops=500", "flops=500: want 500TFLOP/s"},
		"a latency without a unit":     {"h100:16", "nic-latency=2", "nic-latency=2: want 2us"},
		"a negative latency":           {"h100:16", "nic-latency=-2us", "want 0 s to 10.00 s; nearest: 0 s"},
		"no NICs":                      {"h100:8", "nic=2x", "nic=2x: h100:8 has no level between nodes; its levels are nvlink"},
		"nothing to oversubscribe":     {"h100:8", "oversubscription=2", "h100:8 has no level between nodes"},
		"an oversubscription below 1":  {"h100:16", "oversubscription=0.5", "oversubscription=0.5: want 1 to 1,000,000; nearest: 1"},
		"half of an oversubscription":  {"h100:16", "oversubscription=0.5x", "oversubscription=0.5x: want 1 to 1,000,000; nearest: 1"},
		"a domain that does not fill":  {"h100:256", "domain=72", "domain=72: 72 does not divide the 256 GPUs of h100:256; nearest: 64, 128"},
		"a domain beyond the cluster":  {"h100:16", "domain=72", "72 does not divide the 16 GPUs of h100:16; nearest: 16"},
		"a domain of no GPUs":          {"h100:16", "domain=0", "0 does not divide the 16 GPUs of h100:16; nearest: 1"},
		"a domain that nothing joins":  {"h100:8", "domain=4", "h100:8 has no level that would join smaller domains; nearest: 8"},
		"a domain of a fraction":       {"h100:16", "domain=2.5", "2.5 does not divide the 16 GPUs of h100:16; nearest: 2, 4"},
		"a domain of a part of a GPU":  {"h100:16", "domain=+10%", "8.8 does not divide the 16 GPUs of h100:16; nearest: 8, 16"},
		"a factor of an unknown link":  {"gaudi3:8", "host-link=2x", "host-link=2x: it is not known of gaudi3:8: want a value such as 24GB/s"},
		"a bandwidth beyond any link":  {"h100:16", "nvlink=1e12GB/s", "nvlink=1e12GB/s: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 PB/s"},
		"host memory without a unit":   {"h100:16", "host-memory=2", "nearest: 2GiB"},
		"a negative rate":              {"h100:16", "nic=-3GB/s", "nic=-3GB/s: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 kB/s"},
		"a latency of an hour":         {"h100:16", "nic-latency=1h", "want 0 s to 10.00 s; nearest: 10.00 s"},
		"two names of a level":         {"h100:16", "nic=2x,leaf=2x", "leaf=2x: the bandwidth of level leaf is set twice: nic=2x sets it too"},
		"a level and then all":         {"h100:512", "spine-latency=2us,nic-latency=2x", "nic-latency=2x: the latency of level spine is set twice: spine-latency=2us sets it too"},
		"the outermost level twice":    {"h100:16", "oversubscription=2,leaf-oversubscription=3", "the oversubscription of level leaf is set twice"},
		"two names of the innermost":   {"mi300x:16", "xgmi=2x,nvlink=2x", "the bandwidth of level xgmi is set twice"},
		"a level's bandwidth, no unit": {"h100:16", "leaf=50GB", "leaf=50GB: want 24GB/s or 200Gb/s"},
	} {
		on := find(t, c.on)
		on = &Cluster{Name: on.Name, GPU: on.GPU, Levels: on.Levels, GPUsPerNode: on.GPUsPerNode, NICsPerNode: on.NICsPerNode, HostMemory: on.HostMemory}
		changes, err := ParseChanges(c.text)
		if err == nil {
			_, _, err = on.With(peak16, changes...)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// The nearest value of an error, as it is printed, is taken.
func TestTheNearestValueOfAnErrorIsTaken(t *testing.T) {
	c := find(t, "h100:16")
	for _, text := range []string{
		"nvlink=1e12GB/s", "nvlink=0GB/s", "nic=-3GB/s", "nic=1e-9x", "hbm=1B", "hbm=1PiB", "hbm-bandwidth=1B/s", "host-memory=1B",
		"host-memory=1e9TiB", "flops=1e6x", "flops=-1TFLOP/s", "nic-latency=-2us", "nic-latency=1h", "oversubscription=1e9", "oversubscription=0.5x",
		"domain=100000000", "nic=300G", "nic=24", "hbm=141",
	} {
		name, _, _ := strings.Cut(text, "=")
		err := set(c, text)
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		_, nearest, said := strings.Cut(err.Error(), "; nearest: ")
		nearest, _, _ = strings.Cut(nearest, ";")
		if !said {
			t.Errorf("%s: no nearest value in %v", text, err)
		} else if err := set(c, name+"="+strings.ReplaceAll(nearest, ",", "")); err != nil {
			t.Errorf("%s: the nearest value %s is refused: %v", text, nearest, err)
		}
	}
}

// set is the error of changes of a cluster.
func set(c *Cluster, text string) error {
	changes, err := ParseChanges(text)
	if err == nil {
		_, _, err = c.With(peak16, changes...)
	}
	return err
}

func TestAChangeInPercentIsSaidWithoutNoise(t *testing.T) {
	for text, want := range map[string]string{
		"nic=-99.9999%": "nic=1e-06x", "nic=-99%": "nic=0.01x", "nic=+10%": "nic=1.1x", "nic=-0.3%": "nic=0.997x", "nic=+33.33%": "nic=1.3333x",
		"nic=0.123456789012x": "nic=0.123456789012x",
	} {
		list, err := ParseChanges(text)
		if err != nil || len(list) != 1 || list[0].String() != want {
			t.Errorf("%s: %v, %v; want %s", text, list, err, want)
		}
	}
}

// catalogued is any system of the catalogue with some boxes.
func catalogued(t *rapid.T) *Cluster {
	s := rapid.SampledFrom(All()).Draw(t, "system")
	boxes := rapid.SampledFrom([]int{1, 2, 6, s.Leaf, 4 * s.Leaf}).Draw(t, "boxes")
	c, err := s.Cluster(boxes * s.Box())
	if err != nil {
		t.Skip(err)
	}
	return c
}

// someChange is any relative change that the cluster allows.
func someChange(t *rapid.T, c *Cluster) Change {
	e := c.edit(peak16)
	list := slices.DeleteFunc(e.resources(), func(r resource) bool {
		return r.name == "domain" || math.IsNaN(r.get(e)) || r.get(e) == 0
	})
	r := rapid.SampledFrom(list).Draw(t, "resource")
	factor := rapid.Float64Range(0.8, 3).Draw(t, "factor")
	if r.amount == ratio {
		factor = max(1, factor)
	}
	return Scale(r.name, factor)
}

// mustWith makes changes one by one: together they may not change one figure by two
// names.
func mustWith(t *rapid.T, c *Cluster, changes ...Change) *Cluster {
	t.Helper()
	for _, ch := range changes {
		n, _, err := c.With(peak16, ch)
		if err != nil {
			t.Fatalf("%s, %v: %v", c.Name, changes, err)
		}
		c = n
	}
	return c
}

func TestAResourceSetToItsOwnValueLeavesTheClusterItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalogued(t)
		ch := someChange(t, c)
		ch.Factor = 1
		if n := mustWith(t, c, ch); n != c {
			t.Errorf("%s: %v makes %+v", c.Name, ch, n)
		}
		if n := mustWith(t, c, Change{Resource: "domain", Value: fmt.Sprint(c.Levels[0].Size)}); n != c {
			t.Errorf("%s: its own domain makes %+v", c.Name, n)
		}
	})
}

func TestSetAndSetBackIsTheClusterItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalogued(t)
		changes := []Change{someChange(t, c), someChange(t, c)}
		n := mustWith(t, c, changes...)
		domain := c.Domain(rapid.IntRange(0, len(c.Levels)-1).Draw(t, "level"))
		n = mustWith(t, n, Change{Resource: "domain", Value: fmt.Sprint(domain)})
		n = mustWith(t, n, Scale(changes[1].Resource, 1/changes[1].Factor))
		n = mustWith(t, n, Change{Resource: "domain", Value: fmt.Sprint(c.Levels[0].Size)})
		if n = mustWith(t, n, Scale(changes[0].Resource, 1/changes[0].Factor)); n != c {
			t.Errorf("%s: %v and back makes %+v", c.Name, changes, n)
		}
	})
}

func TestAChangeLeavesTheClusterAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalogued(t)
		before, err := c.TOML()
		if err != nil {
			t.Fatal(err)
		}
		gemm, peak, name := c.GPU.GEMM(plan.BF16, 777, 4096, 4096), c.GPU.PeakOf(plan.BF16), c.Name
		mustWith(t, c, someChange(t, c), someChange(t, c), Scale("flops", 2), Scale("hbm", 2), Scale("nvlink", 2))
		after, err := c.TOML()
		if err != nil {
			t.Fatal(err)
		}
		if string(before) != string(after) || c.GPU.GEMM(plan.BF16, 777, 4096, 4096) != gemm || c.GPU.PeakOf(plan.BF16) != peak || c.Name != name {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	})
}

// TestCurvesAreScaledAsPhysicsSays: the launch and the latency stay, the rest is in
// proportion.
func TestCurvesAreScaledAsPhysicsSays(t *testing.T) {
	c := find(t, "h100:8")
	n, _ := with(t, c, "nvlink=2x,nvlink-latency=3x")
	was, now := c.Inside(AllGather, 8), n.Inside(AllGather, 8)
	for _, bytes := range []float64{1, 1e5, 1e7, 1e9, 1e12} {
		want := 3*was.Floor() + (was.Seconds(bytes)-was.Floor())/2
		if got := now.Seconds(bytes); math.Abs(got/want-1) > 1e-12 || now.Floor() != 3*was.Floor() {
			t.Errorf("all-gather of %g bytes takes %g s, want %g s", bytes, got, want)
		}
	}
	if c.Inside(AllGather, 3) != nil || n.Inside(AllGather, 3) != nil {
		t.Error("a curve for 3 ranks")
	}
	compute, _ := with(t, c, "flops=2x")
	traffic, _ := with(t, c, "hbm-bandwidth=2x")
	less, _ := with(t, c, "hbm-bandwidth=0.5x")
	both, _ := with(t, c, "flops=2x,hbm-bandwidth=2x")
	floor := c.GPU.gemm[bf16].floor
	gemm := func(of *Cluster, rows float64) float64 {
		return float64(of.GPU.GEMM(plan.BF16, rows, 8192, 8192)) - floor
	}
	for _, v := range []struct {
		name string
		on   *Cluster
		rows float64
		want float64 // of the time beyond the launch
	}{
		{"a large GEMM is compute", compute, 16384, 0.5},
		{"a large GEMM is no memory traffic", traffic, 16384, 1},
		{"one row is no compute", compute, 1, 1},
		{"one row is memory traffic", less, 1, 2},
		{"less traffic does not slow compute", less, 16384, 1},
		{"what one row takes may be compute", traffic, 1, 1},
		{"some rows are one or the other", both, 300, 0.5},
	} {
		if got := gemm(v.on, v.rows) / gemm(c, v.rows); math.Abs(got/v.want-1) > 0.02 {
			t.Errorf("%s: %g of the time, want %g", v.name, got, v.want)
		}
	}
}

func TestMoreOfAResourceNeverSlowsAKernelOrACollective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalogued(t)
		n := mustWith(t, c, Scale(rapid.SampledFrom([]string{"flops", "hbm-bandwidth", "nvlink"}).Draw(t, "resource"), rapid.Float64Range(1, 4).Draw(t, "factor")))
		size := rapid.Float64Range(0, 5)
		m, k := math.Pow(10, size.Draw(t, "m")), math.Pow(10, size.Draw(t, "k"))
		for _, p := range []plan.Precision{plan.BF16, plan.FP16} {
			if was, now := c.GPU.GEMM(p, m, 4096, k), n.GPU.GEMM(p, m, 4096, k); float64(now) > float64(was)*(1+1e-12) {
				t.Errorf("%s: GEMM of %g x 4096 x %g in %s takes %v instead of %v", n.Name, m, k, p, now, was)
			}
		}
		op, ranks := Collective(rapid.IntRange(0, int(NumCollectives)-1).Draw(t, "op")), rapid.IntRange(2, 8).Draw(t, "ranks")
		if was := c.Inside(op, ranks); was != nil && n.Inside(op, ranks).Seconds(m*k) > was.Seconds(m*k)*(1+1e-12) {
			t.Errorf("%s: %s of %d ranks and %g bytes is slower", n.Name, op, ranks, m*k)
		}
		if n.InsideBandwidth(op, ranks) < c.InsideBandwidth(op, ranks) {
			t.Errorf("%s: %s of %d ranks has less bandwidth", n.Name, op, ranks)
		}
	})
}

func TestADomainOfAnotherSizeGivesTheseLevels(t *testing.T) {
	for _, c := range []struct {
		spec   string
		domain int
		want   string
	}{
		{"h100:512", 16, "nvlink 16, leaf 16, spine 2"},
		{"h100:512", 4, "nvlink 4, leaf 64, spine 2"},
		{"h100:512", 256, "nvlink 256, spine 2"},
		{"h100:512", 512, "nvlink 512"},
		{"h100:16", 1, "nvlink 1, leaf 16"},
		{"h100:2304", 72, "nvlink 72, leaf 2, spine 16"},
		{"h100:288", 72, "nvlink 72, leaf 2, spine 2"},
		{"gb200-nvl72:1152", 8, "nvlink 8, leaf 72, spine 2"},
		{"a100-pcie-bridged:16", 4, "bridge 4, pcie 2, leaf 2"},
		{"a100-pcie-bridged:16", 8, "bridge 8, leaf 2"},
	} {
		n, _ := with(t, find(t, c.spec), fmt.Sprint("domain=", c.domain))
		if got := grouping(n.Levels); got != c.want {
			t.Errorf("%s in domains of %d: %s, want %s", c.spec, c.domain, got, c.want)
		}
	}
}

func TestADomainOfAnotherSizeKeepsTheGPUsAndNests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := catalogued(t)
		if len(c.Levels) == 1 {
			t.Skip("one level")
		}
		size := rapid.IntRange(1, c.GPUs()).Filter(func(n int) bool { return c.GPUs()%n == 0 }).Draw(t, "domain")
		n := mustWith(t, c, Change{Resource: "domain", Value: fmt.Sprint(size)})
		if n.GPUs() != c.GPUs() || n.Levels[0].Size != size || n.Levels[0].Bandwidth != c.Levels[0].Bandwidth || n.GPUsPerNode != c.GPUsPerNode {
			t.Errorf("%s in domains of %d: %+v", c.Name, size, n.Levels)
		}
		for i, l := range n.Levels[1:] {
			was := slices.IndexFunc(c.Levels, func(o Level) bool { return o.Name == l.Name })
			if was < 0 || l.Bandwidth != c.Levels[was].Bandwidth || l.Size < 2 || n.Domain(i+1) > max(size, c.Domain(was)) {
				t.Errorf("%s in domains of %d: %+v, were %+v", c.Name, size, n.Levels, c.Levels)
			}
		}
	})
}

func TestResourcesAreEachFigureOnce(t *testing.T) {
	for spec, want := range map[string]string{
		"h100:512":             "nic nic-latency oversubscription nvlink nvlink-latency domain hbm hbm-bandwidth flops host-memory host-link",
		"h100:1":               "domain hbm hbm-bandwidth flops host-memory host-link",
		"h100:8":               "nvlink nvlink-latency domain hbm hbm-bandwidth flops host-memory host-link",
		"a100-pcie-bridged:16": "nic nic-latency oversubscription domain hbm hbm-bandwidth flops host-memory host-link bridge bridge-latency pcie pcie-latency pcie-oversubscription",
		"rtx-4090:8":           "domain hbm hbm-bandwidth flops host-memory host-link pcie pcie-latency",
	} {
		var names []string
		c := find(t, spec)
		for _, r := range c.Resources(peak16) {
			names = append(names, r.Name)
			n, notes, err := c.With(peak16, Scale(r.Name, 1))
			if err != nil || n != c || !strings.HasPrefix(notes[0], r.Name+" is "+r.Print(r.Value)+" already") {
				t.Errorf("%s, %s: %v, %v", spec, r.Name, notes, err)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s, want %s", spec, got, want)
		}
	}
}

func TestAKindKeepsItsChangesAtEverySize(t *testing.T) {
	changes, err := ParseChanges("nic=200G,nvlink=2x,hbm=96GB")
	if err != nil {
		t.Fatal(err)
	}
	k, notes, err := mustKind(t, "h100").With(peak16, changes...)
	if err != nil || !slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "nic is changed") }) {
		t.Fatal(err, notes)
	}
	for _, gpus := range []int{1, 5, 8, 16, 272, 512} {
		c, err := k.Cluster(gpus)
		if err != nil {
			t.Fatal(err)
		}
		was := find(t, fmt.Sprint("h100:", gpus))
		if grouping(c.Levels) != grouping(was.Levels) || c.GPU.Label != 96*units.GiB || c.Levels[0].Bandwidth != 2*was.Levels[0].Bandwidth {
			t.Errorf("%d GPUs: %+v", gpus, c)
		}
		if last := c.Levels[len(c.Levels)-1]; len(c.Levels) > 1 && last.Bandwidth != 23.5e9 {
			t.Errorf("%d GPUs: %+v", gpus, last)
		}
	}
	k, _, err = mustKind(t, "h100:512").With(peak16, Change{Resource: "domain", Value: "64"})
	if err != nil {
		t.Fatal(err)
	}
	for gpus, want := range map[int]string{3: "nvlink 3", 64: "nvlink 64", 128: "nvlink 64, leaf 2", 512: "nvlink 64, leaf 4, spine 2"} {
		if c, err := k.Cluster(gpus); err != nil || grouping(c.Levels) != want {
			t.Errorf("%d GPUs in domains of 64: %+v, %v; want %s", gpus, c, err, want)
		}
	}
	if _, _, err := mustKind(t, "h100:256").With(peak16, Change{Resource: "domain", Value: "72"}); err == nil || !strings.Contains(err.Error(), "nearest: 64, 128") {
		t.Error(err)
	}
}

func TestADomainOfAKindWithoutANumberDividesItsLargestCluster(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   *Kind
		domain string
		most   int
		levels string // of the largest
	}{
		{"what divides 16,384 stays", mustKind(t, "h100"), "64", 16384, "nvlink 64, leaf 4, spine 64"},
		{"the largest that 72 divides", mustKind(t, "h100"), "72", 16272, "nvlink 72, leaf 2, spine 113"},
		{"more than the candidates where these do not fill it", mustKind(t, "h100").Reaching(100), "72", 144, "nvlink 72, leaf 2"},
		{"the candidates themselves", mustKind(t, "h100").Reaching(216), "72", 216, "nvlink 72, leaf 3"},
		{"candidates beyond 16,384", mustKind(t, "h100").Reaching(32768), "64", 32768, "nvlink 64, leaf 4, spine 128"},
		{"more than candidates beyond 16,384", mustKind(t, "h100").Reaching(20000), "72", 20016, "nvlink 72, leaf 2, spine 139"},
		{"a factor", mustKind(t, "h100").Reaching(24), "3x", 24, "nvlink 24"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changes, err := ParseChanges("domain=" + c.domain)
			if err != nil {
				t.Fatal(err)
			}
			k, _, err := c.kind.With(peak16, changes...)
			if err != nil {
				t.Fatal(err)
			}
			if on, err := k.Cluster(k.Most); err != nil || k.Most != c.most || grouping(on.Levels) != c.levels {
				t.Errorf("%d GPUs, %v, %v; want %d, %s", k.Most, grouping(on.Levels), err, c.most, c.levels)
			}
		})
	}
	if _, _, err := mustKind(t, "h100").With(peak16, Change{Resource: "domain", Value: "9999"}); err == nil || !strings.Contains(err.Error(), "9999 does not divide the 16384 GPUs") {
		t.Error(err)
	}
}

// Direct links are shared out among more neighbours: that a plan may be slower with a
// larger domain is said, and only there.
func TestALargerMeshSaysThatItMayBeSlower(t *testing.T) {
	for spec, want := range map[string]bool{"perlmutter:16": true, "mi300x:32": true, "h100:32": false, "gb200-nvl72:144": false} {
		c := find(t, spec)
		larger, notes, err := c.With(peak16, Scale("domain", 2))
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(notes, "\n"), "linked directly, without a switch")
		if slower := larger.Levels[0].Among(2) < c.Levels[0].Among(2); said != want || slower != want {
			t.Errorf("%s: said %v, slower %v", spec, said, slower)
		}
		_, notes, err = c.With(peak16, Scale("domain", 0.5))
		if err != nil || strings.Contains(strings.Join(notes, "\n"), "linked directly") {
			t.Errorf("%s, half of its domain: %q, %v", spec, notes, err)
		}
	}
}

func FuzzChanges(f *testing.F) {
	for _, text := range []string{"nic=200G", "hbm=141GB,flops=2x", "nvlink=+10%", "domain=72", "nic-latency=2us", "leaf=1e3GB/s", "oversubscription=4", "=,=", "nic=-1x", "hbm=\x00"} {
		f.Add(text)
	}
	c, err := Find("h100:512")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		changes, err := ParseChanges(text)
		if err != nil {
			return
		}
		n, notes, err := c.With(peak16, changes...)
		if err == nil && (n.Validate() != nil || n.GPUs() != 512 || len(notes) < len(changes)) {
			t.Errorf("%q makes %+v, %q", text, n, notes)
		}
	})
}
