package framework

import (
	"fmt"

	"meshplan/plan"
)

// ContextIsSharded: FSDP is applied over dp_shard*cp, so there is no plain data
// parallelism, zero 0, with cp above 1.
func ContextIsSharded(id string) Rule {
	holds := func(_ *Facts, p *plan.Point) bool { return p.Degree(plan.CP) == 1 || p[plan.Zero] > 0 }
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.CP), plan.Zero}, Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			given := fmt.Sprintf("zero %d with cp %d", p[plan.Zero], p.Degree(plan.CP))
			if holds(f, p) {
				return given
			}
			return given + "; cp above 1 brings FSDP over dp_shard*cp: zero 2 or 3, or cp 1"
		},
	}
}

// OptimizerOffload: the optimizer state lies in host memory as a whole from one
// ZeRO stage on, and in part from another. A stage of plan.NumZero stands for
// never.
func OptimizerOffload(id string, whole, partial int32) Rule {
	least := func(percent int32) int32 {
		switch percent {
		case 0:
			return plan.ZeroNone
		case 100:
			return whole
		}
		return partial
	}
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Zero, plan.OptOffload},
		Holds: func(_ *Facts, p *plan.Point) bool { return p[plan.Zero] >= least(p[plan.OptOffload]) },
		Text: func(_ *Facts, p *plan.Point) string {
			given := fmt.Sprintf("optimizer-offload %d with zero %d", p[plan.OptOffload], p[plan.Zero])
			switch zero, need := p[plan.Zero], least(p[plan.OptOffload]); {
			case zero >= need:
				return given
			case zero < whole:
				return given + fmt.Sprintf("; above 0 it needs zero %d or above", whole)
			case need == plan.NumZero:
				return given + "; valid 0, 100"
			}
			return given + fmt.Sprintf("; a part of it needs zero %d, else valid 0, 100", partial)
		},
	}
}
