package solver

import "slices"

// relation is a set of allowed points over the product of some domains, each
// of two values or more.
type relation struct {
	cols    []*domain
	allowed []bool // by cell, last column fastest
}

func newRelation(cols []*domain) *relation {
	size := 1
	for _, d := range cols {
		size *= len(d.values)
	}
	return &relation{cols: cols, allowed: make([]bool, size)}
}

// cell is the index of the point at the positions.
func (r *relation) cell(at []int) int {
	c := 0
	for i, k := range at {
		c = c*len(r.cols[i].values) + k
	}
	return c
}

// next moves the positions to the following cell; false after the last.
func (r *relation) next(at []int) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < len(r.cols[i].values) {
			return true
		}
		at[i] = 0
	}
	return false
}

func (r *relation) empty() bool { return !slices.Contains(r.allowed, true) }

func (r *relation) full() bool { return !slices.Contains(r.allowed, false) }

// project is the relation of the columns a and b that some allowed point
// extends.
func (r *relation) project(a, b int) *relation {
	p := newRelation([]*domain{r.cols[a], r.cols[b]})
	at := make([]int, len(r.cols))
	for c := range r.allowed {
		if r.allowed[c] {
			p.allowed[at[a]*len(r.cols[b].values)+at[b]] = true
		}
		r.next(at)
	}
	return p
}

// transpose swaps the columns of a binary relation.
func (r *relation) transpose() *relation {
	n, m := len(r.cols[0].values), len(r.cols[1].values)
	t := newRelation([]*domain{r.cols[1], r.cols[0]})
	for i := range n {
		for j := range m {
			t.allowed[j*n+i] = r.allowed[i*m+j]
		}
	}
	return t
}

// unary adds that the relation's one integer takes an allowed value.
func (s *Session) unary(g Group, r *relation) {
	s.Clause(g, s.oneOf(nil, r.cols[0], r.allowed)...)
	for k, ok := range r.allowed {
		if !ok {
			s.Clause(g, s.eq(r.cols[0], k).Not())
		}
	}
}

// binary adds the relation in the support encoding: a value of either integer
// implies one of the other's values that go with it. Unit propagation then
// removes every value without a partner.
func (s *Session) binary(g Group, r *relation) {
	s.supports(g, r)
	s.supports(g, r.transpose())
}

// supports adds for each value of the first integer that the second takes a
// value allowed with it. Where all larger (or smaller) values of the first
// allow no more, "at least" (or "at most") the value already implies it.
func (s *Session) supports(g Group, r *relation) {
	x, y := r.cols[0], r.cols[1]
	n, m := len(x.values), len(y.values)
	up, down := r.unions()
	clause := make([]Lit, 0, m+3)
	for k := range n {
		line, up, down := r.allowed[k*m:k*m+m], up[k*m:k*m+m], down[k*m:k*m+m]
		if !slices.Contains(line, false) {
			continue
		}
		var premise Lit
		switch {
		case slices.Equal(line, up):
			premise = x.ge(k)
		case slices.Equal(line, down):
			premise = x.ge(k + 1).Not()
		default:
			premise = s.eq(x, k)
		}
		s.Clause(g, s.oneOf(append(clause, premise.Not()), y, line)...)
	}
}

// unions are, by value of the first integer, the values of the second allowed
// with it or a larger one (up), with it or a smaller one (down).
func (r *relation) unions() (up, down []bool) {
	m := len(r.cols[1].values)
	up, down = slices.Clone(r.allowed), slices.Clone(r.allowed)
	for i := m; i < len(down); i++ {
		down[i] = down[i] || down[i-m]
	}
	for i := len(up) - m - 1; i >= 0; i-- {
		up[i] = up[i] || up[i+m]
	}
	return up, down
}

// oneOf appends literals of which one holds if and only if the integer takes
// an allowed value: order literals for the runs at the ends, one-hot literals
// in between.
func (s *Session) oneOf(clause []Lit, d *domain, allowed []bool) []Lit {
	first, last := 0, len(allowed)
	for first < last && allowed[first] {
		first++
	}
	for last > first && allowed[last-1] {
		last--
	}
	if first > 0 {
		clause = append(clause, d.ge(first).Not())
	}
	for k := first; k < last; k++ {
		if allowed[k] {
			clause = append(clause, s.eq(d, k))
		}
	}
	if last < len(allowed) {
		clause = append(clause, d.ge(last))
	}
	return clause
}
