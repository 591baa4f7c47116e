package solver

import "slices"

// Int is an integer variable over a finite ascending list of values. Its
// literals are order-encoded ("x >= v"), with channelled one-hot literals
// ("x = v") made when first asked for. An Int of one value has no variable.
// The zero Int belongs to no session.
type Int struct{ d *domain }

// domain is the fixed part of an integer; sessions and their clones share it.
type domain struct {
	id     int32
	name   string
	values []int32
	base   Lit   // literal of x >= values[k] is base + k - 1
	within Group // the group whose rule alone speaks of it; Hard if none
}

// Int makes an integer variable. Values must be ascending and distinct. The
// name is for DIMACS exports and need not be unique.
func (s *Session) Int(name string, values []int32) Int {
	if len(values) == 0 {
		panic("solver: integer " + name + " has no values")
	}
	for i := 1; i < len(values); i++ {
		if values[i-1] >= values[i] {
			panic("solver: values of integer " + name + " are not ascending")
		}
	}
	d := &domain{id: int32(len(s.ints)), name: name, values: slices.Clone(values), base: Lit(len(s.vars))}
	for k := 1; k < len(values); k++ {
		s.newVar(variable{kind: kindOrder, owner: d.id, index: int32(k)})
	}
	s.ints = append(s.ints, d)
	s.eqs = append(s.eqs, nil)
	for k := 2; k < len(values); k++ {
		s.Clause(Hard, d.ge(k).Not(), d.ge(k-1))
	}
	return Int{d}
}

// Name is the name given to the integer.
func (x Int) Name() string { return x.d.name }

// Values lists the integer's values, ascending. The caller must not change it.
func (x Int) Values() []int32 { return x.d.values }

// Ge is the literal "x >= v"; v need not be a value of x.
func (s *Session) Ge(x Int, v int32) Lit {
	d := s.of(x)
	k, _ := slices.BinarySearch(d.values, v)
	return d.ge(k)
}

// Le is the literal "x <= v"; v need not be a value of x.
func (s *Session) Le(x Int, v int32) Lit {
	d := s.of(x)
	k, found := slices.BinarySearch(d.values, v)
	if found {
		k++
	}
	return d.ge(k).Not()
}

// Eq is the literal "x = v", the constant False when v is not a value of x.
func (s *Session) Eq(x Int, v int32) Lit {
	d := s.of(x)
	k, found := slices.BinarySearch(d.values, v)
	if !found {
		return False
	}
	return s.eq(d, k)
}

// ge is the literal "at least the value at position k".
func (d *domain) ge(k int) Lit {
	switch {
	case k <= 0:
		return True
	case k >= len(d.values):
		return False
	}
	return d.base + Lit(k) - 1
}

// eq is the literal "the value at position k". At the ends it is an order
// literal; in between it is a variable of its own, equivalent to
// ge(k) and not ge(k+1).
func (s *Session) eq(d *domain, k int) Lit {
	switch last := len(d.values) - 1; {
	case k == 0:
		return d.ge(1).Not()
	case k == last:
		return d.ge(last)
	}
	if s.eqs[d.id] == nil {
		s.eqs[d.id] = make([]Lit, len(d.values))
	}
	e := s.eqs[d.id][k]
	if e == 0 {
		e = s.newVar(variable{kind: kindEqual, owner: d.id, index: int32(k)})
		s.eqs[d.id][k] = e
		s.Clause(Hard, e.Not(), d.ge(k))
		s.Clause(Hard, e.Not(), d.ge(k+1).Not())
		s.Clause(Hard, e, d.ge(k).Not(), d.ge(k+1))
	}
	return e
}

// of is the integer's domain; it panics when x is not of the session.
func (s *Session) of(x Int) *domain {
	if x.d == nil || int(x.d.id) >= len(s.ints) || s.ints[x.d.id] != x.d {
		panic("solver: integer is not of this session")
	}
	return x.d
}
