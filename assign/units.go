package assign

import (
	"context"
	"slices"
)

// units is a problem whose items are the groups of another's first kind, none
// of which needs to straddle bins.
type units struct {
	Problem
	size int   // items of a unit
	of   []int // the unit of each item
	// times[k][g] is how many groups of the kind k+1 have all their items in
	// the same units as group g of the kind k.
	times [][]int
}

// units are the groups of the first kind as items; nil where they are not of
// one size or do not cover all items.
func (p *Problem) units() *units {
	groups := p.Kinds[0]
	if len(groups) == 0 {
		return nil
	}
	u := &units{of: make([]int, p.Items)}
	for i := range u.of {
		u.of[i] = -1
	}
	covered := 0
	for n, g := range groups {
		if len(g) != len(groups[0]) {
			return nil
		}
		for _, i := range g {
			if u.of[i] < 0 {
				covered++
			}
			u.of[i] = n
		}
	}
	if u.size = len(groups[0]); covered != p.Items || covered != len(groups)*u.size {
		return nil
	}
	u.Items = len(groups)
	for _, r := range p.Room {
		u.Room = append(u.Room, r/u.size)
	}
	for _, kind := range p.Kinds[1:] {
		u.add(kind)
	}
	stride := 1
	for k, n := range p.Grid {
		if slices.EqualFunc(p.lines(stride, n), groups, func(a, b []int) bool { return slices.Equal(a, b) }) {
			u.Grid = slices.Delete(slices.Clone(p.Grid), k, k+1)
			break
		}
		stride *= n
	}
	return u
}

// add states a further kind in units. Groups of the same units straddle bins
// together and are one group.
func (u *units) add(kind [][]int) {
	var groups [][]int
	var times []int
	for _, g := range kind {
		var of []int
		for _, i := range g {
			if !slices.Contains(of, u.of[i]) {
				of = append(of, u.of[i])
			}
		}
		slices.Sort(of)
		known := slices.IndexFunc(groups, func(h []int) bool { return slices.Equal(h, of) })
		if known < 0 {
			groups, times = append(groups, of), append(times, 1)
		} else {
			times[known]++
		}
	}
	u.Kinds, u.times = append(u.Kinds, groups), append(u.times, times)
}

// best is the best assignment of the items of p. It is proven where the
// groups of each kind stand for equally many of p's.
func (u *units) best(ctx context.Context, p *Problem) (*Answer, error) {
	own, err := u.Problem.best(ctx)
	if err != nil {
		return nil, err
	}
	a := &Answer{Bin: make([]int, p.Items), Straddling: []int{0}, Proven: []bool{true}}
	for i := range a.Bin {
		a.Bin[i] = own.Bin[u.of[i]]
	}
	for k, times := range u.times {
		a.Straddling = append(a.Straddling, p.straddling(k+1, a.Bin))
		equal := !slices.ContainsFunc(times, func(n int) bool { return n != times[0] })
		a.Proven = append(a.Proven, own.Proven[k] && equal && a.Proven[k])
	}
	return a, nil
}
