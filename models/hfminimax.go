package models

// readMiniMaxM2 reads MiniMax M2 and M2.5, whose layers all have full
// attention; earlier MiniMax models, with linear attention, are other families.
func readMiniMaxM2(r *hfReader, m *Model) {
	r.llama(m, 128)
	r.experts(m, hfPlainMoEFFN)
	r.miniMaxNorm(m)
	m.RouterBias = r.flag("use_routing_bias", true)
	if modules := r.or(hfMTP, 0); r.flag("use_mtp", modules > 0) {
		m.MTPLayers = modules
	}
	if n, ok := r.given(hfMTPDepth); ok && n != 1 {
		r.unmodelled(r.get("mtp_transformer_layers"), "a multi-token-prediction module has one layer")
	}
	r.fullAttention(m)
	r.attentionKinds(m)
}

// miniMaxNorm reads the norms on queries and keys, which are over all heads.
func (r *hfReader) miniMaxNorm(m *Model) {
	kind := r.word("qk_norm_type")
	if !r.flag("use_qk_norm", true) {
		return
	}
	m.QKNorm = QKNormLayer
	if kind != "" && kind != "per_layer" {
		r.unmodelled(r.get("qk_norm_type"), "per_layer is")
	}
}

// attentionKinds reads attn_type_list, in which 1 is full attention and 0
// linear attention.
func (r *hfReader) attentionKinds(m *Model) {
	list := r.get("attn_type_list")
	if list == nil {
		return
	}
	if list.value.kind != jsonArray || len(list.value.items) != m.Layers {
		r.fail(list, "attn_type_list has %d entries for %d layers", len(list.value.items), m.Layers)
		return
	}
	for i := range list.value.items {
		if n, ok := list.value.items[i].whole(); !ok || n != 1 {
			r.fail(list, "attn_type_list has %s, which is not modelled: linear-attention layers; 1 is", &list.value.items[i])
			return
		}
	}
}
