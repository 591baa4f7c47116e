package search

import (
	"slices"

	"meshplan/solver"
)

// mostKillers is the number of integers tried out of turn at a node.
const mostKillers = 4

// killers are the integers on which nodes died when the walk branched on them,
// the last one first. Near them in the walk the same integer often kills other
// nodes, long before its turn comes.
type killers struct{ recent []solver.Int }

// Failed notes that branching on the integer left no child.
func (k *killers) Failed(x solver.Int) {
	i := slices.Index(k.recent, x)
	if i < 0 {
		i = len(k.recent)
		k.recent = append(k.recent, x)
	}
	copy(k.recent[1:i+1], k.recent[:i])
	k.recent[0] = x
}

// Choose is a recent killer that kills this node too, or else the integer whose
// turn it is.
func (v *visitor) Choose(n *solver.Node, first solver.Int) solver.Int {
	v.Parent(n)
	for i, x := range v.recent {
		if i == mostKillers {
			break
		}
		if x != first && !n.Single(x) && v.kills(n, x) {
			return x
		}
	}
	return first
}

// kills reports whether no value left to the integer passes the screen.
func (v *visitor) kills(n *solver.Node, x solver.Int) bool {
	for value := range n.Values(x) {
		if v.Screen(x, value, value) {
			return false
		}
	}
	return true
}
