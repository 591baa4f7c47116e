package solver

import (
	"math"
	"strconv"
)

// Lit is a literal: the positive number of a Boolean variable, or its negative
// for the negated variable. The zero Lit is not a literal.
type Lit int32

// The constant literals. They take part in clauses and assumptions like any
// other and cost no variable.
const (
	True  Lit = math.MaxInt32
	False Lit = -True
)

// Not is the negation of l.
func (l Lit) Not() Lit { return -l }

// String is the literal in DIMACS form, or "true" or "false".
func (l Lit) String() string {
	switch l {
	case True:
		return "true"
	case False:
		return "false"
	}
	return strconv.Itoa(int(l))
}

// variable is the literal's variable number; constants have none.
func (l Lit) variable() int32 {
	if l < 0 {
		return int32(-l)
	}
	return int32(l)
}

func (l Lit) constant() bool { return l == True || l == False }
