package cluster

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// minimax is the textbook form of isotonic regression: the largest over the
// starts of the smallest over the ends of the means around a point.
func minimax(y []float64) []float64 {
	fit := make([]float64, len(y))
	for i := range y {
		best := math.Inf(-1)
		for a := 0; a <= i; a++ {
			least := math.Inf(1)
			for b := i; b < len(y); b++ {
				var sum float64
				for _, v := range y[a : b+1] {
					sum += v
				}
				least = min(least, sum/float64(b-a+1))
			}
			best = max(best, least)
		}
		fit[i] = best
	}
	return fit
}

func TestIsotonicEqualsTheMinimaxForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 9).Draw(t, "y")
		want, got := minimax(y), slices.Clone(y)
		isotonic(got)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Fatalf("%v becomes %v, want %v", y, got, want)
			}
		}
	})
}

func TestSaturateKeepsASequenceNonDecreasingAndNoSteeperThanItsKnots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i] = float64(i) + rapid.Float64Range(0, 0.9).Draw(t, "x")
			y[i] = rapid.Float64Range(-3, 6).Draw(t, "y")
		}
		isotonic(y)
		saturate(x, y)
		for i := 1; i < n; i++ {
			if rise := y[i] - y[i-1]; rise < -1e-9 || rise > x[i]-x[i-1]+1e-9 {
				t.Fatalf("rise %g between %g and %g", rise, x[i-1], x[i])
			}
		}
	})
}
