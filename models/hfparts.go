package models

// decoder reads the sizes that every family has. The MLP is read apart.
func (r *hfReader) decoder(m *Model, tied bool) {
	m.Layers = r.need(hfLayers)
	m.Hidden = r.need(hfHidden)
	m.Heads = r.need(hfHeads)
	m.Vocab = r.need(hfVocab)
	m.TieEmbeddings = r.tied(tied)
}

// llamaLike reads what the Llama lineage shares: gated MLP, RMS norms, rotary
// embedding, and grouped key-value heads.
func (r *hfReader) llamaLike(m *Model) {
	r.decoder(m, false)
	m.Norm, m.PosEmbed, m.GatedMLP = RMSNorm, Rope, true
	m.MaxPos = r.or(hfMaxPos, 0)
	m.KVHeads = r.or(hfKVHeads, m.Heads)
}

// llama reads llamaLike with the size of a head, by default absent (see
// headDim), and the width of the MLP.
func (r *hfReader) llama(m *Model, absent int) {
	r.llamaLike(m)
	r.headDim(m, absent)
	m.FFN = r.need(hfFFN)
}

// headDim reads the size of a head; absent is the family's own default, 0 for
// hidden size over heads.
func (r *hfReader) headDim(m *Model, absent int) {
	n, given := r.given(hfHeadDim)
	switch {
	case given:
		m.HeadDim = n
	case absent > 0:
		m.HeadDim = absent
	case m.Hidden%m.Heads != 0:
		r.fail(r.from["heads"], "there is no head_dim, and %d heads do not divide the hidden size %d", m.Heads, m.Hidden)
	default:
		m.HeadDim = m.Hidden / m.Heads
	}
}

// bias reads a switch for attention biases.
func (r *hfReader) bias(key string, absent bool, on Bias) Bias {
	if r.flag(key, absent) {
		return on
	}
	return BiasNone
}

// experts reads the routed experts; width is how the family spells theirs.
func (r *hfReader) experts(m *Model, width quantity) {
	m.Experts = r.need(hfExperts)
	m.TopK = r.need(hfTopK)
	m.MoEFFN = r.need(width)
	r.moeLayers(m)
}

// moeLayers reads which layers are MoE: leading dense ones, given as a count,
// as a list of dense layers or as a list of 0 and 1, and a period.
func (r *hfReader) moeLayers(m *Model) {
	m.MoEEvery = r.or(hfEvery, 1)
	first, given := r.given(hfFirstDense)
	source := "first_k_dense_replace"
	for _, key := range []string{"mlp_only_layers", "moe_layer_freq"} {
		member := r.get(key)
		if member == nil || member.value.kind == jsonArray && len(member.value.items) == 0 {
			continue
		}
		k, ok := leadingDense(&member.value, key, m.Layers)
		if !ok {
			r.unmodelled(member, "only leading dense layers before MoE layers are")
			return
		}
		if k < 0 {
			continue
		}
		if given && k != first {
			r.fail(member, "%s gives %d leading dense layers but %s gives %d: two spellings that disagree", key, k, source, first)
			return
		}
		first, given, source = k, true, key
	}
	m.FirstKDense = first
}

// leadingDense is the number of leading dense layers that a member says: -1 for
// a moe_layer_freq of 1, which says nothing of them.
func leadingDense(v *jsonValue, key string, layers int) (k int, ok bool) {
	if v.kind != jsonArray {
		n, ok := v.whole()
		return -1, ok && n == 1 && key == "moe_layer_freq"
	}
	numbers := make([]int, len(v.items))
	for i := range v.items {
		if numbers[i], ok = v.items[i].whole(); !ok {
			return 0, false
		}
	}
	if key == "mlp_only_layers" {
		for i, n := range numbers {
			if n != i {
				return 0, false
			}
		}
		return len(numbers), len(numbers) < layers
	}
	for k < len(numbers) && numbers[k] == 0 {
		k++
	}
	for _, n := range numbers[k:] {
		if n != 1 {
			return 0, false
		}
	}
	return k, len(numbers) == layers
}
