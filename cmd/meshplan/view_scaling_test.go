package main

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAmountsHaveTheDigitsThatTellNeighboursApart(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []float64
		want []string
	}{
		{"two digits do", []float64{0.027, 0.026, 0.029}, []string{"0.027", "0.026", "0.029"}},
		{"three do", []float64{0.02672, 0.02601, 0.02569}, []string{"0.0267", "0.0260", "0.0257"}},
		{"four do, of all", []float64{0.5, 0.02601, 0.02604}, []string{"0.5000", "0.02601", "0.02604"}},
		{"equal amounts stay equal", []float64{0.026, 0.026}, []string{"0.026", "0.026"}},
		{"alike, but not neighbours", []float64{0.0261, 0.03, 0.0262}, []string{"0.026", "0.03", "0.026"}},
		{"dollars", []float64{3.971, 3.973, 1.5}, []string{"3.971", "3.973", "1.500"}},
		{"thousands of dollars", []float64{473026.1, 473026.3}, []string{"473,026.1", "473,026.3"}},
	} {
		var column []*float64
		for i := range c.in {
			column = append(column, &c.in[i])
		}
		if diff := cmp.Diff(c.want, amounts(column)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	if got := amounts([]*float64{nil, nil}); got[0] != "-" || got[1] != "-" {
		t.Errorf("unknown amounts are %v", got)
	}
}

// TestAnAxisHasTicksThatDiffer holds for any range that a frame makes: its ends are at
// least 4 % apart.
func TestAnAxisHasTicksThatDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(1e-5, 1e6).Draw(t, "lo")
		hi := lo * rapid.Float64Range(1.04, 1.5).Draw(t, "ratio")
		ticks := roundTicks(lo, hi)
		if len(ticks) < 2 || len(ticks) > 16 {
			t.Fatalf("%d ticks from %v to %v", len(ticks), lo, hi)
		}
		for i, k := range ticks {
			shown, err := strconv.ParseFloat(k.Label, 64)
			if err != nil || math.Abs(shown/k.Value-1) > 1e-3*(hi/lo-1) {
				t.Errorf("a tick at %v is labelled %q, %v", k.Value, k.Label, err)
			}
			if k.Value < lo || k.Value > hi || i > 0 && k.Label == ticks[i-1].Label {
				t.Errorf("tick %q at %v, from %v to %v", k.Label, k.Value, lo, hi)
			}
		}
	})
}
