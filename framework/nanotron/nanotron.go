// Package nanotron knows what nanotron (April 2026) accepts: its validity rules
// under the ids NT-..., how it balances layers, its rank order and its defaults.
//
//	fw := nanotron.New()
//	filled, defaults, err := fw.Fill(facts, partial)
package nanotron

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// Nanotron implements framework.Framework.
type Nanotron struct {
	conventions framework.Conventions
}

// New is nanotron in its current version.
func New() *Nanotron {
	return &Nanotron{framework.Conventions{
		Name: "nanotron", Order: order, Forms: plan.AllForms(), PlainTP: true, Zero: zero, Split: split,
	}}
}

// order is that of its rank matrix (parallel/context.py).
var order = framework.InnerFirst("nanotron", "pp-dp-cp-tp")

// zero shards the optimizer over dp, of which there must be two ranks and no
// copies.
func zero(d *framework.Degrees) int8 {
	if d[plan.DPShard] > 1 && d[plan.DPReplicate] == 1 {
		return plan.ZeroOptimizer
	}
	return plan.ZeroNone
}

// Name is "nanotron".
func (*Nanotron) Name() string { return "nanotron" }

// Profile is the cost profile of its newest version.
func (*Nanotron) Profile() string { return "nanotron" }

// Options are a whole or a sharded optimizer and recompute_layer. GPipe, its
// engine afab, is left to a pin.
func (*Nanotron) Options() map[plan.Coord][]int32 { return options }

var options = map[plan.Coord][]int32{
	plan.Coord(plan.ETP): {1},
	plan.Coord(plan.EP):  {1},
	plan.VPP:             {1},
	plan.Zero:            {plan.ZeroNone, plan.ZeroOptimizer},
	plan.RecomputeC:      {int32(plan.RecomputeNone), int32(plan.RecomputeFull)},
}

// Forms are all: nanotron takes no split but balances the layers by their cost,
// for which the split of the search stands. PlacementWarning says where the two
// differ.
func (*Nanotron) Forms() []plan.SplitForm { return plan.AllForms() }

// Fill completes a plan as nanotron would.
func (n *Nanotron) Fill(f *framework.Facts, p plan.Partial) (plan.Plan, []string, error) {
	return n.conventions.Fill(f, p)
}

// RankOrder is that of its rank matrix.
func (*Nanotron) RankOrder(*framework.Facts, *plan.Plan) framework.RankOrder { return order }

// PlacementWarning compares the placement with its rank matrix, and the layers
// of each stage with its own balance.
func (*Nanotron) PlacementWarning(f *framework.Facts, p *plan.Plan) string {
	if warning := order.Warning(f, p); warning != "" {
		return warning
	}
	tp, pp := p.Placement.Degree(plan.TP), p.Placement.Degree(plan.PP)
	own, given := Balance(f, int(tp), int(pp), int(max(1, p.Options.VPP))), p.Options.Stages.Text
	if text := plan.RunLength(own); own != nil && given != "" && text != given {
		return fmt.Sprintf("nanotron balances the layers itself: it builds %s, this plan has %s", text, given)
	}
	return ""
}
