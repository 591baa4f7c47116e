package cluster

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func find(t *testing.T, spec string) *Cluster {
	t.Helper()
	c, err := Find(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMeasuredCollectivesReadBackAtTheirSizes(t *testing.T) {
	c := find(t, "h100:8")
	for _, row := range []struct {
		op      Collective
		ranks   int
		bytes   float64
		seconds float64
	}{
		{AllReduce, 8, 4096, 16.02e-6},
		{AllReduce, 8, 512 << 20, 2111.06e-6},
		{AllGather, 8, 16 << 20, 68.86e-6},
		{ReduceScatter, 4, 128 << 20, 355.17e-6},
		{AllToAll, 2, 1 << 20, 14.85e-6},
	} {
		if got := c.Inside(row.op, row.ranks).Seconds(row.bytes); math.Abs(got/row.seconds-1) > 1e-9 {
			t.Errorf("%s of %g bytes over %d: %g s, want %g", row.op, row.bytes, row.ranks, got, row.seconds)
		}
	}
}

// The size of an all-gather is the total over the ranks: 512 MiB over 8 ranks
// in 1401.5 us is 335 GB/s of bus bandwidth, 7/8 of it moved.
func TestTheSizeOfAnAllGatherIsTheTotal(t *testing.T) {
	c := find(t, "h100:8")
	bytes := float64(512 << 20)
	bus := AllGather.BusFactor(8) * bytes / c.Inside(AllGather, 8).Seconds(bytes)
	if math.Abs(bus/335.19e9-1) > 1e-3 {
		t.Errorf("bus bandwidth %g", bus)
	}
}

func TestCurvesAreMissingWhereNothingWasMeasured(t *testing.T) {
	for name, curve := range map[string]*Curve{
		"3 ranks":                     find(t, "h100:8").Inside(AllReduce, 3),
		"8 ranks of a domain of 4":    find(t, "h100:4").Inside(AllReduce, 8),
		"8 ranks of a GB200 rack":     find(t, "gb200-nvl72:72").Inside(AllReduce, 8),
		"a system without any tables": find(t, "h800:8").Inside(AllReduce, 8),
	} {
		if curve != nil {
			t.Errorf("%s: there is a curve", name)
		}
	}
}

func TestACurveIsNonDecreasingAndProportionalBeyondItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "points")
		var sizes, times []float64
		for i := range n {
			sizes = append(sizes, math.Exp2(float64(2*i))*rapid.Float64Range(1, 3).Draw(t, "size"))
			times = append(times, rapid.Float64Range(1e-6, 1e-2).Draw(t, "time"))
		}
		c, err := NewCurve(sizes, times)
		if err != nil {
			t.Fatal(err)
		}
		a := math.Exp(rapid.Float64Range(-3, 20).Draw(t, "ln a"))
		b := a * (1 + rapid.Float64Range(0, 5).Draw(t, "growth"))
		if c.Seconds(a) > c.Seconds(b)*(1+1e-12) {
			t.Fatalf("%g at %g, %g at %g", c.Seconds(a), a, c.Seconds(b), b)
		}
		first, last := c.Range()
		if c.Seconds(0) != c.Floor() || c.Seconds(first/2) != c.Floor() {
			t.Fatalf("not flat below %g", first)
		}
		if got, want := c.Seconds(10*last), 10*c.Seconds(last); math.Abs(got/want-1) > 1e-9 {
			t.Fatalf("%g at ten times the end, want %g", got, want)
		}
		lowest, highest := slices.Min(times), slices.Max(times)
		if c.Floor() < lowest*(1-1e-9) || c.Seconds(last) > highest*(1+1e-9) {
			t.Fatalf("pooled points leave the measured range")
		}
		if slices.IsSorted(times) != (c.Change() < 1e-12) {
			t.Fatalf("change %g of %v", c.Change(), times)
		}
	})
}

func TestBetweenTwoPointsACurveIsStraightOnLogarithmicScales(t *testing.T) {
	c, err := NewCurve([]float64{1e6, 1e2}, []float64{1e-2, 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Seconds(1e4); math.Abs(got/1e-3-1) > 1e-12 {
		t.Errorf("%g at the geometric middle, want 1e-3", got)
	}
}

func TestPointsThatMakeNoCurveAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		sizes, times []float64
		want         string
	}{
		"one point":          {[]float64{1}, []float64{1}, "at least two points"},
		"more sizes":         {[]float64{1, 2}, []float64{1}, "at least two points"},
		"a size twice":       {[]float64{1, 2, 1}, []float64{1, 2, 3}, "appears twice"},
		"a size of zero":     {[]float64{0, 2}, []float64{1, 2}, "must be positive"},
		"a negative time":    {[]float64{1, 2}, []float64{-1, 2}, "must be positive"},
		"a time that is NaN": {[]float64{1, 2}, []float64{nan, 2}, "must be positive"},
		"an endless time":    {[]float64{1, 2}, []float64{inf, 2}, "must be positive"},
	} {
		if _, err := NewCurve(c.sizes, c.times); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCurvesAllocateNothing(t *testing.T) {
	c := find(t, "h100:8").Inside(AllReduce, 8)
	if n := testing.AllocsPerRun(100, func() { c.Seconds(3e6) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestInsideBandwidthFollowsTheLinks(t *testing.T) {
	for _, c := range []struct {
		name  string
		spec  string
		op    Collective
		ranks int
		want  float64
	}{
		{"eight H100 add up in the switch", "h100:8", AllReduce, 8, 480e9},
		{"four H100 use the ring", "h100:8", AllReduce, 4, 371e9},
		{"an all-gather uses the ring", "h100:8", AllGather, 8, 371e9},
		{"A100 have no switch that adds", "a100:8", AllReduce, 8, 240e9},
		{"a rack of GB200", "gb200-nvl72:72", AllReduce, 72, 835e9},
		{"two MI300X of eight share one link", "mi300x:8", AllReduce, 2, 313e9 / 7},
		{"a box of two MI300X has one link", "mi300x:2", AllReduce, 2, 313e9 / 7},
	} {
		if got := float64(find(t, c.spec).InsideBandwidth(c.op, c.ranks)); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func BenchmarkCurve(b *testing.B) {
	c, err := Find("h100:8")
	if err != nil {
		b.Fatal(err)
	}
	curve := c.Inside(AllReduce, 8)
	for i := range b.N {
		curve.Seconds(float64(1e6 + i%100))
	}
}
