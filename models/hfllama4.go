package models

// readLlama4 reads the language model of Llama 4: one shared expert as wide as
// a routed one, wider dense layers between, and attention in chunks but for
// every fourth layer. Its norm on queries and keys has no weights.
func readLlama4(r *hfReader, m *Model) {
	r.llamaLike(m)
	r.headDim(m, 128)
	m.MoEFFN, m.FFN = r.need(hfExpertFFN), r.or(hfDenseFFN, 16384)
	m.Experts, m.TopK = r.need(hfExperts), r.or(hfTopK, 1)
	m.SharedExperts, m.SharedFFN = 1, m.MoEFFN
	r.moeList(m)
	m.AttnBias = r.bias("attention_bias", false, BiasQKVO)
	r.flag("use_qk_norm", true)
	r.chunks(m)
}

// moeList reads which layers are MoE: a period, a list of them, or both.
func (r *hfReader) moeList(m *Model) {
	list, step := r.get("moe_layers"), 1
	if list != nil && !list.value.trivial() {
		if first, ok := list.value.number(0); ok && first < m.Layers {
			step = max(1, first+1)
		}
	}
	m.MoEEvery = r.or(hfEvery, step)
	if list == nil || list.value.trivial() {
		return
	}
	n := 0
	for i, kind := range m.Kinds() {
		if kind != MoE {
			continue
		}
		if at, ok := list.value.number(n); !ok || at != i {
			break
		}
		n++
	}
	if n != m.Count()[MoE] || n != len(list.value.items) {
		r.fail(list, "moe_layers is not every layer that interleave_moe_layer_step %d gives: two spellings that disagree", m.MoEEvery)
	}
}

// chunks reads the attention in chunks: layers with rotary embedding have it,
// the others, every no_rope_layer_interval-th, see everything.
func (r *hfReader) chunks(m *Model) {
	pattern := everyOrFull(r.or(hfNoRope, 4))
	if list := r.get("no_rope_layers"); list != nil && !list.value.trivial() {
		row, whole := chunkRow(&list.value, m.Layers)
		listed, regular := patternOf(row)
		if !whole || !regular {
			r.unmodelled(list, "its order is not n layers of 1 to one of 0, for every layer")
			return
		}
		if every := r.from["attn_pattern"]; every != nil && listed != pattern {
			r.fail(list, "no_rope_layers has another order than %s %s: two spellings that disagree", every.key, every.value.String())
		}
		pattern = listed
	}
	r.windowIn(hfChunk, m, 8192, pattern)
}

// chunkRow is no_rope_layers, a 1 for each layer with rotary embedding, as a
// row of layers.
func chunkRow(list *jsonValue, layers int) (row string, ok bool) {
	letters := make([]byte, 0, layers)
	for i := range list.items {
		switch n, _ := list.items[i].whole(); {
		case n == 1:
			letters = append(letters, 's')
		case list.items[i].kind == jsonNumber && n == 0:
			letters = append(letters, 'f')
		default:
			return "", false
		}
	}
	return string(letters), len(letters) == layers
}
