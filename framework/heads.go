package framework

import "meshplan/plan"

// KVHeadsDivide: each rank of tp holds whole key/value heads of its own, none
// are replicated: tp divides them. Multi-head latent attention has none.
func KVHeadsDivide(id string) Rule {
	return divides{
		id: id, reads: degreesOf([]plan.Dim{plan.TP}), noun: "key/value heads, none of them replicated,", by: "tp",
		total:   func(f *Facts) int64 { return int64(f.Model.KVHeads) },
		divisor: func(p *plan.Point) int64 { return int64(p.Degree(plan.TP)) },
		applies: func(f *Facts, _ *plan.Point) bool { return f.Model.KVHeads > 0 && !f.Model.MLA() },
		unless:  "latent attention has no key/value heads to split",
	}.rule()
}
