package solver

import "slices"

// Table adds to the group that the integers take together the values of one of
// the tuples. Propagation is complete: a value that no remaining tuple
// supports is removed. Tuples with a value outside a domain are ignored.
//
// One or two integers cost no variable. Three or more cost a variable for each
// tuple, unless some integer's value tells the tuples apart.
func (s *Session) Table(g Group, xs []Int, tuples [][]int32) {
	cols, rows := s.positions(xs, tuples)
	if len(rows) == 0 {
		s.Clause(g)
		return
	}
	switch {
	case len(cols) == 0:
	case len(cols) <= 2:
		r := newRelation(cols)
		for _, at := range rows {
			r.allowed[r.cell(at)] = true
		}
		s.relate(g, r)
	default:
		s.tuples(g, cols, rows)
	}
}

// relate adds a relation of one or two integers.
func (s *Session) relate(g Group, r *relation) {
	switch {
	case r.empty():
		s.Clause(g)
	case r.full():
	case len(r.cols) == 1:
		s.unary(g, r)
	default:
		s.binary(g, r)
	}
}

// positions turns tuples of values into distinct ascending tuples of
// positions, over the integers that have more than one value.
func (s *Session) positions(xs []Int, tuples [][]int32) (cols []*domain, rows [][]int) {
	for _, x := range xs {
		if d := s.of(x); len(d.values) > 1 {
			cols = append(cols, d)
		}
	}
	for _, t := range tuples {
		if len(t) != len(xs) {
			panic("solver: a tuple's length is not the number of integers")
		}
		if row, ok := locate(xs, t); ok {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, slices.Compare[[]int])
	return cols, slices.CompactFunc(rows, slices.Equal[[]int])
}

// locate is the tuple by positions, without the integers of one value; false
// when a value is outside its domain.
func locate(xs []Int, tuple []int32) (row []int, ok bool) {
	for i, x := range xs {
		k, found := slices.BinarySearch(x.d.values, tuple[i])
		if !found {
			return nil, false
		}
		if len(x.d.values) > 1 {
			row = append(row, k)
		}
	}
	return row, true
}

// tuples adds the table with one literal for each tuple: the literal implies
// the tuple's values, and a value implies one of its tuples.
func (s *Session) tuples(g Group, cols []*domain, rows [][]int) {
	key := keyColumn(cols, rows)
	lits := make([]Lit, len(rows))
	for i, row := range rows {
		if key >= 0 {
			lits[i] = s.eq(cols[key], row[key])
		} else {
			lits[i] = s.newVar(variable{kind: kindTuple, owner: int32(len(s.tables)), index: int32(i)})
		}
	}
	s.tables = append(s.tables, g)
	for c, d := range cols {
		holders := make([][]Lit, len(d.values))
		for i, row := range rows {
			holders[row[c]] = append(holders[row[c]], lits[i])
			if c != key {
				s.Clause(g, lits[i].Not(), s.eq(d, row[c]))
			}
		}
		for k, lits := range holders {
			s.Clause(g, append(lits, s.eq(d, k).Not())...)
		}
	}
}

// keyColumn is a column in which no value occurs twice, -1 if there is none.
func keyColumn(cols []*domain, rows [][]int) int {
	for c, d := range cols {
		seen := make([]bool, len(d.values))
		unique := true
		for _, row := range rows {
			unique = unique && !seen[row[c]]
			seen[row[c]] = true
		}
		if unique {
			return c
		}
	}
	return -1
}
