package framework

import (
	"fmt"

	"meshplan/plan"
)

// ContextIsSharded: FSDP is applied over dp_shard*cp, so there is no plain data
// parallelism, zero 0, with cp above 1.
func ContextIsSharded(id string) Rule {
	return Stated{
		Reads: []plan.Coord{plan.Coord(plan.CP), plan.Zero},
		Holds: func(_ *Facts, p *plan.Point) bool { return p.Degree(plan.CP) == 1 || p[plan.Zero] > 0 },
		Given: func(_ *Facts, p *plan.Point) string {
			return fmt.Sprintf("zero %d with cp %d", p[plan.Zero], p.Degree(plan.CP))
		},
		Needs: "cp above 1 brings FSDP over dp_shard*cp: zero 2 or 3, or cp 1",
	}.Rule(id)
}

// OptimizerOffload: the optimizer state lies in host memory as a whole from one
// ZeRO stage on, and in part from another. A stage of plan.NumZero stands for
// never. One rank without others to share with can run any stage.
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
		ID: id,
		Reads: []plan.Coord{
			plan.Coord(plan.CP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.Zero, plan.OptOffload,
		},
		Holds: func(_ *Facts, p *plan.Point) bool {
			need := least(p[plan.OptOffload])
			return p[plan.Zero] >= need || need < plan.NumZero && p.Degree(plan.CP) == 1 && p.DP() == 1
		},
		Text: func(_ *Facts, p *plan.Point) string {
			given := fmt.Sprintf("optimizer-offload %d with zero %d", p[plan.OptOffload], p[plan.Zero])
			switch zero, need := p[plan.Zero], least(p[plan.OptOffload]); {
			case zero >= need, need < plan.NumZero && p.Degree(plan.CP) == 1 && p.DP() == 1:
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
