package framework

import (
	"fmt"

	"meshplan/plan"
)

// ContextSlices: each rank of cp holds a slice of the sequence: cp divides it.
func ContextSlices(id string) Rule {
	return Division{Total: sequence, Of: degreesOf([]plan.Dim{plan.CP})}.product(id, "tokens of a sequence", "cp", "")
}

// TokenSlices: the tokens of a micro-batch, its sequences packed, are cut into
// a slice a rank of tp with sp, and into two chunks a rank of cp where cp is
// above 1.
func TokenSlices(id string) Rule {
	tokens := func(f *Facts, p *plan.Point) int64 { return f.Workload.SeqLen * int64(p[plan.MicroBatch]) }
	slices := func(p *plan.Point) (n int64, of string) {
		tp, cp := int64(p.Degree(plan.TP)), int64(p.Degree(plan.CP))
		switch {
		case p[plan.SP] == 1 && cp > 1:
			return tp * 2 * cp, fmt.Sprintf("tp*2*cp %d", tp*2*cp)
		case cp > 1:
			return 2 * cp, fmt.Sprintf("2*cp %d", 2*cp)
		case p[plan.SP] == 1:
			return tp, fmt.Sprintf("tp %d", tp)
		}
		return 1, "1: sp is off and cp is 1"
	}
	holds := func(f *Facts, p *plan.Point) bool {
		n, _ := slices(p)
		return tokens(f, p)%n == 0
	}
	return Rule{
		ID:    id,
		Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.MicroBatch, plan.SP},
		Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			total := tokens(f, p)
			n, of := slices(p)
			if holds(f, p) {
				return fmt.Sprintf("%d tokens of a micro-batch divisible by %s", total, of)
			}
			return fmt.Sprintf("%d tokens of a micro-batch not divisible by %s; %s", total, of, NearestDivisors(total, n))
		},
	}
}
