// Package assign puts equal items into bins of limited room so that as few
// groups of items as possible straddle bins.
//
//	a, err := assign.Best(ctx, &assign.Problem{Items: 4, Room: []int{3, 2}, Kinds: [][][]int{{{0, 1}, {2, 3}}}})
//	fmt.Println(a.Bin, a.Straddling, a.Proven) // [0 0 1 1] [0] true
//
// It knows nothing of GPUs. What counting cannot settle is asked of the solver.
package assign

import (
	"context"
	"errors"
	"slices"
)

// Problem is items, numbered from 0, and the bins that they go into.
type Problem struct {
	Items int
	Room  []int // items that each bin holds
	// Kinds are lists of groups of items. As few groups of the first kind as
	// possible straddle bins; of the assignments that are equal in it, those are
	// sought that are best in the second kind, and so on.
	Kinds [][][]int
	// Grid, if it is given, are the sizes of the axes of a grid of the items, the
	// first axis varying fastest. Of equal assignments one is taken in which
	// neighbours are in one bin, or in bins that follow on each other.
	Grid []int
}

// Answer is an assignment.
type Answer struct {
	Bin        []int  // of each item
	Straddling []int  // groups of each kind that have items in more than one bin
	Proven     []bool // of each kind: no assignment that is equal before it has fewer
}

// ErrRoom says that the bins cannot hold all items.
var ErrRoom = errors.New("assign: more items than room")

// largest is the product of items and bins up to which the solver is asked
// about two kinds along the axes of a grid; with each further kind it is less,
// as the square of their number, and half as much where slices of the grid
// cannot change places. Refutations of random problems at the limit take a
// second or two; at twice the size some take minutes.
const largest = 1024

// small reports whether the solver is asked.
func (p *Problem) small() bool {
	more := max(1, len(p.Kinds)-1)
	size := p.Items * len(p.Room) * more * more
	if !p.axes() {
		size *= 2
	}
	return size <= largest
}

// Best is the best assignment, the same for the same problem. What is not
// proven is the best that filling bins in order finds; that is so where there
// are many items and bins, and where the context ends early.
func Best(ctx context.Context, p *Problem) (*Answer, error) {
	a, err := p.best(ctx)
	if err == nil {
		p.gather(a)
	}
	return a, err
}

// best is Best without regard to the grid.
func (p *Problem) best(ctx context.Context) (*Answer, error) {
	room := 0
	for _, r := range p.Room {
		room += r
	}
	if room < p.Items {
		return nil, ErrRoom
	}
	a := &Answer{Bin: p.fill()}
	for k := range p.Kinds {
		a.Straddling = append(a.Straddling, p.straddling(k, a.Bin))
		a.Proven = append(a.Proven, false)
	}
	for k := range p.Kinds {
		least := p.least(k)
		if k == 0 && a.Straddling[0] == least && least == 0 {
			if u := p.units(); u != nil {
				return u.best(ctx, p)
			}
		}
		if !p.improve(ctx, a, k, least) {
			break
		}
	}
	return a, nil
}

// straddling counts the groups of a kind that have items in several bins.
func (p *Problem) straddling(kind int, bin []int) int {
	n := 0
	for _, g := range p.Kinds[kind] {
		if slices.ContainsFunc(g, func(i int) bool { return bin[i] != bin[g[0]] }) {
			n++
		}
	}
	return n
}

// least is a number of groups of the kind that straddle bins however the items
// are assigned: a bin holds no more whole groups than fit side by side.
func (p *Problem) least(kind int) int {
	size, groups := 0, 0
	for _, g := range p.Kinds[kind] {
		if len(g) > 1 {
			groups++
			if size == 0 || len(g) < size {
				size = len(g)
			}
		}
	}
	if groups == 0 || !p.disjoint(kind) {
		return 0
	}
	for _, r := range p.Room {
		groups -= r / size
	}
	return max(0, groups)
}

// disjoint reports whether no item is in two groups of the kind.
func (p *Problem) disjoint(kind int) bool {
	in := make([]bool, p.Items)
	for _, g := range p.Kinds[kind] {
		for _, i := range g {
			if in[i] {
				return false
			}
			in[i] = true
		}
	}
	return true
}

// fill assigns whole groups of the first kind to the bins with most room first,
// in the order of the groups, and what is left to what room is left.
func (p *Problem) fill() []int {
	bin := make([]int, p.Items)
	for i := range bin {
		bin[i] = -1
	}
	left := slices.Clone(p.Room)
	order := make([]int, len(left))
	for b := range order {
		order[b] = b
	}
	slices.SortStableFunc(order, func(a, b int) int { return left[b] - left[a] })
	if len(p.Kinds) > 0 {
		for _, g := range p.Kinds[0] {
			free := !slices.ContainsFunc(g, func(i int) bool { return bin[i] >= 0 })
			b := slices.IndexFunc(order, func(b int) bool { return left[b] >= len(g) })
			if !free || b < 0 {
				continue
			}
			for _, i := range g {
				bin[i] = order[b]
			}
			left[order[b]] -= len(g)
		}
	}
	next := 0
	for i := range bin {
		if bin[i] >= 0 {
			continue
		}
		for left[order[next]] == 0 {
			next++
		}
		bin[i] = order[next]
		left[order[next]]--
	}
	return bin
}
