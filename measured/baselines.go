package measured

import (
	"cmp"
	"slices"
	"strings"

	"meshplan/plan"
)

// Baselines are rules of thumb and a constant rate, judged on the same sweeps.
type Baselines struct {
	LeastModelParallel Baseline `json:"least_model_parallel"`
	LargestMicroBatch  Baseline `json:"largest_micro_batch"`
	ConstantRate       Baseline `json:"constant_rate"` // which tells no plans apart: the mean over all that may be picked
}

// Baseline is one of them in two forms: with the model's own verdicts on
// memory, and with the knowledge of what ran.
type Baseline struct {
	SameVerdict Picks `json:"same_verdict"`
	ToldWhatRan Picks `json:"told_what_ran"`
}

// Picks are what a rule's picks lose.
type Picks struct {
	MeanRegret  Share `json:"mean_regret"`
	FailedPicks int   `json:"failed_picks"`
}

// leastModelParallel picks without recompute first, then least tp*pp, least
// micro-batch, least tp.
func leastModelParallel(list []*candidate) *candidate {
	return least(list, func(c *candidate) [4]int64 {
		recompute := int64(0)
		if c.plan.Options.Recompute != plan.RecomputeNone {
			recompute = 1
		}
		return [4]int64{recompute, c.modelParallel(), int64(c.plan.Options.MicroBatch), c.tp()}
	})
}

// largestMicroBatch picks tp of at most 8, then least tp*pp, least tp, the
// largest micro-batch.
func largestMicroBatch(list []*candidate) *candidate {
	return least(list, func(c *candidate) [4]int64 {
		wide := int64(0)
		if c.tp() > 8 {
			wide = 1
		}
		return [4]int64{wide, c.modelParallel(), c.tp(), -int64(c.plan.Options.MicroBatch)}
	})
}

func (c *candidate) tp() int64 { return int64(c.plan.Placement.Degree(plan.TP)) }

func (c *candidate) modelParallel() int64 { return c.tp() * int64(c.plan.Placement.Degree(plan.PP)) }

// least is the candidate of the least key, ties by text; nil of none.
func least(list []*candidate, key func(*candidate) [4]int64) *candidate {
	if len(list) == 0 {
		return nil
	}
	return slices.MinFunc(list, func(a, b *candidate) int {
		x, y := key(a), key(b)
		return cmp.Or(slices.Compare(x[:], y[:]), strings.Compare(a.text, b.text))
	})
}

// baselineRegrets gathers the regrets of each baseline in both forms.
type baselineRegrets struct{ parallelSame, parallelTold, batchSame, batchTold, anySame, anyTold []float64 }

// add picks in one more group.
func (b *baselineRegrets) add(g *group) {
	ran := slices.DeleteFunc(slices.Clone(g.candidates), func(c *candidate) bool { return !c.ran })
	b.parallelSame = append(b.parallelSame, g.regret(leastModelParallel(g.choice())))
	b.parallelTold = append(b.parallelTold, g.regret(leastModelParallel(ran)))
	b.batchSame = append(b.batchSame, g.regret(largestMicroBatch(g.choice())))
	b.batchTold = append(b.batchTold, g.regret(largestMicroBatch(ran)))
	b.anySame = append(b.anySame, g.anyRegret(g.choice()))
	b.anyTold = append(b.anyTold, g.anyRegret(ran))
}

// anyRegret is the mean regret of the candidates: what one loses who cannot
// tell them apart.
func (g *group) anyRegret(list []*candidate) float64 {
	if len(list) == 0 {
		return g.regret(nil)
	}
	sum := 0.0
	for _, c := range list {
		sum += g.regret(c)
	}
	return sum / float64(len(list))
}

// judge sums up.
func (b *baselineRegrets) judge() Baselines {
	return Baselines{
		LeastModelParallel: Baseline{picks(b.parallelSame), picks(b.parallelTold)},
		LargestMicroBatch:  Baseline{picks(b.batchSame), picks(b.batchTold)},
		ConstantRate:       Baseline{picks(b.anySame), picks(b.anyTold)},
	}
}

// picks sums up regrets; only a failed pick loses everything.
func picks(regrets []float64) Picks {
	p := Picks{MeanRegret: mean(regrets)}
	for _, r := range regrets {
		if r == 1 {
			p.FailedPicks++
		}
	}
	return p
}
