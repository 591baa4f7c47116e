// Package torchtitan knows what torchtitan (August 2026) accepts: its validity
// rules under the ids TT-..., its ways to write a layer split, its rank mesh and
// its defaults.
//
//	fw := torchtitan.New()
//	filled, defaults, err := fw.Fill(facts, partial)
package torchtitan

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// Torchtitan implements framework.Framework.
type Torchtitan struct {
	conventions framework.Conventions
}

// New is torchtitan in its current version.
func New() *Torchtitan {
	return &Torchtitan{framework.Conventions{
		Name: "torchtitan", Order: order, Forms: forms, Zero: zero, Split: split,
	}}
}

// order is the dense mesh (pp, dp_replicate, dp_shard, cp, tp) and the sparse
// one (pp, dp_replicate, efsdp, ep) over the same ranks (parallel_dims.py).
var order = framework.InnerFirst("torchtitan", "pp-dp_replicate-dp_shard-cp-tp")

// forms: pipeline_parallel_first_stage_less_layers and ..._last_... at 0 are the
// even split and at 1 count the embedding and the head; any list of layers is
// written with module_fqns_per_model_part.
var forms = []plan.SplitForm{plan.SplitEven, plan.SplitEmbedLoss, plan.SplitLayout}

// zero is fsdp_reshard_after_forward "default": weights are resharded after the
// forward unless there is a pipeline, whose micro-batches would gather them
// again and again (fsdp.py).
func zero(d *framework.Degrees) int8 {
	if d[plan.PP] > 1 {
		return plan.ZeroGradients
	}
	return plan.ZeroWeights
}

// split counts the embedding and the head as a layer each and gives the
// remainder to the first stages (pipeline_parallel.py).
func split(f *framework.Facts, _, pp, vpp int) []int32 {
	return framework.RemainderFirst(f.Model.Layers, pp*vpp, 1, 1)
}

// Name is "torchtitan".
func (*Torchtitan) Name() string { return "torchtitan" }

// Profile is the cost profile of its newest version.
func (*Torchtitan) Profile() string { return "torchtitan" }

// Options are FSDP with and without resharding after the forward, plain
// replication, and its activation checkpointing. Schedules that cut the backward in
// two are left to a pin: PyTorch refuses them for compiled stages
// (_check_torch_compile_compatibility in its schedules.py), which are the usual ones.
func (*Torchtitan) Options() map[plan.Coord][]int32 { return options }

var options = map[plan.Coord][]int32{
	plan.Coord(plan.ETP): {1},
	plan.Zero:            {plan.ZeroNone, plan.ZeroGradients, plan.ZeroWeights},
	plan.RecomputeC:      {int32(plan.RecomputeNone), int32(plan.RecomputeOps), int32(plan.RecomputeFull)},
}

// Forms are even, embedding and head counted, and an explicit list.
func (*Torchtitan) Forms() []plan.SplitForm { return forms }

// Fill completes a plan as torchtitan would from its configuration.
func (t *Torchtitan) Fill(f *framework.Facts, p plan.Partial) (plan.Plan, []string, error) {
	return t.conventions.Fill(f, p)
}

// RankOrder is that of its one mesh.
func (*Torchtitan) RankOrder(*framework.Facts, *plan.Plan) framework.RankOrder { return order }

// PlacementWarning compares the placement with its one mesh, and says where the
// schedule asks for stages that are not compiled.
func (*Torchtitan) PlacementWarning(f *framework.Facts, p *plan.Plan) string {
	if warning := order.Warning(f, p); warning != "" || p.Options.Schedule < plan.ZBH1 {
		return warning
	}
	return fmt.Sprintf("PyTorch runs schedule %s on stages without torch.compile alone, and the profile's blocks are compiled: expect slower kernels",
		p.Options.Schedule)
}
