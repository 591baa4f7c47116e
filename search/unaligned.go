package search

import (
	"context"
	"fmt"
	"slices"

	"meshplan/assign"
	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/units"
)

// anywhere is best for any cluster: on an irregular one it looks for a better
// plan than the best aligned one.
func (s *session) anywhere(ctx context.Context, l Limits) (*Result, error) {
	merged := s.facts.Cluster.Merged()
	if merged == nil {
		return s.best(ctx, l)
	}
	plain := s.unforced()
	r, err := plain.best(ctx, l)
	s.stats = plain.stats
	if err != nil {
		return nil, err
	}
	aligned := r
	if r, err = s.unaligned(ctx, l, merged, aligned); err != nil {
		return nil, err
	}
	if s.Forced && r == aligned && len(r.Plans) > 0 {
		r.Plans[0].Forced, err = s.forcedOf(ctx, &r.Plans[0])
	}
	return r, err
}

// unforced is the session without the question what forced each degree.
func (s *session) unforced() *session {
	p := *s.Problem
	p.Forced = false
	j := *s.job
	j.Problem = &p
	q := *s
	q.job = &j
	return &q
}

// forcedOf says what forced each degree of a plan of the session.
func (s *session) forcedOf(ctx context.Context, r *PlanResult) ([]Forced, error) {
	parsed, err := plan.Parse(r.Text)
	if err != nil {
		return nil, err
	}
	l := leaf{plan: parsed.Plan, figures: s.price.Price(&parsed.Plan)}
	l.key = key{roundNS(l.figures.Step), float64(l.figures.Peak), parsed.Plan.Point()}
	group := fits
	if l.figures.Verdict != cost.Fits {
		group = runs
	}
	return s.forced(ctx, group, &l)
}

// unaligned looks for a better plan than the best aligned one among those whose
// parts lie anywhere on the nodes. Each is priced as if all that leaves a node
// left every domain of the network: an upper bound.
func (s *session) unaligned(ctx context.Context, l Limits, merged *cluster.Cluster, aligned *Result) (*Result, error) {
	p := *s.Problem
	p.Facts.Cluster = merged
	if err := framework.CheckPins(&p.Facts, p.Pins); err != nil {
		aligned.Warnings = append([]string{"placements that are not alike in every domain were not looked at: " + err.Error()}, aligned.Warnings...)
		return aligned, nil
	}
	m, err := newSession(&p)
	if err != nil {
		return nil, err
	}
	defer func() { s.stats.add(m.work()) }()
	may, err := m.mayBeat(ctx, aligned)
	if err != nil {
		return nil, err
	}
	if !may {
		aligned.Warnings = append([]string{notUnaligned}, aligned.Warnings...)
		return aligned, nil
	}
	r, err := m.best(ctx, Limits{Progress: l.Progress})
	switch {
	case err != nil:
		return nil, err
	case r.betters(aligned):
		return r, m.scatter(ctx, r)
	case ctx.Err() != nil:
		aligned.cutShort()
	default:
		aligned.Warnings = append([]string{notUnaligned}, aligned.Warnings...)
	}
	return aligned, nil
}

// cutShort takes back what an aligned result claims of all plans.
func (r *Result) cutShort() {
	r.Status, r.BoundSeconds, r.Gap = Feasible, nil, nil
	said := "stopped early: whether a plan that does not use each domain alike is faster is not known"
	if len(r.Plans) == 0 {
		r.Status, r.Reasons = Unknown, []Reason{}
		said = "stopped early: whether a plan that does not use each domain alike fits is not known"
	}
	r.Warnings = append([]string{said}, r.Warnings...)
}

// notUnaligned is said of an aligned plan.
const notUnaligned = "irregular cluster: the plan uses each domain alike; no plan that does not is faster, priced as if all that leaves a node left its leaf, " +
	"but that none is faster in fact is not proven"

// alikeOnly is said where unaligned plans are not looked at.
const alikeOnly = "irregular cluster: only plans that use each domain alike were looked at"

// onAnyNodes is the problem on an irregular cluster with one network level, where
// plans need not use each domain alike, and what is to be said of it. A problem
// with pins that name a level stays as it is.
func (p *Problem) onAnyNodes() (*Problem, []string) {
	merged := p.Facts.Cluster.Merged()
	if merged == nil {
		return p, nil
	}
	q := *p
	if q.Facts.Cluster = merged; framework.CheckPins(&q.Facts, q.Pins) != nil {
		return p, []string{alikeOnly}
	}
	return &q, []string{"irregular cluster: a plan may use any nodes; its time is an upper bound, as if all that leaves a node left its leaf, wherever it is placed, and that no plan is faster is not proven"}
}

// helpingAnywhere is helping for any cluster.
func (s *session) helpingAnywhere(ctx context.Context, reasons []Reason) ([]*change, error) {
	if p, _ := s.Problem.onAnyNodes(); p != s.Problem {
		m, err := newSession(p)
		if err != nil {
			return nil, err
		}
		defer func() { s.stats.add(m.work()); s.tried.add(m.tried.sum) }()
		return m.helping(ctx, reasons)
	}
	return s.helping(ctx, reasons)
}

// mayBeat reports whether a plan of the session can be better than the best
// aligned one. False is proven.
func (s *session) mayBeat(ctx context.Context, aligned *Result) (bool, error) {
	if rankOf(aligned) > 0 {
		return true, nil
	}
	q := query{top: 1, memory: fits, first: true}
	q.within = units.Seconds((roundNS(units.Seconds(aligned.Plans[0].StepSeconds)) - 1) / 1e9)
	out, err := s.walk(ctx, q)
	return len(out.held) > 0 || !out.done, err
}

// rankOf is 0 for a result whose best plan fits, 1 for a borderline one, 2 for
// none.
func rankOf(r *Result) int {
	switch {
	case len(r.Plans) == 0:
		return 2
	case r.Plans[0].Memory.Verdict == cost.Fits.String():
		return 0
	}
	return 1
}

// betters reports whether a result is better than an aligned one. Where neither
// has a plan, it tells more: it looked at more placements.
func (r *Result) betters(aligned *Result) bool {
	mine, its := rankOf(r), rankOf(aligned)
	switch {
	case mine != its:
		return mine < its
	case mine == 2:
		return r.Status == Infeasible
	}
	return roundNS(units.Seconds(r.Plans[0].StepSeconds)) < roundNS(units.Seconds(aligned.Plans[0].StepSeconds))
}

// scatter puts the best plan of a result onto the nodes, and says what is not
// proven of it.
func (s *session) scatter(ctx context.Context, r *Result) error {
	if len(r.Plans) == 0 {
		return nil
	}
	complete := r.Status == Optimal
	r.Status, r.BoundSeconds, r.Gap = Feasible, nil, nil
	best := &r.Plans[0]
	for _, of := range r.leaders() {
		if err := s.placeOn(ctx, of, complete); err != nil {
			return err
		}
	}
	if b := r.Borderline; b != nil { // its time is an upper bound too
		b.Status, b.BoundSeconds, b.Gap = Feasible, 0, 1
		b.Text = b.sentence()
	}
	r.Warnings = append([]string{best.Unaligned.sentence()}, r.Warnings...)
	return nil
}

// leaders are the best plan and the borderline one beside it.
func (r *Result) leaders() []*PlanResult {
	list := []*PlanResult{&r.Plans[0]}
	if r.Borderline != nil {
		list = append(list, &r.Borderline.Plan)
	}
	return list
}

// sentence says what the placement means for the proof.
func (u *Unaligned) sentence() string {
	text := fmt.Sprintf("unaligned placement: this plan cannot lie alike in each node and leaf that it uses, so its %s of %s lie wherever there is room",
		count(u.Blocks, "block"), count(u.GPUsPerBlock, "GPU"))
	return text + "; the time is an upper bound, as if all that leaves a node left its leaf, and that no unaligned placement is faster is not proven"
}

// placeOn is place of a plan that a search found; complete says that it was not stopped.
func (j *job) placeOn(ctx context.Context, r *PlanResult, complete bool) error {
	parsed, err := plan.Parse(r.Text)
	if err == nil {
		err = j.place(ctx, r, &parsed.Plan)
	}
	if err == nil {
		r.Unaligned.Complete = complete
	}
	return err
}

// place puts the blocks of a plan onto the boxes of the machines such that as
// few groups as possible straddle the domains above these.
func (j *job) place(ctx context.Context, r *PlanResult, p *plan.Plan) error {
	c := j.facts.Cluster
	used := usedOf(p, j.levels)
	last := j.levels - 1
	rooms := c.Blocks(used)
	kinds, names := straddlers(p, last)
	q := &assign.Problem{Items: int(used[last]), Kinds: kinds}
	for _, d := range plan.DenseDims {
		q.Grid = append(q.Grid, int(max(1, p.Placement.Factor[d][last])))
	}
	for _, blocks := range rooms {
		q.Room = append(q.Room, len(blocks))
	}
	a, err := assign.Best(ctx, q)
	if err != nil {
		return err
	}
	r.Unaligned = &Unaligned{Blocks: q.Items, GPUsPerBlock: int(r.GPUs) / q.Items, Level: c.LeafLevel(), Straddling: []Straddling{}}
	if len(rooms) < 2 {
		names = nil // there is one leaf
	}
	for k, name := range names {
		r.Unaligned.Straddling = append(r.Unaligned.Straddling,
			Straddling{Dimension: name, Groups: len(kinds[k]), Straddle: a.Straddling[k], Least: a.Proven[k]})
	}
	seats := make([][]cluster.Share, q.Items)
	next := make([]int, len(rooms))
	for i, b := range a.Bin {
		seats[i] = rooms[b][next[b]]
		next[b]++
	}
	j.host(r, p, seats)
	return nil
}

// talkative are the dimensions by how much they send: those of every layer
// first, then those of every step, then the pipeline.
var talkative = []plan.Dim{plan.TP, plan.ETP, plan.CP, plan.EP, plan.DPShard, plan.EDP, plan.DPReplicate, plan.PP}

// straddlers are the groups of blocks of each dimension that spans several of
// them on the level.
func straddlers(p *plan.Plan, level int) (kinds [][][]int, names []string) {
	for _, d := range talkative {
		if n := int(p.Placement.Factor[d][level]); n > 1 {
			kinds = append(kinds, blocksOf(p, d, level))
			names = append(names, d.String())
		}
	}
	return kinds, names
}

// blocksOf are the groups of the dimension among the blocks on a level, in
// which the dimensions of its grid vary in their own order.
func blocksOf(p *plan.Plan, d plan.Dim, level int) (groups [][]int) {
	dims := plan.DenseDims[:]
	if !slices.Contains(dims, d) {
		dims = plan.ExpertDims[:]
	}
	stride, n := 1, int(p.Placement.Factor[d][level])
	for _, e := range dims[:slices.Index(dims, d)] {
		stride *= int(max(1, p.Placement.Factor[e][level]))
	}
	for first := range int(p.Placement.Used(level)) {
		if first/stride%n != 0 {
			continue
		}
		group := make([]int, n)
		for i := range group {
			group[i] = first + i*stride
		}
		groups = append(groups, group)
	}
	return groups
}
