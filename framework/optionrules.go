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

// HeadsForContext: an all-to-all around the attention core gives each of its
// ranks of cp its own heads of those that tp leaves; key/value heads are split too
// or replicated evenly. The ranks are all of cp, or those in a domain of the
// innermost level where the exchange is hierarchical.
func HeadsForContext(id string) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.CPCommC, plan.At(plan.CP, 0)},
		Rarely: &Rarely{plan.CPCommC, int32(plan.CPHierarchical), []plan.Coord{plan.At(plan.CP, 0)}},
		Holds: func(f *Facts, p *plan.Point) bool {
			return headsOver(f, int64(p.Degree(plan.TP)), exchanging(p))
		},
		Text: func(f *Facts, p *plan.Point) string {
			kind := plan.CPComm(p[plan.CPCommC])
			ranks := fmt.Sprintf("tp*cp = %d*%d", p.Degree(plan.TP), p.Degree(plan.CP))
			needs := "a2a gives each rank its own heads, so tp*cp must divide them"
			if kind == plan.CPHierarchical {
				level := f.Cluster.Levels[0].Name
				ranks = fmt.Sprintf("tp %d and %d ranks of cp %d in %s", p.Degree(plan.TP), exchanging(p), p.Degree(plan.CP), level)
				needs = fmt.Sprintf("a2a+p2p gives each rank in %s its own heads, so tp times cp there must divide them", level)
			}
			text := fmt.Sprintf("%d heads, %d key/value heads over %s with cp-comm %s", f.Model.Heads, f.Model.KVHeads, ranks, kind)
			if headsOver(f, int64(p.Degree(plan.TP)), exchanging(p)) {
				return text
			}
			return text + "; " + needs
		},
	}
}

// exchanging is the ranks of cp that exchange heads for tokens.
func exchanging(p *plan.Point) int64 {
	switch plan.CPComm(p[plan.CPCommC]) {
	case plan.CPAllToAll:
		return int64(p.Degree(plan.CP))
	case plan.CPHierarchical:
		return int64(p[plan.At(plan.CP, 0)])
	}
	return 1
}

// headsOver reports whether so many ranks of tp and of cp have heads of their own,
// and key/value heads that are split or replicated evenly.
func headsOver(f *Facts, tp, cp int64) bool {
	heads, kv := int64(f.Model.Heads), int64(f.Model.KVHeads)
	if f.Model.MLA() || kv < 1 {
		kv = heads
	}
	return cp == 1 || heads%(tp*cp) == 0 && (kv%(tp*cp) == 0 || tp*cp%kv == 0)
}

// NoMTP: the framework trains no multi-token-prediction layers.
func NoMTP(id string) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.PP)},
		Holds: func(f *Facts, _ *plan.Point) bool { return f.Workload.MTP == 0 },
		Text: func(f *Facts, _ *plan.Point) string {
			if f.Workload.MTP == 0 {
				return "no multi-token prediction"
			}
			return fmt.Sprintf("mtp %d: it trains no multi-token-prediction layers; valid 0", f.Workload.MTP)
		},
	}
}

// OneSpare: the framework writes down one number of recomputed layers, or none, for
// all stages.
func OneSpare(id string) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{plan.RecomputeSpare},
		Holds: func(_ *Facts, p *plan.Point) bool { return p[plan.RecomputeSpare] != plan.SpareFitting },
		Text: func(_ *Facts, p *plan.Point) string {
			given := "recompute-spare " + plan.RecomputeSpare.Format(p[plan.RecomputeSpare])
			if p[plan.RecomputeSpare] != plan.SpareFitting {
				return given
			}
			return given + ": it has one number of recomputed layers for all stages; valid 0 to 99"
		},
	}
}

// spareNeedsRecompute: layers are spared from a recompute of whole layers, and
// some are left for it. A number for each stage goes without activations on the
// host, which would have to follow it.
func spareNeedsRecompute(id string) Rule {
	holds := func(_ *Facts, p *plan.Point) bool {
		switch p[plan.RecomputeSpare] {
		case 0:
			return true
		case 100:
			return false
		case plan.SpareFitting:
			return p[plan.RecomputeC] == int32(plan.RecomputeFull) && p[plan.ActOffload] == 0
		}
		return p[plan.RecomputeC] == int32(plan.RecomputeFull)
	}
	return Rule{
		ID: id, Reads: []plan.Coord{plan.RecomputeC, plan.RecomputeSpare, plan.ActOffload}, Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			given := fmt.Sprintf("recompute-spare %s with recompute %s", plan.RecomputeSpare.Format(p[plan.RecomputeSpare]), plan.RecomputeC.Format(p[plan.RecomputeC]))
			switch {
			case holds(f, p):
				return given
			case p[plan.RecomputeSpare] == plan.SpareFitting:
				return fmt.Sprintf("%s and activation-offload %d; it needs recompute full and activation-offload 0", given, p[plan.ActOffload])
			}
			return given + "; it needs recompute full and is below 100, else 0"
		},
	}
}
