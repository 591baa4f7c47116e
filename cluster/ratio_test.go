package cluster

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

const mib = float64(1 << 20)

func TestRingRatiosAreThoseOfTheTable(t *testing.T) {
	for _, c := range []struct{ bytes, nodes, want, slack float64 }{
		{16 * mib, 2, 0.32, 0.02},
		{128 * mib, 8, 0.54, 0.01},
		{128 * mib, 128, 0.0533, 0.03},
		{1024 * mib, 32, 0.74, 0.01},
		{16384 * mib, 128, 0.919, 0.01},
	} {
		if got := RingRatio(c.bytes, c.nodes); math.Abs(got/c.want-1) > c.slack {
			t.Errorf("%g MiB over %g nodes: %.4f, want %.4f", c.bytes/mib, c.nodes, got, c.want)
		}
	}
}

func TestAllToAllRatiosPoolWhatRisesWithNodes(t *testing.T) {
	if a, b := AllToAllRatio(1024*mib, 2), AllToAllRatio(1024*mib, 8); math.Abs(a-b) > 1e-9 || a < 0.81 || a > 0.94 {
		t.Errorf("2 nodes %.3f, 8 nodes %.3f; want one value from 0.81 to 0.94", a, b)
	}
	if got := AllToAllRatio(1024*mib, 16); math.Abs(got-0.85) > 0.005 {
		t.Errorf("16 nodes %.3f, want 0.85", got)
	}
}

func TestRatiosAreClampedToTheTable(t *testing.T) {
	for name, c := range map[string][2]float64{
		"fewer bytes": {RingRatio(1, 2), RingRatio(16*mib, 2)},
		"more bytes":  {RingRatio(1e13, 2), RingRatio(16384*mib, 2)},
		"fewer nodes": {RingRatio(1e9, 1), RingRatio(1e9, 2)},
		"more nodes":  {RingRatio(1e9, 4096), RingRatio(1e9, 128)},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %g, the table ends with %g", name, c[0], c[1])
		}
	}
}

func TestTimeByRatioRisesWithBytesAndNodes(t *testing.T) {
	for name, ratio := range map[string]func(bytes, nodes float64) float64{"ring": RingRatio, "all-to-all": AllToAllRatio} {
		rapid.Check(t, func(t *rapid.T) {
			bytes := math.Exp(rapid.Float64Range(0, 30).Draw(t, "ln bytes"))
			nodes := math.Exp(rapid.Float64Range(0, 8).Draw(t, "ln nodes"))
			moreBytes := bytes * (1 + rapid.Float64Range(0, 3).Draw(t, "bytes"))
			moreNodes := nodes * (1 + rapid.Float64Range(0, 3).Draw(t, "nodes"))
			r := ratio(bytes, nodes)
			if !(r > 0 && r <= 1) {
				t.Fatalf("%s ratio %g", name, r)
			}
			if bytes/r > moreBytes/ratio(moreBytes, nodes)*(1+1e-12) {
				t.Fatalf("%s: %g bytes are slower than %g", name, bytes, moreBytes)
			}
			if ratio(bytes, moreNodes) > r*(1+1e-12) {
				t.Fatalf("%s: %g nodes are faster than %g", name, moreNodes, nodes)
			}
		})
	}
}
