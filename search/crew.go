package search

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"meshplan/plan"
	"meshplan/solver"
)

// crew is the walkers of one question and what they share: the plans held, and
// the parts of the space that nobody has begun. What is held in the end does not
// depend on who walks where, since plans are totally ordered.
type crew struct {
	stop    context.CancelCauseFunc
	whole   float64 // bound of the whole space
	ahead   float64 // of sweeps, the current one
	below   float64 // a sweep enters no box whose first key is not below this
	from    int     // the contests that the sweep asks are those from here
	to      int     // to before here
	walkers []*visitor

	mu       sync.Mutex // guards what follows
	contests []contest
	left     bool      // something was left out for that
	tasks    []task    // not begun, the most promising last
	begun    []float64 // the bound of each walker's task
}

// task is a part of the space: the first integers of the order have values.
type task struct {
	values []int32
	bound  bounded
}

// taskInts is how many integers of the order a task decides.
const taskInts = 2

// crew makes the walkers of a question: the session itself, and twins of it for
// the other jobs.
func (s *session) crew(q query, stop context.CancelCauseFunc) *crew {
	c := &crew{stop: stop, contests: contests(q), below: inf}
	c.to = len(c.contests)
	n := 1
	if q.shared && !q.first && q.boxes == 0 && len(s.order) > taskInts {
		n = max(1, s.Jobs)
	}
	for i := range n {
		v := &visitor{session: s, crew: c, query: q, margins: marginsOf(s.price)}
		if i > 0 {
			v.session, v.tell = s.twin(), nil
		}
		c.walkers = append(c.walkers, v)
	}
	return c
}

// twin is a session of the same space for another goroutine.
func (s *session) twin() *session {
	t := *s
	t.solver, t.stats = s.solver.Clone(), Stats{}
	return &t
}

// sweep walks the space once.
func (c *crew) sweep(ctx context.Context) error {
	if len(c.walkers) == 1 {
		return c.walkers[0].alone(ctx)
	}
	c.divide()
	group, ctx := errgroup.WithContext(ctx)
	for i, v := range c.walkers {
		group.Go(func() error { return c.work(ctx, i, v) })
	}
	err := group.Wait()
	first := c.walkers[0]
	for _, v := range c.walkers[1:] {
		first.stats.add(v.session.work())
		v.stats = Stats{}
	}
	return err
}

// alone walks the space; if any plan will do, the usual pipelines first, since few of
// the others use all GPUs.
func (v *visitor) alone(ctx context.Context) error {
	usual, rest := v.domains.UsualPipelines(v.facts, v.Pins)
	if !v.first || len(usual) == 0 || len(rest) == 0 {
		return v.part(ctx, nil)
	}
	if err := v.part(ctx, v.without(rest)); err != nil {
		return err
	}
	return v.part(ctx, v.without(usual))
}

// without are the literals that exclude pipeline degrees.
func (s *session) without(degrees []int32) []solver.Lit {
	lits := make([]solver.Lit, len(degrees))
	for i, pp := range degrees {
		lits[i] = s.solver.Eq(s.space.Int(plan.Coord(plan.PP)), pp).Not()
	}
	return lits
}

// part walks the part of the space in which the literals hold.
func (v *visitor) part(ctx context.Context, assume []solver.Lit) error {
	v.open = frontier{}
	return solver.Walk(ctx, v.solver, v.groups, assume, v.order, v)
}

// divide makes the tasks of a sweep, the most promising last.
func (c *crew) divide() {
	v := c.walkers[0]
	c.tasks, c.begun = nil, make([]float64, len(c.walkers))
	for i := range c.begun {
		c.begun[i] = inf
	}
	root := v.root()
	c.split(v, &root, nil)
	slices.SortStableFunc(c.tasks, func(a, b task) int { return b.bound.compare(&a.bound.key) })
}

// split adds the tasks of a box in which the first integers have values.
func (c *crew) split(v *visitor, box *plan.Box, values []int32) {
	if len(values) == taskInts {
		own := *box
		if b, ok := v.judge(&own, c.from); ok {
			c.tasks = append(c.tasks, task{slices.Clone(values), b})
		}
		return
	}
	x := v.order[len(values)]
	for _, value := range x.Values() {
		child := *box
		v.space.Narrow(&child, x, value, value)
		c.split(v, &child, append(values, value))
	}
}

// work does tasks until none is left.
func (c *crew) work(ctx context.Context, i int, v *visitor) error {
	for {
		t, ok := c.take(i)
		if !ok {
			return nil
		}
		assume := make([]solver.Lit, len(t.values))
		for k, value := range t.values {
			assume[k] = v.solver.Eq(v.order[k], value)
		}
		if err := v.part(ctx, assume); err != nil {
			return err
		}
	}
}

// take is the next task for a walker; those that have become hopeless are
// dropped.
func (c *crew) take(walker int) (task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := len(c.tasks); n > 0; n-- {
		t := c.tasks[n-1]
		c.tasks = c.tasks[:n-1]
		if c.admitting(&t.bound) != none {
			c.begun[walker] = t.bound.first
			return t, true
		}
	}
	c.begun[walker] = inf
	return task{}, false
}

// leastOpen is a bound that no plan of the contest is below: that of the walk's
// frontier, of tasks not done or of what the sweep leaves out, but at least that
// of the whole space and at most the best plan's. Of a contest that this sweep
// does not ask, no more than that is known. The first walker asks it.
func (c *crew) leastOpen(contest int) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	bound, q := c.whole, &c.contests[contest]
	if open, ok := c.walkers[0].open.least(); ok && contest >= c.from {
		for _, t := range c.tasks {
			open = min(open, t.bound.first)
		}
		for _, first := range c.begun[min(1, len(c.begun)):] {
			open = min(open, first)
		}
		bound = max(bound, min(open, q.entry(c.ahead), c.below))
	}
	if best := q.best(); best != nil {
		bound = min(bound, best.first)
	}
	return bound
}
