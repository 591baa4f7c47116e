// Package megatron knows what Megatron-LM (core 0.16 and later) accepts: its
// validity rules under the ids MLM-..., its ways to write a layer split, its
// rank orders and its defaults.
//
//	fw := megatron.New()
//	filled, defaults, err := fw.Fill(facts, partial)
package megatron

import (
	"meshplan/framework"
	"meshplan/plan"
)

// Megatron implements framework.Framework.
type Megatron struct {
	conventions framework.Conventions
}

// New is Megatron-LM in its current version.
func New() *Megatron {
	return &Megatron{framework.Conventions{
		Name: "Megatron", Order: defaultOrder, Forms: forms,
		ExpertTPFollowsTP: true, SplitFlags: SplitFlags,
	}}
}

var forms = []plan.SplitForm{plan.SplitEven, plan.SplitEmbedLoss, plan.SplitFirstLast, plan.SplitLayout}

// The two rank orders that the command line offers. The shards of an optimizer
// instance are contiguous in the data-parallel group, so dp_shard varies
// faster than dp_replicate.
var (
	defaultOrder = framework.InnerFirst("Megatron", "tp-cp-ep-dp-pp")
	pipelineIn   = framework.RankOrder{
		Name: "tp-cp-ep-pp-dp", Of: "Megatron", Flag: "--use-tp-pp-dp-mapping",
		Dense:  []plan.Dim{plan.TP, plan.CP, plan.PP, plan.DPShard, plan.DPReplicate},
		Expert: []plan.Dim{plan.ETP, plan.EP, plan.PP, plan.EDP},
	}
)

// Name is "megatron".
func (*Megatron) Name() string { return "megatron" }

// Profile is the cost profile of its newest version.
func (*Megatron) Profile() string { return "megatron" }

// Options are what its flags choose without further conditions.
func (*Megatron) Options() map[plan.Coord][]int32 { return options }

var options = map[plan.Coord][]int32{
	plan.Zero:       {plan.ZeroNone, plan.ZeroOptimizer},
	plan.RecomputeC: {int32(plan.RecomputeNone), int32(plan.RecomputeSelective), int32(plan.RecomputeFull)},
}

// Forms are all split forms, even first.
func (*Megatron) Forms() []plan.SplitForm { return forms }

// Fill completes a plan as Megatron would from its flags.
func (m *Megatron) Fill(f *framework.Facts, p plan.Partial) (plan.Plan, []string, error) {
	return m.conventions.Fill(f, p)
}

// PlacementWarning compares the placement with the default rank order and then
// with the one that a flag selects.
func (*Megatron) PlacementWarning(f *framework.Facts, p *plan.Plan) string {
	warning := defaultOrder.Warning(f, p)
	if warning == "" || !pipelinesIn(f, p) {
		return warning
	}
	return "placement needs Megatron's order " + pipelineIn.Name + ": " + pipelineIn.Flag
}

// RankOrder is the one that a flag selects where that gives the placement and
// the default does not.
func (*Megatron) RankOrder(f *framework.Facts, p *plan.Plan) framework.RankOrder {
	if defaultOrder.Warning(f, p) != "" && pipelinesIn(f, p) {
		return pipelineIn
	}
	return defaultOrder
}

// pipelinesIn reports whether the order that a flag selects gives the placement.
func pipelinesIn(f *framework.Facts, p *plan.Plan) bool {
	if pp, d := p.Placement.Degree(plan.PP), framework.DegreesOf(p); pp > 1 && f.MoE() && d[plan.EDP] != p.DP() {
		return false // MLM-W3: it needs edp = dp
	}
	return pipelineIn.Warning(f, p) == ""
}
