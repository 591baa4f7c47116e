package solver

import (
	"context"
	"time"
)

// Status is the answer to a question.
type Status uint8

// The answers.
const (
	Unknown Status = iota // the budget or the context ended first
	Sat
	Unsat
)

// String is "unknown", "sat" or "unsat".
func (s Status) String() string { return [...]string{"unknown", "sat", "unsat"}[s] }

// Budget limits a question; zero fields do not limit.
type Budget struct {
	// Time is wall time. It makes answers depend on the machine; a question
	// that ends before it is reproducible.
	Time time.Duration
	// Solves is the number of calls of the engine's search that a question of
	// several (Lazy, Core) may make.
	Solves int
}

// meter is a budget in use.
type meter struct {
	deadline time.Time
	solves   int // remaining, if limited
	limited  bool
}

func (b Budget) start() *meter {
	m := &meter{solves: b.Solves, limited: b.Solves > 0}
	if b.Time > 0 {
		m.deadline = time.Now().Add(b.Time)
	}
	return m
}

// Solve asks for a solution of the hard clauses and those of the groups on. The
// error is the context's, with status Unknown; the session stays usable.
func (s *Session) Solve(ctx context.Context, b Budget, on ...Group) (Status, Model, error) {
	return s.SolveUnder(ctx, b, nil, on...)
}

// SolveUnder is Solve with further literals assumed for this question only.
func (s *Session) SolveUnder(ctx context.Context, b Budget, assume []Lit, on ...Group) (Status, Model, error) {
	s.mustRest("Solve")
	lits, ok := s.assumptions(assume, on)
	if !ok {
		return Unsat, Model{}, ctx.Err()
	}
	status, err := s.decide(ctx, b.start(), lits)
	if status != Sat {
		return status, Model{}, err
	}
	return Sat, s.snapshot(), nil
}

// decide runs the engine under the assumptions. After Unsat the engine's why is
// valid until the next call unless the session is unsatisfiable as a whole.
func (s *Session) decide(ctx context.Context, m *meter, assume []Lit) (Status, error) {
	if err := ctx.Err(); err != nil {
		return Unknown, err
	}
	if s.unsat {
		return Unsat, nil
	}
	if m.limited {
		if m.solves == 0 {
			return Unknown, nil
		}
		m.solves--
	}
	s.stats.Solves++
	eng := s.ready()
	r := eng.try(ctx, m.deadline, func() {
		eng.settle(int32(len(s.vars) - 1))
		for _, l := range assume {
			eng.assume(l)
		}
	})
	switch r {
	case engineSat:
		return Sat, nil
	case engineUnsat:
		// Latch: the engine ends the process when asked again after a
		// refutation that used no assumption.
		s.unsat = len(assume) == 0 || len(eng.why()) == 0
		return Unsat, nil
	}
	return Unknown, ctx.Err()
}
