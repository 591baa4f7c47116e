package solver

import "sort"

// Model is a solution, independent of what the session does later.
type Model struct{ values []bool } // by variable number

// snapshot copies the engine's assignment right after a Sat answer.
func (s *Session) snapshot() Model {
	values := make([]bool, len(s.vars))
	for n := 1; n < len(values); n++ {
		values[n] = s.eng.value(Lit(n))
	}
	return Model{values}
}

// True reports whether the literal holds. A literal made after the model is
// not known to it and reads false.
func (m Model) True(l Lit) bool {
	switch {
	case l.constant():
		return l == True
	case l == 0 || int(l.variable()) >= len(m.values):
		return false
	}
	return m.values[l.variable()] == (l > 0)
}

// Value is the integer's value. The integer must be older than the model.
func (m Model) Value(x Int) int32 {
	n := len(x.d.values) - 1
	k := sort.Search(n, func(i int) bool { return !m.True(x.d.ge(i + 1)) })
	return x.d.values[k]
}
