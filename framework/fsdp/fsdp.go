// Package fsdp knows what trainers around PyTorch's FSDP accept (accelerate and
// the Hugging Face trainers, llm-foundry, fms-fsdp): sharded and hybrid sharded
// data parallelism, tensor and context parallelism as accelerate composes them
// under the ids ACC-..., no pipelines and no expert parallelism.
//
//	fw := fsdp.New()
//	filled, defaults, err := fw.Fill(facts, partial)
package fsdp

import (
	"meshplan/framework"
	"meshplan/plan"
)

// FSDP implements framework.Framework.
type FSDP struct {
	conventions framework.Conventions
}

// New is FSDP as accelerate in its version of July 2026 launches it.
func New() *FSDP {
	return &FSDP{framework.Conventions{
		Name: "FSDP", Order: order, Forms: plan.AllForms(), PlainTP: true, Zero: fullShard,
	}}
}

// order is accelerate's device mesh (parallelism_config.py).
var order = framework.InnerFirst("FSDP", "dp_replicate-dp_shard-cp-tp")

// fullShard is FULL_SHARD, the default sharding strategy.
func fullShard(*framework.Degrees) int8 { return plan.ZeroWeights }

// Name is "fsdp".
func (*FSDP) Name() string { return "fsdp" }

// Profile is the cost profile of FSDP2.
func (*FSDP) Profile() string { return "fsdp" }

// Options are NO_SHARD, SHARD_GRAD_OP and FULL_SHARD, alone or as the hybrid
// strategies, with and without checkpointing of every layer.
func (*FSDP) Options() map[plan.Coord][]int32 { return options }

var options = map[plan.Coord][]int32{
	plan.Coord(plan.PP):  {1},
	plan.Coord(plan.ETP): {1},
	plan.Coord(plan.EP):  {1},
	plan.VPP:             {1},
	plan.SP:              {0},
	plan.Zero:            {plan.ZeroNone, plan.ZeroGradients, plan.ZeroWeights},
	plan.RecomputeC:      {int32(plan.RecomputeNone), int32(plan.RecomputeFull)},
}

// Forms is the one chunk of all layers. Fill also splits them over a pipeline
// that is asked for, so that the rule on it can say why there is none.
func (*FSDP) Forms() []plan.SplitForm { return []plan.SplitForm{plan.SplitEven} }

// Fill completes a plan as accelerate would.
func (d *FSDP) Fill(f *framework.Facts, p plan.Partial) (plan.Plan, []string, error) {
	return d.conventions.Fill(f, p)
}

// RankOrder is that of accelerate's mesh.
func (*FSDP) RankOrder(*framework.Facts, *plan.Plan) framework.RankOrder { return order }

// PlacementWarning compares the placement with accelerate's mesh.
func (*FSDP) PlacementWarning(f *framework.Facts, p *plan.Plan) string {
	return order.Warning(f, p)
}
