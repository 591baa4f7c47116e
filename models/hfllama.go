package models

func readLlama(r *hfReader, m *Model) {
	r.llama(m, 0)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	m.MLPBias = r.flag("mlp_bias", false)
	r.fullAttention(m)
}

func readMistral(r *hfReader, m *Model) {
	r.llama(m, 0)
	r.window(m, 4096, PatternSliding)
}

func readQwen2(r *hfReader, m *Model) {
	r.llama(m, 0)
	m.AttnBias = BiasQKV
	r.switchedWindow(m)
}

func readQwen3(r *hfReader, m *Model) {
	r.llama(m, 128)
	r.qwen3Attention(m)
}

// qwen3Attention reads what the Qwen3 families share: norms on queries and
// keys, which their configuration can not switch off.
func (r *hfReader) qwen3Attention(m *Model) {
	m.QKNorm = QKNormHead
	if member := r.get("use_qk_norm"); member != nil && !r.flag("use_qk_norm", true) {
		r.unmodelled(member, "Qwen3 always has norms on queries and keys")
	}
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	r.switchedWindow(m)
}

// readMiMo reads MiMo 7B: the layers of Qwen2, with multi-token prediction.
func readMiMo(r *hfReader, m *Model) {
	r.llama(m, 0)
	m.AttnBias = r.bias("attention_bias", true, BiasQKV)
	m.MTPLayers = r.or(hfMTP, 0)
	r.switchedWindow(m)
}

func readPhi3(r *hfReader, m *Model) {
	r.llama(m, 0)
	r.window(m, 0, PatternSliding)
}

// readGLM reads GLM-4 9B.
func readGLM(r *hfReader, m *Model) {
	r.llama(m, 128)
	m.AttnBias = r.bias("attention_bias", true, BiasQKV)
	r.fullAttention(m)
}

// readGLM4 reads the dense GLM-4 of 2025, with norms before and behind the blocks.
func readGLM4(r *hfReader, m *Model) {
	r.llama(m, 128)
	m.NormsPerLayer = 4
	m.AttnBias = r.bias("attention_bias", false, BiasQKV)
	r.fullAttention(m)
}

// readInternLM2 reads the layers of Llama with one word for their biases.
func readInternLM2(r *hfReader, m *Model) {
	r.llama(m, 0)
	m.AttnBias = r.bias("bias", true, BiasQKVO)
	r.fullAttention(m)
}

// readSmolLM3 reads the layers of Llama, some of them without rotary embedding,
// which changes no count.
func readSmolLM3(r *hfReader, m *Model) {
	readLlama(r, m)
	m.TieEmbeddings = r.tied(true)
	r.switchedOff("use_sliding_window", "windowed layers")
}

// readSeedOSS reads the layers of Llama with a switch of its own for the bias
// behind attention.
func readSeedOSS(r *hfReader, m *Model) {
	r.llama(m, 128)
	m.AttnBias = r.bias("attention_bias", true, BiasQKV)
	r.switchedOff("attention_out_bias", "a bias behind attention alone")
	m.MLPBias = r.flag("mlp_bias", false)
	r.fullAttention(m)
}

// readOLMo2 reads OLMo 2, whose layers all have full attention.
func readOLMo2(r *hfReader, m *Model) {
	r.olmo(m)
	r.fullAttention(m)
}

// readOLMo3 reads OLMo 3: three windowed layers to a full one.
func readOLMo3(r *hfReader, m *Model) {
	r.olmo(m)
	r.window(m, 4096, everyPattern(3))
}

// olmo reads what both share: norms over all heads of queries and keys, and one
// norm behind each block instead of before it.
func (r *hfReader) olmo(m *Model) {
	r.llama(m, 0)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	m.QKNorm = QKNormLayer
}
