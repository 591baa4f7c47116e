package search

import (
	"cmp"
	"math"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// key is what plans are ordered by: the goal, what decides between equals of
// it, and the point. With least time as the goal they are the step time in
// whole nanoseconds and the peak memory in bytes. The key of a box's bounds and
// least corner is not above the key of any point in the box.
type key struct {
	first, second float64
	point         plan.Point
}

func (a *key) compare(b *key) int {
	if c := cmp.Compare(a.first, b.first); c != 0 {
		return c
	}
	if c := cmp.Compare(a.second, b.second); c != 0 {
		return c
	}
	return a.point.Compare(&b.point)
}

// roundNS rounds a time to whole nanoseconds.
func roundNS(s units.Seconds) float64 { return math.Round(float64(s) * 1e9) }

// class is the degrees and options of a plan: everything but its placement.
type class [plan.NumOptions]int32

func classOf(p *plan.Point) class { return class(p[:len(class{})]) }

// oneClass reports whether every point of the box has the same degrees and
// options.
func oneClass(b *plan.Box) bool {
	for c := range len(class{}) {
		if !b[c].Single() {
			return false
		}
	}
	return true
}

// leaf is a priced plan.
type leaf struct {
	key
	plan    plan.Plan
	figures cost.Figures
}
