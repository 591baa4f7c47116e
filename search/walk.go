package search

import (
	"context"
	"errors"
)

// query says which plans a walk is after.
type query struct {
	top    int
	memory memoryGroup
	goal   goal
	first  bool           // stop at the first plan found
	boxes  int            // stop after so many boxes; 0 means never
	tell   func(Progress) // called now and then; may be nil
	shared bool           // may be put to several walkers
}

// goal is what comes first in the order of plans.
type goal uint8

const (
	leastTime goal = iota
	leastPeak
)

// outcome is what a walk found.
type outcome struct {
	held  []leaf  // best first
	done  bool    // the space is exhausted: held is proven
	bound float64 // no plan of the query is below it by the first key
	whole float64 // no plan of the whole space is
}

// Why a query ended its own walk.
var (
	errFirst = errors.New("search: a plan was found")
	errBoxes = errors.New("search: the boxes are used up")
)

// sweeps are by how much of the k-th best plan's time a box must promise to be
// faster to be entered. The first sweep finds a good plan with few prices paid,
// by which the last, that leaves nothing out, is short.
var sweeps = []float64{0.1, 0}

// walk searches the session's space, with as many walkers as the job has if the
// question is put to a crew. The answer is the same.
func (s *session) walk(ctx context.Context, q query) (outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := s.crew(q, stop)
	root := s.root()
	c.whole = c.walkers[0].keyOf(s.price.Bound(&root), &root).first
	for _, c.ahead = range sweeps {
		err := c.sweep(ctx)
		if ctx.Err() == nil && err != nil {
			return outcome{}, err
		}
		if err != nil {
			return outcome{held: c.top.held, bound: c.leastOpen(), whole: c.whole}, nil
		}
		if len(c.top.held) < c.top.k {
			break // nothing was left out
		}
	}
	return outcome{held: c.top.held, done: true, bound: c.leastOpen(), whole: c.whole}, nil
}

// entry is what a box's first key must be below to be entered in this sweep,
// apart from being worth it at all. The caller holds the lock.
func (c *crew) entry() float64 {
	if c.ahead == 0 || len(c.top.held) < c.top.k {
		return inf
	}
	return c.top.held[c.top.k-1].first * (1 - c.ahead)
}

// admits reports whether a box can hold a plan worth keeping in this sweep.
func (c *crew) admits(b *bounded) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return b.first < c.entry() && c.top.admits(&b.key, b.oneClass)
}
