package framework

import (
	"fmt"

	"meshplan/plan"
)

// Conventions are the values a framework takes for what a plan leaves out.
type Conventions struct {
	Name  string    // of the framework, for sentences: "Megatron"
	Order RankOrder // of its ranks
	Forms []plan.SplitForm
	// ExpertTPFollowsTP: etp is tp unless given; otherwise it is 1.
	ExpertTPFollowsTP bool
	// PlainTP: sp is off unless given; otherwise it goes with tp.
	PlainTP bool
	// Zero is the ZeRO stage where there are ranks to share with; nil stands for a
	// sharded optimizer, stage 1.
	Zero func(*Degrees) int8
	// CPComm is the communication of context parallelism where cp is above 1.
	CPComm plan.CPComm
	// Split is the framework's own split of the layers over pp*vpp chunks, or
	// nil where a plan cannot describe it; the first of Forms that can express
	// one is then taken.
	Split func(f *Facts, tp, pp, vpp int) []int32
	// SplitFlags names what must be given for a split that is not even; "" if
	// the framework has no such flags.
	SplitFlags func(f *Facts, p *plan.Plan) string
}

// filling is a plan on its way to being complete.
type filling struct {
	*Conventions
	f        *Facts
	given    plan.Set
	degrees  Degrees
	plan     plan.Plan
	defaults []string
}

// Fill completes a plan: degrees that are not given are 1, dp is the rest of
// the cluster's GPUs, the ZeRO stage is the framework's where there are ranks to
// share something, sp goes with tp or stays off, placement follows the rank
// order, and the layers the framework's own split or the first form that can
// express one. Sentences name what was taken.
func (c *Conventions) Fill(f *Facts, part plan.Partial) (plan.Plan, []string, error) {
	w := &filling{Conventions: c, f: f, given: part.Given, plan: part.Plan}
	w.degrees = DegreesOf(&part.Plan)
	for _, step := range []func() error{w.fillDense, w.fillOptions, w.fillExperts, w.fillPlacement, w.fillStages} {
		if err := step(); err != nil {
			return plan.Plan{}, nil, err
		}
	}
	return w.plan, w.defaults, nil
}

func (w *filling) say(format string, args ...any) {
	w.defaults = append(w.defaults, fmt.Sprintf(format, args...))
}

func (w *filling) has(c plan.Coord) bool { return w.given.Has(plan.Field(c)) }

func (w *filling) fillDense() error {
	for _, d := range []plan.Dim{plan.TP, plan.CP, plan.PP} {
		if !w.has(plan.Coord(d)) {
			w.degrees[d] = 1
			w.say("%s is not given: 1", d)
		}
	}
	model := int64(w.degrees[plan.TP]) * int64(w.degrees[plan.CP]) * int64(w.degrees[plan.PP])
	if w.has(plan.Coord(plan.DPShard)) || w.has(plan.Coord(plan.DPReplicate)) {
		return nil // the parser has set the other one to 1
	}
	all := int64(w.f.Cluster.GPUs())
	if w.f.Cluster.Irregular() {
		return w.fillAlike(model, all)
	}
	if all%model != 0 {
		return fmt.Errorf("dp is not given and tp*cp*pp = %d does not divide the %d GPUs; %s", model, all, NearestDivisors(all, model))
	}
	dp := int32(all / model)
	w.say("dp is not given: %s %d, the rest of the %d GPUs", w.setDP(dp), dp, all)
	return nil
}

// setDP takes dp for shards or, where nothing is sharded, for replicas.
func (w *filling) setDP(dp int32) plan.Dim {
	d := plan.DPShard
	if w.has(plan.Zero) && w.plan.Options.ZeroStage == 0 {
		d = plan.DPReplicate
	}
	w.degrees[d] = dp
	return d
}

// fillAlike takes the largest dp whose ranks lie alike in each domain that they
// use of an irregular cluster.
func (w *filling) fillAlike(model, all int64) error {
	for dp := all / model; dp >= 1; dp-- {
		if _, err := SpreadEvenly(w.f, dp*model); err == nil {
			w.say("dp is not given: %s %d, the largest that lies alike in each domain of the %d healthy GPUs", w.setDP(int32(dp)), dp, all)
			return nil
		}
	}
	return fmt.Errorf("dp is not given and tp*cp*pp = %d lies alike in no domains of the %d healthy GPUs", model, all)
}

func (w *filling) fillOptions() error {
	o := &w.plan.Options
	if !w.has(plan.Zero) {
		o.ZeroStage = 0
		if int64(w.degrees[plan.DPShard])*int64(w.degrees[plan.CP]) > 1 {
			o.ZeroStage = plan.ZeroOptimizer
			if w.Zero != nil {
				o.ZeroStage = w.Zero(&w.degrees)
			}
		}
		w.say("zero is not given: %d", o.ZeroStage)
	}
	if !w.has(plan.VPP) {
		o.VPP = 1
		w.say("vpp is not given: 1")
	}
	if !w.has(plan.MicroBatch) {
		o.MicroBatch = 1
		w.say("micro-batch is not given: 1")
	}
	if !w.has(plan.SP) {
		w.fillSP()
	}
	if !w.has(plan.CPCommC) && w.degrees[plan.CP] > 1 && w.CPComm != o.CPComm {
		o.CPComm = w.CPComm
		w.say("cp-comm is not given: %s", o.CPComm)
	}
	if !w.has(plan.RecomputeC) {
		o.Recompute = plan.RecomputeNone
		w.say("recompute is not given: none")
	}
	return nil
}

// fillExperts completes the expert grid over the ranks of a stage.
func (w *filling) fillExperts() error {
	if !w.f.MoE() {
		if w.degrees[plan.EP] > 1 || w.degrees[plan.ETP] > 1 || w.degrees[plan.EDP] > 1 {
			return fmt.Errorf("ep, etp and edp above 1 need a model with experts; %s has none", w.f.Model.Name)
		}
		return nil
	}
	if !w.has(plan.Coord(plan.ETP)) {
		w.degrees[plan.ETP] = 1
		if w.ExpertTPFollowsTP {
			w.degrees[plan.ETP] = w.degrees[plan.TP]
		}
		w.say("etp is not given: %d", w.degrees[plan.ETP])
	}
	if !w.has(plan.Coord(plan.EP)) {
		w.degrees[plan.EP] = 1
		w.say("ep is not given: 1")
	}
	stage := int64(w.degrees[plan.TP]) * int64(w.degrees[plan.CP]) * int64(w.degrees[plan.DPShard]) * int64(w.degrees[plan.DPReplicate])
	expert := int64(w.degrees[plan.ETP]) * int64(w.degrees[plan.EP])
	if stage%expert != 0 {
		return fmt.Errorf("etp*ep = %d does not divide the %d ranks of a pipeline stage; %s", expert, stage, NearestDivisors(stage, expert))
	}
	edp := int32(stage / expert)
	if w.has(plan.Coord(plan.EDP)) && w.degrees[plan.EDP] != edp {
		return fmt.Errorf("edp=%d: the %d ranks of a pipeline stage over etp*ep = %d leave edp %d", w.degrees[plan.EDP], stage, expert, edp)
	}
	w.degrees[plan.EDP] = edp
	return nil
}

func (w *filling) fillPlacement() error {
	levels := w.f.Cluster.Levels
	if w.given.Has(plan.PlacementField) {
		return w.checkPlacement()
	}
	total := int64(1)
	for _, d := range plan.DenseDims {
		total *= int64(w.degrees[d])
	}
	used, err := SpreadEvenly(w.f, total)
	if merged := w.f.Cluster.Merged(); err != nil && merged != nil { // not alike in each domain
		f := *w.f
		f.Cluster = merged
		if anywhere, err2 := SpreadEvenly(&f, total); err2 == nil {
			used, levels, err = anywhere, merged.Levels, nil
		}
	}
	if err != nil {
		return err
	}
	p, err := w.Order.Place(used, &w.degrees, func(l int) string { return levels[l].Name })
	if err != nil {
		return err
	}
	w.plan.Placement = p
	w.say("placement is not given: %s's rank order %s", w.Name, w.Order.Name)
	return nil
}

// checkPlacement: the given factors are of this cluster's levels and of the
// degrees, which may meanwhile hold derived ones.
func (w *filling) checkPlacement() error {
	levels := w.f.Cluster.Levels
	p := &w.plan.Placement
	if m := w.f.Cluster.Merged(); m != nil && int(p.Levels) == len(m.Levels) {
		levels = m.Levels
	}
	if int(p.Levels) != len(levels) {
		return fmt.Errorf("placement has %d levels; the cluster has %d: %s", p.Levels, len(levels), Levels(w.f))
	}
	for d := range plan.NumDims {
		if p.Degree(d) != w.degrees[d] {
			return fmt.Errorf("placement of %s multiplies to %d, but %s is %d", d, p.Degree(d), d, w.degrees[d])
		}
	}
	return nil
}
