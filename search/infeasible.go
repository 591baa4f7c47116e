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
// proven that no plan of the memory group exists: rules alone if they suffice,
// else memory and what keeps plans from fitting. Of a minimal set every member
// is needed.
func (s *session) reasons(ctx context.Context, g memoryGroup) (reasons []Reason, minimal bool, err error) {
	wide, err := s.wide()
	if err != nil {
		return nil, false, err
	}
	reasons, minimal, err = wide.reasonsFor(ctx, s, g)
	s.stats.add(wide.work())
	if errors.Is(err, solver.ErrSatisfiable) {
		return s.reasonsFor(ctx, s, g)
	}
	return reasons, minimal, err
}

// wide is a session of the job in which degrees need not divide what they split:
// that they must is then among the reasons where it matters. A framework that
// splits unevenly may have a plan there that the search does not range over.
func (s *session) wide() (*session, error) {
	j, err := newJobOver(s.Problem, framework.WideDomains)
	if err != nil {
		return nil, err
	}
	return j.session()
}

// reasonsFor are the reasons over the session's own domains; plans is the session
// of the plans that the sentence on memory speaks of.
func (s *session) reasonsFor(ctx context.Context, plans *session, g memoryGroup) (reasons []Reason, minimal bool, err error) {
	core, err := s.solver.Core(ctx, solver.Budget{}, s.groups...)
	switch {
	case err == nil:
		minimal = true
		reasons, err = s.ruleReasons(ctx, core)
	case errors.Is(err, solver.ErrSatisfiable):
		reasons, minimal, err = s.memoryReasons(ctx, plans, g)
	}
	if err != nil && ctx.Err() == nil {
		return nil, false, err
	}
	if len(reasons) == 0 {
		return []Reason{{Rule: memoryRule, Numbers: map[string]float64{},
			Text: "no plan that the rules allow fits in memory; the search for fewer reasons was cut short"}}, false, nil
	}
	return reasons, minimal, nil
}

// memoryReasons are the reasons when the rules alone would allow a plan.
func (s *session) memoryReasons(ctx context.Context, plans *session, g memoryGroup) (reasons []Reason, minimal bool, err error) {
	least, err := plans.walk(ctx, query{top: 1, memory: unlimited, goal: leastPeak, boxes: leastPeakBoxes})
	if err != nil {
		return nil, false, err
	}
	e := newExplainer(s, g)
	if len(least.held) > 0 {
		p := least.held[0].plan.Point()
		e.example = &p
	}
	core, minimal, err := e.core(ctx)
	if err != nil {
		return nil, false, err
	}
	reasons, err = e.describe(ctx, core, minimal)
	if err == nil && slices.Contains(core, e.memory) && len(least.held) > 0 {
		reasons = slices.Insert(reasons, 0, plans.memoryReason(&least, g))
	}
	return reasons, minimal, err
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

// memoryReason says how far the plan of least memory is from the memory group.
func (s *session) memoryReason(least *outcome, g memoryGroup) Reason {
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
		need := units.Bytes(float64(host) * float64(figures.Peak/g.limit(s.facts.Cluster.GPU.Runtime, marginsOf(s.price))))
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
	if g == fits {
		r.Text += fmt.Sprintf(", and a plan that fits leaves %.0f %% free", 100*s.price.Margin())
	}
	if name, bytes := largestTerm(explained); name != "" {
		r.Numbers["largest_term_bytes"] = float64(bytes)
		r.Text += fmt.Sprintf("; its largest part is %s with %v", name, bytes)
	}
	s.stateReason(&r, figures.Usable)
	return r
}

// stateReason adds, where it is so, that the parameters' state alone is more than
// all GPUs hold, however it is shared out.
func (s *session) stateReason(r *Reason, usable units.Bytes) {
	recipe, err := s.Profile.Recipe(s.facts.Workload.Recipe)
	if err != nil || len(s.domains.Values[plan.OptOffload]) > 1 || s.domains.Values[plan.OptOffload][0] > 0 {
		return
	}
	each := recipe.PerParameter()
	if recipe.Cast {
		each -= recipe.Weight
	}
	gpus := s.facts.Cluster.GPUs()
	state, room := units.Bytes(each*float64(s.facts.Model.Total())), units.Bytes(float64(gpus)*float64(usable))
	if state <= room {
		return
	}
	r.Numbers["state_bytes"], r.Numbers["cluster_usable_bytes"] = float64(state), float64(room)
	r.Detail = fmt.Sprintf("all weights, gradients and optimizer state are %v, %g bytes for each of %.4g billion parameters; %s: %v in all",
		state, each, float64(s.facts.Model.Total())/1e9, count(gpus, "GPU"), room)
}

// count is "1 GPU" or "8 GPUs".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return units.Grouped(int64(n)) + " " + noun + "s"
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
