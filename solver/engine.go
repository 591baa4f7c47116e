package solver

import (
	"context"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"
)

// engine is the one place that talks to gini. It uses NewVc, Add, Assume, Try,
// Value, Why, Test, Untest and MaxVar and nothing else: the other operations
// of v1.0.1 end the process, give stale answers or lose the search's state.
type engine struct {
	g       *gini.Gini
	refuted int // failed tests since it was built
}

// Two variables of every session belong to the engine. The guard is assumed in
// the outermost scope of a walk, so that no scope lies on decision level 0,
// where the engine's conflict analysis is undefined. The spare is never
// assigned under a scope, so that Test never finds a full assignment and never
// runs its check of every clause.
const (
	guard Lit = 1
	spare Lit = 2
)

// Verdicts of the engine.
const (
	engineUnsat   = -1
	engineUnknown = 0
	engineSat     = 1
)

// Lengths of one uninterruptible call into the engine. A call that ends within
// the first slice is reproducible, since time does not cut it.
const (
	slice    = 200 * time.Millisecond
	longCall = 24 * time.Hour
)

func newEngine(vars, clauses int) *engine {
	return &engine{g: gini.NewVc(vars+2, clauses+16)}
}

func zlit(l Lit) z.Lit {
	if l < 0 {
		return z.Var(-l).Neg()
	}
	return z.Var(l).Pos()
}

// add adds a clause of distinct literals without constants.
func (e *engine) add(clause []Lit) {
	for _, l := range clause {
		e.g.Add(zlit(l))
	}
	e.g.Add(z.LitNull)
}

// settle returns the engine to decision level 0 and makes every variable up to
// vars known to it. It adds a tautology, which is not stored: the side effect
// drops the pending conflict of the last call, whose later analysis at level 0
// would corrupt the engine.
func (e *engine) settle(vars int32) {
	e.g.Add(z.Var(vars).Pos())
	e.g.Add(z.Var(vars).Neg())
	e.g.Add(z.LitNull)
}

// assume makes l an assumption of the next try or test.
func (e *engine) assume(l Lit) { e.g.Assume(zlit(l)) }

// value reports whether l is true now.
func (e *engine) value(l Lit) bool { return e.g.Value(zlit(l)) }

// isTrue and isFalse are value for a variable, given by its positive literal,
// without a branch: reading intervals is the walk's inner loop.
func (e *engine) isTrue(v Lit) bool  { return e.g.Value(z.Lit(uint32(v) << 1)) }
func (e *engine) isFalse(v Lit) bool { return e.g.Value(z.Lit(uint32(v)<<1 | 1)) }

// test opens a scope under the assumptions made; false means inconsistent.
func (e *engine) test() bool {
	r, _ := e.g.Test(nil)
	if r == engineUnsat {
		e.refuted++
	}
	return r != engineUnsat
}

// untest closes the innermost scope; false means that the enclosing scope is
// inconsistent and must be left without another test.
func (e *engine) untest() bool { return e.g.Untest() >= 0 }

// why lists assumptions that the last refutation used; empty means that it
// used none.
func (e *engine) why() []Lit {
	failed := e.g.Why(nil)
	lits := make([]Lit, len(failed))
	for i, m := range failed {
		lits[i] = Lit(m.Dimacs())
	}
	return lits
}

// try solves under the assumptions that prepare makes, in slices between which
// the context and the deadline are observed. A zero deadline is none.
func (e *engine) try(ctx context.Context, deadline time.Time, prepare func()) int {
	for {
		limit := slice
		if ctx.Done() == nil {
			limit = longCall
		}
		if !deadline.IsZero() {
			limit = min(limit, time.Until(deadline))
		}
		if limit <= 0 || ctx.Err() != nil {
			return engineUnknown
		}
		prepare()
		if r := e.g.Try(limit); r != engineUnknown {
			return r
		}
	}
}
