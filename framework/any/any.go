// Package any is training under no framework in particular: the rules that
// follow from the arithmetic of splitting alone. Whatever Megatron accepts it
// accepts too.
//
//	fw := any.New()
//	fmt.Println(fw.Name()) // any
package any

import (
	"meshplan/framework"
	"meshplan/plan"
)

// Any implements framework.Framework.
type Any struct {
	conventions framework.Conventions
}

// New is the framework that only obeys arithmetic.
func New() *Any {
	return &Any{framework.Conventions{
		Name: "this order of dimensions", Order: order, Forms: plan.AllForms(),
	}}
}

var order = framework.InnerFirst("any", "tp-cp-dp-pp")

// Name is "any".
func (*Any) Name() string { return "any" }

// Profile is the cost profile of a Megatron-like implementation.
func (*Any) Profile() string { return "megatron" }

// Options are those of Megatron-like training, with zero-bubble schedules. DualPipe
// and DualPipeV are left to a pin, since how much communication they hide is not
// measured.
func (*Any) Options() map[plan.Coord][]int32 { return options }

var options = map[plan.Coord][]int32{
	plan.Zero:       {plan.ZeroNone, plan.ZeroOptimizer},
	plan.RecomputeC: {int32(plan.RecomputeNone), int32(plan.RecomputeSelective), int32(plan.RecomputeFull)},
	plan.ScheduleC:  {plan.OneFOneB.Value(), plan.ZBH1.Value(), plan.ZBV.Value()},
}

// Forms are all split forms.
func (*Any) Forms() []plan.SplitForm { return plan.AllForms() }

// Rules follow from what is split: batch, heads, columns, tokens, experts,
// layers.
func (*Any) Rules() []framework.Rule {
	return []framework.Rule{
		framework.DenseGridDivides("any/gpus"),
		framework.ExpertGridDivides("any/expert-grid"),
		framework.HeadsDivide("any/heads"),
		framework.KVHeads("any/kv-heads"),
		framework.WidthDivides("any/mlp-width"),
		framework.ExpertWidthDivides("any/expert-width"),
		framework.ChunksHoldLayers("any/chunks"),
		framework.InterleaveNeedsPipeline("any/interleave"),
		framework.RoundsOfPP("any/interleave-rounds"),
		framework.SplitBackwardNeedsPipeline("any/schedule-pp"),
		framework.DualPipeFills("any/schedule-fills"),
		framework.OneSpareOfCutBackwards("any/schedule-spare"),
		framework.NoMTPOfCutBackwards("any/schedule-mtp"),
		framework.BatchDivides("any/batch"),
		framework.SPNeedsTP("any/sp"),
		framework.SequenceSlices("any/sp-tokens"),
		framework.ContextChunks("any/cp-tokens"),
		framework.HeadsForContext("any/cp-heads"),
		framework.ExpertsNeedMoE("any/no-experts"),
		framework.ExpertsDivide("any/experts"),
	}
}

// StageRules: the layers add up and the split is what its form says.
func (*Any) StageRules() []framework.StageRule {
	return []framework.StageRule{
		framework.LayersAddUp("any/layers"),
		framework.FormExpresses("any/split-form", "what its name says", plan.AllForms()...),
	}
}

// Fill completes a plan; the placement follows tp, cp, dp, pp from the inside
// out.
func (a *Any) Fill(f *framework.Facts, p plan.Partial) (plan.Plan, []string, error) {
	return a.conventions.Fill(f, p)
}

// RankOrder is that of the coordinates.
func (*Any) RankOrder(*framework.Facts, *plan.Plan) framework.RankOrder { return order }

// PlacementWarning is "": any placement will do.
func (*Any) PlacementWarning(*framework.Facts, *plan.Plan) string { return "" }
