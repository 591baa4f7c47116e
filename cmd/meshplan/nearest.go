package main

import (
	"strings"

	"meshplan/plan"
)

// nearest is the known name closest to the given one, or "" when none is close
// enough to be a slip of the keyboard.
func nearest(given string, known []string) string {
	best, least := "", 1+max(2, len(given)/2)
	for _, k := range known {
		if d := plan.Distance(strings.ToLower(given), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// suggestion is "; nearest is NAME", or a list of the known names when none is
// near.
func suggestion(given string, known []string) string {
	if k := nearest(given, known); k != "" {
		return "; nearest is " + k
	}
	return "; known: " + strings.Join(known, ", ")
}
