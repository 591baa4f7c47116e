package cost

import "meshplan/models"

// held is the parameters of a rank before tensor and expert parallelism: what
// tp splits, what every tp rank holds, routed experts.
type held struct{ split, whole, experts float64 }

func (h held) plus(o held, times float64) held {
	return held{h.split + float64(o.split*times), h.whole + float64(o.whole*times), h.experts + float64(o.experts*times)}
}

func heldOf(p *models.LayerParams) held {
	return held{
		split:   float64(p.Attention + p.MLP + p.Shared + p.BiasSplit),
		whole:   float64(p.Latent + p.Norms + p.BiasWhole + p.Router),
		experts: float64(p.Experts + p.ExpertBias),
	}
}

// onRank is how many of the parameters one rank has, at least: those that tp
// splits, ep and etp divide, or every rank holds.
func (m *Model) onRank(v *view, h *held) float64 {
	return h.split/v.tp.hi + h.whole + h.experts/m.expertRanks(v)
}

// rankParams is what rank r of a job holds with the given layers of each kind.
func (m *Model) rankParams(v *view, layers [models.NumKinds]float64, r int, j *job) held {
	var h held
	for k, n := range layers {
		if n > 0 {
			h = h.plus(m.held[k], n)
		}
	}
	table := m.wordTable(v)
	if r == 0 {
		h.split += table
		h.whole += float64(m.model.Positions() + m.model.EmbeddingNorm())
	}
	if r == j.headRank() {
		h.whole += float64(m.model.FinalNorm())
		if !j.account.shared(float64(j.pp)) {
			h.split += table
		}
		h = h.plus(m.mtpHeld(v, float64(j.pp)), 1)
	}
	return h
}
