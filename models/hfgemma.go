package models

// hfGemmas are the families of Gemma.
var hfGemmas = []hfFamily{
	plainFamily("gemma", "GemmaForCausalLM", readGemma),
	plainFamily("gemma2", "Gemma2ForCausalLM", readGemma2),
	{name: "gemma3", types: []string{"gemma3", "gemma3_text"},
		archs: []string{"Gemma3ForConditionalGeneration", "Gemma3ForCausalLM"}, read: readGemma3,
		text: "gemma3_text", encoder: siglip},
}

func readGemma(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.gemma(m)
	r.fullAttention(m)
}

// readGemma2 reads norms before and behind the blocks, and every second layer
// windowed.
func readGemma2(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.gemma(m)
	m.NormsPerLayer = 4
	r.window(m, 4096, r.period(2))
}

// readGemma3 reads Gemma 3: the layers of Gemma 2 with norms on queries and
// keys, and five windowed layers to a full one. Files of the smaller models
// leave out heads and vocabulary.
func readGemma3(r *hfReader, m *Model) {
	m.Layers, m.Hidden = r.need(hfLayers), r.need(hfHidden)
	m.Heads, m.KVHeads = r.or(hfHeads, 8), r.or(hfKVHeads, 4)
	m.Vocab, m.MaxPos = r.or(hfVocab, 262208), r.or(hfMaxPos, 131072)
	m.Norm, m.PosEmbed, m.GatedMLP = RMSNorm, Rope, true
	m.HeadDim, m.FFN = r.or(hfHeadDim, 256), r.need(hfFFN)
	m.TieEmbeddings = r.tied(true)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	m.NormsPerLayer, m.QKNorm = 4, QKNormHead
	r.window(m, 4096, r.period(6))
}

// gemma reads what the first two share.
func (r *hfReader) gemma(m *Model) {
	m.TieEmbeddings = r.tied(true)
	r.headDim(m, 256)
	m.FFN = r.need(hfFFN)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
}
