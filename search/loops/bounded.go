package loops

import (
	"context"
	"slices"

	"meshplan/cost"
	"meshplan/plan"
)

// Bounded is Plain that skips what a bound shows to be useless: before a loop
// is entered, its values are bounded as boxes, sorted by bound, and dropped
// when over memory or not lower than the worst plan kept.
func (e *Enumerator) Bounded(ctx context.Context, q Query) Answer {
	s := &search{Enumerator: e, ctx: ctx, query: q, best: ranking{top: max(1, q.Top)}}
	own := *e
	own.nest = e.arrange(e.First)
	s.Enumerator = &own
	s.divisors = map[int32][]int32{}
	s.complete = s.completions()
	s.frames = make([]frame, len(s.order)+1)
	s.frames[0].live = e.live
	return s.finish(e.void || s.branch(0))
}

// frame is the state of one depth of the bounded loops.
type frame struct {
	live     [plan.NumCoords][]int32 // values of the open coordinates that rules allow
	pool     []int32                 // backs the slices filtered at this depth
	children []child
}

// child is a value of a loop with the bound of its box.
type child struct {
	value int32
	box   cost.Bound
	least plan.Point
	class bool // the box holds one class
}

func (c *child) key() key { return key{nanoseconds(c.box.Step), c.box.Peak, &c.least} }

// branch tries the values of loop i by rising bound; false means stopped.
func (s *search) branch(i int) bool {
	if i == len(s.order) {
		s.price(&s.point)
		return !s.enough()
	}
	f, c := &s.frames[i], s.order[i]
	f.children = f.children[:0]
	for _, v := range f.live[c] {
		if !s.divides(i, v) {
			continue
		}
		s.set(c, v)
		if k, ok := s.bound(i, v); ok {
			f.children = append(f.children, k)
		}
	}
	slices.SortStableFunc(f.children, func(a, b child) int {
		switch {
		case a.key().before(b.key()):
			return -1
		case b.key().before(a.key()):
			return 1
		}
		return 0
	})
	return s.enter(i)
}

// enter goes into the children of loop i that can still matter.
func (s *search) enter(i int) bool {
	f, c := &s.frames[i], s.order[i]
	for n := range f.children {
		k := &f.children[n]
		if s.best.hopeless(k.key(), k.class) {
			continue
		}
		if s.ctx.Err() != nil {
			return false
		}
		s.set(c, k.value)
		s.filter(i)
		if !s.branch(i + 1) {
			return false
		}
	}
	return true
}

// bound bounds the plans under the value v just set for loop i; false means
// there are none worth looking at.
func (s *search) bound(i int, v int32) (child, bool) {
	if !s.hold(i) || !s.fill(i) || !s.filter(i) {
		return child{}, false
	}
	box, ok := s.box(i)
	if !ok {
		return child{}, false
	}
	s.answer.Nodes++
	k := child{value: v, box: s.boundOf(&box), least: box.Least(), class: s.oneClass(i)}
	if k.box.Peak > s.limit(k.box.Usable) || s.best.hopeless(k.key(), k.class) {
		return child{}, false
	}
	return k, true
}

// within is a price model that bounds the plans of a box whose memory stays
// within a share of what they can use.
type within interface {
	BoundWithin(b *plan.Box, share float64) cost.Bound
}

// boundOf bounds the plans of the box that the query accepts. The limit as a share of
// the usable memory is that of the box before; where it was too small, the box is
// bounded again.
func (s *search) boundOf(box *plan.Box) cost.Bound {
	w, ok := s.Price.(within)
	if !ok {
		return s.Price.Bound(box)
	}
	share := s.share()
	b := w.BoundWithin(box, share)
	if s.usable = b.Usable; share < s.share() {
		b = w.BoundWithin(box, s.share())
	}
	return b
}

// share is the limit over the usable memory of the box bounded last.
func (s *search) share() float64 {
	share := s.group()
	if s.query.Most > 0 && s.usable > 0 {
		share = min(share, float64(s.query.Most/s.usable))
	}
	return share
}

// oneClass reports whether the degrees and options are set after loop i.
func (s *search) oneClass(i int) bool {
	for c := range plan.Coord(plan.NumOptions) {
		if s.position[c] > i {
			return false
		}
	}
	return true
}

// filter leaves the open coordinates the values that the rules with one open
// coordinate allow, in the next frame; false means one has none left.
func (s *search) filter(i int) bool {
	f := &s.frames[i+1]
	f.live, f.pool = s.frames[i].live, f.pool[:0]
	for _, r := range s.filters[i] {
		from := len(f.pool)
		for _, v := range f.live[r.open] {
			if s.set(r.open, v); r.rule.Holds(s.Facts, &s.point) {
				f.pool = append(f.pool, v)
			}
		}
		if f.live[r.open] = f.pool[from:len(f.pool):len(f.pool)]; len(f.pool) == from {
			return false
		}
	}
	return true
}
