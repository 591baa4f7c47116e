package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// transient is the buffers of one layer's backward: gradients of the MLP or, if
// they are larger, the keys and values that context parallelism gathers; the
// gathered input under sequence parallelism and what recompute makes again of
// the layer's activations. The largest over the model's layer kinds.
func (m *Model) transient(v *view, tokens *divided) float64 {
	c, h := &m.profile.Memory, float64(m.model.Hidden)
	most, gathered := 0.0, m.gathered(v)
	for k := range m.layers {
		if m.layers[k] == 0 {
			continue
		}
		t := max(gathered, c.BackwardFFN.Value*tokens.split*m.ffnWidth(models.Kind(k)))
		if v.recompute.Lo > int32(plan.RecomputeSelective) {
			t += m.remade[k].least(v.recompute).of(v, tokens)
		}
		most = max(most, t)
	}
	if v.sp.Lo == 1 && v.tp.lo > 1 {
		most += float64(m.seq * v.mb.lo / v.cp.hi * c.GatherBytes.Value * h)
	}
	return most
}

// ffnWidth is the MLP's width that one token passes in a layer of the kind.
func (m *Model) ffnWidth(kind models.Kind) float64 {
	if kind == models.Dense {
		return float64(m.model.FFN)
	}
	return float64(m.model.SharedFFN) + float64(m.load*float64(m.model.TopK*m.model.MoEFFN))
}
