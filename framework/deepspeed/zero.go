package deepspeed

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// pipelineKeepsGradients: the pipeline engine accumulates whole gradients, so
// ZeRO stages 2 and 3 are refused with it (runtime/pipe/engine.py). A plan of
// one stage is taken as a model without PipelineModule.
func pipelineKeepsGradients(id string) framework.Rule {
	return zeroBelow(id, plan.PP, plan.ZeroGradients, "a pipeline needs zero 1 or below")
}

// expertsKeepWeights: expert parallelism is refused under ZeRO stage 3
// (runtime/engine.py).
func expertsKeepWeights(id string) framework.Rule {
	return zeroBelow(id, plan.EP, plan.ZeroWeights, "ep above 1 needs zero 2 or below")
}

// zeroBelow: a degree above 1 needs a ZeRO stage below the given one.
func zeroBelow(id string, d plan.Dim, stage int32, needs string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.Coord(d), plan.Zero},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			return p.Degree(d) == 1 || p[plan.Zero] < stage
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("zero %d with %s %d", p[plan.Zero], d, p.Degree(d))
		},
		Needs: needs,
	}.Rule(id)
}

// micsGroups: ZeRO shards over all data-parallel ranks, so that there are no
// copies of the shards, but for MiCS, which is stage 3 in groups of
// mics_shard_size. Those are consecutive ranks of the whole world
// (zero/mics_utils.py), so that tp and cp are 1.
func micsGroups(id string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.Coord(plan.DPReplicate), plan.Zero},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			if p.Degree(plan.DPReplicate) == 1 || p[plan.Zero] == plan.ZeroNone {
				return true
			}
			return p[plan.Zero] == plan.ZeroWeights && p.Degree(plan.TP) == 1 && p.Degree(plan.CP) == 1
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("dp_replicate %d with zero %d, tp %d and cp %d",
				p.Degree(plan.DPReplicate), p[plan.Zero], p.Degree(plan.TP), p.Degree(plan.CP))
		},
		Needs: "copies of the shards are MiCS, which needs zero 3, tp 1 and cp 1; else dp_replicate 1",
	}.Rule(id)
}

// offloadedCheckpoints: cpu_checkpointing moves the inputs of the checkpointed
// layers to host memory, all of them
// (runtime/activation_checkpointing/checkpointing.py).
func offloadedCheckpoints(id string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.RecomputeC, plan.ActOffload},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			percent := p[plan.ActOffload]
			return percent == 0 || percent == 100 && p[plan.RecomputeC] == int32(plan.RecomputeFull)
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("activation-offload %d with recompute %s", p[plan.ActOffload], plan.RecomputeC.Format(p[plan.RecomputeC]))
		},
		Needs: "valid 0, or 100 with recompute full",
	}.Rule(id)
}
