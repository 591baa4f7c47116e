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
	rest    bool    // the sweep walks the unusual pipelines, and the others have been
	ahead   float64 // of sweeps, the current one
	later   float64 // the bound of the unusual pipelines, once it is known
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

// task is a part of the space: pipelines are of one unusual degree, or of any usual
// one, and the first integers of the order have values.
type task struct {
	pp     int32 // 0 for the usual ones
	values []int32
	bound  bounded
}

// How many integers of the order a task decides if there are several walkers.
const (
	taskInts = 2
	restInts = 1 // of unusual pipelines
)

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

// everywhere sweeps the whole space.
func (c *crew) everywhere(ctx context.Context) error {
	for _, c.rest = range regions {
		if err := c.sweep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sweep walks a part of the space once.
func (c *crew) sweep(ctx context.Context) error {
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

// divide makes the tasks of a sweep, the most promising last.
func (c *crew) divide() {
	v := c.walkers[0]
	c.tasks, c.begun = nil, make([]float64, len(c.walkers))
	for i := range c.begun {
		c.begun[i] = inf
	}
	whole, ints := []task{{}}, taskInts
	if c.rest {
		whole, ints = nil, restInts
		for _, pp := range v.unusual {
			whole = append(whole, task{pp: pp})
		}
	}
	if len(c.walkers) == 1 {
		ints = 0
	}
	for _, t := range whole {
		c.split(v, v.boxOf(&t), t, ints)
	}
	slices.SortStableFunc(c.tasks, func(a, b task) int { return b.bound.compare(&a.bound.key) })
}

// boxOf is the box of a task that decides no integer.
func (s *session) boxOf(t *task) plan.Box {
	box := s.root()
	if t.pp > 0 {
		s.space.Narrow(&box, s.pipelines, t.pp, t.pp)
	}
	return box
}

// split adds the tasks of a box in which the next so many integers have values.
func (c *crew) split(v *visitor, box plan.Box, t task, ints int) {
	own, ok := box, false
	if t.bound, ok = v.judge(&own, c.from); !ok {
		return
	}
	if ints == 0 {
		c.tasks = append(c.tasks, t)
		return
	}
	x := v.order[len(t.values)]
	for _, value := range x.Values() {
		child, part := box, t
		part.values = append(slices.Clone(t.values), value)
		v.space.Narrow(&child, x, value, value)
		c.split(v, child, part, ints-1)
	}
}

// work does tasks until none is left.
func (c *crew) work(ctx context.Context, i int, v *visitor) error {
	for {
		t, ok := c.take(i)
		if !ok {
			return nil
		}
		if err := solver.Walk(ctx, v.solver, v.groups, v.assumed(&t), v.order, v); err != nil {
			return err
		}
		v.open = frontier{}
	}
}

// assumed are the literals that hold in a task.
func (s *session) assumed(t *task) []solver.Lit {
	var lits []solver.Lit
	if t.pp > 0 {
		lits = append(lits, s.solver.Eq(s.pipelines, t.pp))
	} else {
		for _, pp := range s.unusual {
			lits = append(lits, s.solver.Eq(s.pipelines, pp).Not())
		}
	}
	for k, value := range t.values {
		lits = append(lits, s.solver.Eq(s.order[k], value))
	}
	return lits
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
// frontier, of tasks not done, of the unusual pipelines before their turn or of what
// the sweep leaves out, but at least that of the whole space and at most the best
// plan's. Of a contest that this sweep does not ask, no more than that is known. The
// first walker asks it.
func (c *crew) leastOpen(contest int) float64 {
	later := inf
	if !c.rest {
		later = c.leastLater()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	bound, q := c.whole, &c.contests[contest]
	if len(c.begun) > 0 && contest >= c.from {
		open, ok := c.walkers[0].open.least()
		if !ok {
			open = c.begun[0]
		}
		for _, t := range c.tasks {
			open = min(open, t.bound.first)
		}
		for _, first := range c.begun[1:] {
			open = min(open, first)
		}
		bound = max(bound, min(open, q.entry(c.ahead), c.below, later))
	}
	if best := q.best(); best != nil {
		bound = min(bound, best.first)
	}
	return bound
}

// leastLater bounds the plans of unusual pipelines; of walks for any plan, whose bound
// nobody asks for, by that of the whole space.
func (c *crew) leastLater() float64 {
	v := c.walkers[0]
	switch {
	case v.first:
		return c.whole
	case c.later > 0:
		return c.later
	}
	c.later = inf
	for _, pp := range v.unusual {
		if box := v.boxOf(&task{pp: pp}); v.tight.tighten(&box) {
			c.later = min(c.later, v.keyOf(v.price.Bound(&box), &box).first)
		}
	}
	return c.later
}
