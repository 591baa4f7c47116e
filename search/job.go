package search

import (
	"meshplan/encode"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/solver"
)

// job is a problem made ready: what all its sessions share.
type job struct {
	*Problem
	facts      *framework.Facts
	rules      []framework.Rule
	domains    *framework.Domains
	stageRules []framework.StageRule
	forms      []plan.SplitForm
	levels     int
}

// newJob lists the rules of a problem and the values they range over.
func newJob(p *Problem) (*job, error) {
	j := &job{Problem: p, facts: &p.Facts, levels: len(p.Facts.Cluster.Levels)}
	if err := framework.CheckPins(j.facts, p.Pins); err != nil {
		return nil, err
	}
	j.rules = framework.Rules(j.facts, p.Framework, p.Pins)
	j.domains = framework.NewDomains(j.facts, p.Pins)
	j.stageRules = p.Framework.StageRules()
	j.forms = p.Framework.Forms()
	return j, nil
}

// session is one encoding of the job with a price model of its own. It is for
// one goroutine.
type session struct {
	*job
	space    *encode.Space
	solver   *solver.Session
	price    pricer
	rules    []framework.Rule // the job's and those of this session
	leftover []framework.Rule // asked at leaves
	order    []solver.Int
	stats    Stats
}

// session encodes the job with further rules.
func (j *job) session(further ...framework.Rule) (*session, error) {
	rules := append(j.rules[:len(j.rules):len(j.rules)], further...)
	space, err := encode.New(j.facts, rules, j.domains)
	if err != nil {
		return nil, err
	}
	price, err := j.Problem.price()
	if err != nil {
		return nil, err
	}
	s := &session{job: j, space: space, solver: space.Session(), price: price, rules: rules, leftover: space.Leftover()}
	for _, c := range space.Order() {
		s.order = append(s.order, space.Int(c))
	}
	return s, nil
}

// root is the box of the whole space.
func (j *job) root() plan.Box {
	var b plan.Box
	for c, values := range j.domains.Values {
		b[c] = plan.Range{Lo: values[0], Hi: values[len(values)-1]}
	}
	return b
}

// broken is the first rule that is asked at leaves and does not hold.
func (s *session) broken(p *plan.Point) *framework.Rule {
	for i := range s.leftover {
		if !s.leftover[i].Holds(s.facts, p) {
			return &s.leftover[i]
		}
	}
	return nil
}

// brokenStage is the first rule on the layer split that does not hold.
func (s *session) brokenStage(p *plan.Plan) *framework.StageRule {
	for i := range s.stageRules {
		if !s.stageRules[i].Holds(s.facts, p) {
			return &s.stageRules[i]
		}
	}
	return nil
}
