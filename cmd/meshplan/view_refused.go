package main

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// merged is the least number of neighbouring candidates that are shown as one
// because their reasons differ in figures alone.
const merged = 3

// neighbours is how many candidates at the front of the list are shown as one: those
// that are like the first, if there are enough of them, or say the same as it.
func neighbours(list []search.Candidate, like func(a, b *search.Candidate) bool) int {
	same, n := 1, 1
	for same < len(list) && list[0].Text != "" && list[same].Text == list[0].Text {
		same++
	}
	for n < len(list) && like(&list[0], &list[n]) {
		n++
	}
	if n < merged {
		return same
	}
	return max(same, n)
}

// bothInfeasible reports whether nothing was found of two candidates but that no
// plan fits.
func bothInfeasible(a, b *search.Candidate) bool {
	return a.Verdict == search.NoPlan && b.Verdict == search.NoPlan
}

// sameReason reports whether two candidates are not enough for the same reason, but
// for its figures.
func sameReason(a, b *search.Candidate) bool {
	switch {
	case a.Verdict != b.Verdict || a.Status != b.Status:
		return false
	case a.Verdict == search.TooSlow:
		return a.Status == search.Optimal
	}
	return a.Verdict == search.NoPlan && slices.Equal(rulesOf(a), rulesOf(b))
}

// rulesOf are the rules that leave a candidate no plan; for the memory also which
// figure it is. That all GPUs are used is what a candidate is.
func rulesOf(c *search.Candidate) []string {
	var rules []string
	for _, r := range c.Reasons {
		if strings.HasPrefix(r.Rule, "pin/gpus=") {
			continue
		}
		for _, kind := range []string{"runtime_bytes", "least_host_bytes", "least_peak_bound_bytes"} {
			if _, of := r.Numbers[kind]; of {
				r.Rule += " " + kind
			}
		}
		rules = append(rules, r.Rule)
	}
	return rules
}

// gpusOf is the number of GPUs of a group of neighbours: "8", "1 to 80".
func gpusOf(group []search.Candidate) string {
	first, last := group[0].GPUs, group[len(group)-1].GPUs
	if first == last {
		return units.Grouped(int64(first))
	}
	return units.Grouped(int64(first)) + " to " + units.Grouped(int64(last))
}

// reasonOf is why none of the group is enough: the reason of the one that comes
// closest, and how far off the others are.
func reasonOf(group []search.Candidate) string {
	if !slices.ContainsFunc(group, func(c search.Candidate) bool { return c.Text != group[0].Text }) {
		return group[0].Text
	}
	var nearest, furthest *search.Candidate
	for i := range group {
		c := &group[i]
		if nearest == nil || distance(c) < distance(nearest) {
			nearest = c
		}
		if furthest == nil || distance(c) >= distance(furthest) {
			furthest = c
		}
	}
	text := fmt.Sprintf("on %s: %s; ", count(nearest.GPUs, "GPU"), nearest.Text)
	switch peak := leastPeak(furthest); {
	case furthest.Verdict == search.TooSlow:
		return text + "the others take up to " + seconds(furthest.Best.StepSeconds)
	case peak > 0:
		return text + "the others need up to " + amount(peak)
	}
	return text + "the same rules refuse the others"
}

// distance is what a candidate that is not enough takes of what it may not: seconds
// or bytes; 0 where no figure says.
func distance(c *search.Candidate) float64 {
	if c.Verdict == search.TooSlow {
		return c.Best.StepSeconds
	}
	return leastPeak(c)
}

// leastPeak is the least memory that any plan of an infeasible candidate needs, 0
// where memory is no reason.
func leastPeak(c *search.Candidate) float64 {
	for _, r := range c.Reasons {
		if peak, of := r.Numbers["least_peak_bytes"]; of {
			return peak
		}
	}
	return 0
}
