package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"meshplan/units"
)

// Axis is what a front sets against step time.
type Axis string

// What fronts are of.
const (
	MemoryAxis Axis = "memory" // peak memory of the tightest GPU
	GPUsAxis   Axis = "gpus"   // their number
	CostAxis   Axis = "cost"   // of a step: the price of its GPU-hours
)

// of is what a step of that many nanoseconds takes on a number of GPUs: GPUs or, for
// the cost, GPU-nanoseconds, to which the price of an hour is only a factor.
func (a Axis) of(gpus int, step float64) float64 {
	if a == CostAxis {
		return float64(gpus) * step
	}
	return float64(gpus)
}

// Scaling finds the front of the number of GPUs, or of the cost of a step, against
// step time: the plans that fit than which no other is as fast and takes as few GPUs,
// or costs as little. The candidates are those of the sizing, each used to its last
// GPU, and every one is decided; its goal is not asked for. A candidate's search is
// after plans that are faster than those found on fewer GPUs: others are on neither
// front. Stopped early, it says which points are proven. The result does not depend
// on the number of jobs.
func Scaling(ctx context.Context, q *Sizing, against Axis, l Limits) (*ScalingFront, error) {
	start := time.Now()
	ctx, cancel := l.stop(ctx)
	defer cancel()
	list := &scaling{against: against, runs: make([]run, len(q.Candidates))}
	var jobs errgroup.Group
	jobs.SetLimit(max(1, q.Problem.Jobs))
	for i := range q.Candidates {
		c := q.candidate(i)
		c.problem.Jobs = max(1, q.Problem.Jobs/len(q.Candidates))
		jobs.Go(func() error { return list.decide(ctx, i, c, l) })
	}
	if err := jobs.Wait(); err != nil {
		return nil, err
	}
	f := list.front(q)
	if f.Status == Infeasible {
		if err := f.explain(ctx, q, l); err != nil {
			return nil, err
		}
	}
	f.Stats.Seconds = time.Since(start).Seconds()
	return f, nil
}

// scaling is the candidates of a front.
type scaling struct {
	against Axis
	mu      sync.Mutex // guards the runs
	runs    []run      // by rising number of GPUs
}

// run is what has been found of a candidate.
type run struct {
	gpus     int
	cluster  string
	step     float64 // of the best plan found, in nanoseconds; infinite when none was
	bound    float64 // no plan that fits and is faster than those on fewer GPUs is below it; 0 when not begun
	done     bool    // the space is exhausted
	best     *Outline
	warnings []string
	stats    Stats
}

// decide finds the candidate's best plan among those that are faster than what is
// known of fewer GPUs, or proves that there is none.
func (s *scaling) decide(ctx context.Context, i int, c *candidate, l Limits) error {
	r := run{gpus: c.gpus, cluster: c.problem.Facts.Cluster.Name, step: inf}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runs[i] = r
	}()
	switch {
	case c.refused != nil:
		r.bound, r.done = inf, true
		return nil
	case ctx.Err() != nil:
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	below := s.below(i)
	ask := query{top: 1, memory: fits, tell: l.Progress, shared: true}
	if below < inf {
		ask.within = units.Seconds((below - 1) / 1e9)
	}
	out, err := c.walk(ctx, ask)
	if err != nil {
		return err
	}
	r.done, r.stats = out.done, c.work()
	if r.bound = min(out.bound, below); r.done {
		r.bound = below
	}
	r.warnings = c.assumptions(nil, c.price)
	if len(out.held) > 0 {
		outline := c.outline(&out.held[0])
		r.step, r.best = out.held[0].first, &outline
		r.bound = min(r.bound, r.step)
		r.warnings = c.assumptions(&out.held[0].plan, c.price)
	}
	return nil
}

// below is the least step found on fewer GPUs, infinite when there is none.
func (s *scaling) below(i int) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := inf
	for k := range s.runs[:i] {
		if s.runs[k].best != nil {
			least = min(least, s.runs[k].step)
		}
	}
	return least
}

// beats reports whether the plan found on a candidate leaves no place on the front
// to plans of another that are not below a bound.
func (s *scaling) beats(r, other *run, bound float64) bool {
	return r != other && r.best != nil && r.step <= bound && s.against.of(r.gpus, r.step) <= s.against.of(other.gpus, bound)
}

// beaten reports whether plans of the candidate that are not below the bound are
// behind a plan that was found.
func (s *scaling) beaten(r *run, bound float64) bool {
	for i := range s.runs {
		if s.beats(&s.runs[i], r, bound) {
			return true
		}
	}
	return false
}

// closed reports whether it is known what the candidate adds to the front.
func (s *scaling) closed(r *run) bool { return r.done || s.beaten(r, r.bound) }

// gap is by how much of the point's step a plan that takes as little may be faster,
// for all that is proven; proven is whether none is.
func (s *scaling) gap(r *run) (gap float64, proven bool) {
	least := inf
	for i := range s.runs {
		o := &s.runs[i]
		if !o.done && s.against.of(o.gpus, o.bound) <= s.against.of(r.gpus, r.step) {
			least = min(least, o.bound)
		}
	}
	return max(0, 1-least/r.step), least > r.step
}

// front is what was found of the candidates.
func (s *scaling) front(q *Sizing) *ScalingFront {
	f := &ScalingFront{FormatVersion: FormatVersion, Against: s.against, Complete: true,
		Points: []ScalingPoint{}, Reasons: []Reason{}, Warnings: []string{}}
	if q.Price > 0 {
		f.USDPerGPUHour = &q.Price
	}
	some := false // a plan fits on this candidate or on fewer GPUs
	for i := range s.runs {
		r := &s.runs[i]
		c := ScalingCandidate{GPUs: q.gpus(i), Cluster: q.Candidates[i].Name}
		some = some || r.best != nil
		switch {
		case r.best != nil && !s.beaten(r, r.step):
			c.Verdict = OnFront
			f.Points = append(f.Points, s.point(r, q))
		case !s.closed(r):
			c.Verdict = Undecided
		case some, !r.done: // stopped, its bound is behind a plan of any number of GPUs
			c.Verdict = BehindFront
		default:
			c.Verdict = NoneFits
		}
		if bound := r.bound / 1e9; !r.done && bound > 0 {
			c.BoundSeconds = &bound
		}
		f.Complete = f.Complete && s.closed(r)
		f.Candidates = append(f.Candidates, c)
		f.Stats.add(r.stats)
	}
	first := q.candidate(0)
	f.Warnings = slices.Concat(first.said, []string{allUsed}, s.warnings(f))
	slices.Reverse(f.Points) // the fastest take the most GPUs
	f.mark()
	f.Status = f.status()
	f.UpperBounds = first.problem.upperBounds(f.Complete)
	f.withdraw()
	return f
}

// point is the plan found on a candidate.
func (s *scaling) point(r *run, q *Sizing) ScalingPoint {
	p := ScalingPoint{Outline: *r.best, Cluster: r.cluster}
	p.Gap, p.Proven = s.gap(r)
	if q.Price > 0 {
		step := q.costOf(r.gpus, r.best.StepSeconds)
		billion := step / perStep(&q.Problem.Facts.Workload) * 1e9
		p.USDPerStep, p.USDPerBillionTokens = &step, &billion
		if q.Steps > 0 {
			all := step * q.Steps
			p.USDInAll = &all
		}
	}
	return p
}

// mark marks the knee.
func (f *ScalingFront) mark() {
	k := knee(len(f.Points), func(i int) (x, y float64) {
		p := &f.Points[i]
		return f.Against.of(int(p.GPUs), p.StepSeconds), p.StepSeconds
	})
	if k >= 0 {
		f.Points[k].Knee = true
	}
}

// status is what has been proven of the whole.
func (f *ScalingFront) status() Status {
	switch {
	case f.Complete && len(f.Points) > 0:
		return Optimal
	case f.Complete:
		return Infeasible
	case len(f.Points) > 0:
		return Feasible
	}
	return Unknown
}

// warnings are what a reader should know of the plans on the front, those of some
// with their numbers of GPUs; of the largest candidate where there is no point.
func (s *scaling) warnings(f *ScalingFront) []string {
	var all []string
	on := map[string][]string{}
	for i := range s.runs {
		if f.Candidates[i].Verdict == OnFront {
			all = append(all, s.runs[i].warnings...)
			for _, w := range s.runs[i].warnings {
				on[w] = append(on[w], units.Grouped(int64(s.runs[i].gpus)))
			}
		}
	}
	if len(f.Points) == 0 {
		return append([]string{}, s.runs[len(s.runs)-1].warnings...)
	}
	list := distinct(all)
	for i, w := range list {
		if len(on[w]) < len(f.Points) {
			list[i] = fmt.Sprintf("on %s GPUs: %s", strings.Join(on[w], ", "), w)
		}
	}
	return list
}

// explain says why not even the largest candidate has a plan that fits.
func (f *ScalingFront) explain(ctx context.Context, q *Sizing, l Limits) error {
	c := q.candidate(len(q.Candidates) - 1)
	if c.refused == nil {
		c.verdict = Misses
	}
	c.problem.Jobs = max(1, q.Problem.Jobs)
	if err := c.settle(ctx, nil, l); err != nil {
		return err
	}
	o := q.outcome(c)
	f.Text, f.Reasons = o.Text, o.Reasons
	return nil
}

// costOf is the price in USD of a step of that many seconds.
func (q *Sizing) costOf(gpus int, step float64) float64 { return q.Price * float64(gpus) * step / hour }

// knee is the point furthest below the chord from the first to the last on
// logarithmic axes, -1 when none is below it. The points are by rising time y, each
// with less of x than the one before.
func knee(points int, at func(i int) (x, y float64)) int {
	if points == 0 {
		return -1
	}
	best, found := 1e-9, -1
	x0, y0 := at(0)
	x1, y1 := at(points - 1)
	run, rise := math.Log(x0/x1), math.Log(y1/y0)
	for i := range points {
		x, y := at(i)
		if d := (math.Log(x0/x)*rise - math.Log(y/y0)*run) / math.Hypot(run, rise); d > best {
			best, found = d, i
		}
	}
	return found
}
