package solver

import "cmp"

// Group is a named set of clauses that a question switches on as a whole. It
// is comparable. Two groups of one name are two groups.
type Group struct{ g *group }

type group struct {
	id       int32
	name     string
	selector Lit // the group's clauses hold where it is true
}

// Hard is the group of clauses that hold in every question.
var Hard Group

// Group makes a group.
func (s *Session) Group(name string) Group {
	g := &group{id: int32(len(s.groups)), name: name}
	g.selector = s.newVar(variable{kind: kindGroup, owner: g.id})
	s.groups = append(s.groups, g)
	s.retired = append(s.retired, false)
	return Group{g}
}

// Name is the name given to the group; Hard has none.
func (g Group) Name() string {
	if g.g == nil {
		return ""
	}
	return g.g.name
}

// Retire drops the group's clauses for good. It must not be used afterwards.
func (s *Session) Retire(g Group) {
	if g == Hard {
		panic("solver: Hard cannot be retired")
	}
	selector := s.selector(g)
	s.retired[g.g.id] = true
	s.Clause(Hard, selector.Not())
}

// Clause adds "at least one of lits" to the group.
func (s *Session) Clause(g Group, lits ...Lit) {
	s.mustRest("a clause added")
	for _, l := range lits {
		s.mustKnow(l)
	}
	clause, valid := s.distinct(lits)
	if valid {
		return
	}
	if g != Hard {
		clause = append(clause, s.selector(g).Not())
	}
	s.log.add(clause)
	if len(clause) == 0 {
		s.unsat = true
	}
	if s.eng != nil {
		s.eng.add(clause)
	}
}

// distinct is a clause's literals without repeats and False, until the next clause;
// valid says that the clause always holds.
func (s *Session) distinct(lits []Lit) (clause []Lit, valid bool) {
	if more := len(s.vars) - len(s.marks); more > 0 {
		s.marks = append(s.marks, make([]Lit, more)...)
	}
	clause = s.clause[:0]
	for _, l := range lits {
		if l == True || l != False && s.marks[l.variable()] == l.Not() {
			valid = true
			break
		}
		if l != False && s.marks[l.variable()] == 0 {
			s.marks[l.variable()] = l
			clause = append(clause, l)
		}
	}
	for _, l := range clause {
		s.marks[l.variable()] = 0
	}
	s.clause = clause
	return clause, valid
}

// selector is the group's literal; True for Hard.
func (s *Session) selector(g Group) Lit {
	switch {
	case g == Hard:
		return True
	case int(g.g.id) >= len(s.groups) || s.groups[g.g.id] != g.g:
		panic("solver: group is not of this session")
	case s.retired[g.g.id]:
		panic("solver: group " + g.g.name + " is retired")
	}
	return g.g.selector
}

// assumptions lists what a question assumes, without constant truths: the
// groups on, the literals, and that every other group is off. The last is no
// restriction, but without it the engine may try groups that nobody asked for.
// ok is false when a constant falsehood is among the literals.
func (s *Session) assumptions(assume []Lit, on []Group) (lits []Lit, ok bool) {
	lits, ok = s.appendKnown(s.selectors(on), assume)
	off := s.off(on)
	for i, g := range s.groups {
		if off[i] && !s.retired[i] {
			lits = append(lits, g.selector.Not())
		}
	}
	return lits, ok
}

// appendKnown appends literals but constants; ok is false when a falsehood is among
// them.
func (s *Session) appendKnown(to, lits []Lit) (all []Lit, ok bool) {
	ok = true
	for _, l := range lits {
		s.mustKnow(l)
		if ok = ok && l != False; !l.constant() {
			to = append(to, l)
		}
	}
	return to, ok
}

// selectors lists the literals of the groups but Hard.
func (s *Session) selectors(on []Group) []Lit {
	lits := make([]Lit, 0, len(on)+len(s.groups)+1)
	for _, g := range on {
		if l := s.selector(g); l != True {
			lits = append(lits, l)
		}
	}
	return lits
}

// off tells by number which groups are not on.
func (s *Session) off(on []Group) []bool {
	off := make([]bool, len(s.groups))
	for i := range off {
		off[i] = true
	}
	for _, g := range on {
		if g != Hard {
			off[g.g.id] = false
		}
	}
	return off
}

// byCreation orders groups as they were made, Hard first.
func byCreation(a, b Group) int {
	switch {
	case a == b:
		return 0
	case a == Hard:
		return -1
	case b == Hard:
		return 1
	}
	return cmp.Compare(a.g.id, b.g.id)
}
