package models

import (
	"meshplan/plan"
	"meshplan/units"
)

// FLOPsPerToken is the model FLOPs of training on one token of a sequence of
// seq tokens: forward, and twice that for the backward pass. A multiply-add
// counts two. Counted are the matrices a token uses, the router, the attention
// core and the output head; not counted are the embedding lookup, norms,
// biases, activations, the optimizer, recompute and multi-token-prediction
// modules. Causal attention counts half: a token sees seq/2 others on average.
func (m *Model) FLOPsPerToken(seq int) units.FLOPs {
	return m.HardwareFLOPsPerToken(seq, plan.RecomputeNone)
}

// HardwareFLOPsPerToken is FLOPsPerToken plus the work that recompute repeats:
// the attention core (selective) or the forward pass of every layer, not of
// the head (full).
func (m *Model) HardwareFLOPsPerToken(seq int, r plan.Recompute) units.FLOPs {
	linear, core := m.forward(seq)
	times := units.FLOPs(3)
	switch r {
	case plan.RecomputeSelective:
		return units.FLOPs(times*(linear+core+m.HeadFLOPs())) + core
	case plan.RecomputeFull:
		return units.FLOPs(times*m.HeadFLOPs()) + units.FLOPs((times+1)*(linear+core))
	}
	return times * (linear + core + m.HeadFLOPs())
}

// LayerFLOPs is the forward work of one layer on one token: of its matrices,
// and of the attention core (scores and weighted values), causal, with a window
// of the given tokens (0 = full) in a sequence of seq tokens.
func (m *Model) LayerFLOPs(k Kind, window, seq int) (linear, core units.FLOPs) {
	p := m.Layer(k)
	used := p.Attention + p.Latent + p.MLP + p.Shared + int64(m.Hidden)*m.routed(k)
	if k == MoE {
		used += p.Experts / int64(m.Experts) * int64(m.TopK)
	}
	widths := float64(m.Heads) * float64(m.QKDim()+m.VHeadDim())
	return units.FLOPs(2 * float64(used)), units.FLOPs(2 * widths * MeanContext(seq, window))
}

// routed is the number of router outputs of a layer, with the gate of the
// shared experts.
func (m *Model) routed(k Kind) int64 {
	switch {
	case k != MoE:
		return 0
	case m.SharedGate:
		return int64(m.Experts) + 1
	}
	return int64(m.Experts)
}

// HeadFLOPs is the forward work of the output head on one token.
func (m *Model) HeadFLOPs() units.FLOPs { return units.FLOPs(2 * float64(m.Embedding())) }

// MeanContext is the mean number of tokens a token attends to in a causal
// sequence: seq/2, or w - w*w/(2 seq) under a window of w < seq tokens (0 =
// no window).
func MeanContext(seq, window int) float64 {
	s, w := float64(max(0, seq)), float64(window)
	if window <= 0 || w >= s {
		return s / 2
	}
	return w - float64(w*w)/(2*s)
}

// forward is the forward work of all layers on one token.
func (m *Model) forward(seq int) (linear, core units.FLOPs) {
	windows := m.Windows()
	for i, k := range m.Kinds() {
		l, c := m.LayerFLOPs(k, windows[i], seq)
		linear += l
		core += c
	}
	return linear, core
}

// MegatronFLOPs is the closed form of Narayanan et al. (SC21, equation 3) for
// one step of a GPT model on `batch` sequences:
//
//	96 B s l h^2 (1 + s/(6h) + V/(16 l h))
//
// It counts full recompute and attention as if it were NOT causal, so it
// exceeds FLOPsPerToken; publications that use it report "TFLOP/s" in its
// terms. It holds for an MLP of 4h without gate and heads*head_dim = h.
func MegatronFLOPs(batch, seq, layers, hidden, vocab int) units.FLOPs {
	b, s, l := float64(batch), float64(seq), float64(layers)
	h, v := float64(hidden), float64(vocab)
	return units.FLOPs(96 * b * s * l * h * h * (1 + s/(6*h) + v/(16*l*h)))
}
