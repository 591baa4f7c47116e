package fsdp

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// Rules are what accelerate refuses (parallelism_config.py, accelerator.py), and
// what FSDP has no counterpart of.
func (*FSDP) Rules() []framework.Rule {
	return []framework.Rule{
		framework.DenseGridDivides("fsdp/ACC-W1"),
		framework.ExpertGridDivides("fsdp/ACC-W1-experts"),
		replicasAreSharded("fsdp/ACC-W2"),
		framework.OptionIn("fsdp/ACC-N1", plan.Coord(plan.PP), "there are no pipelines", 1),
		framework.OptionIn("fsdp/vpp", plan.VPP, "there are no pipelines", 1),
		framework.OptionIn("fsdp/schedule", plan.ScheduleC, "there are no pipelines", 0),
		framework.OptionIn("fsdp/ep", plan.Coord(plan.EP), "experts are sharded like all other weights", 1),
		framework.OptionIn("fsdp/etp", plan.Coord(plan.ETP), "experts are sharded like all other weights", 1),
		framework.HeadsDivide("fsdp/heads"),
		framework.KVHeadsDivide("fsdp/kv-heads"),
		framework.OptionIn("fsdp/sp", plan.SP, "its tensor parallelism keeps whole sequences between the layers", 0),
		framework.BatchDivides("fsdp/batch"),
		framework.ContextChunks("fsdp/cp-tokens"),
		framework.OptionIn("fsdp/ACC-C1", plan.CPCommC, "an all-to-all of heads is the other backend, DeepSpeed's",
			int32(plan.CPRing), int32(plan.CPAllGather)),
		framework.ContextIsSharded("fsdp/ACC-F1"),
		framework.OptionIn("fsdp/zero", plan.Zero, "FSDP shards gradients along with the optimizer",
			plan.ZeroNone, plan.ZeroGradients, plan.ZeroWeights),
		framework.OptionIn("fsdp/recompute", plan.RecomputeC, "activation checkpointing wraps whole layers",
			int32(plan.RecomputeNone), int32(plan.RecomputeFull)),
		framework.OptimizerOffload("fsdp/optimizer-offload", plan.ZeroGradients, plan.NumZero),
		framework.NoMTP("fsdp/mtp"),
		framework.OptionIn("fsdp/recompute-spare", plan.RecomputeSpare, "every layer is wrapped alike", 0),
		framework.OptionIn("fsdp/activation-offload", plan.ActOffload, "activations are offloaded as a whole", 0, 100),
	}
}

// replicasAreSharded: copies of the model with tensor or context parallelism
// inside are copies of FSDP shards: dp_replicate above 1 beside tp or cp above 1
// needs dp_shard above 1.
func replicasAreSharded(id string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.Coord(plan.DPShard),
			plan.Coord(plan.DPReplicate)},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			split := p.Degree(plan.TP) > 1 || p.Degree(plan.CP) > 1
			return !split || p.Degree(plan.DPReplicate) == 1 || p.Degree(plan.DPShard) > 1
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("dp_replicate %d and dp_shard %d with tp %d and cp %d",
				p.Degree(plan.DPReplicate), p.Degree(plan.DPShard), p.Degree(plan.TP), p.Degree(plan.CP))
		},
		Needs: "beside tp or cp dp_replicate needs dp_shard above 1",
	}.Rule(id)
}

// StageRules: the one chunk holds all layers.
func (*FSDP) StageRules() []framework.StageRule {
	return []framework.StageRule{framework.LayersAddUp("fsdp/layers")}
}
