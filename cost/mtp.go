package cost

import (
	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// Multi-token prediction trains further layers behind the last one (DeepSeek-V3,
// arXiv 2412.19437, section 2.2). Each takes the output of the one before and the
// embedding of the next token, projects both together from twice the hidden size,
// runs a layer of the last one's kind and the output head once more. They lie on
// the last stage before the head (Megatron core multi_token_prediction.py), which for
// their sake holds a copy of the embedding unless it holds that itself. For the split
// they are a part of the head's load. The projection's tensor-parallel gather is not
// counted, nor how long activations wait for weights' gradients: they go without
// schedules that cut backwards (a rule of framework).

// setMTP sets what one of the job's multi-token-prediction layers holds.
func (m *Model) setMTP() {
	if m.mtp = float64(m.workload.MTP); m.mtp > 0 {
		h := float64(m.model.Hidden)
		m.further = m.held[m.lastKind()].plus(held{split: 2 * h * h, whole: 3 * float64(m.model.FinalNorm())}, 1)
	}
}

func (m *Model) lastKind() models.Kind { return m.kinds[len(m.kinds)-1] }

// mtpHeld is the parameters of the multi-token-prediction layers of the last of pp
// stages.
func (m *Model) mtpHeld(v *view, pp float64) held {
	var h held
	if m.mtp > 0 {
		h = h.plus(m.further, m.mtp)
		if pp > 1 && v.order.Hi < plan.ZBV.Value() && !m.model.TieEmbeddings {
			h.split += m.wordTable(v)
		}
	}
	return h
}

// mtpState is their bytes under the given bytes of a parameter.
func (m *Model) mtpState(v *view, per *perParameter) float64 {
	h := m.mtpHeld(v, v.pp.lo)
	return float64(h.split*per.split) + float64(h.whole*per.whole) + float64(h.experts*per.experts)
}

// mtpKept is their activations: of one micro-batch, whose backward follows its
// forward, or under GPipe of all.
func (m *Model) mtpKept(v *view, kept float64) float64 {
	if v.gpipe {
		kept *= v.micro.lo
	}
	return m.mtp * kept
}

// mtpPass is the time of their layers, without projections and heads.
func (m *Model) mtpPass(v *view, what measure) pass {
	if m.mtp == 0 {
		return pass{}
	}
	return m.layerPass(v, m.lastKind(), what).times(m.mtp)
}

// mtpFLOPs is their model FLOPs on one token.
func (m *Model) mtpFLOPs() float64 {
	if m.mtp == 0 {
		return 0
	}
	windows, h := m.model.Windows(), float64(m.model.Hidden)
	linear, core := m.model.LayerFLOPs(m.lastKind(), windows[len(windows)-1], int(m.workload.SeqLen))
	return 3 * m.mtp * float64(linear+core+m.model.HeadFLOPs()+units.FLOPs(4*h*h))
}
