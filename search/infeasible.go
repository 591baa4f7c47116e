package search

import (
	"context"
	"errors"
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
	"meshplan/solver"
	"meshplan/units"
)

// Names of the reasons that are not a rule of a framework or a pin.
const (
	memoryRule = "memory"
	layerSplit = "layer-split"
	gridRule   = "grid"
)

// maxNogoods limits the nogoods of one question of an explanation. Beyond it
// the reasons are correct but not as few.
const maxNogoods = 4000

// reasons is a set of rules that cannot hold together, after the walk has
// proven that no plan exists: rules alone if they suffice, else memory and
// what keeps plans from fitting.
func (s *session) reasons(ctx context.Context) ([]Reason, error) {
	core, err := s.solver.Core(ctx, solver.Budget{}, s.groups...)
	switch {
	case err == nil:
		return s.ruleReasons(ctx, core)
	case !errors.Is(err, solver.ErrSatisfiable):
		return nil, explainCut(ctx, err)
	}
	least, err := s.walk(ctx, query{top: 1, memory: unlimited, goal: leastPeak})
	if err != nil {
		return nil, err
	}
	e := newExplainer(s)
	if core, err = e.core(ctx); err != nil {
		return nil, err
	}
	reasons, err := e.describe(ctx, core)
	if err != nil {
		return nil, err
	}
	if len(least.held) > 0 {
		reasons = append([]Reason{s.memoryReason(&least)}, reasons...)
	}
	return reasons, nil
}

// explainCut drops the error of a question that the context cut short.
func explainCut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// ruleReasons turns a core of the rules alone into sentences. As the core is
// minimal, the rest of it has a point at which the rule fails: its sentence
// speaks of that point.
func (s *session) ruleReasons(ctx context.Context, core []solver.Group) ([]Reason, error) {
	reasons := make([]Reason, 0, len(core))
	for i, g := range core {
		rest := append(append([]solver.Group(nil), core[:i]...), core[i+1:]...)
		status, m, err := s.solver.Solve(ctx, solver.Budget{}, rest...)
		if err != nil {
			return nil, explainCut(ctx, err)
		}
		rule := s.space.RuleOf(g)
		if status == solver.Sat {
			p := s.space.Point(m)
			reasons = append(reasons, s.ruleReason(rule, &p))
		} else {
			reasons = append(reasons, Reason{Rule: rule.ID, Numbers: map[string]float64{}})
		}
	}
	if len(reasons) == 0 {
		reasons = append(reasons, Reason{Rule: gridRule, Numbers: map[string]float64{},
			Text: "no degrees fit the levels of the cluster"})
	}
	return reasons, nil
}

// ruleReason is the rule's sentence about a point, with the values it speaks
// of.
func (s *session) ruleReason(r framework.Rule, p *plan.Point) Reason {
	numbers := make(map[string]float64, len(r.Reads))
	for _, c := range r.Reads {
		numbers[c.String()] = float64(p[c])
	}
	return Reason{Rule: r.ID, Text: r.Text(s.facts, p), Numbers: numbers}
}

// memoryReason says how far the plan of least memory is from fitting.
func (s *session) memoryReason(least *outcome) Reason {
	l := &least.held[0]
	figures := l.figures
	r := Reason{Rule: memoryRule, Numbers: map[string]float64{
		"least_peak_bytes": float64(figures.Peak),
		"usable_bytes":     float64(figures.Usable),
	}}
	if !least.done {
		r.Numbers["least_peak_bound_bytes"] = least.bound
		r.Text = fmt.Sprintf("the least memory found is %v of %v usable (at least %v is needed)",
			figures.Peak, figures.Usable, units.Bytes(least.bound))
	} else {
		r.Text = fmt.Sprintf("the least memory any plan needs is %v of %v usable", figures.Peak, figures.Usable)
	}
	if name, bytes := largestTerm(s.price.Explain(&l.plan)); name != "" {
		r.Numbers["largest_term_bytes"] = float64(bytes)
		r.Text += fmt.Sprintf("; its largest part is %s with %v", name, bytes)
	}
	return r
}
