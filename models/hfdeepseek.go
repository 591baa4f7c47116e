package models

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
