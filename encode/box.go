package encode

import (
	"sort"

	"meshplan/plan"
	"meshplan/solver"
)

// Box is the interval that propagation leaves to every coordinate at a node.
// It does not allocate.
func (s *Space) Box(n *solver.Node) plan.Box {
	b := s.fixed
	for i := range s.open {
		v := &s.open[i]
		lo, hi := n.Interval(v.x)
		for _, c := range v.coords {
			b[c] = plan.Range{Lo: lo, Hi: hi}
		}
	}
	return b
}

// Narrow gives one integer of the space the values from lo to hi in the box, and
// keeps the cumulative factors of its dimension in order. It does not propagate.
func (s *Space) Narrow(b *plan.Box, x solver.Int, lo, hi int32) {
	for i := range s.open {
		v := &s.open[i]
		if v.x != x {
			continue
		}
		for _, c := range v.coords {
			b[c] = plan.Range{Lo: lo, Hi: hi}
		}
		if d, l, ok := v.coord.Dim(); ok {
			for below := range l {
				b[plan.At(d, below)].Hi = min(b[plan.At(d, below)].Hi, hi)
			}
			for above := l + 1; above < plan.MaxLevels; above++ {
				b[plan.At(d, above)].Lo = max(b[plan.At(d, above)].Lo, lo)
			}
		}
		return
	}
}

// Point is the point of a solution.
func (s *Space) Point(m solver.Model) plan.Point {
	var p plan.Point
	for c := range p {
		p[c] = m.Value(s.ints[c])
	}
	return p
}

// Exclude adds to the group that no point of the box is a solution. Ends that
// the others imply cost no literal: a cumulative factor is at most the one
// above and at least the one below.
func (s *Space) Exclude(g solver.Group, b plan.Box) {
	var spans []solver.Span
	for i := range s.open {
		v := &s.open[i]
		values := v.x.Values()
		first, last := values[0], values[len(values)-1]
		span := solver.Span{X: v.x, Lo: first, Hi: last}
		for _, c := range v.coords {
			span.Lo, span.Hi = max(span.Lo, b[c].Lo), min(span.Hi, b[c].Hi)
		}
		if d, l, ok := v.coord.Dim(); ok {
			if l = min(l, s.levels-1); l < s.levels-1 && b[plan.At(d, l+1)].Hi <= span.Hi {
				span.Hi = last
			}
			if l > 0 && b[plan.At(d, l-1)].Lo >= span.Lo {
				span.Lo = first
			}
		}
		if span.Lo > first || span.Hi < last {
			spans = append(spans, span)
		}
	}
	s.session.Exclude(g, spans)
}

// Widen is a box around the point for which cut still holds: the coordinates
// are widened one after another, the lower end first, each as far over its
// domain as cut allows. Intervals are kept consistent: a cumulative factor is
// never above the one on the next level. cut must hold at the point.
func (s *Space) Widen(p plan.Point, order []plan.Coord, cut func(*plan.Box) bool) plan.Box {
	w := widening{Space: s, box: p.Box(), cut: cut}
	for _, c := range order {
		for i := range s.open {
			if v := &s.open[i]; v.coord == c {
				w.widen(v, p[c])
			}
		}
	}
	return w.tight(&w.box)
}

type widening struct {
	*Space
	box plan.Box
	cut func(*plan.Box) bool
}

func (w *widening) widen(v *variable, at int32) {
	values := v.x.Values()
	k := sort.Search(len(values), func(i int) bool { return values[i] >= at })
	if k == len(values) || values[k] != at {
		return // the point lies outside the space
	}
	lo := w.furthest(k, func(i int) plan.Range { return plan.Range{Lo: values[k-i], Hi: at} }, v)
	w.furthest(len(values)-1-k, func(i int) plan.Range { return plan.Range{Lo: values[k-lo], Hi: values[k+i]} }, v)
}

// furthest takes the largest of the ranges 0..n, growing, that is still cut:
// the last, or one found by bisection. Range 0 is the present one.
func (w *widening) furthest(n int, rangeAt func(int) plan.Range, v *variable) int {
	if n == 0 || w.try(rangeAt(n), v) {
		return n
	}
	good, bad := 0, n
	for bad-good > 1 {
		if middle := (good + bad) / 2; w.try(rangeAt(middle), v) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good
}

// try keeps the range if the box with it is still cut.
func (w *widening) try(r plan.Range, v *variable) bool {
	before := w.box[v.coord]
	w.set(r, v)
	if b := w.tight(&w.box); w.cut(&b) {
		return true
	}
	w.set(before, v)
	return false
}

func (w *widening) set(r plan.Range, v *variable) {
	for _, c := range v.coords {
		w.box[c] = r
	}
}

// tight narrows the cumulative factors to those between their neighbours'
// ends; no point leaves the box.
func (w *widening) tight(b *plan.Box) plan.Box {
	t := *b
	for d := range plan.NumDims {
		for l := w.levels - 2; l >= 0; l-- {
			c := plan.At(d, l)
			t[c].Hi = min(t[c].Hi, t[plan.At(d, l+1)].Hi)
		}
		for l := 1; l < plan.MaxLevels; l++ {
			c := plan.At(d, l)
			t[c].Lo = max(t[c].Lo, t[plan.At(d, l-1)].Lo)
		}
	}
	return t
}
