package models

// hfFamily is one architecture of Hugging Face's transformers that is read.
type hfFamily struct {
	name  string   // the catalogue's word for it
	types []string // values of model_type
	archs []string // values of architectures
	read  func(*hfReader, *Model)
}

// The families. Defaults of absent keys are those of the family's
// configuration class in transformers.
var hfFamilies = []hfFamily{
	{"llama", []string{"llama"}, []string{"LlamaForCausalLM"}, readLlama},
	{"mistral", []string{"mistral"}, []string{"MistralForCausalLM"}, readMistral},
	{"mixtral", []string{"mixtral"}, []string{"MixtralForCausalLM"}, readMixtral},
	{"qwen2", []string{"qwen2"}, []string{"Qwen2ForCausalLM"}, readQwen2},
	{"qwen3", []string{"qwen3"}, []string{"Qwen3ForCausalLM"}, readQwen3},
	{"qwen3_moe", []string{"qwen3_moe"}, []string{"Qwen3MoeForCausalLM"}, readQwen3MoE},
	{"deepseek", []string{"deepseek_v2"}, []string{"DeepseekV2ForCausalLM"}, readDeepSeekV2},
	{"deepseek", []string{"deepseek_v3", "kimi_k2"}, []string{"DeepseekV3ForCausalLM"}, readDeepSeekV3},
	{"gpt_oss", []string{"gpt_oss"}, []string{"GptOssForCausalLM"}, readGPTOSS},
	{"gpt2", []string{"gpt2"}, []string{"GPT2LMHeadModel"}, readGPT2},
	{"gpt_neox", []string{"gpt_neox"}, []string{"GPTNeoXForCausalLM"}, readGPTNeoX},
}

func readLlama(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	m.MLPBias = r.flag("mlp_bias", false)
	r.fullAttention(m)
}

func readMistral(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	r.window(m, 4096, PatternSliding)
}

func readMixtral(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	r.experts(m, hfPlainMoEFFN)
	r.window(m, 0, PatternSliding)
}

func readQwen2(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	m.AttnBias = BiasQKV
	r.switchedWindow(m)
}

func readQwen3(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 128)
	m.FFN = r.need(hfFFN)
	r.qwen3Attention(m)
}

func readQwen3MoE(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 0)
	m.FFN = r.need(hfFFN)
	r.experts(m, hfMoEFFN)
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

func readDeepSeekV2(r *hfReader, m *Model) {
	r.deepSeek(m)
	m.RouterBias = r.word("topk_method") == "noaux_tc"
}

func readDeepSeekV3(r *hfReader, m *Model) {
	r.deepSeek(m)
	method := r.word("topk_method")
	m.RouterBias = method == "" || method == "noaux_tc"
}

// deepSeek reads latent attention and experts with leading dense layers and
// shared experts, each of which is as wide as a routed one.
func (r *hfReader) deepSeek(m *Model) {
	r.llamaLike(m)
	m.QLoraRank, m.KVLoraRank = r.or(hfQRank, 0), r.need(hfKVRank)
	m.QKNopeDim, m.QKRopeDim, m.VDim = r.need(hfNope), r.need(hfRope), r.need(hfVDim)
	r.latentHeadDim(m)
	m.FFN = r.need(hfFFN)
	r.experts(m, hfMoEFFN)
	m.SharedExperts = r.or(hfShared, 0)
	m.SharedFFN = m.SharedExperts * m.MoEFFN
	m.MTPLayers = r.or(hfMTP, 0)
	r.fullAttention(m)
}

// latentHeadDim checks the head sizes a latent-attention file may carry beside
// its parts: qk_head_dim is their sum, and head_dim is the sum or only the
// rotary part.
func (r *hfReader) latentHeadDim(m *Model) {
	m.HeadDim = m.QKDim()
	if n := r.or(hfQK, m.HeadDim); n != m.HeadDim {
		r.fail(r.get("qk_head_dim"), "qk_head_dim is %d but qk_nope_head_dim + qk_rope_head_dim is %d", n, m.HeadDim)
	}
	if n := r.or(hfHeadDim, m.HeadDim); n != m.HeadDim && n != m.QKRopeDim {
		r.fail(r.from["head_dim"], "head_dim is %d but qk_nope_head_dim + qk_rope_head_dim is %d and qk_rope_head_dim %d",
			n, m.HeadDim, m.QKRopeDim)
	}
}

func readGPTOSS(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 64)
	m.FFN = r.need(hfFFN)
	r.experts(m, hfPlainMoEFFN)
	m.AttnBias = r.bias("attention_bias", true, BiasQKVO)
	m.MLPBias, m.RouterBias, m.Sinks = true, true, true
	r.window(m, 128, everyPattern(1))
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
	r.fullAttention(m)
}
