package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/solver"
)

// explainer finds which rules, together with memory, leave no plan. It asks
// the solver for plans and learns from each that does not fit a nogood: a box
// around it in which no plan fits.
type explainer struct {
	*session
	group  memoryGroup             // that plans are to belong to
	memory solver.Group            // nogoods from memory
	split  solver.Group            // nogoods from layer splits and their rules
	asked  map[string]solver.Group // nogoods from rules too large to tabulate
	groups []solver.Group
	widen  []plan.Coord // placement, options, degrees

	example *plan.Point // the plan of least memory, nil when there is none
	failed  error       // of the price model
}

func newExplainer(s *session, g memoryGroup) *explainer {
	e := &explainer{session: s, group: g, asked: map[string]solver.Group{}}
	e.groups = append(e.groups, s.groups...)
	for _, r := range s.leftover {
		g := s.solver.Group(r.ID)
		e.asked[r.ID] = g
		e.groups = append(e.groups, g)
	}
	e.split = s.solver.Group(layerSplit)
	e.memory = s.solver.Group(memoryRule)
	e.groups = append(e.groups, e.split, e.memory)
	order := s.space.Order()
	for _, part := range [...]func(plan.Coord) bool{isPlacement, isOption, isDegree} {
		for _, c := range order {
			if part(c) {
				e.widen = append(e.widen, c)
			}
		}
	}
	return e
}

func isDegree(c plan.Coord) bool    { return c < plan.Coord(plan.NumDims) }
func isPlacement(c plan.Coord) bool { return int(c) >= len(class{}) }
func isOption(c plan.Coord) bool    { return !isDegree(c) && !isPlacement(c) }

// core is a set of groups that leave no plan. It is minimal if that could be
// shown within maxNogoods a question.
func (e *explainer) core(ctx context.Context) (core []solver.Group, minimal bool, err error) {
	core, err = solver.Minimise(e.groups, func(on []solver.Group) (bool, error) {
		status, _, err := e.ask(ctx, on)
		if err == nil && status == solver.Unknown {
			err = solver.ErrUnknown
		}
		return status == solver.Unsat, err
	})
	switch {
	case err == nil:
		return core, true, nil
	case e.failed != nil || ctx.Err() == nil && !errors.Is(err, solver.ErrUnknown):
		return nil, false, err
	case core == nil:
		core = e.groups
	}
	return core, false, nil
}

// ask looks for a plan that the groups and the literals allow.
func (e *explainer) ask(ctx context.Context, on []solver.Group, assume ...solver.Lit) (solver.Status, solver.Model, error) {
	status, m, err := e.solver.LazyUnder(ctx, solver.Budget{Solves: maxNogoods}, assume, on, func(m solver.Model) bool {
		return e.propose(m, on)
	})
	if e.failed != nil {
		err = e.failed
	}
	return status, m, err
}

// propose accepts the model's plan, or adds a nogood that excludes it under
// one of the groups on.
func (e *explainer) propose(m solver.Model, on []solver.Group) bool {
	p := e.space.Point(m)
	for _, r := range e.leftover {
		if g := e.asked[r.ID]; slices.Contains(on, g) && !r.Holds(e.facts, &p) {
			return e.refuse(g, e.project(&p, r.Reads...))
		}
	}
	point, memory := p.Box(), slices.Contains(on, e.memory)
	if memory && e.over(&point) {
		return e.refuse(e.memory, e.space.Widen(p, e.widen, e.over))
	}
	l := leaf{plan: p.Plan(e.levels)}
	var err error
	l.plan.Options.Stages, err = e.price.Split(&p, e.forms)
	noForm := (*cost.NoForm)(nil)
	switch {
	case errors.As(err, &noForm):
		if slices.Contains(on, e.split) {
			return e.refuse(e.split, e.project(&p, splitBy...))
		}
		return true // nothing to price
	case err != nil:
		e.failed = err
		return true
	case slices.Contains(on, e.split) && e.brokenStage(&l.plan) != nil:
		return e.refuse(e.split, point)
	}
	e.stats.Priced++
	if memory && !e.group.accepts(e.price.Price(&l.plan).Verdict) {
		return e.refuse(e.memory, point)
	}
	return true
}

// splitBy are the coordinates on which it depends whether some layer split is valid.
var splitBy = []plan.Coord{plan.Coord(plan.PP), plan.VPP, plan.ScheduleC}

// unscheduled is the sentence of the rule on schedules that the point's pipeline breaks,
// which is why it has no layer split; "" where there is none.
func (e *explainer) unscheduled(p *plan.Point) string {
	for _, r := range e.rules {
		other := func(c plan.Coord) bool { return !slices.Contains(splitBy, c) }
		if r.Pin == nil && slices.Contains(r.Reads, plan.ScheduleC) && !slices.ContainsFunc(r.Reads, other) && !r.Holds(e.facts, p) {
			return "; " + r.ID + ": " + strings.TrimPrefix(r.Text(e.facts, p), r.ID+": ")
		}
	}
	return ""
}

// over reports whether the memory of every plan of the box is beyond the group.
func (e *explainer) over(b *plan.Box) bool {
	e.stats.Bounds++
	bound := e.price.Bound(b)
	return bound.Peak > e.group.limit(bound.Usable, marginsOf(e.price))
}

// project is the box of all points that agree with p in the coordinates.
func (e *explainer) project(p *plan.Point, coords ...plan.Coord) plan.Box {
	b := e.root()
	for _, c := range coords {
		b[c] = plan.Range{Lo: p[c], Hi: p[c]}
	}
	return b
}

// refuse excludes the box under the group.
func (e *explainer) refuse(g solver.Group, b plan.Box) bool {
	e.stats.Nogoods++
	e.space.Exclude(g, b)
	return false
}

// describe turns a core into reasons, memory apart. The sentence of a rule of
// a minimal core speaks of a plan that would fit without it, else of the plan
// of least memory.
func (e *explainer) describe(ctx context.Context, core []solver.Group, minimal bool) ([]Reason, error) {
	var reasons []Reason
	for _, g := range core {
		if g == e.memory {
			continue
		}
		r := e.reason(g, e.example)
		if minimal {
			p, valid, err := e.without(ctx, g, core)
			if err != nil && ctx.Err() == nil {
				return nil, err
			}
			if p != nil {
				r = e.reason(g, p)
			}
			if pin := e.space.RuleOf(g).Pin; pin != nil && valid {
				if p, err = e.nearest(ctx, g, p); err != nil && ctx.Err() == nil {
					return nil, err
				}
				r.Text += "; without it a plan with " + valuesOf(e.space.RuleOf(g).Reads, p) + e.would()
			}
		}
		reasons = append(reasons, r)
	}
	return reasons, nil
}

// would says what a plan of the memory group would do.
func (e *explainer) would() string {
	if e.group == fits {
		return " would fit"
	}
	return " would run"
}

// without finds a plan that fits but for the rule of g: one that keeps all
// other rules, and so is valid without it, if there is one, else one that
// keeps the others of the core.
func (e *explainer) without(ctx context.Context, g solver.Group, core []solver.Group) (p *plan.Point, valid bool, err error) {
	for i, on := range [...][]solver.Group{e.groups, core} {
		rest := slices.DeleteFunc(slices.Clone(on), func(o solver.Group) bool { return o == g })
		status, m, err := e.ask(ctx, rest)
		if err != nil {
			return nil, false, err
		}
		if status == solver.Sat {
			found := e.space.Point(m)
			return &found, i == 0, nil
		}
	}
	return nil, false, nil
}

// nearest is a plan that is valid without the pin of g, as p is, of a value as near to the
// pinned one as any has that is not beyond p's; p itself where the pin is not on one
// coordinate.
func (e *explainer) nearest(ctx context.Context, g solver.Group, p *plan.Point) (*plan.Point, error) {
	rule := e.space.RuleOf(g)
	if len(rule.Reads) != 1 || rule.Pin.Op == "in" {
		return p, nil
	}
	c, rest := rule.Reads[0], slices.DeleteFunc(slices.Clone(e.groups), func(o solver.Group) bool { return o == g })
	x, from, to := e.space.Int(c), rule.Pin.Value, p[c]
	values := slices.DeleteFunc(slices.Clone(x.Values()), func(v int32) bool { return v <= min(from, to) || v >= max(from, to) })
	if to < from {
		slices.Reverse(values)
	}
	for _, v := range values {
		status, m, err := e.ask(ctx, rest, e.solver.Eq(x, v))
		if err != nil {
			return p, err
		}
		if status == solver.Sat {
			found := e.space.Point(m)
			return &found, nil
		}
	}
	return p, nil
}

// valuesOf lists the point's values: "tp 6, pp 4".
func valuesOf(coords []plan.Coord, p *plan.Point) string {
	var values []string
	for _, c := range coords {
		values = append(values, fmt.Sprintf("%s %s", c, c.Format(p[c])))
	}
	return strings.Join(values, ", ")
}

// reason is the sentence of one group about a plan, nil when none is known.
func (e *explainer) reason(g solver.Group, p *plan.Point) Reason {
	if g == e.split {
		return e.splitReason(p)
	}
	for _, r := range e.leftover {
		if e.asked[r.ID] == g {
			return e.ruleReason(r, p)
		}
	}
	return e.ruleReason(e.space.RuleOf(g), p)
}

// splitReason says that the point has no layer split, and which rule of its schedule
// is the cause.
func (e *explainer) splitReason(p *plan.Point) Reason {
	r := Reason{Rule: layerSplit, Text: "no layer split that the framework accepts", Numbers: map[string]float64{}}
	if p != nil {
		pp, vpp := p.Degree(plan.PP), p[plan.VPP]
		r.Numbers["pp"], r.Numbers["vpp"] = float64(pp), float64(vpp)
		r.Text += fmt.Sprintf(" suits pp %d with vpp %d", pp, vpp)
		if s := p[plan.ScheduleC]; s != 0 {
			r.Text += " under schedule " + plan.ScheduleC.Format(s)
		}
		r.Text += e.unscheduled(p)
	}
	return r
}
