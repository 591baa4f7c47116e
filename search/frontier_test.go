package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// node is a tree with rising bounds, walked like the solver walks.
type node struct {
	bound    float64
	children []*node
}

func someTree(t *rapid.T, bound float64, depth int) *node {
	n := &node{bound: bound}
	if depth == 0 {
		return n
	}
	for range rapid.IntRange(0, 3).Draw(t, "children") {
		n.children = append(n.children, someTree(t, bound+float64(rapid.IntRange(0, 5).Draw(t, "rise")), depth-1))
	}
	return n
}

// walkFor walks until the given number of nodes has been met and returns the
// leaves not reached.
func walkFor(f *frontier, root *node, events int) (missed []float64) {
	stop := func() bool { events--; return events < 0 }
	stopped := false
	var leaves func(n *node)
	leaves = func(n *node) {
		if len(n.children) == 0 {
			missed = append(missed, n.bound)
		}
		for _, c := range n.children {
			leaves(c)
		}
	}
	var enter func(n *node, depth int)
	enter = func(n *node, depth int) {
		for _, c := range n.children {
			if stopped = stopped || stop(); stopped {
				leaves(n)
				return
			}
			f.add(depth, c.bound)
		}
		kids := slices.Clone(n.children)
		slices.SortStableFunc(kids, func(a, b *node) int { return int(a.bound - b.bound) })
		for _, c := range kids {
			if stopped {
				leaves(c)
				continue
			}
			f.enter(depth)
			enter(c, depth+1)
		}
	}
	enter(&node{children: []*node{root}}, 0)
	return missed
}

func TestFrontierIsBelowEveryLeafNotReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := someTree(t, 1, 4)
		var f frontier
		missed := walkFor(&f, root, rapid.IntRange(1, 60).Draw(t, "events"))
		bound, ok := f.least()
		if !ok {
			return // the caller uses the bound of the whole space
		}
		for _, m := range missed {
			if bound > m {
				t.Fatalf("bound %v, but a leaf of %v was not reached", bound, m)
			}
		}
	})
}

func TestFrontierRisesAsTheWalkGoesOn(t *testing.T) {
	var f frontier
	f.add(0, 1)
	f.enter(0)
	for _, b := range []float64{4, 2, 3} {
		f.add(1, b)
	}
	for i, want := range []float64{2, 3, 4} {
		f.enter(1)
		if got, _ := f.least(); got != want {
			t.Errorf("after %d children the least open bound is %v, want %v", i+1, got, want)
		}
	}
}
