package search

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meshplan/framework"
)

// Sensitivity says how the best plan and its step time change with each input of a
// job that there may be more or less of: the resources of its cluster, and the load
// factor of its experts. Each is changed alone, to the half, by -10 % and +10 %, and
// to the double, and the best plan is sought anew. Where another plan is the best
// then, the change by which it becomes so is found to 1 %. Stopped early, the result
// says what is proven. It does not depend on the number of jobs.
func Sensitivity(ctx context.Context, p *Problem, l Limits) (*SensitivityResult, error) {
	start := time.Now()
	ctx, cancel := l.stop(ctx)
	defer cancel()
	p, said := p.onAnyNodes()
	own := *p
	own.Top = 1
	st := &study{ctx: ctx, tell: l.Progress}
	if err := st.run(&own); err != nil {
		return nil, err
	}
	r := st.result()
	r.Warnings = append(said, r.Warnings...)
	r.UpperBounds = p.upperBounds(r.Status.settled())
	r.withdraw()
	r.Stats.Seconds = time.Since(start).Seconds()
	return r, nil
}

// study is a sensitivity that is being made.
type study struct {
	ctx    context.Context
	tell   func(Progress)
	base   *solution
	space  Space
	inputs []*input

	mu    sync.Mutex // guards what follows
	stats Stats
}

// run solves the job, then with each input changed, then looks for the flips.
func (st *study) run(p *Problem) (err error) {
	own, err := newSession(p)
	if err != nil {
		return err
	}
	st.space = own.describe()
	if st.base, err = st.solve(own, nil); err != nil || st.base.status != Optimal {
		return err
	}
	var cases, flips []func() error
	st.inputs = inputsOf(own.job)
	for _, in := range st.inputs {
		for i := range factors {
			cases = append(cases, func() (err error) {
				in.cases[i], err = st.solveAt(in, factors[i])
				return err
			})
		}
		for i := range in.flips {
			flips = append(flips, func() (err error) {
				in.flips[i], err = st.flip(in, sides[i])
				return err
			})
		}
	}
	if err := parallel(p.Jobs, cases); err != nil {
		return err
	}
	return parallel(p.Jobs, flips)
}

// parallel does tasks, so many at a time.
func parallel(jobs int, tasks []func() error) error {
	var group errgroup.Group
	group.SetLimit(max(1, jobs))
	for _, task := range tasks {
		group.Go(task)
	}
	return group.Wait()
}

// solution is what is known of the best plan of a job.
type solution struct {
	impossible string // why there is no such job
	status     Status
	best       *leaf   // of the plans that fit, of the borderline ones where none does
	short      Outline // of it
	bound      float64 // a step time that no plan beats, in seconds
	keeping    float64 // by what share of the best step the best plan of the job as it is takes longer; NaN where it cannot be run
	reasons    []Reason
	warnings   []string // of the job as it is
}

// proven reports whether it is known which plan is the best, or that there is none.
func (s *solution) proven() bool { return s.status.settled() }

// placedAlike is by what share of the best step a plan of the same degrees and options
// may take longer to count as the same plan. Of placements that are worth the same,
// any may be the best.
const placedAlike = 0.001

// same reports whether the best plan is of the class and verdict of that of the job as
// it is, and hardly faster than that one.
func (s *solution) same(base *solution) bool {
	if s.best == nil || base.best == nil {
		return s.best == base.best
	}
	return classOf(&s.best.point) == classOf(&base.best.point) && s.best.figures.Verdict == base.best.figures.Verdict &&
		!(s.keeping > placedAlike)
}

// solveAt finds the best plan with so many times as much of an input; like are plans
// that are likely to be good.
func (st *study) solveAt(in *input, factor float64, like ...*solution) (*solution, error) {
	p, err := in.at(factor)
	if err == nil {
		err = framework.CheckPins(&p.Facts, p.Pins)
	}
	if err != nil {
		return &solution{impossible: err.Error()}, nil
	}
	s := &solution{status: Unknown}
	if st.ctx.Err() != nil {
		return s, nil
	}
	p.Jobs = 1
	own, err := newSession(p)
	if err != nil {
		return nil, err
	}
	return st.solve(own, append(like, st.base))
}

// solve finds the best plan of a session's job; like are solutions of similar jobs,
// none for the job as it is.
func (st *study) solve(own *session, like []*solution) (*solution, error) {
	q := query{top: 1, memory: runs, safe: true, tell: st.tell, shared: true}
	for _, l := range like {
		if l.best != nil {
			q.known = append(q.known, l.best.point)
		}
	}
	out, err := own.walk(st.ctx, q)
	if err != nil {
		return nil, err
	}
	s := &solution{status: Unknown, bound: out.whole / 1e9}
	group, found := fits, out.safe
	if len(found.held) == 0 {
		group, found = runs, out.answer
	}
	switch {
	case len(found.held) > 0:
		s.best, s.short = &found.held[0], own.outline(&found.held[0])
		s.status, s.bound, _ = found.proof(out.done)
	case out.done:
		s.status, s.bound = Infeasible, 0
		s.reasons, _, err = own.reasons(st.ctx, runs)
	}
	if len(like) == 0 {
		s.warnings = own.warnings(group, &out, found.held)
	} else if s.best != nil {
		s.keeping, err = own.keeping(st.base.best, s.best)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.stats.add(own.work())
	return s, err
}

// keeping is by what share of the best step another plan takes longer; NaN where it
// is not of the space, or needs memory that the best does not.
func (s *session) keeping(plan, best *leaf) (float64, error) {
	if !s.holds(&plan.point) {
		return math.NaN(), nil
	}
	l, ok, err := s.priced(&plan.point)
	if err != nil || !ok || l.figures.Verdict > best.figures.Verdict {
		return math.NaN(), err
	}
	return float64(l.figures.Step/best.figures.Step) - 1, nil
}
