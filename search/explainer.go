package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/solver"
)

// explainer finds which rules, together with memory, leave no plan. It asks
// the solver for plans and learns from each that does not fit a nogood: a box
// around it in which no plan fits.
type explainer struct {
	*session
	memory solver.Group            // nogoods from memory
	split  solver.Group            // nogoods from layer splits and their rules
	asked  map[string]solver.Group // nogoods from rules too large to tabulate
	groups []solver.Group
	widen  []plan.Coord // placement, options, degrees
	failed error        // of the price model
}

func newExplainer(s *session) *explainer {
	e := &explainer{session: s, asked: map[string]solver.Group{}}
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

// core is a set of groups that leave no plan: as few as could be shown within
// maxNogoods, else all.
func (e *explainer) core(ctx context.Context) ([]solver.Group, error) {
	core, err := solver.Minimise(e.groups, func(on []solver.Group) (bool, error) {
		status, _, err := e.ask(ctx, on)
		if err == nil && status == solver.Unknown {
			err = solver.ErrUnknown
		}
		return status == solver.Unsat, err
	})
	switch {
	case e.failed != nil:
		return nil, e.failed
	case err != nil && ctx.Err() == nil && !errors.Is(err, solver.ErrUnknown):
		return nil, err
	case core == nil:
		return e.groups, nil
	}
	return core, nil
}

// ask looks for a plan that the groups allow.
func (e *explainer) ask(ctx context.Context, on []solver.Group) (solver.Status, solver.Model, error) {
	status, m, err := e.solver.Lazy(ctx, solver.Budget{Solves: maxNogoods}, on, func(m solver.Model) bool {
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
			return e.refuse(e.split, e.project(&p, plan.Coord(plan.PP), plan.VPP))
		}
		return true // nothing to price
	case err != nil:
		e.failed = err
		return true
	case slices.Contains(on, e.split) && e.brokenStage(&l.plan) != nil:
		return e.refuse(e.split, point)
	}
	e.stats.Priced++
	if memory && !runs.accepts(e.price.Price(&l.plan).Verdict) {
		return e.refuse(e.memory, point)
	}
	return true
}

// over reports whether every plan of the box needs more memory than there is.
func (e *explainer) over(b *plan.Box) bool {
	e.stats.Bounds++
	bound := e.price.Bound(b)
	return bound.Peak > bound.Usable
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

// describe turns a core into reasons, memory apart. The sentence of a rule
// speaks of the plan that would fit without it, if one is found.
func (e *explainer) describe(ctx context.Context, core []solver.Group) ([]Reason, error) {
	var reasons []Reason
	for i, g := range core {
		if g == e.memory {
			continue
		}
		rest := append(slices.Clone(core[:i]), core[i+1:]...)
		status, m, err := e.ask(ctx, rest)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		var p *plan.Point
		if status == solver.Sat {
			found := e.space.Point(m)
			p = &found
		}
		reasons = append(reasons, e.reason(g, p))
	}
	return reasons, nil
}

// reason is the sentence of one group; p is a plan that would do without it,
// nil when none is known.
func (e *explainer) reason(g solver.Group, p *plan.Point) Reason {
	if g == e.split {
		r := Reason{Rule: layerSplit, Text: "no layer split that the framework accepts", Numbers: map[string]float64{}}
		if p != nil {
			r.Numbers["pp"], r.Numbers["vpp"] = float64(p.Degree(plan.PP)), float64(p[plan.VPP])
			r.Text += fmt.Sprintf(" suits pp %d with vpp %d", p.Degree(plan.PP), p[plan.VPP])
		}
		return r
	}
	rule := e.space.RuleOf(g)
	for i := range e.leftover {
		if e.asked[e.leftover[i].ID] == g {
			rule = e.leftover[i]
		}
	}
	if p == nil {
		return Reason{Rule: rule.ID, Text: rule.ID, Numbers: map[string]float64{}}
	}
	return e.ruleReason(rule, p)
}
