package models

// hfGPTs are the families with layer norms and an MLP without gate.
var hfGPTs = []hfFamily{
	plainFamily("gpt2", "GPT2LMHeadModel", readGPT2),
	plainFamily("gpt_neox", "GPTNeoXForCausalLM", readGPTNeoX),
	plainFamily("gpt_bigcode", "GPTBigCodeForCausalLM", readGPTBigCode),
	plainFamily("opt", "OPTForCausalLM", readOPT),
	plainFamily("bloom", "BloomForCausalLM", readBLOOM),
	{name: "mpt", types: []string{"mpt"}, archs: []string{"MPTForCausalLM", "MptForCausalLM"}, read: readMPT},
	plainFamily("starcoder2", "Starcoder2ForCausalLM", readStarCoder2),
	plainFamily("nemotron", "NemotronForCausalLM", readNemotron),
}

func readGPT2(r *hfReader, m *Model) {
	r.decoder(m, true)
	m.KVHeads = m.Heads
	r.headDim(m, 0)
	m.FFN = r.or(hfInner, 4*m.Hidden)
	m.MaxPos = r.need(hfPositions)
	m.Norm, m.PosEmbed = LayerNorm, Learned
	m.AttnBias, m.MLPBias = BiasQKVO, true
	r.fullAttention(m)
}

func readGPTNeoX(r *hfReader, m *Model) {
	r.decoder(m, false)
	m.KVHeads = m.Heads
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.MaxPos = r.or(hfMaxPos, 0)
	m.Norm, m.PosEmbed = LayerNorm, Rope
	m.AttnBias, m.MLPBias = r.bias("attention_bias", true, BiasQKVO), true
	m.Parallel = r.flag("use_parallel_residual", true)
	r.fullAttention(m)
}

// readGPTBigCode reads StarCoder: GPT-2 with one head of keys and values.
func readGPTBigCode(r *hfReader, m *Model) {
	readGPT2(r, m)
	if r.flag("multi_query", true) {
		m.KVHeads = 1
	}
}

// readOPT reads OPT: learned positions, two more than there are, and no model
// with norms behind the blocks or a projected embedding.
func readOPT(r *hfReader, m *Model) {
	r.decoder(m, true)
	m.KVHeads = m.Heads
	r.headDim(m, 0)
	m.FFN = r.need(hfOPTFFN)
	m.MaxPos, m.PosOffset = r.need(hfMaxPos), 2
	m.Norm, m.PosEmbed = LayerNorm, Learned
	m.AttnBias, m.MLPBias = r.bias("enable_bias", true, BiasQKVO), r.flag("enable_bias", true)
	if n := r.or(hfProjected, m.Hidden); n != m.Hidden {
		r.unmodelled(r.get("word_embed_proj_dim"), "an embedding narrower than the hidden size")
	}
	r.switchedOff("_remove_final_layer_norm", "a model without its last norm")
	r.always("do_layer_norm_before", "norms behind the blocks instead of before them")
	r.always("layer_norm_elementwise_affine", "norms without weights")
	r.fullAttention(m)
}

// readBLOOM reads BLOOM: ALiBi, and a norm behind the embedding.
func readBLOOM(r *hfReader, m *Model) {
	r.decoder(m, true)
	m.KVHeads = m.Heads
	r.headDim(m, 0)
	m.FFN = 4 * m.Hidden
	if n, ok := r.given(hfInner); ok && n != m.FFN {
		r.fail(r.from["ffn"], "%s is %d but the MLP of BLOOM is 4 times the hidden size, %d", r.from["ffn"].key, n, m.FFN)
	}
	m.MaxPos = r.or(hfSeqLength, 0)
	m.Norm, m.PosEmbed, m.EmbedNorm = LayerNorm, Alibi, true
	m.AttnBias, m.MLPBias = BiasQKVO, true
	r.fullAttention(m)
}

// readMPT reads MPT with ALiBi: layer norms without bias, and no biases.
func readMPT(r *hfReader, m *Model) {
	r.decoder(m, true)
	m.KVHeads = m.Heads
	r.headDim(m, 0)
	m.FFN = r.or(hfExpansion, 4) * m.Hidden
	m.MaxPos = r.or(hfMaxPos, 0)
	m.Norm, m.PosEmbed = LayerNormNoBias, Alibi
	r.always("no_bias", "biases in norms and matrices")
	r.object("attn_config", func(attention *hfReader) {
		attention.switchedOff("qk_ln", "norms on queries and keys")
		if !attention.flag("alibi", true) {
			attention.unmodelled(attention.get("alibi"), "ALiBi is")
		}
		if kind := attention.word("attn_type"); kind != "" && kind != "multihead_attention" {
			attention.unmodelled(attention.get("attn_type"), "multihead_attention is")
		}
	})
	r.fullAttention(m)
}

// readStarCoder2 reads StarCoder2: grouped heads, a window, biases everywhere.
func readStarCoder2(r *hfReader, m *Model) {
	r.decoder(m, true)
	m.KVHeads = r.or(hfKVHeads, 2)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.MaxPos = r.or(hfMaxPos, 0)
	m.Norm, m.PosEmbed = LayerNorm, Rope
	m.AttnBias, m.MLPBias = r.bias("use_bias", true, BiasQKVO), r.flag("use_bias", true)
	r.window(m, 0, PatternSliding)
}

// readNemotron reads Nemotron-4 and Minitron: grouped heads and squared ReLU.
func readNemotron(r *hfReader, m *Model) {
	r.decoder(m, false)
	m.KVHeads = r.or(hfKVHeads, m.Heads)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.MaxPos = r.or(hfMaxPos, 0)
	m.Norm, m.PosEmbed = LayerNorm1P, Rope
	m.AttnBias, m.MLPBias = r.bias("attention_bias", false, BiasQKVO), r.flag("mlp_bias", false)
	r.fullAttention(m)
}
