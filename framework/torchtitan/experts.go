package torchtitan

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// expertsInsideReplica: experts are spread inside one copy of the sharded
// weights: ep divides dp_shard*cp*tp, whatever dp_replicate and pp are.
func expertsInsideReplica(id string) framework.Rule {
	ranks := func(p *plan.Point) int64 {
		return int64(p.Degree(plan.TP)) * int64(p.Degree(plan.CP)) * int64(p.Degree(plan.DPShard))
	}
	holds := func(_ *framework.Facts, p *plan.Point) bool { return ranks(p)%int64(p.Degree(plan.EP)) == 0 }
	return framework.Rule{
		ID:    id,
		Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.Coord(plan.DPShard), plan.Coord(plan.EP)},
		Holds: holds,
		Text: func(f *framework.Facts, p *plan.Point) string {
			n, ep := ranks(p), int64(p.Degree(plan.EP))
			if holds(f, p) {
				return fmt.Sprintf("%d ranks of tp*cp*dp_shard divisible by ep %d", n, ep)
			}
			return fmt.Sprintf("%d ranks of tp*cp*dp_shard not divisible by ep %d; %s", n, ep, framework.NearestDivisors(n, ep))
		},
	}
}

// expertsCoverTP: tensor-parallel ranks hold different experts, since none is
// split by columns: ep is at least tp in a model with experts.
func expertsCoverTP(id string) framework.Rule {
	holds := func(f *framework.Facts, p *plan.Point) bool {
		return !f.MoE() || p.Degree(plan.EP) >= p.Degree(plan.TP)
	}
	return framework.Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.EP)}, Holds: holds,
		Text: func(f *framework.Facts, p *plan.Point) string {
			tp, ep := p.Degree(plan.TP), p.Degree(plan.EP)
			switch {
			case !f.MoE():
				return "the model has no experts"
			case holds(f, p):
				return fmt.Sprintf("ep %d with tp %d", ep, tp)
			}
			return fmt.Sprintf("ep %d with tp %d; a model with experts needs ep of at least tp: ep %d or tp %d", ep, tp, tp, ep)
		},
	}
}
