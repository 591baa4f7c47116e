package search

import (
	"golang.org/x/sync/errgroup"

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
	unusual    []int32 // pipeline degrees that are walked after all others
	stageRules []framework.StageRule
	forms      []plan.SplitForm
	levels     int
	tight      *tightener
}

// newJob lists the rules of a problem and the values they range over.
func newJob(p *Problem) (*job, error) { return newJobOver(p, framework.NewDomains) }

// newJobOver is newJob over the domains that a function makes.
func newJobOver(p *Problem, domains func(*framework.Facts, framework.Framework, []framework.Pin) *framework.Domains) (*job, error) {
	j := &job{Problem: p, facts: &p.Facts, levels: len(p.Facts.Cluster.Levels)}
	if err := framework.CheckPins(j.facts, p.Pins); err != nil {
		return nil, err
	}
	j.rules = framework.Rules(j.facts, p.Framework, p.Pins)
	j.domains = domains(j.facts, p.Framework, p.Pins)
	_, j.unusual = j.domains.UsualPipelines(j.facts, p.Pins)
	j.stageRules = p.Framework.StageRules()
	j.forms = p.Framework.Forms()
	j.tight = newTightener(j)
	return j, nil
}

// session is one encoding of the job with a price model. It is for one goroutine;
// twins and forks of it for others share the price model.
type session struct {
	*job
	space     *encode.Space
	solver    *solver.Session
	price     pricer
	groups    []solver.Group   // of all rules stated
	leftover  []framework.Rule // asked at leaves
	order     []solver.Int     // in which the walk decides
	pipelines solver.Int       // their degree
	stats     Stats
	tried     *tally // by changes of the problem
}

// newSession is a session of the problem.
func newSession(p *Problem) (*session, error) {
	j, err := newJob(p)
	if err != nil {
		return nil, err
	}
	return j.session()
}

// session encodes the job and makes its price model, whose tables the first bound
// fills, side by side where the job has the goroutines.
func (j *job) session() (*session, error) {
	var space *encode.Space
	var price pricer
	var jobs errgroup.Group
	jobs.SetLimit(max(1, j.Jobs))
	jobs.Go(func() (err error) {
		if price, err = j.Problem.price(); err == nil && j.Jobs > 1 {
			root := j.root()
			price.Bound(&root)
		}
		return err
	})
	jobs.Go(func() (err error) {
		space, err = encode.New(j.facts, j.rules, j.domains)
		return err
	})
	if err := jobs.Wait(); err != nil {
		return nil, err
	}
	s := &session{
		job: j, space: space, solver: space.Session(), price: price,
		groups: space.Groups(), leftover: space.Leftover(), tried: &tally{},
		pipelines: space.Int(plan.Coord(plan.PP)),
	}
	for _, c := range j.branching(space.Order()) {
		s.order = append(s.order, space.Int(c))
	}
	return s, nil
}

// fork is a session of the same space for another goroutine, with one more
// rule, which reads degrees or options only.
func (s *session) fork(r framework.Rule) *session {
	f := *s
	f.solver, f.stats = s.solver.Clone(), Stats{}
	g := f.solver.Group(r.ID)
	f.groups = append(s.groups[:len(s.groups):len(s.groups)], g)
	xs := make([]solver.Int, len(r.Reads))
	for i, c := range r.Reads {
		xs[i] = s.space.Int(c)
	}
	var p plan.Point
	f.solver.Allow(g, xs, func(values []int32) bool {
		for i, c := range r.Reads {
			p[c] = values[i]
		}
		return r.Holds(s.facts, &p)
	})
	return &f
}

// work is the session's work so far.
func (s *session) work() Stats {
	st := s.stats
	n := s.solver.Stats()
	st.Nodes += int64(n.Nodes) + int64(n.Refuted)
	return st
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
