package megatron

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// offloadNeedsOneStage: layers whose activations go to host memory exclude
// pipelines and every kind of recompute (transformer_config.py).
func offloadNeedsOneStage(id string) framework.Rule {
	return framework.Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.PP), plan.RecomputeC, plan.ActOffload},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			return p[plan.ActOffload] == 0 || p.Degree(plan.PP) == 1 && p[plan.RecomputeC] == int32(plan.RecomputeNone)
		},
		Text: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("activation-offload %d with pp %d and recompute %s; it needs pp 1 and no recompute",
				p[plan.ActOffload], p.Degree(plan.PP), plan.Recompute(p[plan.RecomputeC]))
		},
	}
}
