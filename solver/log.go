package solver

import "fmt"

// clauseLog holds clauses in the order in which they were added.
type clauseLog struct {
	lits []Lit
	ends []int32 // ends[i] is the end of clause i in lits
}

func (c *clauseLog) len() int { return len(c.ends) }

func (c *clauseLog) clause(i int) []Lit {
	start := int32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.lits[start:c.ends[i]]
}

func (c *clauseLog) add(clause []Lit) {
	c.lits = append(c.lits, clause...)
	c.ends = append(c.ends, int32(len(c.lits)))
}

// fork is a log with the same clauses; appending to either leaves the other.
func (c *clauseLog) fork() clauseLog {
	return clauseLog{lits: c.lits[:len(c.lits):len(c.lits)], ends: c.ends[:len(c.ends):len(c.ends)]}
}

type varKind uint8

const (
	kindEngine varKind = iota // owned by the engine wrapper
	kindBool
	kindOrder // x >= value
	kindEqual // x = value
	kindGroup
	kindTuple // one allowed tuple of a table
)

// variable says what a variable number stands for.
type variable struct {
	kind  varKind
	name  string // kindBool
	owner int32  // integer, group or table
	index int32  // position of the value or tuple
}

// varName is what the variable stands for, as text.
func (s *Session) varName(n int) string {
	switch v := s.vars[n]; v.kind {
	case kindEngine:
		return [...]string{"(guard)", "(spare)"}[v.index]
	case kindOrder:
		d := s.ints[v.owner]
		return fmt.Sprintf("%s>=%d", d.name, d.values[v.index])
	case kindEqual:
		d := s.ints[v.owner]
		return fmt.Sprintf("%s=%d", d.name, d.values[v.index])
	case kindGroup:
		return "group " + s.groups[v.owner].name
	case kindTuple:
		return fmt.Sprintf("table %d tuple %d", v.owner, v.index)
	default:
		return v.name
	}
}
