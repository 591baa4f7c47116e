package nanotron

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// Rules are nanotron's refusals. Ids follow the checks in parallel/context.py,
// config/config.py, models/llama.py, models/qwen.py and
// parallel/pipeline_parallel/engine.py.
func (*Nanotron) Rules() []framework.Rule {
	return []framework.Rule{
		framework.DenseGridDivides("nanotron/NT-W1"),
		framework.ExpertGridDivides("nanotron/NT-W1-experts"),
		framework.OptionIn("nanotron/NT-W2", plan.Coord(plan.EP), "its rank matrix has no room for ep beside tp*cp*dp*pp", 1),
		framework.OptionIn("nanotron/etp", plan.Coord(plan.ETP), "experts are not split by columns", 1),
		framework.HeadsDivide("nanotron/NT-H1"),
		framework.KVHeadsDivide("nanotron/NT-H1-kv"),
		framework.WidthDivides("nanotron/mlp-width"),
		framework.WarmupFills("nanotron/NT-P1"),
		framework.ChunksHoldLayers("nanotron/stages"),
		framework.OptionIn("nanotron/vpp", plan.VPP, "a rank runs one stage", 1),
		framework.OptionIn("nanotron/schedule", plan.ScheduleC, "its pipeline engines are 1f1b and afab, which is gpipe",
			plan.OneFOneB.Value(), plan.GPipe.Value()),
		framework.BatchDivides("nanotron/batch"),
		framework.ContextChunks("nanotron/NT-C1"),
		framework.OptionIn("nanotron/cp-comm", plan.CPCommC, "keys and values go round a ring", int32(plan.CPRing)),
		framework.SPNeedsTP("nanotron/sp"),
		framework.SequenceSlices("nanotron/sp-tokens"),
		framework.OptionIn("nanotron/zero", plan.Zero, "zero_stage above 0 shards the optimizer alone",
			plan.ZeroNone, plan.ZeroOptimizer),
		optimizerOverDP("nanotron/zero-ranks"),
		framework.OptionIn("nanotron/recompute", plan.RecomputeC, "recompute_layer is all or nothing",
			int32(plan.RecomputeNone), int32(plan.RecomputeFull)),
		framework.OptionIn("nanotron/optimizer-offload", plan.OptOffload, "it keeps the optimizer on the GPU", 0),
		framework.NoMTP("nanotron/mtp"),
		framework.OptionIn("nanotron/recompute-spare", plan.RecomputeSpare, "recompute_layer is for all layers", 0),
		framework.OptionIn("nanotron/activation-offload", plan.ActOffload, "it keeps activations on the GPU", 0),
	}
}

// optimizerOverDP: a sharded optimizer is shared by all ranks of dp, and by none
// of cp (ZeroDistributedOptimizer over dp_pg in helpers.py): no copies of the
// shards, and two ranks of dp at least.
func optimizerOverDP(id string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.Zero},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			return p[plan.Zero] == plan.ZeroNone || p.Degree(plan.DPReplicate) == 1 && p.Degree(plan.DPShard) > 1
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("zero %d with dp_shard %d and dp_replicate %d", p[plan.Zero], p.Degree(plan.DPShard), p.Degree(plan.DPReplicate))
		},
		Needs: "the optimizer is shared by all of dp: dp_replicate 1 and dp_shard above 1, or zero 0",
	}.Rule(id)
}

// StageRules: the layers add up in stages that a plan can describe.
func (*Nanotron) StageRules() []framework.StageRule {
	return []framework.StageRule{
		framework.LayersAddUp("nanotron/layers"),
		framework.FormExpresses("nanotron/split", "what its name says", plan.AllForms()...),
	}
}
