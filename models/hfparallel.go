package models

// hfParallels are the families with attention and MLP side by side.
var hfParallels = []hfFamily{
	{name: "falcon", types: []string{"falcon", "RefinedWeb", "RefinedWebModel"},
		archs: []string{"FalconForCausalLM", "RWForCausalLM"}, read: readFalcon},
	plainFamily("cohere", "CohereForCausalLM", readCohere),
	plainFamily("cohere2", "Cohere2ForCausalLM", readCohere2),
	plainFamily("phi", "PhiForCausalLM", readPhi),
	plainFamily("gptj", "GPTJForCausalLM", readGPTJ),
	plainFamily("stablelm", "StableLmForCausalLM", readStableLM),
}

// readFalcon reads Falcon. The first models share one head of keys and values;
// those of the new architecture have groups, and a norm each for attention and
// MLP. The hub's files store the tied matrix twice.
func readFalcon(r *hfReader, m *Model) {
	r.decoder(m, true)
	r.headDim(m, 0)
	m.FFN = r.or(hfFalconFFN, 4*m.Hidden)
	m.MaxPos = r.or(hfMaxPos, 2048)
	m.Norm, m.PosEmbed = LayerNorm, Rope
	if r.flag("alibi", false) {
		m.PosEmbed = Alibi
	}
	m.AttnBias, m.MLPBias = r.bias("bias", false, BiasQKVO), r.flag("bias", false)
	grouped := r.flag("new_decoder_architecture", false)
	m.KVHeads = r.falconHeads(m, grouped, r.flag("multi_query", true))
	m.Parallel = r.flag("parallel_attn", true)
	m.NormsPerLayer = r.falconNorms(m, grouped)
	r.fullAttention(m)
}

// falconHeads is the key-value heads: their number counts in the new
// architecture only.
func (r *hfReader) falconHeads(m *Model, grouped, shared bool) int {
	n, given := r.given(hfKVHeads)
	switch {
	case grouped && given:
		return n
	case !grouped && shared:
		return 1
	case !grouped && given && n != m.Heads:
		r.fail(r.from["kv_heads"], "%s is %d but multi_query and new_decoder_architecture are false, so each of %d heads has its own",
			r.from["kv_heads"].key, n, m.Heads)
	}
	return m.Heads
}

// falconNorms is the norms of a layer.
func (r *hfReader) falconNorms(m *Model, grouped bool) int {
	absent := 1
	if grouped {
		absent = 2
	}
	n := r.or(hfFalconNorms, absent)
	if !m.Parallel {
		if grouped {
			r.unmodelled(r.get("parallel_attn"), "the new architecture in a row")
		}
		return 2
	}
	return n
}

// readCohere reads Command R: one norm without bias for attention and MLP, and
// in the larger model norms on each head of queries and keys.
func readCohere(r *hfReader, m *Model) {
	r.cohere(m)
	m.KVHeads = r.or(hfKVHeads, m.Heads)
	if r.flag("use_qk_norm", false) {
		m.QKNorm = QKNormLayer
	}
	r.fullAttention(m)
}

// readCohere2 reads Command R7B and Command A: three windowed layers to a full
// one.
func readCohere2(r *hfReader, m *Model) {
	r.cohere(m)
	r.switchedOff("use_qk_norm", "norms on queries and keys")
	r.window(m, 4096, r.period(4))
}

// cohere reads what both share.
func (r *hfReader) cohere(m *Model) {
	r.llamaLike(m)
	m.TieEmbeddings = r.tied(true)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.Norm, m.NormsPerLayer, m.Parallel = LayerNormNoBias, 1, true
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
}

// readPhi reads Phi-1 to Phi-2: one layer norm, and biases everywhere, in the
// head too.
func readPhi(r *hfReader, m *Model) {
	r.decoder(m, false)
	m.KVHeads = r.or(hfKVHeads, m.Heads)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.MaxPos = r.or(hfMaxPos, 0)
	m.Norm, m.PosEmbed, m.NormsPerLayer, m.Parallel = LayerNorm, Rope, 1, true
	m.AttnBias, m.MLPBias, m.HeadBias = BiasQKVO, true, true
	r.switchedOff("qk_layernorm", "norms on queries and keys")
	r.fullAttention(m)
}

// readGPTJ reads GPT-J: one layer norm, and biases in MLP and head only.
func readGPTJ(r *hfReader, m *Model) {
	r.decoder(m, false)
	m.KVHeads = m.Heads
	r.headDim(m, 0)
	m.FFN = r.or(hfInner, 4*m.Hidden)
	m.MaxPos = r.or(hfPositions, 0)
	m.Norm, m.PosEmbed, m.NormsPerLayer, m.Parallel = LayerNorm, Rope, 1, true
	m.MLPBias, m.HeadBias = true, true
	r.fullAttention(m)
}

// readStableLM reads StableLM: layer norms and a gated MLP; side by side, the
// blocks share one norm.
func readStableLM(r *hfReader, m *Model) {
	r.llama(m, 0)
	m.Norm = LayerNorm
	m.AttnBias = r.bias("use_qkv_bias", false, BiasQKV)
	if r.flag("use_parallel_residual", false) {
		m.NormsPerLayer, m.Parallel = 1, true
	}
	r.switchedOff("qk_layernorm", "norms on queries and keys")
	r.fullAttention(m)
}
