package solver

import (
	"fmt"
	"slices"
)

// Sum adds to the group that total equals the sum of the parts. Each partial
// sum is an integer of its own over the sums that can still matter; bounds
// propagate both ways. The clauses number about twice the products of
// neighbouring domains, so it is meant for small ones.
func (s *Session) Sum(g Group, total Int, parts ...Int) {
	t := s.of(total)
	offset, open := int64(0), []*domain(nil)
	for _, p := range parts {
		if d := s.of(p); len(d.values) == 1 {
			offset += int64(d.values[0])
		} else {
			open = append(open, d)
		}
	}
	if len(open) == 0 {
		s.Clause(g, s.ge64(t, offset))
		s.Clause(g, s.ge64(t, offset+1).Not())
		return
	}
	acc := open[0]
	for i := 1; i < len(open)-1; i++ {
		acc = s.partial(g, t, offset, acc, open[i], open[i+1:])
	}
	if len(open) == 1 {
		s.shifted(g, acc, offset, t)
		return
	}
	s.add(g, acc, open[len(open)-1], offset, t)
}

// partial is a fresh integer equal to a plus b. Sums from which the rest
// cannot reach the total are left out of it.
func (s *Session) partial(g Group, total *domain, offset int64, a, b *domain, rest []*domain) *domain {
	restLo, restHi := offset, offset
	for _, r := range rest {
		restLo += int64(r.values[0])
		restHi += int64(r.values[len(r.values)-1])
	}
	lo, hi := int64(total.values[0])-restHi, int64(total.values[len(total.values)-1])-restLo
	var sums []int32
	for _, u := range a.values {
		for _, v := range b.values {
			if sum := int64(u) + int64(v); lo <= sum && sum <= hi {
				sums = append(sums, int32(sum))
			}
		}
	}
	if len(sums) == 0 {
		s.Clause(g)
		sums = []int32{0}
	}
	slices.Sort(sums)
	sums = slices.Compact(sums)
	c := s.Int(fmt.Sprintf("%s+%s", a.name, b.name), sums).d
	c.within = g
	s.add(g, a, b, 0, c)
	return c
}

// add adds to the group that c equals a plus b plus the offset: each pair of
// lower ends bounds c from below and each pair of upper ends from above.
func (s *Session) add(g Group, a, b *domain, offset int64, c *domain) {
	for i, u := range a.values {
		for j, v := range b.values {
			sum := int64(u) + int64(v) + offset
			s.Clause(g, a.ge(i).Not(), b.ge(j).Not(), s.ge64(c, sum))
			s.Clause(g, a.ge(i+1), b.ge(j+1), s.ge64(c, sum+1).Not())
		}
	}
}

// shifted adds to the group that c equals a plus the offset.
func (s *Session) shifted(g Group, a *domain, offset int64, c *domain) {
	for i, u := range a.values {
		s.Clause(g, a.ge(i).Not(), s.ge64(c, int64(u)+offset))
		s.Clause(g, a.ge(i+1), s.ge64(c, int64(u)+offset+1).Not())
	}
}

// ge64 is "d >= v" for a v beyond the range of values.
func (s *Session) ge64(d *domain, v int64) Lit {
	k, _ := slices.BinarySearchFunc(d.values, v, func(have int32, want int64) int {
		switch {
		case int64(have) < want:
			return -1
		case int64(have) > want:
			return 1
		}
		return 0
	})
	return d.ge(k)
}
