package deepspeed

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// contextByUlysses: context parallelism is Ulysses, an all-to-all; without it
// there is nothing to communicate.
func contextByUlysses(id string) framework.Rule {
	holds := func(_ *framework.Facts, p *plan.Point) bool {
		if p.Degree(plan.CP) > 1 {
			return p[plan.CPCommC] == int32(plan.CPAllToAll)
		}
		return p[plan.CPCommC] == int32(plan.CPRing)
	}
	return framework.Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.CP), plan.CPCommC}, Holds: holds,
		Text: func(f *framework.Facts, p *plan.Point) string {
			given := fmt.Sprintf("cp %d with cp-comm %s", p.Degree(plan.CP), plan.CPCommC.Format(p[plan.CPCommC]))
			switch {
			case holds(f, p):
				return given
			case p.Degree(plan.CP) > 1:
				return given + "; its context parallelism is Ulysses: cp-comm a2a"
			}
			return given + "; with cp 1 leave cp-comm at p2p"
		},
	}
}

// ulyssesAlone: Ulysses composes with data parallelism only
// (Megatron-DeepSpeed's core/parallel_state.py: "DeepSpeed's sequence parallel
// does not work with tensor parallel or pipeline parallel"; the groups of
// ulysses_sp.py take the whole world).
func ulyssesAlone(id string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.Coord(plan.PP)},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			return p.Degree(plan.CP) == 1 || p.Degree(plan.TP) == 1 && p.Degree(plan.PP) == 1
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("cp %d with tp %d and pp %d", p.Degree(plan.CP), p.Degree(plan.TP), p.Degree(plan.PP))
		},
		Needs: "cp above 1 needs tp 1 and pp 1",
	}.Rule(id)
}
