package framework

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/plan"
)

// OptionIn: the option has one of the values; why says what the framework lacks.
// The search ranges over no others unless a pin names one.
func OptionIn(id string, c plan.Coord, why string, values ...int32) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{c},
		Holds: func(_ *Facts, p *plan.Point) bool { return slices.Contains(values, p[c]) },
		Text: func(_ *Facts, p *plan.Point) string {
			words := make([]string, len(values))
			for i, v := range values {
				words[i] = c.Format(v)
			}
			return fmt.Sprintf("%s %s: %s; valid %s", c, c.Format(p[c]), why, strings.Join(words, ", "))
		},
	}
}

// HeadsForContext: an all-to-all around the attention core gives each rank of
// cp its own heads of those that tp leaves; key/value heads are split too or
// replicated evenly.
func HeadsForContext(id string) Rule {
	return Stated{
		Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.CPCommC},
		Holds: func(f *Facts, p *plan.Point) bool {
			tp, cp := int64(p.Degree(plan.TP)), int64(p.Degree(plan.CP))
			heads, kv := int64(f.Model.Heads), int64(f.Model.KVHeads)
			if p[plan.CPCommC] != int32(plan.CPAllToAll) || cp == 1 {
				return true
			}
			if f.Model.MLA() || kv < 1 {
				kv = heads
			}
			return heads%(tp*cp) == 0 && (kv%(tp*cp) == 0 || tp*cp%kv == 0)
		},
		Given: func(f *Facts, p *plan.Point) string {
			return fmt.Sprintf("%d heads, %d key/value heads over tp*cp = %d*%d with cp-comm %s", f.Model.Heads, f.Model.KVHeads,
				p.Degree(plan.TP), p.Degree(plan.CP), plan.CPComm(p[plan.CPCommC]))
		},
		Needs: "a2a gives each rank its own heads, so tp*cp must divide them",
	}.Rule(id)
}

// spareNeedsRecompute: layers are spared from a recompute of whole layers, and
// some are left for it.
func spareNeedsRecompute(id string) Rule {
	holds := func(_ *Facts, p *plan.Point) bool {
		return p[plan.RecomputeSpare] == 0 || p[plan.RecomputeSpare] < 100 && p[plan.RecomputeC] == int32(plan.RecomputeFull)
	}
	return Rule{
		ID: id, Reads: []plan.Coord{plan.RecomputeC, plan.RecomputeSpare}, Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			given := fmt.Sprintf("recompute-spare %d with recompute %s", p[plan.RecomputeSpare], plan.RecomputeC.Format(p[plan.RecomputeC]))
			if holds(f, p) {
				return given
			}
			return given + "; it needs recompute full and is below 100, else 0"
		},
	}
}
