package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"meshplan/cost"
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

// leastPeakBoxes limits the search for the plan of least memory, which only
// illustrates a reason. It is counted, not timed, so that answers repeat.
const leastPeakBoxes = 2000

// reasons is a set of rules that cannot hold together, after the walk has
// proven that no plan exists: rules alone if they suffice, else memory and
// what keeps plans from fitting.
func (s *session) reasons(ctx context.Context) ([]Reason, error) {
	var reasons []Reason
	core, err := s.solver.Core(ctx, solver.Budget{}, s.groups...)
	switch {
	case err == nil:
		reasons, err = s.ruleReasons(ctx, core)
	case errors.Is(err, solver.ErrSatisfiable):
		reasons, err = s.memoryReasons(ctx)
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if len(reasons) == 0 {
		reasons = []Reason{{Rule: memoryRule, Numbers: map[string]float64{},
			Text: "no plan that the rules allow fits in memory; the search for fewer reasons was cut short"}}
	}
	return reasons, nil
}

// memoryReasons are the reasons when the rules alone would allow a plan.
func (s *session) memoryReasons(ctx context.Context) ([]Reason, error) {
	least, err := s.walk(ctx, query{top: 1, memory: unlimited, goal: leastPeak, boxes: leastPeakBoxes})
	if err != nil {
		return nil, err
	}
	e := newExplainer(s)
	if len(least.held) > 0 {
		p := least.held[0].plan.Point()
		e.example = &p
	}
	core, minimal, err := e.core(ctx)
	if err != nil {
		return nil, err
	}
	reasons, err := e.describe(ctx, core, minimal)
	if err == nil && slices.Contains(core, e.memory) && len(least.held) > 0 {
		reasons = slices.Insert(reasons, 0, s.memoryReason(&least))
	}
	return reasons, err
}

// ruleReasons turns a core of the rules alone into sentences, with what the
// levels of the cluster have to do with it.
func (s *session) ruleReasons(ctx context.Context, core []solver.Group) ([]Reason, error) {
	ask := func(on []solver.Group) (solver.Status, solver.Model, error) {
		return s.solver.Solve(ctx, solver.Budget{}, on...)
	}
	reasons := make([]Reason, 0, len(core)+1)
	var rules []framework.Rule
	for _, g := range core {
		rule := s.space.RuleOf(g)
		rules = append(rules, rule)
		w, err := s.witness(ask, g, core, s.groups)
		if err == nil {
			err = s.leastAt(ctx, &w, rule.Reads)
		}
		if err != nil {
			return nil, err
		}
		reasons = append(reasons, s.ruleReason(rule, w.point))
	}
	if r, ok := s.levelsReason(rules); ok {
		reasons = append(reasons, r)
	}
	return reasons, nil
}

// ruleReason is the rule's sentence about a point, with the values it speaks
// of; without a point, its name. A pin needs no point.
func (s *session) ruleReason(r framework.Rule, p *plan.Point) Reason {
	reason := Reason{Rule: r.ID, Text: r.ID, Numbers: map[string]float64{}}
	switch {
	case r.Pin != nil:
		reason.Text = r.Pin.String() + " is pinned"
	case p != nil:
		reason.Text = r.Text(s.facts, p)
		for _, c := range r.Reads {
			reason.Numbers[c.String()] = float64(p[c])
		}
	}
	return reason
}

// memoryReason says how far the plan of least memory is from fitting.
func (s *session) memoryReason(least *outcome) Reason {
	l := &least.held[0]
	figures, explained := l.figures, s.price.Explain(&l.plan)
	r := Reason{Rule: memoryRule, Numbers: map[string]float64{
		"least_peak_bytes": float64(figures.Peak),
		"usable_bytes":     float64(figures.Usable),
	}}
	switch {
	case figures.Usable <= 0:
		gpu := s.facts.Cluster.GPU
		r.Numbers["runtime_bytes"] = float64(gpu.Runtime)
		r.Text = fmt.Sprintf("the CUDA context and the communicators alone do not fit in the %v that the runtime reports for a %s; no plan has memory",
			gpu.Runtime, gpu.Name)
		return r
	case s.hostBinds(&explained, figures.Peak):
		host := s.facts.Cluster.HostMemory
		need := units.Bytes(float64(host) * float64(figures.Peak/runs.limit(s.facts.Cluster.GPU.Runtime, marginsOf(s.price))))
		r.Numbers["least_host_bytes"], r.Numbers["host_bytes"] = float64(need), float64(host)
		r.Text = fmt.Sprintf("the plan of least memory offloads %v to each node's host memory of %v", need, host)
		return r
	case !least.done:
		r.Numbers["least_peak_bound_bytes"] = least.bound
		r.Text = fmt.Sprintf("the least memory found is %v of %v usable, and no plan needs less than %v",
			figures.Peak, figures.Usable, units.Bytes(least.bound))
	default:
		r.Text = fmt.Sprintf("the least memory any plan needs is %v of %v usable", figures.Peak, figures.Usable)
	}
	if name, bytes := largestTerm(explained); name != "" {
		r.Numbers["largest_term_bytes"] = float64(bytes)
		r.Text += fmt.Sprintf("; its largest part is %s with %v", name, bytes)
	}
	return r
}

// hostBinds reports whether a peak is that of a node's host memory: it is above
// what any stage reserves on its GPU.
func (s *session) hostBinds(e *cost.Estimate, peak units.Bytes) bool {
	if s.facts.Cluster.HostMemory <= 0 || len(e.Stages) == 0 {
		return false
	}
	for i := range e.Stages {
		if float64(e.Stages[i].Reserved) >= float64(peak)*(1-1e-9) {
			return false
		}
	}
	return true
}
