package solver

// completion is what a walk's order leaves out: the variables that a solution
// must decide besides those of the integers chosen.
type completion struct {
	ints []*domain
	last []int32 // by integer: its position when last seen decided
	lits []Lit   // other variables, positive
}

// rest is the completion of an order. Groups are switched, not decided, and what
// only a group that is off speaks of is left open.
func (s *Session) rest(order []Int, on []Group) completion {
	off := s.off(on)
	free := func(g Group) bool { return g != Hard && off[g.g.id] }
	chosen := make([]bool, len(s.ints))
	for _, x := range order {
		chosen[x.d.id] = true
	}
	var c completion
	for _, d := range s.ints {
		if !chosen[d.id] && len(d.values) > 1 && !free(d.within) {
			c.ints = append(c.ints, d)
		}
	}
	for n := 1; n < len(s.vars); n++ {
		if v := s.vars[n]; v.kind == kindBool || v.kind == kindTuple && !free(s.tables[v.owner]) {
			c.lits = append(c.lits, Lit(n))
		}
	}
	c.last = make([]int32, len(c.ints))
	return c
}

// decided reports whether every variable of the completion has a value.
func (c *completion) decided(e *engine) bool {
	for i, d := range c.ints {
		if !d.isAt(e, c.last[i]) && !c.find(e, i) {
			return false
		}
	}
	for _, l := range c.lits {
		if !e.isTrue(l) && !e.isFalse(l) {
			return false
		}
	}
	return true
}

// find looks for the position at which the integer is decided.
func (c *completion) find(e *engine, i int) bool {
	for k := range int32(len(c.ints[i].values)) {
		if c.ints[i].isAt(e, k) {
			c.last[i] = k
			return true
		}
	}
	return false
}

// isAt reports whether the order literals conclude the value at position k.
func (d *domain) isAt(e *engine, k int32) bool {
	return (k == 0 || e.isTrue(d.base+Lit(k)-1)) &&
		(int(k) == len(d.values)-1 || e.isFalse(d.base+Lit(k)))
}
