package search

import "meshplan/plan"

// Explain says everything that is known about one given plan and asks it every
// rule, whether or not it keeps them. A plan without a layer split gets the
// one that the search would give it; where no form expresses it, the error
// names the rule.
func Explain(p *Problem, pl plan.Plan) (*Explanation, error) {
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
	e.Warnings = j.assumptions(&pl, price)
	return e, nil
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
