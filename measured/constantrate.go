package measured

import (
	"cmp"
	"math"
	"slices"

	"meshplan/plan"
)

// rateKey is what a constant rate holds for.
type rateKey struct {
	profile, gpu string
	precision    plan.Precision
}

// ownKey is the rows that a row's constant rate must not have seen: those of
// its sweep, or without one those of its model and source.
type ownKey struct{ sweep, source, model string }

// constantRates gives every timed row the step time by the simplest of models:
// a constant number of model FLOPs a second and GPU. The rate is the median, by
// log ratio, of what other rows of the same profile, GPU and precision reached,
// so that the row's own sweep is never among those that its rate is fitted to.
func constantRates(rows []*scored) {
	of := map[rateKey][]*scored{}
	for _, s := range rows {
		if s.skip == nil && s.seconds > 0 {
			k := rateKey{s.profile, s.gpu, s.workload.Precision}
			of[k] = append(of[k], s)
		}
	}
	for _, group := range of {
		constantRate(group)
	}
}

// constantRate does it for the rows of one profile, GPU and precision.
func constantRate(rows []*scored) {
	slices.SortStableFunc(rows, func(a, b *scored) int { return cmp.Compare(a.logRate(), b.logRate()) })
	rates := make([]float64, len(rows))
	own := map[ownKey][]int{} // places in the sorted rows
	for i, s := range rows {
		rates[i] = s.logRate()
		if s.sweep != "" {
			k := ownKey{sweep: s.sweep}
			own[k] = append(own[k], i)
		}
		k := ownKey{source: s.source, model: s.model.Name}
		own[k] = append(own[k], i)
	}
	for _, s := range rows {
		k := ownKey{source: s.source, model: s.model.Name}
		if s.sweep != "" {
			k = ownKey{sweep: s.sweep}
		}
		if rate, ok := medianWithout(rates, own[k]); ok {
			s.byRate = s.modelFLOPs() / (math.Exp(rate) * s.gpus)
		}
	}
}

// modelFLOPs of a step: recompute not counted, causal attention once.
func (s *scored) modelFLOPs() float64 {
	return s.prediction.tokens * float64(s.model.FLOPsPerToken(int(s.workload.SeqLen)))
}

// logRate is the logarithm of the model FLOPs a second and GPU that were
// measured.
func (s *scored) logRate() float64 {
	return math.Log(s.modelFLOPs()) - math.Log(s.seconds) - math.Log(s.gpus)
}

// medianWithout is the median of the sorted values but for those at the places,
// which are sorted too; ok is false where none is left.
func medianWithout(sorted []float64, places []int) (m float64, ok bool) {
	left := len(sorted) - len(places)
	if left == 0 {
		return 0, false
	}
	nth := func(i int) float64 {
		for _, p := range places {
			if p > i {
				break
			}
			i++
		}
		return sorted[i]
	}
	return (nth((left-1)/2) + nth(left/2)) / 2, true
}

// rateError is the relative error of the step time by a constant rate; ok is
// false where there is none.
func (s *scored) rateError() (e float64, ok bool) {
	if s.byRate == 0 {
		return 0, false
	}
	return s.byRate/s.seconds - 1, true
}
