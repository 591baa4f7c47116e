package search

import (
	"context"
	"strings"

	"meshplan/plan"
)

// Explain says everything that is known about one given plan and asks it every
// rule, whether or not it keeps them. A plan without a layer split gets the
// one that the search would give it; where no form expresses it, the error
// names the rule. The context ends the placing of blocks on an irregular cluster, which
// then straddle as they do so far.
func Explain(ctx context.Context, p *Problem, pl plan.Plan) (*Explanation, error) {
	p = p.placedLike(&pl)
	j, err := newJob(p)
	if err != nil {
		return nil, err
	}
	price, err := p.price()
	if err != nil {
		return nil, err
	}
	point := pl.Point()
	if pl.Options.Stages == (plan.Stages{}) {
		if pl.Options.Stages, err = price.Split(&point, j.forms); err != nil {
			return nil, err
		}
	}
	e := &Explanation{FormatVersion: FormatVersion, Rules: j.check(&pl, &point)}
	if e.PlanResult, err = j.view(&pl, price); err != nil {
		return nil, err
	}
	if len(e.Memory.Stages) == 0 {
		e.withoutPrice(price.Explain(&pl).Warnings)
		e.Warnings = j.assumptions(nil, price)
		return e, nil
	}
	e.Warnings = j.assumptions(&pl, price)
	if p.Facts.Cluster.IsMerged() {
		if err = j.place(ctx, &e.PlanResult, &pl); err == nil {
			e.Warnings = append([]string{e.Unaligned.sentence()}, e.Warnings...)
		}
		return e, err
	}
	j.seat(&e.PlanResult, &pl)
	return e, nil
}

// withoutPrice takes the figures out of the explanation of a plan that cannot be built.
// The rules that it breaks say why; where it breaks none, the price model does.
func (e *Explanation) withoutPrice(said []string) {
	var why []string
	for _, c := range e.Rules {
		if !c.Holds {
			why = append(why, c.Text)
		}
	}
	if len(why) == 0 {
		why = said
	}
	e.Unpriced = strings.Join(why, "; ")
	e.StepSeconds, e.TokensPerSecondPerGPU, e.MFU, e.HFU = 0, 0, 0, 0
	e.Memory, e.Time, e.Traffic = Memory{}, TimeTerm{}, nil
}

// placedLike is the problem on the cluster that a plan's placement is of: a
// plan of an irregular cluster that does not use each domain alike is placed on
// one level in place of the network's.
func (p *Problem) placedLike(pl *plan.Plan) *Problem {
	c := p.Facts.Cluster
	merged := c.Merged()
	levels := int(pl.Placement.Levels)
	switch {
	case merged == nil || levels != len(merged.Levels) || !merged.Holds(usedOf(pl, levels)):
		return p
	case levels == len(c.Levels) && c.Holds(usedOf(pl, levels)):
		return p
	}
	q := *p
	q.Facts.Cluster = merged
	return &q
}

// check asks every rule of the plan.
func (j *job) check(pl *plan.Plan, p *plan.Point) []RuleCheck {
	checks := make([]RuleCheck, 0, len(j.rules)+len(j.stageRules))
	for _, r := range j.rules {
		checks = append(checks, RuleCheck{Rule: r.ID, Holds: r.Holds(j.facts, p), Text: r.Text(j.facts, p)})
	}
	for _, r := range j.stageRules {
		checks = append(checks, RuleCheck{Rule: r.ID, Holds: r.Holds(j.facts, pl), Text: r.Text(j.facts, pl)})
	}
	return checks
}
