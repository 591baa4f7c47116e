package search

import (
	"context"
	"math"
	"slices"
	"time"

	"meshplan/plan"
	"meshplan/units"
)

// DefaultResolution is how finely Pareto tells memory apart.
const DefaultResolution = units.GiB / 10

// FrontLimits say how much of a front is wanted.
type FrontLimits struct {
	Limits
	Resolution units.Bytes // memory is counted in steps of this, begun ones in full; 0 means DefaultResolution
	Points     int         // stop when so many points are proven; 0 means all
}

// Pareto finds the front of peak memory against step time of the plans that are
// not refused: those than which no other plan is as fast and needs as little
// memory. Plans whose memory lies within the same step of the resolution are told
// apart by time alone, and of plans that are equal in both the one of less memory,
// then of the least coordinates stands for all. Stopped early, it says which points
// are proven. The result does not depend on the number of jobs.
func Pareto(ctx context.Context, p *Problem, l FrontLimits) (*Front, error) {
	start := time.Now()
	ctx, cancel := l.stop(ctx)
	defer cancel()
	p, said := p.onAnyNodes()
	s, err := newSession(p)
	if err != nil {
		return nil, err
	}
	f, err := s.pareto(ctx, l)
	if err != nil {
		return nil, err
	}
	f.Warnings = append(said, f.Warnings...)
	f.UpperBounds = p.upperBounds(f.Status.settled())
	f.withdraw()
	f.Stats = s.work()
	f.Stats.Seconds = time.Since(start).Seconds()
	return f, nil
}

// pareto answers the question in the session.
func (s *session) pareto(ctx context.Context, l FrontLimits) (*Front, error) {
	if l.Resolution <= 0 {
		l.Resolution = DefaultResolution
	}
	f := &Front{FormatVersion: FormatVersion, Against: MemoryAxis, ResolutionBytes: math.Round(float64(l.Resolution)),
		Points: []FrontPoint{}, Space: s.describe(), Reasons: []Reason{}}
	out, err := s.front(ctx, f.ResolutionBytes, l)
	if err != nil {
		return nil, err
	}
	s.points(f, &out, l.Points)
	switch {
	case len(f.Points) == 0 && !out.done:
		f.Status = Unknown
	case len(f.Points) == 0:
		f.Status = Infeasible
		if f.Reasons, _, err = s.reasons(ctx, runs); err != nil {
			return nil, err
		}
	case out.done || l.Points > 0 && out.proven() >= l.Points:
		f.Status = Optimal
	default:
		f.Status = Feasible
	}
	plans := make([]*plan.Plan, len(out.held))
	for i := range out.held {
		plans[i] = &out.held[i].plan
	}
	f.Warnings = s.common(s.price, plans...)
	if len(out.held) > 0 { // what holds of the job's plans, not of the first one's placement
		f.Warnings = distinct(append(slices.Clone(s.price.Explain(&out.held[0].plan).Warnings), f.Warnings...))
		if text := s.idleNote(out.held); text != "" {
			f.Warnings = slices.Insert(f.Warnings, 0, text)
		}
	}
	return f, nil
}

// frontOutcome is what a walk for a front found.
type frontOutcome struct {
	held  []leaf  // no two equal, the fastest first, each of less memory than the one before
	below float64 // those of them with a first key below this are proven, and there are no others
	floor float64 // no plan has a first key below this
	done  bool    // that is all of them
}

// The first walk for a front goes to plans that take firstReach times as long as
// the fastest, each further one furtherReach times as far, and the one after a walk
// that found nothing new to the end.
const (
	firstReach   = 1.1
	furtherReach = 2
)

// front walks the space with one contest for each limit of memory, of which the
// front's points are the winners. It goes ever further in step time, so that the
// fast end is proven first.
func (s *session) front(ctx context.Context, resolution float64, l FrontLimits) (frontOutcome, error) {
	best, err := s.walk(ctx, query{top: 1, memory: runs, tell: l.Progress, shared: true})
	if err != nil || len(best.held) == 0 || !best.done {
		return frontOutcome{held: best.held, floor: best.bound, done: best.done}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := s.crew(query{memory: runs, tell: l.Progress, shared: true}, stop)
	c.contests = s.memoryContests(resolution)
	c.to = len(c.contests)
	c.offer(best.held[0])
	out := frontOutcome{held: best.held, below: best.held[0].first + 1} // the fastest is proven
	for c.below = best.held[0].first * firstReach; ; {
		c.left = false
		err := c.everywhere(ctx)
		if ctx.Err() == nil && err != nil {
			return out, err
		}
		out.held = c.winners()
		if err != nil {
			return out, nil
		}
		out.below, out.done = c.below, !c.left
		if out.done || l.Points > 0 && out.proven() >= l.Points {
			return out, nil
		}
		c.below *= furtherReach
		if out.proven() == len(out.held) && out.held[len(out.held)-1].first < out.below/furtherReach {
			c.below = inf // the last walk found nothing new
		}
	}
}

// memoryContests are contests for the fastest plan within each limit of memory, the
// largest first.
func (s *session) memoryContests(resolution float64) []contest {
	root := s.root()
	most := runs.limit(s.price.Bound(&root).Usable, marginsOf(s.price))
	list := []contest{{topK{k: 1}, runs, inf, units.Bytes(inf)}}
	for steps := math.Ceil(float64(most) / resolution); steps > 0; steps-- {
		list = append(list, contest{topK{k: 1}, runs, inf, units.Bytes(steps * resolution)})
	}
	return list
}

// winners are the plans held, each once.
func (c *crew) winners() []leaf {
	var list []leaf
	for i := range c.contests {
		if l := c.contests[i].best(); l != nil && (len(list) == 0 || list[len(list)-1].point != l.point) {
			list = append(list, *l)
		}
	}
	return list
}

// proven is the number of points that are proven.
func (o *frontOutcome) proven() int {
	n := 0
	for n < len(o.held) && (o.done || o.held[n].first < o.below) {
		n++
	}
	return n
}
