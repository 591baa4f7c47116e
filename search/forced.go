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
// a session of its own, so that the answers do not depend on how many run at a
// time.
func (s *session) forced(ctx context.Context, g memoryGroup, best *leaf) ([]Forced, error) {
	var questions []*question
	for _, d := range forcible {
		v := d.of(&best.point)
		if v == 1 {
			continue
		}
		pin := framework.PinRules(s.facts, []framework.Pin{d.below(v)})[0]
		questions = append(questions, &question{session: s.fork(pin), Forced: Forced{Degree: d.name, Value: v}})
	}
	var jobs errgroup.Group
	jobs.SetLimit(max(1, s.Jobs))
	for _, q := range questions {
		jobs.Go(func() error { return q.ask(ctx, g, best) })
	}
	err := jobs.Wait()
	answers := make([]Forced, len(questions))
	for i, q := range questions {
		answers[i] = q.Forced
		s.stats.add(q.work())
	}
	return answers, err
}

// question is what would be without a degree: its session has the degree
// pinned below its value in the best plan.
type question struct {
	*session
	Forced
}

// ask finds the answer.
func (q *question) ask(ctx context.Context, g memoryGroup, best *leaf) error {
	out, err := q.walk(ctx, query{top: 1, memory: g})
	switch {
	case err != nil:
		return err
	case len(out.held) > 0 && out.done:
		q.slower(best, &out.held[0])
	case out.done:
		return q.forbidden(ctx)
	default:
		q.cutShort()
	}
	return nil
}

// say states the answer in a sentence that starts with the degree.
func (q *question) say(by, format string, args ...any) {
	q.By = by
	q.Text = fmt.Sprintf("%s %d: ", q.Degree, q.Value) + fmt.Sprintf(format, args...)
}

func (q *question) cutShort() {
	q.say(NotProven, "the search with %s below %d was cut short", q.Degree, q.Value)
}

// HardlyMatters begins the sentence, behind its degree, of a degree that saves
// less than hardly of the step time.
const (
	HardlyMatters = "hardly matters"
	hardly        = 1.01
)

// slower says how much longer the best plan below takes.
func (q *question) slower(best, below *leaf) {
	factor := float64(below.figures.Step) / float64(best.figures.Step)
	q.Factor = &factor
	verdict, longer := "", fmt.Sprintf("%.3f times as long", factor)
	if factor < hardly {
		verdict = HardlyMatters + ": "
	}
	if longer == "1.000 times as long" {
		longer = "as long, to 0.1 %"
	}
	q.say(ByTime, "%swith %s below %d the best step takes %s (%v instead of %v)",
		verdict, q.Degree, q.Value, longer, below.figures.Step, best.figures.Step)
}

// forbidden says whether rules alone exclude every plan below.
func (q *question) forbidden(ctx context.Context) error {
	core, err := q.solver.Core(ctx, solver.Budget{}, q.groups...)
	switch {
	case err == nil:
		q.forbiddenBy(core)
	case errors.Is(err, solver.ErrSatisfiable):
		return q.outOfMemory(ctx)
	case ctx.Err() != nil:
		q.cutShort()
	default:
		return err
	}
	return nil
}

// forbiddenBy names the rules and pins of a core.
func (q *question) forbiddenBy(core []solver.Group) {
	var ids, names []string
	for _, g := range core {
		r := q.space.RuleOf(g)
		switch {
		case r.ID == "": // the pin of the question
			continue
		case r.Pin != nil:
			names = append(names, "the pin "+r.Pin.String())
		default:
			names = append(names, "the rule "+r.ID)
		}
		ids = append(ids, r.ID)
	}
	switch len(ids) {
	case 0:
		q.say(gridRule, "no plan with %s below %d can be spread over %s", q.Degree, q.Value, framework.Levels(q.facts))
	case 1:
		q.say(ids[0], "%s allows no %s below %d", names[0], q.Degree, q.Value)
	default:
		q.say(strings.Join(ids, ", "), "%s together allow no %s below %d", listed(names), q.Degree, q.Value)
	}
}

// outOfMemory tells what memory forbids from what layer splits and the rules
// asked at leaves do: of the former there is a plan.
func (q *question) outOfMemory(ctx context.Context) error {
	out, err := q.walk(ctx, query{top: 1, memory: unlimited, first: true})
	switch {
	case err != nil:
		return err
	case len(out.held) > 0:
		q.say(ByMemory, "with %s below %d no plan fits in memory", q.Degree, q.Value)
	case out.done:
		q.say(layerSplit, "with %s below %d no layer split is valid", q.Degree, q.Value)
	default:
		q.cutShort()
	}
	return nil
}
