package solver

// Session holds a growing formula and answers questions about it. Clauses are
// only ever added; groups are switched by the question. The zero Session is
// not usable: call New.
type Session struct {
	vars    []variable // by number; index 0 is unused
	log     clauseLog
	ints    []*domain
	eqs     [][]Lit // by integer: its one-hot literals, nil until asked for
	groups  []*group
	retired []bool  // by group
	tables  []Group // by table that has variables: the group it is in

	clause   []Lit   // being added
	marks    []Lit   // its literals, by variable; zero between clauses
	eng      *engine // nil until needed, then in step with log
	patience int     // failed tests after which the engine is built anew
	unsat    bool    // the clauses alone are unsatisfiable
	walking  bool
	rows     []row  // walk: intervals by depth
	clock    uint64 // walk: stamp of the last node
	stats    Stats
}

// defaultPatience keeps a walk's rate flat. The engine learns a clause from each
// failed test and drops learnt clauses only while it searches; with 100,000 of
// them propagation is ten times slower, and they refute few nodes of their own.
const defaultPatience = 2000

// Stats counts a session's size and work.
type Stats struct {
	Vars    int // Boolean variables
	Clauses int // clauses held
	Solves  int // calls of the engine's search
	Nodes   int // nodes of walks that were consistent and bounded
	Refuted int // nodes of walks that propagation refuted
	Replays int // engines built from the clause log
}

// New is an empty session.
func New() *Session {
	s := &Session{vars: make([]variable, 1, 256), patience: defaultPatience}
	s.newVar(variable{kind: kindEngine, index: 0})
	s.newVar(variable{kind: kindEngine, index: 1})
	return s
}

// Clone is an independent session with the same formula, for another
// goroutine. Integers, literals and groups of s mean the same in the clone;
// those made later belong to the session that made them. What the engine
// learnt is not taken over, and the clone's counters of work start at zero.
func (s *Session) Clone() *Session {
	s.mustRest("Clone")
	c := &Session{
		vars:     s.vars[:len(s.vars):len(s.vars)],
		log:      s.log.fork(),
		ints:     s.ints[:len(s.ints):len(s.ints)],
		groups:   s.groups[:len(s.groups):len(s.groups)],
		retired:  append([]bool(nil), s.retired...),
		tables:   s.tables[:len(s.tables):len(s.tables)],
		unsat:    s.unsat,
		patience: s.patience,
		eqs:      make([][]Lit, len(s.eqs)),
	}
	for i, e := range s.eqs {
		if e != nil {
			c.eqs[i] = append([]Lit(nil), e...)
		}
	}
	return c
}

// Reset forgets everything the engine has learnt: the next question starts
// from the clauses alone, as in a new session with the same history.
func (s *Session) Reset() {
	s.mustRest("Reset")
	s.eng = nil
}

// Stats returns the counters.
func (s *Session) Stats() Stats {
	st := s.stats
	st.Vars, st.Clauses = len(s.vars)-1, s.log.len()
	return st
}

// Bool makes a Boolean variable and returns its positive literal. The name is
// for DIMACS exports.
func (s *Session) Bool(name string) Lit {
	return s.newVar(variable{kind: kindBool, name: name})
}

func (s *Session) newVar(v variable) Lit {
	s.mustRest("a variable made")
	s.vars = append(s.vars, v)
	return Lit(len(s.vars) - 1)
}

// ready returns the engine, built from the clause log if there is none that
// serves, at decision level 0 and knowing every variable.
func (s *Session) ready() *engine {
	if s.eng == nil || s.stale() {
		s.eng = newEngine(len(s.vars), s.log.len())
		for i := range s.log.len() {
			s.eng.add(s.log.clause(i))
		}
		s.stats.Replays++
	}
	s.eng.settle(int32(len(s.vars) - 1))
	return s.eng
}

// stale reports whether the engine should be built anew.
func (s *Session) stale() bool { return s.eng.refuted >= s.patience }

func (s *Session) mustRest(what string) {
	if s.walking {
		panic("solver: " + what + " during a walk")
	}
}

// mustKnow panics unless l is a literal of the session.
func (s *Session) mustKnow(l Lit) {
	if !l.constant() && (l == 0 || int(l.variable()) >= len(s.vars)) {
		panic("solver: literal " + l.String() + " is not of this session")
	}
}
