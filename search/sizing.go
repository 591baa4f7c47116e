package search

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/framework"
)

// Sizing asks for the smallest of some clusters on which a job fits and meets a
// goal, each used to its last GPU.
type Sizing struct {
	Problem    *Problem           // the job; each candidate takes the place of its cluster
	Candidates []*cluster.Cluster // by rising number of GPUs
	Used       []int              // GPUs that each candidate uses; nil for all of the cluster
	Goal       *Goal              // nil means that fitting is enough
	All        bool               // look at the candidates behind the answer too
	Price      float64            // USD of a GPU-hour; 0 when not known
	Steps      float64            // of the whole training, for its price; 0 when not known
}

// Smallest finds the first candidate on which a plan fits and meets the goal.
// That a larger number of GPUs allows what a smaller one does is not assumed:
// degrees have to divide what they split, and every candidate up to the answer is
// decided by a search of its own. These stop at the first plan within the goal, or
// at the proof that there is none; the best plans of the candidates, and the
// reasons of those that have none, are sought afterwards. Stopped early it returns
// what is decided. The result does not depend on the number of jobs.
func Smallest(ctx context.Context, q *Sizing, l Limits) (*SizingResult, error) {
	start := time.Now()
	ctx, cancel := l.stop(ctx)
	defer cancel()
	list := make([]*candidate, len(q.Candidates))
	for i := range list {
		list[i] = q.candidate(i)
	}
	looked := 0
	for _, c := range list {
		looked++
		if err := c.decide(ctx, q.Goal, l); err != nil {
			return nil, err
		}
		if c.verdict == Meets {
			break
		}
	}
	if q.All {
		looked = len(list)
	}
	if err := settleAll(ctx, q, list[:looked], l); err != nil {
		return nil, err
	}
	r := q.result(list, looked)
	r.Stats.Seconds = time.Since(start).Seconds()
	return r, nil
}

// candidate is the job on one of the clusters.
type candidate struct {
	problem  Problem
	gpus     int
	refused  error    // of the pins: they name a level that the cluster lacks
	said     []string // of an irregular cluster
	*session          // nil until it is needed
	verdict  Verdict
	found    *leaf // within the goal, if one was found
	result   *Result
}

// gpus is the number of GPUs that a candidate uses.
func (q *Sizing) gpus(i int) int {
	if q.Used != nil {
		return q.Used[i]
	}
	return q.Candidates[i].GPUs()
}

// candidate is the job on the GPUs of a candidate.
func (q *Sizing) candidate(i int) *candidate {
	gpus := q.gpus(i)
	c := &candidate{problem: *q.Problem, gpus: gpus, verdict: Undecided}
	c.problem.Facts.Cluster = q.Candidates[i]
	c.problem.Top, c.problem.Jobs, c.problem.Forced = 1, 1, false
	if c.refused = framework.CheckPins(&c.problem.Facts, q.Problem.Pins); c.refused != nil {
		c.verdict = NoPlan
	}
	anywhere, said := c.problem.onAnyNodes()
	c.problem, c.said = *anywhere, said
	c.problem.Pins = append(slices.Clone(q.Problem.Pins), exactly(gpus))
	return c
}

// exactly is the pin that has all GPUs used.
func exactly(gpus int) framework.Pin { return framework.Pin{Name: "gpus", Op: "=", Value: int32(gpus)} }

// open makes the candidate's session, once.
func (c *candidate) open() error {
	if c.session != nil {
		return nil
	}
	var err error
	c.session, err = newSession(&c.problem)
	return err
}

// decide finds a plan that fits within the goal, or proves that there is none.
func (c *candidate) decide(ctx context.Context, goal *Goal, l Limits) error {
	if c.refused != nil || ctx.Err() != nil {
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	out, err := c.walk(ctx, query{top: 1, memory: fits, within: goal.within(), first: true, tell: l.Progress})
	switch {
	case err != nil:
		return err
	case len(out.held) > 0:
		c.verdict, c.found = Meets, &out.held[0]
	case out.done:
		c.verdict = c.below(goal, Misses)
	}
	return nil
}

// below is the verdict of a candidate of which no plan within the goal was found: the
// given one, or NotMet where step times are upper bounds.
func (c *candidate) below(goal *Goal, proven Verdict) Verdict {
	if goal != nil && c.problem.Facts.Cluster.IsMerged() {
		return NotMet
	}
	return proven
}

// settleAll finds the best plan of each candidate, or why it has none.
func settleAll(ctx context.Context, q *Sizing, list []*candidate, l Limits) error {
	var jobs errgroup.Group
	jobs.SetLimit(max(1, q.Problem.Jobs))
	for _, c := range list {
		c.problem.Jobs = max(1, q.Problem.Jobs/len(list))
		jobs.Go(func() error { return c.settle(ctx, q.Goal, l) })
	}
	return jobs.Wait()
}

// settle finds the candidate's best plan, or why it has none, and from that its
// verdict. Where it is cut short, what is proven already stays.
func (c *candidate) settle(ctx context.Context, goal *Goal, l Limits) (err error) {
	if c.refused != nil || c.session == nil && ctx.Err() != nil {
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	if c.result, err = c.best(ctx, Limits{Progress: l.Progress}); err != nil {
		return err
	}
	if err = c.placeBest(ctx); err != nil {
		return err
	}
	safe := c.safe()
	switch {
	case c.result.Status == Infeasible:
		c.verdict = NoPlan
	case safe != nil && goal.met(safe.StepSeconds):
		c.verdict = Meets
	case c.verdict == Meets: // cut short before a plan as good was found again
		view, err := c.view(&c.found.plan)
		c.result.Status, c.result.Plans = Feasible, []PlanResult{view}
		return err
	case safe != nil && (c.result.Status == Optimal || c.verdict == Misses):
		c.verdict = c.below(goal, TooSlow)
	case c.result.Status == Optimal:
		c.verdict = OnlyBorderline
	}
	return nil
}

// placeBest says which nodes run the best plan where it may use any.
func (c *candidate) placeBest(ctx context.Context) error {
	if len(c.result.Plans) == 0 || !c.problem.Facts.Cluster.IsMerged() {
		return nil
	}
	return c.placeOn(ctx, &c.result.Plans[0], c.result.Status == Optimal)
}

// safe is the best plan that fits, nil when none was found.
func (c *candidate) safe() *PlanResult {
	if c.result == nil || len(c.result.Plans) == 0 || c.result.Plans[0].Memory.Verdict != cost.Fits.String() {
		return nil
	}
	return &c.result.Plans[0]
}
