package search

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"meshplan/framework"
	"meshplan/plan"
	"meshplan/solver"
)

// degree is a degree that something may force above 1.
type degree struct {
	name  string
	coord plan.Coord // unused for dp, the product of its two parts
}

var forcible = []degree{
	{"tp", plan.Coord(plan.TP)},
	{"cp", plan.Coord(plan.CP)},
	{"pp", plan.Coord(plan.PP)},
	{"vpp", plan.VPP},
	{"dp", 0},
	{"ep", plan.Coord(plan.EP)},
	{"etp", plan.Coord(plan.ETP)},
}

func (d *degree) of(p *plan.Point) int32 {
	if d.name == "dp" {
		return p.DP()
	}
	return p[d.coord]
}

// below is the pin that keeps the degree under v.
func (d *degree) below(v int32) framework.Pin {
	return framework.Pin{Name: d.name, Coord: d.coord, Op: "<=", Value: v - 1}
}

// forced says what forces each degree of the best plan above 1: the search is
// repeated with the degree pinned below and all else free. Each repetition has
// a session of its own, so that the answers do not depend on their number at a
// time.
func (s *session) forced(ctx context.Context, g memoryGroup, held []leaf) ([]Forced, error) {
	best := &held[0]
	var asked []degree
	for _, d := range forcible {
		if d.of(&best.point) > 1 {
			asked = append(asked, d)
		}
	}
	answers, stats := make([]Forced, len(asked)), make([]Stats, len(asked))
	var jobs errgroup.Group
	jobs.SetLimit(max(1, s.Jobs))
	for i, d := range asked {
		jobs.Go(func() (err error) {
			answers[i], stats[i], err = s.job.force(ctx, d, g, best)
			return err
		})
	}
	if err := jobs.Wait(); err != nil {
		return nil, err
	}
	for _, st := range stats {
		s.stats.add(st)
	}
	return answers, nil
}

// force answers for one degree.
func (j *job) force(ctx context.Context, d degree, g memoryGroup, best *leaf) (Forced, Stats, error) {
	v := d.of(&best.point)
	f := Forced{Degree: d.name, Value: v}
	pin := framework.PinRules(j.facts, []framework.Pin{d.below(v)})[0]
	s, err := j.session(pin)
	if err != nil {
		return f, Stats{}, err
	}
	out, err := s.walk(ctx, query{top: 1, memory: g})
	switch {
	case err != nil:
		return f, s.stats, err
	case !out.done:
		cutShort(&f)
	case len(out.held) > 0:
		slower(&f, best, &out.held[0])
	default:
		err = s.forbidden(ctx, &f, pin.ID)
	}
	return f, s.stats, err
}

func cutShort(f *Forced) {
	f.By = NotProven
	f.Text = fmt.Sprintf("%s %d: the search with %s below %d was cut short", f.Degree, f.Value, f.Degree, f.Value)
}

// slower says how much longer the best plan below takes.
func slower(f *Forced, best, below *leaf) {
	factor := float64(below.figures.Step) / float64(best.figures.Step)
	f.By, f.Factor = ByTime, &factor
	f.Text = fmt.Sprintf("%s %d: with %s below %d the best step takes %.3f times as long (%v instead of %v)",
		f.Degree, f.Value, f.Degree, f.Value, factor, below.figures.Step, best.figures.Step)
}

// forbidden says whether rules or memory exclude every plan below.
func (s *session) forbidden(ctx context.Context, f *Forced, pin string) error {
	core, err := s.solver.Core(ctx, solver.Budget{}, s.space.Groups()...)
	switch {
	case err == nil:
		var ids []string
		for _, g := range core {
			if id := s.space.RuleOf(g).ID; id != pin {
				ids = append(ids, id)
			}
		}
		f.By = strings.Join(ids, ", ")
		f.Text = fmt.Sprintf("%s %d: %s allows no %s below %d", f.Degree, f.Value, f.By, f.Degree, f.Value)
	case errors.Is(err, solver.ErrSatisfiable):
		return s.outOfMemory(ctx, f)
	case ctx.Err() != nil:
		cutShort(f)
	default:
		return err
	}
	return nil
}

// outOfMemory tells what rules outside the session exclude from what does not
// fit: any plan they allow is one that memory forbids.
func (s *session) outOfMemory(ctx context.Context, f *Forced) error {
	found, err := s.walk(ctx, query{top: 1, memory: unlimited, first: true})
	switch {
	case err != nil:
		return err
	case len(found.held) > 0:
		f.By = ByMemory
		f.Text = fmt.Sprintf("%s %d: with %s below %d no plan fits in memory", f.Degree, f.Value, f.Degree, f.Value)
	case found.done:
		f.By = layerSplit
		f.Text = fmt.Sprintf("%s %d: with %s below %d no layer split of the framework is valid", f.Degree, f.Value, f.Degree, f.Value)
	default:
		cutShort(f)
	}
	return nil
}
