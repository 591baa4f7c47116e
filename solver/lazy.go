package solver

import "context"

// Lazy asks for a solution that propose accepts. A refused model must be
// excluded by propose, by clauses of a group that is on (or hard ones):
// usually by Exclude of a box around it. The clauses stay, so that later
// questions profit. The budget covers the whole loop.
//
// Sat comes with the accepted model; Unsat means that no solution is left.
func (s *Session) Lazy(ctx context.Context, b Budget, on []Group, propose func(Model) bool) (Status, Model, error) {
	return s.LazyUnder(ctx, b, nil, on, propose)
}

// LazyUnder is Lazy with further literals assumed for this question only.
func (s *Session) LazyUnder(ctx context.Context, b Budget, assume []Lit, on []Group, propose func(Model) bool) (Status, Model, error) {
	s.mustRest("Lazy")
	lits, ok := s.assumptions(assume, on)
	if !ok {
		return Unsat, Model{}, ctx.Err()
	}
	meter := b.start()
	for {
		status, err := s.decide(ctx, meter, lits)
		if status != Sat {
			return status, Model{}, err
		}
		m := s.snapshot()
		known := s.log.len()
		if propose(m) {
			return Sat, m, nil
		}
		s.mustExclude(m, known)
	}
}

// mustExclude panics unless a clause added since the log had known clauses
// excludes the model: the loop would never end.
func (s *Session) mustExclude(m Model, known int) {
	for i := known; i < s.log.len(); i++ {
		satisfied := false
		for _, l := range s.log.clause(i) {
			satisfied = satisfied || m.True(l)
		}
		if !satisfied {
			return
		}
	}
	panic("solver: a model was refused but not excluded")
}
