package encode

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
	"meshplan/solver"
)

// MaxTable is the largest product of domains over which a rule is tabulated.
const MaxTable = 50_000

// rule states a rule under a selector of its own, or keeps it for the leaves.
// Implied rules are left out.
func (s *Space) rule(r framework.Rule) {
	switch {
	case r.Implied:
	case r.Used != nil && size(s.used) <= MaxTable:
		s.onUsed(r)
	case r.Division != nil && len(r.Reads) > 2:
		s.onExponents(r)
	default:
		s.onCoordinates(r)
	}
}

func (s *Space) group(r framework.Rule) solver.Group {
	g := s.session.Group(r.ID)
	s.groups = append(s.groups, g)
	s.ruleOf[g] = r
	return g
}

// onUsed states a rule on the numbers of sub-domains used over these.
func (s *Space) onUsed(r framework.Rule) { s.session.Allow(s.group(r), s.used, r.Used) }

// onExponents states a division by primes: the exponents in the coordinates add
// up to at most the total's.
func (s *Space) onExponents(r framework.Rule) {
	d, g := r.Division, s.group(r)
	total := d.Total(s.facts)
	below := solver.False // the rule does not apply
	if d.Least > 0 {
		below = s.session.Ge(s.ints[d.From], d.Least).Not()
	}
	for _, p := range s.primesOf(d.Of) {
		var parts []solver.Int
		most := int32(0)
		for _, c := range d.Of {
			e := s.exponentIn(c, p)
			parts = append(parts, e)
			most += e.Values()[len(e.Values())-1]
		}
		if limit := exponentOf(int64(p), total); limit < most {
			sum := s.exponent(fmt.Sprintf("%s:%d", r.ID, p), most)
			s.session.Sum(solver.Hard, sum, parts...)
			s.session.Clause(g, below, s.session.Le(sum, limit))
		}
	}
}

// exponentIn is the exponent of the prime in the coordinate's value.
func (s *Space) exponentIn(c plan.Coord, p int32) solver.Int {
	e, ok := s.exponents[power{c, p}]
	if !ok {
		e = s.exponent(fmt.Sprintf("%s^%d", c, p), mostExponent(p, s.ints[c].Values()))
		s.channel(s.ints[c], e, p)
		s.exponents[power{c, p}] = e
	}
	return e
}

// onCoordinates tabulates the rule's predicate over the values of the
// coordinates it reads; the point's other coordinates are not looked at.
func (s *Space) onCoordinates(r framework.Rule) {
	var point plan.Point
	for c := range point {
		point[c] = s.fixed[c].Lo
	}
	vars := s.reads(r)
	xs := make([]solver.Int, len(vars))
	for i, v := range vars {
		xs[i] = v.x
	}
	if size(xs) > MaxTable {
		s.leftover = append(s.leftover, r)
		return
	}
	s.session.Allow(s.group(r), xs, func(values []int32) bool {
		for i, v := range vars {
			for _, c := range v.coords {
				point[c] = values[i]
			}
		}
		return r.Holds(s.facts, &point)
	})
}

// reads are the open variables among the coordinates that the rule reads.
func (s *Space) reads(r framework.Rule) []variable {
	var vars []variable
	for _, v := range s.open {
		for _, c := range r.Reads {
			if s.ints[c] == v.x {
				vars = append(vars, v)
				break
			}
		}
	}
	return vars
}

func size(xs []solver.Int) float64 {
	n := 1.0
	for _, x := range xs {
		n *= float64(len(x.Values()))
	}
	return n
}
