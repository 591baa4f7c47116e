package measured

import (
	"cmp"
	"slices"
	"strings"

	"meshplan/plan"
)

// Baselines are rules of thumb, judged on the same sweeps.
type Baselines struct {
	LeastModelParallel Baseline `json:"least_model_parallel"`
	LargestMicroBatch  Baseline `json:"largest_micro_batch"`
}

// Baseline is a rule of thumb in two forms: with the model's own verdicts on
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

// baselineRegrets gathers the regrets of both rules in both forms.
type baselineRegrets struct{ parallelSame, parallelTold, batchSame, batchTold []float64 }

// add picks in one more group.
func (b *baselineRegrets) add(g *group) {
	ran := slices.DeleteFunc(slices.Clone(g.candidates), func(c *candidate) bool { return !c.ran })
	b.parallelSame = append(b.parallelSame, g.regret(leastModelParallel(g.choice())))
	b.parallelTold = append(b.parallelTold, g.regret(leastModelParallel(ran)))
	b.batchSame = append(b.batchSame, g.regret(largestMicroBatch(g.choice())))
	b.batchTold = append(b.batchTold, g.regret(largestMicroBatch(ran)))
}

// judge sums up.
func (b *baselineRegrets) judge() Baselines {
	return Baselines{
		LeastModelParallel: Baseline{picks(b.parallelSame), picks(b.parallelTold)},
		LargestMicroBatch:  Baseline{picks(b.batchSame), picks(b.batchTold)},
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
