package cost

import (
	"math"

	"meshplan/models"
	"meshplan/plan"
)

// leastPeakOf bounds the reserved memory of the tightest stage: the mean over
// stages of what all dimensions share, stage 0 and the last stage; and, for one
// pp and layers of one kind, whether any split stays within the two limits a
// verdict knows.
func (m *Model) leastPeakOf(v *view, a *memory, usable float64) float64 {
	ratio := m.profile.Memory.Reserved.Value
	peak := max(max(m.meanPeak(v, a), m.endPeak(v, a))*ratio, m.hostPeak(v))
	if !v.pp.single() || !v.whole() && !v.order.Single() {
		return peak
	}
	for _, limit := range [...]float64{m.fitLimit(usable), m.runLimit(usable)} {
		if peak <= limit && !m.room(v, a, limit/ratio) {
			peak = math.Nextafter(limit, math.Inf(1))
		}
	}
	return peak
}

// meanPeak is the mean over the stages of their layers' state, with every
// dimension that shares it cancelled.
func (m *Model) meanPeak(v *view, a *memory) float64 {
	total := 0.0
	first, last := v.leastFlight(0, v.cols.hi), v.leastFlight(v.cols.hi-1, v.cols.hi)
	flight := min(first.most, last.most)
	for k, n := range m.layers {
		total += float64(n * (a.layer[k].state() + float64(flight*a.layer[k].kept)))
	}
	mean := total / v.cols.hi
	if v.zero.Hi >= plan.ZeroOptimizer {
		params := 0.0
		for k, n := range m.layers {
			if n > 0 {
				params += float64(n * float64(m.params[k].Total()))
			}
		}
		mean = max(mean, params*m.recipe.Optimizer*(1-percentOf(v.optOffload.Hi))/m.gpus)
	}
	step := 0.0
	for k, n := range m.layers {
		step += float64(n * a.layer[k].step)
	}
	return max(mean+a.common(), step/v.cols.hi)
}

// endPeak is the least memory of the first stage if it holds as many layers as
// the mean, or else of another stage that holds more.
func (m *Model) endPeak(v *view, a *memory) float64 {
	last := a.common() + a.beyond() + a.headWgrad + a.rootUnit + a.finalNorm + a.further
	if !a.tied {
		last += a.head
	}
	return max(last, a.common()+a.embedding)
}

// room reports whether the layers fit the stages when each may hold as many as the
// limit on allocated bytes allows: kind by kind, and the MoE layers where the dense
// ones take what they leave, or the place of as few of them as can be. Where kinds take
// turns, also as many of both as their drifts allow.
func (m *Model) room(v *view, a *memory, limit float64) bool {
	p := v.cols.lo
	left := m.layers
	turns := 0.0             // layers of both kinds
	beside, most := 0.0, 1.0 // dense layers that fit beside the most MoE layers, and at most so many times n in the place of any n
	for r := 0.0; r < p; r++ {
		flight := v.leastFlight(r, p)
		free := limit - a.common() - a.ends(r, p)
		if free < 0 {
			return false
		}
		var each, hold [models.NumKinds]float64
		for k := range left {
			if m.layers[k] == 0 {
				continue
			}
			each[k] = a.layer[k].state() + a.layer[k].activations(&flight)
			hold[k] = layersIn(free, each[k])
			left[k] -= hold[k]
		}
		if !m.single {
			spare := free - float64(hold[models.MoE]*each[models.MoE])
			beside += layersIn(spare, each[models.Dense])
			most = max(most, math.Ceil(each[models.MoE]/each[models.Dense]))
		}
		if !m.ordered {
			turns += m.turnsIn(free, each, v.vpp.hi)
		}
	}
	if !m.ordered && turns < float64(len(m.kinds)) {
		return false
	}
	if left[models.Dense] > 0 || left[models.MoE] > 0 {
		return false
	}
	displaced := 0.0
	if over := m.layers[models.Dense] - beside; over > 0 && !m.single {
		displaced = math.Ceil(over / most)
	}
	return left[models.MoE]+displaced <= 0
}

// layersIn is how many layers of a size surely do not exceed the free bytes, and one
// that does by rounding alone.
func layersIn(free, each float64) float64 {
	return math.Floor(float64(free/each*(1+1e-12)) + 1e-9)
}
