// Package deepspeed knows what DeepSpeed (August 2026) accepts, on its own and
// under Megatron-DeepSpeed: its validity rules under the ids DS-..., its ways to
// partition layers, its rank order and its defaults.
//
//	fw := deepspeed.New()
//	filled, defaults, err := fw.Fill(facts, partial)
package deepspeed

import (
	"meshplan/framework"
	"meshplan/plan"
)

// DeepSpeed implements framework.Framework.
type DeepSpeed struct {
	conventions framework.Conventions
}

// New is DeepSpeed in its current version.
func New() *DeepSpeed {
	return &DeepSpeed{framework.Conventions{
		Name: "DeepSpeed", Order: order, Forms: forms, PlainTP: true,
		Zero: zero, CPComm: plan.CPAllToAll, Split: split,
	}}
}

// order is PipeModelDataParallelTopology, (pipe, data, model) with model
// fastest, and the Ulysses mesh, (data, sequence) with sequence fastest.
// Experts are contiguous blocks of a stage's ranks, as AutoEP folds them.
var order = framework.InnerFirst("DeepSpeed", "pipe-data-sequence-model")

// forms: partition_method type:transformer is the even split, and a regular
// expression that names the embedding or the head counts it as a layer.
var forms = []plan.SplitForm{plan.SplitEven, plan.SplitEmbedLoss}

// zero shards the optimizer, with everything else where copies of the shards are
// asked for, which only MiCS has.
func zero(d *framework.Degrees) int8 {
	switch {
	case d[plan.DPReplicate] == 1:
		return plan.ZeroOptimizer
	case d[plan.DPShard] == 1:
		return plan.ZeroNone
	}
	return plan.ZeroWeights
}

// split is that of type:transformer, Megatron-DeepSpeed's default.
func split(f *framework.Facts, _, pp, vpp int) []int32 {
	return framework.RemainderFirst(f.Model.Layers, pp*vpp, 0, 0)
}

// Name is "deepspeed".
func (*DeepSpeed) Name() string { return "deepspeed" }

// Profile is the cost profile of its newest version.
func (*DeepSpeed) Profile() string { return "deepspeed" }

// Options are the ZeRO stages, checkpointing of every layer, and Ulysses.
func (*DeepSpeed) Options() map[plan.Coord][]int32 { return options }

var options = map[plan.Coord][]int32{
	plan.Coord(plan.ETP): {1},
	plan.VPP:             {1},
	plan.Zero:            {plan.ZeroNone, plan.ZeroOptimizer, plan.ZeroGradients, plan.ZeroWeights},
	plan.RecomputeC:      {int32(plan.RecomputeNone), int32(plan.RecomputeFull)},
	plan.CPCommC:         {int32(plan.CPRing), int32(plan.CPAllToAll)},
}

// Forms are even, and with the embedding or the head counted.
func (*DeepSpeed) Forms() []plan.SplitForm { return forms }

// Fill completes a plan as DeepSpeed would.
func (d *DeepSpeed) Fill(f *framework.Facts, p plan.Partial) (plan.Plan, []string, error) {
	return d.conventions.Fill(f, p)
}

// RankOrder is that of its topology.
func (*DeepSpeed) RankOrder(*framework.Facts, *plan.Plan) framework.RankOrder { return order }

// PlacementWarning compares the placement with its topology.
func (*DeepSpeed) PlacementWarning(f *framework.Facts, p *plan.Plan) string {
	return order.Warning(f, p)
}
