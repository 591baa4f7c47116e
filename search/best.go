package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"meshplan/plan"
	"meshplan/units"
)

// Best finds the fastest plans of a job and proves that there are none faster,
// or that there are none at all. Stopped early, by the context or the time
// limit, it returns the best plans so far with a bound. The result does not
// depend on the number of jobs. An error means that the problem is malformed.
func Best(ctx context.Context, p *Problem, l Limits) (*Result, error) {
	start := time.Now()
	ctx, cancel := l.stop(ctx)
	defer cancel()
	s, err := newSession(p)
	if err != nil {
		return nil, err
	}
	r, err := s.anywhere(ctx, l)
	if err != nil {
		return nil, err
	}
	r.Machines = s.machines()
	if r.Status == Infeasible {
		changes, err := s.helpingAnywhere(ctx, r.Reasons)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			r.Changes = append(r.Changes, c.Change)
		}
	}
	r.Stats = s.work()
	r.Stats.add(s.tried.sum)
	r.Stats.Seconds = time.Since(start).Seconds()
	return r, nil
}

// best answers the question in the session: one walk for the best plans that
// fit and for the best of those that are not refused.
func (s *session) best(ctx context.Context, l Limits) (*Result, error) {
	r := &Result{FormatVersion: FormatVersion, Space: s.describe(), Reasons: []Reason{}, Changes: []Change{}, Plans: []PlanResult{}, Fastest: []Outline{}}
	out, err := s.walk(ctx, query{top: s.Top, memory: runs, safe: true, tell: l.Progress, shared: true})
	if err != nil {
		return nil, err
	}
	group, found := fits, out.safe
	if len(out.safe.held) == 0 && len(out.held) > 0 {
		group, found = runs, out.answer
	}
	s.settle(r, &out, found)
	if r.Status == Infeasible {
		if r.Reasons, _, err = s.reasons(ctx, runs); err != nil {
			return nil, err
		}
	}
	for i := range found.held {
		view, err := s.view(&found.held[i].plan)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.seat(&view, &found.held[i].plan)
		}
		r.Plans = append(r.Plans, view)
	}
	for i := range out.held {
		r.Fastest = append(r.Fastest, s.outline(&out.held[i]))
	}
	r.Warnings = s.warnings(group, &out, found.held)
	if r.Borderline, err = s.borderline(&out, r.Warnings); err != nil {
		return nil, err
	}
	if s.Forced && len(found.held) > 0 {
		if r.Plans[0].Forced, err = s.forced(ctx, group, &found.held[0]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// settle says what the outcome of a walk proves of the plans found.
func (s *session) settle(r *Result, out *outcome, found answer) {
	if len(found.held) == 0 {
		if r.Status = Infeasible; !out.done {
			r.Status = Unknown
			bound := out.whole / 1e9 // also of plans that do not leave the margin
			r.BoundSeconds = &bound
		}
		return
	}
	status, bound, gap := found.proof(out.done)
	r.Status, r.BoundSeconds, r.Gap = status, &bound, &gap
}

// proof is what is proven of the best plan held: its status, a step time that no
// plan beats, and the gap between the two.
func (a *answer) proof(done bool) (status Status, bound, gap float64) {
	step := float64(a.held[0].figures.Step)
	if done {
		return Optimal, step, 0
	}
	bound = min(step, a.bound/1e9)
	return Feasible, bound, 1 - bound/step
}

// describe says what the session ranges over.
func (s *session) describe() Space {
	sp := Space{Profile: s.Problem.Profile.Name, RawCombinations: s.space.RawCombinations()}
	for c := range len(class{}) {
		if v := s.domains.Values[c]; plan.Coord(c).Rare() && len(v) == 1 && v[0] == 0 {
			continue
		}
		sp.Dimensions = append(sp.Dimensions, Dimension{Name: plan.Coord(c).String(), Values: s.domains.Values[c]})
	}
	for _, r := range s.job.rules {
		sp.Rules = append(sp.Rules, r.ID)
	}
	for _, r := range s.stageRules {
		sp.Rules = append(sp.Rules, r.ID)
	}
	return sp
}

// warnings are the sentences a reader should know besides the figures; that
// memory is tight comes first.
func (s *session) warnings(g memoryGroup, out *outcome, held []leaf) []string {
	if len(held) == 0 {
		return s.assumptions(nil, s.price)
	}
	best := &held[0]
	list := s.assumptions(&best.plan, s.price)
	if text := s.idleNote(held[:1]); text != "" {
		list = slices.Insert(list, 0, text)
	}
	switch {
	case g == runs: // only where the walk has found that none fits
		free := fmt.Sprintf("it reserves %v of %v", best.figures.Peak, best.figures.Usable)
		if over := best.figures.Peak - best.figures.Usable; over > 0 {
			free += fmt.Sprintf(", %v more than there are, which is within the error of the estimate", over)
		}
		list = slices.Insert(list, 0, fmt.Sprintf(
			"no plan leaves %.0f %% of the usable memory free; this one is borderline: %s", 100*s.price.Margin(), free))
	case !out.done && !out.faster():
		list = slices.Insert(list, 0, "stopped early: that no borderline plan is faster is not proven")
	}
	return list
}

// idleNote says where plans leave GPUs idle that those which use some domains in part
// were not looked at. It says nothing where there is one domain, and on irregular
// clusters, of which more is said.
func (j *job) idleNote(held []leaf) string {
	all := j.facts.Cluster.GPUs()
	used, upTo := all, ""
	for i := range held {
		used = min(used, int(held[i].plan.Placement.GPUs()))
	}
	if used == all || j.levels == 1 || j.facts.Cluster.Irregular() {
		return ""
	}
	if len(held) > 1 {
		upTo = "up to "
	}
	return fmt.Sprintf("%s%s of %s stay idle: only plans that use each node alike, and each domain of nodes, were looked at; one that uses some in part may be faster",
		upTo, units.Grouped(int64(all-used)), count(all, "GPU"))
}

// assumptions are the sentences about what was assumed of the plan, if there
// is one, and of the job.
func (j *job) assumptions(p *plan.Plan, price pricer) []string {
	if p == nil {
		return j.common(price)
	}
	list := []string{}
	if w := j.Framework.PlacementWarning(j.facts, p); w != "" {
		list = append(list, w)
	}
	list = append(list, price.Explain(p).Warnings...)
	return distinct(append(list, j.common(price, p)...))
}

// common are the sentences about what was assumed of the job and, of its profile, by
// the figures of any of the plans; without plans of all of it.
func (j *job) common(price pricer, plans ...*plan.Plan) []string {
	list := append([]string{}, j.Warnings...)
	list = append(list, j.facts.Cluster.Assumptions...)
	list = append(list, j.facts.Cluster.GPU.Assumptions...)
	return distinct(append(list, price.Assumptions(plans...)...))
}

// distinct drops repeats and keeps the order.
func distinct(list []string) []string {
	out := list[:0]
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
