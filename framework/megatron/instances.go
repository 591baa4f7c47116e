package megatron

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// optimizerInstancesDivideExperts: with the distributed optimizer, dp_replicate
// is the number of optimizer instances, and each takes an equal share of the
// expert data-parallel ranks (parallel_state.py). The dense ranks, dp*cp, are a
// multiple of it by construction.
func optimizerInstancesDivideExperts(id string) framework.Rule {
	holds := func(f *framework.Facts, p *plan.Point) bool {
		return !f.MoE() || p[plan.Zero] == 0 || p.Degree(plan.EDP)%p.Degree(plan.DPReplicate) == 0
	}
	return framework.Rule{
		ID:    id,
		Reads: []plan.Coord{plan.Coord(plan.DPReplicate), plan.Coord(plan.EDP), plan.Zero},
		Holds: holds,
		Text: func(f *framework.Facts, p *plan.Point) string {
			edp, n := p.Degree(plan.EDP), p.Degree(plan.DPReplicate)
			switch {
			case !f.MoE():
				return "the model has no experts"
			case holds(f, p):
				return fmt.Sprintf("edp %d over %d optimizer instances", edp, n)
			}
			return fmt.Sprintf("edp %d not divisible by dp_replicate %d, the number of optimizer instances; dp_replicate 1 is valid", edp, n)
		},
	}
}
