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

// unaligned looks for a better plan than the best aligned one among those whose
// parts lie anywhere on the nodes of an irregular cluster. Each is priced as if
// all that leaves a node left every domain of the network: an upper bound.
func (s *session) unaligned(ctx context.Context, l Limits, aligned *Result) (*Result, error) {
	merged := s.facts.Cluster.Merged()
	if merged == nil {
		return aligned, nil
	}
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
	better, err := m.improves(ctx, aligned)
	if err != nil {
		return nil, err
	}
	defer s.add(m)
	if better == no {
		aligned.Warnings = append([]string{notUnaligned}, aligned.Warnings...)
		return aligned, nil
	}
	r, err := m.best(ctx, Limits{Progress: l.Progress})
	if err != nil || better == unknown && !r.betters(aligned) {
		return aligned, err
	}
	return r, m.scatter(ctx, r)
}

// notUnaligned is said of an aligned plan.
const notUnaligned = "irregular cluster: the plan uses each domain alike; no plan that does not is faster, priced as if all that leaves a node left its leaf, " +
	"but that none is faster in fact is not proven"

// alikeOnly is said where unaligned plans are not looked at.
const alikeOnly = "irregular cluster: only plans that use each domain alike were looked at"

// answer of improves.
type verdict uint8

const (
	no verdict = iota
	yes
	unknown
)

// improves reports whether a plan of the session is better than the best
// aligned one: it fits and takes less time, or is the first that fits.
func (s *session) improves(ctx context.Context, aligned *Result) (verdict, error) {
	if rankOf(aligned) > 0 {
		return unknown, nil
	}
	q := query{top: 1, memory: fits, first: true}
	q.within = units.Seconds((roundNS(units.Seconds(aligned.Plans[0].StepSeconds)) - 1) / 1e9)
	out, err := s.walk(ctx, q)
	switch {
	case err != nil || len(out.held) == 0 && out.done:
		return no, err
	case len(out.held) == 0:
		return unknown, nil
	}
	return yes, nil
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

// add counts another session's work as its own.
func (s *session) add(o *session) {
	w := o.work()
	s.stats.Nodes, s.stats.Bounds = s.stats.Nodes+w.Nodes, s.stats.Bounds+w.Bounds
	s.stats.Priced, s.stats.Nogoods = s.stats.Priced+w.Priced, s.stats.Nogoods+w.Nogoods
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
		parsed, err := plan.Parse(of.Text)
		if err == nil {
			err = s.place(ctx, of, &parsed.Plan)
		}
		if err != nil {
			return err
		}
		of.Unaligned.Complete = complete
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
	text := fmt.Sprintf("unaligned placement: no leaves have as many nodes with as many healthy GPUs as this plan needs, so its %d blocks of %d GPUs lie wherever there is room",
		u.Blocks, u.GPUsPerBlock)
	return text + "; the time is an upper bound, as if all that leaves a node left its leaf, and that no unaligned placement is faster is not proven"
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
	for _, blocks := range rooms {
		q.Room = append(q.Room, len(blocks))
	}
	a, err := assign.Best(ctx, q)
	if err != nil {
		return err
	}
	r.Unaligned = &Unaligned{Blocks: q.Items, GPUsPerBlock: int(r.GPUs) / q.Items, Level: c.LeafLevel(), Straddling: []Straddling{}}
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
