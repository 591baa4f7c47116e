package search

import "slices"

// frontier follows a depth-first walk and knows the least bound of what the
// walk has not explored: the siblings that wait on each depth, and the child
// that was entered last.
type frontier struct {
	depths []siblings // innermost last
}

// siblings are the bounds of the children of one node.
type siblings struct {
	bounds []float64
	next   int  // how many were entered or cut, in rising order
	sorted bool // the last child has been bounded
}

// add notes the bound of a child at the depth.
func (f *frontier) add(depth int, bound float64) {
	for len(f.depths) <= depth {
		f.grow()
	}
	s := &f.depths[depth]
	s.bounds = append(s.bounds, bound)
}

// grow adds a depth, in the memory of one that was left if there is.
func (f *frontier) grow() {
	n := len(f.depths)
	if n == cap(f.depths) {
		f.depths = append(f.depths, siblings{})
		return
	}
	f.depths = f.depths[:n+1]
	f.depths[n] = siblings{bounds: f.depths[n].bounds[:0]}
}

// enter notes that the next child at the depth is entered or cut.
func (f *frontier) enter(depth int) {
	f.depths = f.depths[:depth+1]
	s := &f.depths[depth]
	if !s.sorted {
		slices.Sort(s.bounds)
		s.sorted = true
	}
	s.next++
}

// least is the least bound of what is not explored; ok is false when the first
// node's children are not known yet.
func (f *frontier) least() (bound float64, ok bool) {
	for _, s := range f.depths {
		if !s.sorted {
			continue
		}
		if s.next < len(s.bounds) && (!ok || s.bounds[s.next] < bound) {
			bound, ok = s.bounds[s.next], true
		}
	}
	if current, open := f.current(); open && (!ok || current < bound) {
		bound, ok = current, true
	}
	return bound, ok
}

// current is the bound of the child entered last, which is not known to be
// finished.
func (f *frontier) current() (float64, bool) {
	for i := len(f.depths) - 1; i >= 0; i-- {
		if s := &f.depths[i]; s.sorted {
			return s.bounds[s.next-1], true
		}
	}
	return 0, false
}
