package solver

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// oneLine keeps a name inside its comment line.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// DIMACS writes the formula in DIMACS CNF, with the given groups asserted as
// unit clauses. Comment lines "c VARIABLE NAME" say what each variable stands
// for: an integer's "x>=v" and "x=v", or a group. The clauses are those that
// were added; what the engine has learnt is not among them.
func (s *Session) DIMACS(w io.Writer, on ...Group) error {
	units := s.selectors(on)
	out := bufio.NewWriter(w)
	for n := 1; n < len(s.vars); n++ {
		out.WriteString("c " + strconv.Itoa(n) + " " + oneLine.Replace(s.varName(n)) + "\n")
	}
	out.WriteString("p cnf " + strconv.Itoa(len(s.vars)-1) + " " + strconv.Itoa(s.log.len()+len(units)) + "\n")
	for i := range s.log.len() {
		writeClause(out, s.log.clause(i))
	}
	for i := range units {
		writeClause(out, units[i:i+1])
	}
	return out.Flush()
}

func writeClause(out *bufio.Writer, clause []Lit) {
	for _, l := range clause {
		out.WriteString(strconv.Itoa(int(l)) + " ")
	}
	out.WriteString("0\n")
}
