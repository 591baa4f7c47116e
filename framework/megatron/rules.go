package megatron

import (
	"meshplan/framework"
	"meshplan/plan"
)

// Rules are Megatron's refusals before or in the first step that concern the
// degrees, the micro-batch, sp, ZeRO and recompute. Ids follow the checks in
// megatron/training/arguments.py, core/parallel_state.py,
// core/transformer/transformer_config.py and core/pipeline_parallel/schedules.py.
func (*Megatron) Rules() []framework.Rule {
	return []framework.Rule{
		framework.DenseGridDivides("megatron/MLM-W1"),
		framework.ExpertGridDivides("megatron/MLM-W2"),
		optimizerInstancesDivideExperts("megatron/MLM-W5"),
		framework.HeadsDivide("megatron/MLM-H1"),
		framework.KVHeads("megatron/MLM-H2"),
		framework.WidthDivides("megatron/MLM-H6"),
		framework.ExpertWidthDivides("megatron/MLM-H6-expert"),
		framework.ChunksHoldLayers("megatron/MLM-L5-chunks"),
		framework.InterleaveNeedsPipeline("megatron/MLM-V1"),
		implied(framework.InterleaveFills("megatron/MLM-V3")),
		framework.InterleaveRounds("megatron/MLM-V4"),
		framework.BatchDivides("megatron/MLM-B1"),
		framework.SPNeedsTP("megatron/MLM-S1"),
		framework.SequenceSlices("megatron/MLM-S2"),
		framework.ContextChunks("megatron/MLM-C1"),
		framework.SequenceSlicesWithChunks("megatron/MLM-C1b"),
		framework.ExpertsNeedMoE("megatron/MLM-E1"),
		framework.ExpertsDivide("megatron/MLM-E2"),
		framework.MoENeedsSP("megatron/MLM-E3"),
		framework.HeadsForContext("megatron/MLM-C4"),
		framework.OptionIn("megatron/zero", plan.Zero, "gradients and weights are sharded by its FSDP, which is not modelled",
			plan.ZeroNone, plan.ZeroOptimizer),
		framework.OptionIn("megatron/MLM-R1", plan.RecomputeC, "not among its granularities and modules",
			int32(plan.RecomputeNone), int32(plan.RecomputeSelective), int32(plan.RecomputeMLP), int32(plan.RecomputeFull)),
		framework.OptionIn("megatron/schedule", plan.ScheduleC, "its schedules are 1F1B and interleaved", 0),
		framework.OneSpare("megatron/MLM-R2"),
		offloadNeedsOneStage("megatron/MLM-O1"),
	}
}

// implied marks a rule that the others of the list entail: pp micro-batches in
// each round (V4) are at least pp micro-batches (V3).
func implied(r framework.Rule) framework.Rule {
	r.Implied = true
	return r
}

// StageRules say which forms of split Megatron can write down: even (L1, and
// L2 with vpp), with the embedding or the loss counted as a layer (the same),
// with counts for the first and last stage (L3), or as a layout (L5).
func (*Megatron) StageRules() []framework.StageRule {
	counted := []plan.SplitForm{plan.SplitEven, plan.SplitEmbedLoss}
	return []framework.StageRule{
		framework.LayersAddUp("megatron/MLM-L5-total"),
		onlyIf(false, framework.FormExpresses("megatron/MLM-L1",
			"pp to divide the layers, with the embedding and the loss counted if the form says so", counted...)),
		onlyIf(true, framework.FormExpresses("megatron/MLM-L2",
			"pp*vpp to divide the layers, with the embedding and the loss counted if the form says so", counted...)),
		framework.FormExpresses("megatron/MLM-L3",
			"equal stages between the first and the last and vpp to divide each stage", plan.SplitFirstLast),
		framework.FormExpresses("megatron/MLM-L5",
			"a decoder layer in every stage but the first and the last", plan.SplitLayout),
	}
}

// onlyIf restricts a rule to plans with or without interleaved chunks.
func onlyIf(interleaved bool, r framework.StageRule) framework.StageRule {
	holds := r.Holds
	r.Holds = func(f *framework.Facts, p *plan.Plan) bool {
		return (p.Options.VPP > 1) != interleaved || holds(f, p)
	}
	return r
}
