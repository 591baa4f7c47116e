package main

import (
	"fmt"

	"meshplan/cost"
	"meshplan/search"
)

// A front of more points than wholeFront is shown without those for which another one
// does, which takes at most hardlyMore times as much of time and of memory.
const (
	wholeFront = 20
	hardlyMore = 1.01
)

// shownOf are the points of a front that its table shows, by their places in it: all of
// a short one or if they are asked for; of a long one the first, the last, the knee, the
// fastest that fits, and of the others as few as do for all.
func shownOf(points []search.FrontPoint, all bool) (shown []int) {
	always := alwaysShown(points, all || len(points) <= wholeFront)
	for i := 0; i < len(points); i++ {
		if n := len(shown); n > 0 && !always[i] && doesFor(&points[shown[n-1]], &points[i]) {
			continue
		}
		first := &points[i]
		for !always[i] && doesFor(&points[i+1], first) {
			i++
		}
		shown = append(shown, i)
	}
	return shown
}

// alwaysShown marks the points that are never left out.
func alwaysShown(points []search.FrontPoint, all bool) []bool {
	always := make([]bool, len(points))
	fits := false
	for i := range points {
		fastest := !fits && points[i].Verdict == cost.Fits.String()
		fits = fits || fastest
		always[i] = all || i == 0 || i == len(points)-1 || points[i].Knee || fastest
	}
	return always
}

// doesFor reports whether a point takes hardly more of time and of memory than another.
func doesFor(a, other *search.FrontPoint) bool {
	return a.StepSeconds <= hardlyMore*other.StepSeconds && a.PeakReservedBytes <= hardlyMore*other.PeakReservedBytes
}

// leftOut says how many points a table does not show, and how to see them.
func leftOut(n int) string {
	return fmt.Sprintf("%s not shown: for each, one that is shown takes at most %.0f %% more time and memory; --all-points shows all, --json has them",
		count(n, "point"), 100*(hardlyMore-1))
}
