package search

import (
	"context"
	"errors"

	"meshplan/plan"
	"meshplan/units"
)

// query says which plans a walk is after.
type query struct {
	top    int
	memory memoryGroup
	safe   bool // keep the best of those that fit as well
	goal   goal
	within units.Seconds  // plans whose step takes longer are not sought; 0 means no limit
	first  bool           // stop at the first plan found
	boxes  int            // stop after so many boxes; 0 means never
	known  []plan.Point   // of other problems: those that are points of this one count as found
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
	answer
	safe  answer  // of the plans that fit, if they were asked for
	done  bool    // the space is exhausted: what is held is proven
	whole float64 // no plan of the whole space is below it by the first key
}

// answer is the best plans of a memory group.
type answer struct {
	held  []leaf  // best first
	bound float64 // no plan of the group is below it by the first key
}

// Why a query ended its own walk.
var (
	errFirst = errors.New("search: a plan was found")
	errBoxes = errors.New("search: the boxes are used up")
)

// sweeps are by how much of the k-th best plan's time a box must promise to be
// faster to be entered. The first sweep finds a good plan with few prices paid,
// by which the last, that leaves nothing out, is short. Of two contests it asks
// the narrower alone, whose plans count for both.
var sweeps = []float64{0.1, 0}

// regions are the parts of the space, and whether they are the last: the usual
// pipelines, then the others. Most of those leave GPUs idle, and what is held by then
// bounds nearly all of them away at once; among the usual ones they would be looked at
// in every corner of the space.
var regions = [...]bool{false, true}

// walk searches the session's space, with as many walkers as the job has if the
// question is put to a crew. The answer is the same.
func (s *session) walk(ctx context.Context, q query) (outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := s.crew(q, stop)
	root := s.root()
	c.whole = c.walkers[0].keyOf(s.price.Bound(&root), &root).first
	if err := c.offerKnown(); err != nil {
		return outcome{}, err
	}
	var err error
	for _, c.rest = range regions {
		if err = c.walk(ctx); err != nil {
			break // the region stays that of the bound
		}
	}
	if ctx.Err() == nil && err != nil {
		return outcome{}, err
	}
	return c.outcome(err == nil), nil
}

// walk searches a part of the space, which for the unusual pipelines takes one sweep.
func (c *crew) walk(ctx context.Context) error {
	c.to = len(c.contests)
	for _, c.ahead = range sweeps {
		if c.rest && c.ahead > 0 {
			continue
		}
		if c.from = 0; c.ahead > 0 {
			c.from = c.to - 1
		}
		if err := c.sweep(ctx); err != nil {
			return err
		}
		if q := &c.contests[c.from]; len(q.held) < q.k {
			c.to = c.from // nothing of it was left out
		}
		if c.to == 0 {
			break
		}
	}
	return nil
}

// outcome is what has been found.
func (c *crew) outcome(done bool) outcome {
	out := outcome{done: done, whole: c.whole}
	for i, to := range []*answer{&out.answer, &out.safe}[:len(c.contests)] {
		*to = answer{c.contests[i].held, c.leastOpen(i)}
	}
	return out
}
