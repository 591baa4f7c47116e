package solver

// Allow adds to the group that ok holds of the integers' values. It asks ok
// once for each point of the product of the domains and must not be used where
// that is too many; ok must not keep its argument.
//
// Over one or two integers propagation is complete. Over more, it is complete
// over every pair, and the refused points that no pair refuses are covered by
// boxes as large as they go, each excluded by one clause; no variable is
// added but one-hot literals.
func (s *Session) Allow(g Group, xs []Int, ok func(vals []int32) bool) {
	r := s.tabulate(xs, ok)
	switch {
	case r.empty():
		s.Clause(g)
	case r.full():
	case len(r.cols) <= 2:
		s.relate(g, r)
	default:
		s.wide(g, r)
	}
}

// tabulate asks ok of every point; integers of one value are left out of the
// relation.
func (s *Session) tabulate(xs []Int, ok func([]int32) bool) *relation {
	vals := make([]int32, len(xs))
	var cols []*domain
	var where []int // index in xs of each column
	for i, x := range xs {
		d := s.of(x)
		vals[i] = d.values[0]
		if len(d.values) > 1 {
			cols = append(cols, d)
			where = append(where, i)
		}
	}
	r := newRelation(cols)
	at := make([]int, len(cols))
	for c := range r.allowed {
		for j, i := range where {
			vals[i] = cols[j].values[at[j]]
		}
		r.allowed[c] = ok(vals)
		r.next(at)
	}
	return r
}

// wide adds a relation of three integers or more.
func (s *Session) wide(g Group, r *relation) {
	covered := make([]bool, len(r.allowed)) // refused by some pair
	for a := range r.cols {
		for b := a + 1; b < len(r.cols); b++ {
			if p := r.project(a, b); !p.full() {
				s.binary(g, p)
				r.cover(covered, p, a, b)
			}
		}
	}
	for _, box := range r.refusedBoxes(covered) {
		clause := make([]Lit, 0, 2*len(r.cols))
		for c, side := range box {
			clause = s.outsideAt(clause, r.cols[c], side.lo, side.hi)
		}
		s.Clause(g, clause...)
	}
}

// cover marks the cells that the projection on the columns a and b refuses.
func (r *relation) cover(covered []bool, p *relation, a, b int) {
	at := make([]int, len(r.cols))
	for c := range covered {
		if !p.allowed[at[a]*len(r.cols[b].values)+at[b]] {
			covered[c] = true
		}
		r.next(at)
	}
}
