package torchtitan

import (
	"meshplan/framework"
	"meshplan/plan"
)

// Rules are torchtitan's refusals. Ids follow the checks in
// distributed/parallel_dims.py, distributed/pipeline_parallel.py, trainer.py,
// models/common/decoder.py, and in PyTorch's pipeline schedules, which it runs.
func (*Torchtitan) Rules() []framework.Rule {
	return []framework.Rule{
		framework.DenseGridDivides("torchtitan/TT-W1"),
		framework.ExpertGridDivides("torchtitan/TT-W1-experts"),
		expertsInsideReplica("torchtitan/TT-E1"),
		framework.ExpertsDivide("torchtitan/TT-E2"),
		framework.ExpertsNeedMoE("torchtitan/TT-E2-dense"),
		expertsCoverTP("torchtitan/TT-E3"),
		framework.OptionIn("torchtitan/TT-E3-etp", plan.Coord(plan.ETP), "experts are not split by columns", 1),
		framework.HeadsDivide("torchtitan/TT-H1"),
		framework.KVHeadsDivide("torchtitan/TT-H2"),
		framework.SPNeedsTP("torchtitan/sp"),
		framework.TokenSlices("torchtitan/TT-S1"),
		framework.BatchDivides("torchtitan/TT-B1"),
		framework.InterleaveNeedsPipeline("torchtitan/TT-P1"),
		framework.ChunksHoldLayers("torchtitan/TT-P2"),
		framework.SingleStageFills("torchtitan/TT-P3"),
		roundsDivide("torchtitan/TT-P4"),
		framework.OptionIn("torchtitan/schedule", plan.ScheduleC, "PyTorch has DualPipe as one half of it, DualPipeV",
			plan.OneFOneB.Value(), plan.GPipe.Value(), plan.ZBH1.Value(), plan.ZBV.Value(), plan.DualPipeV.Value()),
		zeroBubbleInterleaves("torchtitan/TT-P1-zero-bubble"),
		framework.SplitBackwardNeedsPipeline("torchtitan/TT-P5"),
		framework.DualPipeFills("torchtitan/TT-P5-fills"),
		untiedPipeline("torchtitan/TT-P6"),
		framework.OptionIn("torchtitan/cp-comm", plan.CPCommC, "context parallelism passes keys and values on or gathers them",
			int32(plan.CPRing), int32(plan.CPAllGather)),
		framework.ContextIsSharded("torchtitan/fsdp"),
		framework.OptionIn("torchtitan/zero", plan.Zero, "FSDP2 shards gradients along with the optimizer",
			plan.ZeroNone, plan.ZeroGradients, plan.ZeroWeights),
		framework.OptionIn("torchtitan/recompute", plan.RecomputeC, "not among its modes of activation checkpointing",
			int32(plan.RecomputeNone), int32(plan.RecomputeOps), int32(plan.RecomputeFull)),
		framework.OneSpare("torchtitan/recompute-spare"),
		framework.NoMTP("torchtitan/mtp"),
		framework.OptimizerOffload("torchtitan/optimizer-offload", plan.ZeroGradients, plan.NumZero),
		framework.OptionIn("torchtitan/activation-offload", plan.ActOffload, "it keeps activations on the GPU", 0),
	}
}

// StageRules: the layers add up, and every stage between the first and the last
// holds one (TT-P2); which stage holds how many is free.
func (*Torchtitan) StageRules() []framework.StageRule {
	return []framework.StageRule{
		framework.LayersAddUp("torchtitan/TT-P2-total"),
		framework.FormExpresses("torchtitan/TT-P2-split", "what its name says", plan.AllForms()...),
	}
}
