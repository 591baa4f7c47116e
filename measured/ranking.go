package measured

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"meshplan/cost"
	"meshplan/plan"
)

// Ranking judges which plan the model would pick among those that were tried.
// Regret is the share of the best measured throughput that a pick loses; a pick
// that ran out of memory, or no pick, loses all of it.
type Ranking struct {
	Groups      int       `json:"groups"` // sweeps with three plans that ran, or more
	MeanRegret  Share     `json:"mean_regret"`
	MaxRegret   Share     `json:"max_regret"`
	FailedPicks int       `json:"failed_picks"`
	Top3        Share     `json:"top3_regret"`               // the least among the three best that are not refused
	SafeOrEdge  Share     `json:"safe_or_borderline_regret"` // the better of the best "fits" and the best "borderline"
	PairOrder   Share     `json:"pair_order"`                // pairs ordered right, of those measured more than 3 % apart
	Baselines   Baselines `json:"baselines"`
}

// minPlans is the plans that ran without which a sweep ranks nothing; apart is
// by how much two times must differ to have an order.
const (
	minPlans = 3
	apart    = 0.03
)

// candidate is a plan of a sweep, its runs merged.
type candidate struct {
	text      string
	plan      plan.Plan
	predicted float64
	verdict   cost.Verdict
	measured  float64 // median of those that ran
	ran       bool
}

// faster orders candidates by predicted time, then by text.
func faster(a, b *candidate) int {
	return cmp.Or(cmp.Compare(a.predicted, b.predicted), strings.Compare(a.text, b.text))
}

// sweepOf merges the rows of one sweep into candidates, fastest first: plans
// that were timed and plans that ran out of memory.
func sweepOf(rows []*scored) []*candidate {
	times := map[string][]float64{}
	byText := map[string]*candidate{}
	var list []*candidate
	for _, s := range rows {
		if !s.oom && s.seconds == 0 {
			continue
		}
		c := byText[s.text]
		if c == nil {
			c = &candidate{text: s.text, plan: s.prediction.plan, predicted: s.prediction.seconds, verdict: s.verdict}
			byText[s.text], list = c, append(list, c)
		}
		if !s.oom {
			c.ran = true
			times[s.text] = append(times[s.text], s.seconds)
		}
	}
	for _, c := range list {
		if c.ran {
			c.measured = median(times[c.text])
		}
	}
	slices.SortFunc(list, faster)
	return list
}

// median of at least one value.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return float64(quantile(sorted, 0.5))
}

// group is the candidates of a sweep that ranks, and the best measured time.
type group struct {
	candidates []*candidate
	best       float64
}

// groupOf is the group of a sweep; ok is false where too few plans ran.
func groupOf(rows []*scored) (g group, ok bool) {
	g = group{candidates: sweepOf(rows), best: math.Inf(1)}
	ran := 0
	for _, c := range g.candidates {
		if c.ran {
			ran++
			g.best = min(g.best, c.measured)
		}
	}
	return g, ran >= minPlans
}

// regret of a pick; nil is no pick.
func (g *group) regret(c *candidate) float64 {
	if c == nil || !c.ran {
		return 1
	}
	return 1 - g.best/c.measured
}

// of is the candidates of a verdict, in their order.
func (g *group) of(v cost.Verdict) []*candidate {
	var list []*candidate
	for _, c := range g.candidates {
		if c.verdict == v {
			list = append(list, c)
		}
	}
	return list
}

// choice is the candidates to pick from: those that fit, else the borderline
// ones.
func (g *group) choice() []*candidate {
	if fits := g.of(cost.Fits); len(fits) > 0 {
		return fits
	}
	return g.of(cost.Borderline)
}

// first is the first candidate, nil of none.
func first(list []*candidate) *candidate {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// top3 is the least regret among the three best that are not refused.
func (g *group) top3() float64 {
	least, n := 1.0, 0
	for _, c := range g.candidates {
		if c.verdict == cost.DoesNotFit {
			continue
		}
		if least, n = min(least, g.regret(c)), n+1; n == 3 {
			break
		}
	}
	return least
}

// pairs counts the pairs of plans that ran and were measured apart, and those
// of them that are predicted in the measured order.
func (g *group) pairs() (right, all int) {
	for i, a := range g.candidates {
		for _, b := range g.candidates[i+1:] {
			if !a.ran || !b.ran || max(a.measured, b.measured) <= (1+apart)*min(a.measured, b.measured) {
				continue
			}
			all++
			if a.predicted < b.predicted && a.measured < b.measured || a.predicted > b.predicted && a.measured > b.measured {
				right++
			}
		}
	}
	return right, all
}

// rankingOf judges the sweeps of the rows.
func rankingOf(rows []*scored) Ranking {
	var r Ranking
	var regrets, top3, either []float64
	var right, all int
	var base baselineRegrets
	for _, sweep := range parts(rows, func(s *scored) string { return s.sweep }) {
		g, ok := groupOf(sweep.rows)
		if sweep.name == "" || !ok {
			continue
		}
		pick := first(g.choice())
		if pick == nil || !pick.ran {
			r.FailedPicks++
		}
		regrets = append(regrets, g.regret(pick))
		top3 = append(top3, g.top3())
		either = append(either, min(g.regret(first(g.of(cost.Fits))), g.regret(first(g.of(cost.Borderline)))))
		ordered, compared := g.pairs()
		right, all = right+ordered, all+compared
		base.add(&g)
	}
	r.Groups, r.MeanRegret, r.MaxRegret = len(regrets), mean(regrets), none
	if len(regrets) > 0 {
		r.MaxRegret = Share(slices.Max(regrets))
	}
	r.Top3, r.SafeOrEdge, r.PairOrder = mean(top3), mean(either), ratio(right, all)
	r.Baselines = base.judge()
	return r
}
