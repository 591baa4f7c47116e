package cost

import (
	"fmt"

	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// repeatedFLOPs is the work per token of the matrices that recompute of ops or
// of the MLP repeats, over all layers; models counts the other kinds.
func (m *Model) repeatedFLOPs(r plan.Recompute) float64 {
	if r != plan.RecomputeOps && r != plan.RecomputeMLP {
		return 0
	}
	total := 0.0
	for k, n := range m.layers {
		if n == 0 {
			continue
		}
		kind, layer := models.Kind(k), 0.0
		if kind == models.MoE {
			layer = float64(m.params[k].Experts) / float64(m.model.Experts) * float64(m.model.TopK)
		}
		list := m.mlpLinears(kind, 1)
		if r == plan.RecomputeOps {
			list = m.remadeLinears(kind, 1)
		}
		for _, g := range list {
			layer += g.n * g.k
		}
		total += float64(2 * n * layer)
	}
	return total
}

// recomputeWarnings says what a plan gains by recompute that flash attention
// makes pointless.
func (m *Model) recomputeWarnings(v *view) []string {
	if plan.Recompute(v.recompute.Lo) != plan.RecomputeSelective || !m.profile.Memory.Flash {
		return nil
	}
	kind, tokens := m.kinds[0], m.divided(v)
	saved := m.keepsOf(kind, plan.RecomputeNone).of(v, &tokens) - m.keepsOf(kind, plan.RecomputeSelective).of(v, &tokens)
	cost := m.layerParts(v, kind).recompute
	return []string{fmt.Sprintf("recompute selective gains little under flash attention, which keeps no scores: per layer and micro-batch it saves %.3g MiB and costs %.3g ms",
		saved/float64(units.MiB), 1e3*cost)}
}
