package models

import "pgregory.net/rapid"

// tensor is one parameter tensor; expert is the number of the routed expert it
// belongs to, -1 for none.
type tensor struct {
	size   int64
	expert int
}

// tensors lists every parameter tensor of a model the way a checkpoint does,
// one by one: an oracle for the closed counts.
func tensors(m *Model) []tensor {
	var all []tensor
	add := func(expert int, dims ...int) {
		n := int64(1)
		for _, d := range dims {
			n *= int64(d)
		}
		all = append(all, tensor{n, expert})
	}
	norm := func() {
		add(-1, m.Hidden)
		if m.Norm == LayerNorm || m.Norm == LayerNorm1P {
			add(-1, m.Hidden)
		}
	}
	linear := func(expert int, in, out int, bias bool) {
		add(expert, in, out)
		if bias {
			add(expert, out)
		}
	}
	mlp := func(expert, width int, bias bool) {
		if m.GatedMLP {
			linear(expert, m.Hidden, width, bias)
		}
		linear(expert, m.Hidden, width, bias)
		linear(expert, width, m.Hidden, bias)
	}
	add(-1, m.Vocab, m.Hidden)
	if m.PosEmbed == Learned {
		add(-1, m.MaxPos+m.PosOffset, m.Hidden)
	}
	if m.EmbedNorm {
		norm()
	}
	for i := range m.Layers {
		attentionTensors(m, add, linear)
		for range m.NormsPerLayer {
			norm()
		}
		if m.Experts == 0 || i < m.FirstKDense || (i+1)%m.MoEEvery != 0 {
			mlp(-1, m.FFN, m.MLPBias)
			continue
		}
		linear(-1, m.Hidden, m.Experts, m.RouterBias)
		for e := range m.Experts {
			mlp(e, m.MoEFFN, m.MLPBias)
		}
		if m.SharedGate {
			add(-1, m.Hidden)
		}
		if m.SharedFFN > 0 {
			mlp(-1, m.SharedFFN, false)
		}
	}
	norm()
	if !m.TieEmbeddings {
		add(-1, m.Vocab, m.Hidden)
	}
	if m.HeadBias {
		add(-1, m.Vocab)
	}
	return all
}

func attentionTensors(m *Model, add func(int, ...int), linear func(int, int, int, bool)) {
	if m.MLA() {
		if m.QLoraRank > 0 {
			linear(-1, m.Hidden, m.QLoraRank, false)
			add(-1, m.QLoraRank)
			linear(-1, m.QLoraRank, m.Heads*(m.QKNopeDim+m.QKRopeDim), false)
		} else {
			linear(-1, m.Hidden, m.Heads*(m.QKNopeDim+m.QKRopeDim), false)
		}
		linear(-1, m.Hidden, m.KVLoraRank+m.QKRopeDim, false)
		add(-1, m.KVLoraRank)
		linear(-1, m.KVLoraRank, m.Heads*(m.QKNopeDim+m.VDim), false)
		linear(-1, m.Heads*m.VDim, m.Hidden, false)
	} else {
		in := m.AttnBias != BiasNone
		linear(-1, m.Hidden, m.Heads*m.HeadDim, in)
		linear(-1, m.Hidden, m.KVHeads*m.HeadDim, in)
		linear(-1, m.Hidden, m.KVHeads*m.HeadDim, in)
		linear(-1, m.Heads*m.HeadDim, m.Hidden, m.AttnBias == BiasQKVO)
	}
	switch m.QKNorm {
	case QKNormHead:
		add(-1, m.HeadDim)
		add(-1, m.HeadDim)
	case QKNormLayer:
		add(-1, m.Heads*m.HeadDim)
		add(-1, m.KVHeads*m.HeadDim)
	}
	if m.Sinks {
		add(-1, m.Heads)
	}
}

// drawModel draws a small valid model of any architecture.
func drawModel(t *rapid.T) *Model {
	num := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	yes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	m := &Model{
		Name: "drawn", Layers: num("layers", 1, 9), Hidden: num("hidden", 1, 64), FFN: num("ffn", 1, 99),
		KVHeads: num("kv heads", 1, 4), HeadDim: num("head dim", 1, 16), Vocab: num("vocab", 1, 500),
		TieEmbeddings: yes("tied"), GatedMLP: yes("gated"), MLPBias: yes("mlp bias"),
		AttnBias:      rapid.SampledFrom([]Bias{BiasNone, BiasQKV, BiasQKVO}).Draw(t, "bias"),
		QKNorm:        rapid.SampledFrom([]QKNorm{QKNormNone, QKNormHead, QKNormLayer}).Draw(t, "qk norm"),
		Norm:          rapid.SampledFrom([]Norm{RMSNorm, LayerNorm, LayerNorm1P, LayerNormNoBias}).Draw(t, "norm"),
		NormsPerLayer: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "norms"),
		PosEmbed:      rapid.SampledFrom([]PosEmbed{Rope, Learned, Alibi}).Draw(t, "positions"),
		MaxPos:        num("max pos", 1, 200), EmbedNorm: yes("embed norm"), Sinks: yes("sinks"),
		MTPLayers: num("mtp", 0, 2), HeadBias: yes("head bias"), VisionParams: int64(num("vision", 0, 1000)),
	}
	m.Parallel = m.NormsPerLayer == 1 || m.NormsPerLayer == 2 && yes("parallel")
	if m.PosEmbed == Learned {
		m.PosOffset = num("offset", 0, 2)
	}
	m.Heads = m.KVHeads * num("group", 1, 4)
	if yes("mla") {
		m.KVHeads, m.AttnBias, m.QKNorm = m.Heads, BiasNone, QKNormNone
		m.KVLoraRank, m.QLoraRank = num("kv rank", 1, 9), num("q rank", 0, 9)
		m.QKNopeDim, m.QKRopeDim, m.VDim = num("nope", 1, 9), num("rope", 1, 9), num("v", 1, 9)
		m.HeadDim = m.QKDim()
	}
	if yes("moe") {
		m.Experts, m.MoEFFN, m.RouterBias = num("experts", 1, 6), num("moe ffn", 1, 33), yes("router bias")
		m.TopK, m.MoEEvery = num("top k", 1, m.Experts), num("every", 1, m.Layers)
		m.FirstKDense = num("dense", 0, m.Layers/m.MoEEvery*m.MoEEvery-1)
		if yes("shared") {
			m.SharedExperts, m.SharedFFN, m.SharedGate = 1, num("shared ffn", 1, 33), yes("shared gate")
		}
	}
	if run := num("window run", 0, 4); run > 0 {
		m.Window, m.AttnPattern = num("window", 1, 99), everyPattern(run)
	}
	m.SetDefaults()
	if err := m.Validate(); err != nil {
		t.Fatalf("drawn model: %v", err)
	}
	return m
}
