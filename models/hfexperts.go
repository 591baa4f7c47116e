package models

// hfExperted are the families of which all or most layers have experts.
var hfExperted = []hfFamily{
	plainFamily("mixtral", "MixtralForCausalLM", readMixtral),
	plainFamily("qwen2_moe", "Qwen2MoeForCausalLM", readQwen2MoE),
	plainFamily("qwen3_moe", "Qwen3MoeForCausalLM", readQwen3MoE),
	{name: "deepseek", types: []string{"deepseek_v2"}, archs: []string{"DeepseekV2ForCausalLM"}, read: readDeepSeekV2},
	{name: "deepseek", types: []string{"deepseek_v3", "kimi_k2"}, archs: []string{"DeepseekV3ForCausalLM"}, read: readDeepSeekV3},
	plainFamily("glm4_moe", "Glm4MoeForCausalLM", readGLM4MoE),
	plainFamily("gpt_oss", "GptOssForCausalLM", readGPTOSS),
	plainFamily("minimax_m2", "MiniMaxM2ForCausalLM", readMiniMaxM2),
	plainFamily("olmoe", "OlmoeForCausalLM", readOLMoE),
	plainFamily("phimoe", "PhiMoEForCausalLM", readPhiMoE),
	{name: "grok", types: []string{"grok-1", "grok1"}, archs: []string{"Grok1ModelForCausalLM"}, read: readGrok},
	plainFamily("dbrx", "DbrxForCausalLM", readDBRX),
	{name: "llama4", types: []string{"llama4", "llama4_text"},
		archs: []string{"Llama4ForConditionalGeneration", "Llama4ForCausalLM"}, read: readLlama4,
		text: "llama4_text", encoder: llama4Vision},
}

func readMixtral(r *hfReader, m *Model) {
	r.llama(m, 0)
	r.experts(m, hfPlainMoEFFN)
	r.window(m, 0, PatternSliding)
}

func readQwen3MoE(r *hfReader, m *Model) {
	r.llama(m, 0)
	r.experts(m, hfMoEFFN)
	r.qwen3Attention(m)
}

func readGPTOSS(r *hfReader, m *Model) {
	r.llama(m, 64)
	r.experts(m, hfPlainMoEFFN)
	m.AttnBias = r.bias("attention_bias", true, BiasQKVO)
	m.MLPBias, m.RouterBias, m.Sinks = true, true, true
	r.window(m, 128, everyPattern(1))
}

// readQwen2MoE reads experts beside one shared expert with a width and a gate
// of its own.
func readQwen2MoE(r *hfReader, m *Model) {
	r.llama(m, 0)
	r.experts(m, hfMoEFFN)
	m.SharedExperts, m.SharedFFN, m.SharedGate = 1, r.need(hfSharedFFN), true
	m.AttnBias = r.bias("qkv_bias", true, BiasQKV)
	r.switchedWindow(m)
}

// readGLM4MoE reads GLM-4.5: leading dense layers, shared experts and a router
// bias; only the larger model has norms on queries and keys.
func readGLM4MoE(r *hfReader, m *Model) {
	r.llama(m, 128)
	r.experts(m, hfMoEFFN)
	m.FirstKDense = r.or(hfFirstDense, 1)
	m.SharedExperts = r.or(hfShared, 1)
	m.SharedFFN = m.SharedExperts * m.MoEFFN
	m.RouterBias = true
	m.MTPLayers = r.or(hfMTP, 0)
	m.AttnBias = r.bias("attention_bias", false, BiasQKV)
	if r.flag("use_qk_norm", false) {
		m.QKNorm = QKNormHead
	}
	r.fullAttention(m)
}

// readOLMoE reads experts with norms over all heads of queries and keys.
func readOLMoE(r *hfReader, m *Model) {
	r.llama(m, 0)
	r.experts(m, hfPlainMoEFFN)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	m.QKNorm = QKNormLayer
	r.fullAttention(m)
}

// readPhiMoE reads Phi-3.5 MoE: layer norms, and biases in attention and head.
func readPhiMoE(r *hfReader, m *Model) {
	r.llama(m, 0)
	m.Norm = LayerNorm
	r.experts(m, hfPlainMoEFFN)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	m.HeadBias = r.flag("lm_head_bias", false)
	r.window(m, 0, PatternSliding)
}

// readGrok reads Grok-1: experts, and norms before and behind the blocks.
func readGrok(r *hfReader, m *Model) {
	r.llamaLike(m)
	m.TieEmbeddings = r.tied(true)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	r.experts(m, hfPlainMoEFFN)
	m.NormsPerLayer = 4
	r.fullAttention(m)
}

// readDBRX reads DBRX, which nests attention and experts in objects of their
// own and has layer norms without bias.
func readDBRX(r *hfReader, m *Model) {
	r.decoder(m, false)
	m.Norm, m.PosEmbed, m.GatedMLP = LayerNormNoBias, Rope, true
	m.MaxPos = r.or(hfMaxPos, 0)
	r.headDim(m, 0)
	r.object("attn_config", func(attention *hfReader) { m.KVHeads = attention.need(hfKVHeads) })
	r.object("ffn_config", func(ffn *hfReader) {
		m.MoEFFN = ffn.need(hfDBRXFFN)
		m.Experts, m.TopK = ffn.need(hfExperts), ffn.need(hfTopK)
	})
	m.FFN, m.MoEEvery = m.MoEFFN, 1
	r.fullAttention(m)
}
