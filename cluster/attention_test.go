package cluster

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAttentionEfficiencyIsTheMedianOfTheRowsOfALength(t *testing.T) {
	for name, rows := range attentionRows() {
		g, err := FindGPU(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, seq := range []float64{1024, 2048, 4096, 8192, 16384} {
			var at []float64
			for _, r := range rows {
				if r.seq == seq {
					at = append(at, r.efficiency)
				}
			}
			slices.Sort(at)
			want := math.Sqrt(at[len(at)/2-1] * at[len(at)/2])
			if got := g.AttentionEfficiency(seq); len(at) != 18 || math.Abs(got/want-1) > 0.02 {
				t.Errorf("%s at %g: %.4f, the median of %d rows is %.4f", name, seq, got, len(at), want)
			}
		}
	}
}

func TestAttentionEfficiencyRisesWithLengthAndAttentionTimeToo(t *testing.T) {
	gpus := GPUs()
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(gpus).Draw(t, "gpu")
		a := math.Exp(rapid.Float64Range(0, 16).Draw(t, "ln seq"))
		b := a * (1 + rapid.Float64Range(0, 3).Draw(t, "growth"))
		ea, eb := g.AttentionEfficiency(a), g.AttentionEfficiency(b)
		if !(ea > 0 && eb <= 1 && ea <= eb*(1+1e-12)) {
			t.Fatalf("%s: %g at %g, %g at %g", g.Name, ea, a, eb, b)
		}
		if a*a/ea > b*b/eb*(1+1e-12) {
			t.Fatalf("%s: attention over %g tokens is slower than over %g", g.Name, a, b)
		}
	})
}

func TestAnH100ReachesMoreOfItsPeakInLongSequences(t *testing.T) {
	g, err := FindGPU("H100")
	if err != nil {
		t.Fatal(err)
	}
	for seq, want := range map[float64]float64{1024: 0.209, 4096: 0.471, 16384: 0.614, 1e6: 0.614} {
		if got := g.AttentionEfficiency(seq); math.Abs(got-want) > 0.002 {
			t.Errorf("%g tokens: %.4f, want %.3f", seq, got, want)
		}
	}
}
