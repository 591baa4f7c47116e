package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/search"
)

// frontOf is a front of points of those steps and memories, none borderline.
func frontOf(pairs ...float64) (points []search.FrontPoint) {
	for i := 0; i < len(pairs); i += 2 {
		points = append(points, search.FrontPoint{Outline: search.Outline{StepSeconds: pairs[i], PeakReservedBytes: pairs[i+1], Verdict: "fits"}})
	}
	return points
}

func TestAShortFrontIsShownWhole(t *testing.T) {
	points := frontOf(1, 10, 1.001, 9.99, 1.002, 9.98, 1.003, 9.97)
	if diff := cmp.Diff([]int{0, 1, 2, 3}, shownOf(points, false)); diff != "" {
		t.Error(diff)
	}
	if shown := shownOf(nil, false); len(shown) > 0 {
		t.Errorf("of no points %v are shown", shown)
	}
}

func TestForEachPointThatIsLeftOutOneThatIsShownDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	fewer := 0
	for range 500 {
		n := 1 + r.IntN(60)
		points := make([]search.FrontPoint, n)
		step, memory, borderline := 1.0, 1e12, r.IntN(4)
		for i := range points {
			points[i].StepSeconds, points[i].PeakReservedBytes, points[i].Verdict = step, memory, "fits"
			if i < borderline {
				points[i].Verdict = "borderline"
			}
			step *= 1 + 0.02*r.Float64()*r.Float64()
			memory /= 1 + 0.02*r.Float64()*r.Float64()
		}
		knee := r.IntN(n)
		points[knee].Knee = true
		shown := shownOf(points, false)
		if !slices.IsSorted(shown) || len(slices.Compact(slices.Clone(shown))) != len(shown) {
			t.Fatalf("shown are %v", shown)
		}
		for _, i := range []int{0, min(borderline, n-1), knee, n - 1} {
			if !slices.Contains(shown, i) {
				t.Fatalf("of %d points, the knee being %d and %d borderline, %d is not shown: %v", n, knee, borderline, i, shown)
			}
		}
		for i := range points {
			if !slices.ContainsFunc(shown, func(s int) bool {
				return points[s].StepSeconds <= 1.01*points[i].StepSeconds && points[s].PeakReservedBytes <= 1.01*points[i].PeakReservedBytes
			}) {
				t.Fatalf("for %d of %d none of %v does", i, n, shown)
			}
		}
		if n <= 20 && len(shown) < n {
			t.Fatalf("%d of %d are shown", len(shown), n)
		}
		if len(shown) < n {
			fewer++
		}
		if all := shownOf(points, true); len(all) != n {
			t.Fatalf("all %d are asked for, %d shown", n, len(all))
		}
	}
	if fewer < 100 {
		t.Errorf("only %d fronts are shown in part", fewer)
	}
}
