package solver

import "slices"

// Span is a closed interval of an integer's values.
type Span struct {
	X      Int
	Lo, Hi int32
}

// Exclude adds to the group that some integer leaves its span: no point of the
// box is a solution. Integers without a span are unrestricted; a span that
// holds no value makes the box empty and the clause void.
func (s *Session) Exclude(g Group, box []Span) {
	clause := make([]Lit, 0, 2*len(box))
	for _, b := range box {
		clause = s.outside(clause, s.of(b.X), b.Lo, b.Hi)
	}
	s.Clause(g, clause...)
}

// outside appends literals of which one is true if and only if the integer is
// not in [lo, hi].
func (s *Session) outside(clause []Lit, d *domain, lo, hi int32) []Lit {
	first, _ := slices.BinarySearch(d.values, lo)
	last, found := slices.BinarySearch(d.values, hi)
	if !found {
		last--
	}
	return s.outsideAt(clause, d, first, last)
}

// outsideAt is outside by positions. One inner value takes its one-hot
// literal, which propagates where two order literals would not.
func (s *Session) outsideAt(clause []Lit, d *domain, first, last int) []Lit {
	switch {
	case first > last:
		return append(clause, True)
	case first == last:
		return append(clause, s.eq(d, first).Not())
	}
	return append(clause, d.ge(first).Not(), d.ge(last+1))
}
