package deepspeed

import (
	"meshplan/framework"
	"meshplan/plan"
)

// Rules are DeepSpeed's refusals. Ids follow the checks in runtime/config.py,
// runtime/engine.py, runtime/pipe, runtime/zero/config.py, moe/layer.py,
// utils/groups.py and runtime/sequence_parallel/ulysses_sp.py.
func (*DeepSpeed) Rules() []framework.Rule {
	return []framework.Rule{
		framework.DenseGridDivides("deepspeed/gpus"),
		framework.ExpertGridDivides("deepspeed/DS-E1-ranks"),
		framework.BatchDivides("deepspeed/DS-B1"),
		pipelineKeepsGradients("deepspeed/DS-P1"),
		framework.ChunksHoldLayers("deepspeed/DS-P2-stages"),
		framework.OptionIn("deepspeed/vpp", plan.VPP, "a rank runs one stage", 1),
		framework.OptionIn("deepspeed/schedule", plan.ScheduleC, "its pipeline schedule is 1F1B", 0),
		megatronTP(framework.HeadsDivide("deepspeed/DS-T1-heads")),
		megatronTP(framework.KVHeadsDivide("deepspeed/DS-T1-kv-heads")),
		megatronTP(framework.WidthDivides("deepspeed/DS-T1-width")),
		framework.SPNeedsTP("deepspeed/sp"),
		framework.SequenceSlices("deepspeed/sp-tokens"),
		framework.ExpertsDivide("deepspeed/DS-E1"),
		framework.ExpertsNeedMoE("deepspeed/DS-E1-dense"),
		expertsKeepWeights("deepspeed/DS-E1-zero"),
		framework.OptionIn("deepspeed/DS-E2", plan.Coord(plan.ETP), "experts are not split by columns", 1),
		framework.HeadsForContext("deepspeed/DS-U1"),
		framework.ContextSlices("deepspeed/DS-U1-tokens"),
		contextByUlysses("deepspeed/DS-U1-comm"),
		ulyssesAlone("deepspeed/DS-U1-alone"),
		micsGroups("deepspeed/mics"),
		framework.OptimizerOffload("deepspeed/DS-O1", plan.ZeroOptimizer, plan.ZeroWeights),
		framework.OptionIn("deepspeed/recompute", plan.RecomputeC, "activation checkpointing wraps whole layers",
			int32(plan.RecomputeNone), int32(plan.RecomputeFull)),
		framework.OneSpare("deepspeed/recompute-spare"),
		framework.NoMTP("deepspeed/mtp"),
		offloadedCheckpoints("deepspeed/activation-offload"),
	}
}

// megatronTP: AutoTP splits heads and widths unevenly, but knows neither
// pipelines nor sp; with them tensor parallelism is Megatron-DeepSpeed's, which
// divides.
func megatronTP(r framework.Rule) framework.Rule {
	return framework.When(r, []plan.Coord{plan.Coord(plan.PP), plan.SP},
		func(p *plan.Point) bool { return p.Degree(plan.PP) > 1 || p[plan.SP] == 1 },
		"AutoTP splits unevenly where it must")
}

// StageRules: the layers add up, and the stages are balanced as a
// partition_method does.
func (*DeepSpeed) StageRules() []framework.StageRule {
	return []framework.StageRule{
		framework.LayersAddUp("deepspeed/DS-P2-total"),
		Partitioned("deepspeed/DS-P2"),
	}
}
