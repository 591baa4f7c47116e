package models

// LayerParams are the parameter counts of one layer, told apart by which
// ranks share them. A matrix of n inputs and m outputs counts n*m.
type LayerParams struct {
	Attention  int64 // q, k, v, o matrices (MLA: q or q_b, kv_b, o); divided by tp
	Latent     int64 // MLA down projections q_a and kv_a; whole on every tp rank
	MLP        int64 // dense MLP matrices; divided by tp
	Shared     int64 // shared-expert matrices; divided by tp
	Experts    int64 // all routed experts' matrices; divided by etp and ep
	Router     int64 // router matrix and bias, gate of the shared experts; whole on every rank
	Norms      int64 // norm weights and biases, query-key norms, latent norms, sinks; whole on every rank
	BiasSplit  int64 // biases of column-parallel matrices; divided by tp
	BiasWhole  int64 // biases of row-parallel matrices; whole on every tp rank
	ExpertBias int64 // biases of all routed experts; divided by ep
}

// Total is the number of parameters of the layer.
func (p LayerParams) Total() int64 {
	return p.Attention + p.Latent + p.MLP + p.Shared + p.Experts + p.Router +
		p.Norms + p.BiasSplit + p.BiasWhole + p.ExpertBias
}

// Layer is the parameter count of one layer of the kind.
func (m *Model) Layer(k Kind) LayerParams {
	var p LayerParams
	m.addAttention(&p)
	m.addNorms(&p)
	if k == MoE {
		m.addExperts(&p)
	} else {
		m.addMLP(&p)
	}
	return p
}

// ActiveLayer is the number of parameters of one layer of the kind that a
// token uses: all but the routed experts it is not sent to.
func (m *Model) ActiveLayer(k Kind) int64 {
	p := m.Layer(k)
	if k == MoE {
		unused := int64(m.Experts - m.TopK)
		p.Experts -= p.Experts / int64(m.Experts) * unused
		p.ExpertBias -= p.ExpertBias / int64(m.Experts) * unused
	}
	return p.Total()
}

func (m *Model) addAttention(p *LayerParams) {
	h, heads, kv := int64(m.Hidden), int64(m.Heads), int64(m.KVHeads)
	if m.MLA() {
		m.addLatentAttention(p)
		return
	}
	d := int64(m.HeadDim)
	p.Attention = 2*h*heads*d + 2*h*kv*d
	if m.AttnBias == BiasQKV || m.AttnBias == BiasQKVO {
		p.BiasSplit += (heads + 2*kv) * d
	}
	if m.AttnBias == BiasQKVO {
		p.BiasWhole += h
	}
}

// addLatentAttention counts MLA: queries through a latent of QLoraRank where
// there is one, keys and values through one of KVLoraRank, and a rotary key
// part shared by all heads.
func (m *Model) addLatentAttention(p *LayerParams) {
	h, heads := int64(m.Hidden), int64(m.Heads)
	qk, nope, v := int64(m.QKDim()), int64(m.QKNopeDim), int64(m.VDim)
	ql, kvl, rope := int64(m.QLoraRank), int64(m.KVLoraRank), int64(m.QKRopeDim)
	queries := h * heads * qk
	if ql > 0 {
		p.Latent += h * ql
		queries = ql * heads * qk
	}
	p.Latent += h * (kvl + rope)
	p.Attention = queries + kvl*heads*(nope+v) + heads*v*h
	p.Norms += ql + kvl // RMS norms of the two latents
}

func (m *Model) addNorms(p *LayerParams) {
	p.Norms += int64(m.NormsPerLayer) * m.normSize()
	switch m.QKNorm {
	case QKNormHead:
		p.Norms += 2 * int64(m.HeadDim)
	case QKNormLayer:
		p.Norms += int64(m.Heads+m.KVHeads) * int64(m.HeadDim)
	}
	if m.Sinks {
		p.Norms += int64(m.Heads)
	}
}

func (m *Model) addMLP(p *LayerParams) {
	h, f := int64(m.Hidden), int64(m.FFN)
	p.MLP = m.mlpMatrices() * h * f
	if m.MLPBias {
		p.BiasSplit += (m.mlpMatrices() - 1) * f
		p.BiasWhole += h
	}
}

func (m *Model) addExperts(p *LayerParams) {
	h, experts, f := int64(m.Hidden), int64(m.Experts), int64(m.MoEFFN)
	p.Experts = experts * m.mlpMatrices() * h * f
	p.Shared = m.mlpMatrices() * h * int64(m.SharedFFN)
	p.Router = h * experts
	if m.RouterBias {
		p.Router += experts
	}
	if m.SharedGate {
		p.Router += h
	}
	if m.MLPBias {
		p.ExpertBias = experts * ((m.mlpMatrices()-1)*f + h)
	}
}

// mlpMatrices is the number of matrices of an MLP: gate, up and down, or up
// and down.
func (m *Model) mlpMatrices() int64 {
	if m.GatedMLP {
		return 3
	}
	return 2
}

// normSize is the number of parameters of one layer norm.
func (m *Model) normSize() int64 {
	if m.Norm == LayerNorm || m.Norm == LayerNorm1P {
		return 2 * int64(m.Hidden)
	}
	return int64(m.Hidden)
}
