package measured

import (
	"cmp"
	"slices"
	"strings"

	"meshplan/cost"
)

// TermShare is the share of a predicted step that one term takes.
type TermShare struct {
	Term  string `json:"term"` // as explained plans name it
	Share Share  `json:"share"`
}

// leastShare is the share below which a term is not listed.
const leastShare = 0.0005

// sharesOf are the terms of the step that have no terms themselves, largest
// first.
func sharesOf(step *cost.Term) []TermShare {
	var list []TermShare
	var walk func(*cost.Term)
	walk = func(t *cost.Term) {
		for i := range t.Terms {
			walk(&t.Terms[i])
		}
		if share := t.Value / step.Value; len(t.Terms) == 0 && share >= leastShare {
			list = append(list, TermShare{t.Name, Share(share)})
		}
	}
	walk(step)
	slices.SortFunc(list, func(a, b TermShare) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Term, b.Term))
	})
	return list
}
