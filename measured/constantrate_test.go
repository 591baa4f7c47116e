package measured

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rated is a timed row whose model FLOPs a second and GPU are the given
// multiple of those of a step that takes a second.
func rated(t *testing.T, source, sweep, model string, rate float64) *scored {
	t.Helper()
	m := lookedUp(t).model(model)
	if m == nil {
		t.Fatalf("no model %s", model)
	}
	s := &scored{row: &row{source: source, sweep: sweep}}
	s.prediction = prediction{profile: "megatron", gpu: "A100", model: m, gpus: 8, tokens: 1e6}
	s.workload.SeqLen = 4096
	s.seconds = s.modelFLOPs() / (rate * s.gpus)
	return s
}

func TestAConstantRateIsFittedToOtherSweeps(t *testing.T) {
	for _, c := range []struct {
		name  string
		rows  []*scored
		rates []float64 // for each row; 0 is none
	}{
		{"one row alone", []*scored{rated(t, "lab", "a", "llama-2-7b", 1)}, []float64{0}},
		{"the own sweep alone", []*scored{rated(t, "lab", "a", "llama-2-7b", 1), rated(t, "lab", "a", "llama-2-7b", 2)}, []float64{0, 0}},
		{"two sweeps", []*scored{rated(t, "lab", "a", "llama-2-7b", 1), rated(t, "lab", "a", "llama-2-7b", 2), rated(t, "lab", "b", "llama-2-7b", 8)},
			[]float64{8, 8, math.Sqrt2}},
		{"the own sweep in another source", []*scored{rated(t, "lab", "a", "llama-2-7b", 1), rated(t, "works", "a", "llama-2-7b", 2)}, []float64{0, 0}},
		{"without a sweep, the own model", []*scored{rated(t, "lab", "", "llama-2-7b", 1), rated(t, "lab", "a", "llama-2-7b", 2), rated(t, "lab", "", "llama-2-13b", 3)},
			[]float64{3, math.Sqrt(3), math.Sqrt2}},
		{"the own model of another source", []*scored{rated(t, "lab", "", "llama-2-7b", 1), rated(t, "works", "", "llama-2-7b", 2)}, []float64{2, 1}},
		{"the middle of three", []*scored{rated(t, "lab", "a", "llama-2-7b", 1), rated(t, "lab", "b", "llama-2-7b", 2), rated(t, "lab", "c", "llama-2-7b", 9),
			rated(t, "lab", "d", "llama-2-7b", 5)}, []float64{5, 5, 2, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			constantRates(c.rows)
			for i, s := range c.rows {
				got := 0.0
				if s.byRate > 0 {
					got = s.modelFLOPs() / (s.byRate * s.gpus)
				}
				if math.Abs(got-c.rates[i]) > 1e-9 {
					t.Errorf("row %d: rate %g, want %g", i, got, c.rates[i])
				}
			}
		})
	}
}

func TestAConstantRateHoldsForOneProfileGPUAndPrecision(t *testing.T) {
	for name, change := range map[string]func(*scored){
		"the profile":   func(s *scored) { s.profile = "fsdp" },
		"the GPU":       func(s *scored) { s.gpu = "H100" },
		"the precision": func(s *scored) { s.workload.Precision = "fp8" },
		"not timed":     func(s *scored) { s.seconds = 0 },
		"skipped":       func(s *scored) { s.skip = skipped(NoPlan, "") },
	} {
		a, b := rated(t, "lab", "a", "llama-2-7b", 1), rated(t, "lab", "b", "llama-2-7b", 2)
		change(b)
		constantRates([]*scored{a, b})
		if a.byRate != 0 || b.byRate != 0 {
			t.Errorf("%s is another, and yet %g and %g s", name, a.byRate, b.byRate)
		}
	}
}

func TestTheErrorOfAConstantRateIsThatOfItsTime(t *testing.T) {
	a, b := rated(t, "lab", "a", "llama-2-7b", 1), rated(t, "lab", "b", "llama-2-7b", 4)
	constantRates([]*scored{a, b})
	if e, ok := a.rateError(); !ok || math.Abs(e+0.75) > 1e-9 {
		t.Errorf("a rate four times as high: error %g, %t", e, ok)
	}
	if e, ok := b.rateError(); !ok || math.Abs(e-3) > 1e-9 {
		t.Errorf("a rate of a quarter: error %g, %t", e, ok)
	}
}

// The median without some values is that of a list from which they are taken.
func TestTheMedianLeavesValuesOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		sorted := make([]float64, 1+r.IntN(9))
		for i := range sorted {
			sorted[i] = float64(r.IntN(6))
		}
		slices.Sort(sorted)
		var places []int
		var left []float64
		for i, v := range sorted {
			if r.IntN(3) == 0 {
				places = append(places, i)
			} else {
				left = append(left, v)
			}
		}
		got, ok := medianWithout(sorted, places)
		if ok != (len(left) > 0) || ok && got != median(left) {
			t.Fatal(fmt.Sprint(sorted, " without places ", places, ": ", got, ok))
		}
	}
}
