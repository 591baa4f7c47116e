package models

// Embedding is the size of the token embedding matrix, vocabulary not padded.
func (m *Model) Embedding() int64 { return int64(m.Vocab) * int64(m.Hidden) }

// Positions is the number of learned position parameters; 0 for rotary
// embeddings and ALiBi.
func (m *Model) Positions() int64 {
	if m.PosEmbed != Learned {
		return 0
	}
	return int64(m.MaxPos+m.PosOffset) * int64(m.Hidden)
}

// EmbeddingNorm is the size of the norm behind the embedding, 0 for nearly
// all models.
func (m *Model) EmbeddingNorm() int64 {
	if !m.EmbedNorm {
		return 0
	}
	return m.normSize()
}

// Head is the number of parameters the output head adds: its matrix unless it
// is tied to the embedding, and its bias where it has one.
func (m *Model) Head() int64 {
	var n int64
	if !m.TieEmbeddings {
		n = m.Embedding()
	}
	if m.HeadBias {
		n += int64(m.Vocab)
	}
	return n
}

// FinalNorm is the size of the norm before the head.
func (m *Model) FinalNorm() int64 { return m.normSize() }

// Total is the number of parameters of the model. Multi-token-prediction
// modules are not in it (see MTP), nor is padding of the vocabulary or a vision
// encoder (see VisionParams).
func (m *Model) Total() int64 {
	return m.ends() + m.sumLayers(func(k Kind) int64 { return m.Layer(k).Total() })
}

// Active is the number of parameters a token uses. The input embedding is
// counted; some publications leave it out.
func (m *Model) Active() int64 { return m.ends() + m.sumLayers(m.ActiveLayer) }

// ends is what stands before and behind the layers.
func (m *Model) ends() int64 {
	return m.Embedding() + m.Positions() + m.EmbeddingNorm() + m.FinalNorm() + m.Head()
}

func (m *Model) sumLayers(of func(Kind) int64) int64 {
	var sum int64
	for k, n := range m.Count() {
		if n > 0 {
			sum += int64(n) * of(Kind(k))
		}
	}
	return sum
}

// Range is the number of parameters of the pipeline stage that holds layers
// first <= i < end, with what stands before the layers (embedding, learned
// positions) if embedding is set, and with the final norm and the head if head
// is set. A stage with a tied head but without the embedding holds a copy of
// the embedding matrix, so the stages of a tied model may sum to more than
// Total. Bounds outside the model are cut to it.
func (m *Model) Range(first, end int, embedding, head bool) int64 {
	var sum int64
	kinds := m.Kinds()
	first, end = max(0, first), min(end, len(kinds))
	var size [NumKinds]int64
	for k := range size {
		if Kind(k) == Dense || m.Experts > 0 {
			size[k] = m.Layer(Kind(k)).Total()
		}
	}
	for i := first; i < end; i++ {
		sum += size[kinds[i]]
	}
	if embedding {
		sum += m.Embedding() + m.Positions() + m.EmbeddingNorm()
	}
	if head {
		sum += m.FinalNorm() + m.Head()
		if m.TieEmbeddings && !embedding {
			sum += m.Embedding()
		}
	}
	return sum
}

// MTP is the number of parameters of the multi-token-prediction modules, which
// Total leaves out. Each is one more layer of the last layer's kind, a
// projection from twice the hidden size, and three norms (its two inputs and
// its output); embedding and head are the model's own (DeepSeek-V3 technical
// report, section 2.2).
func (m *Model) MTP() int64 {
	if m.MTPLayers == 0 || m.Layers == 0 {
		return 0
	}
	h := int64(m.Hidden)
	last := m.Kinds()[m.Layers-1]
	return int64(m.MTPLayers) * (m.Layer(last).Total() + 2*h*h + 3*m.normSize())
}

// PaddedVocab is the vocabulary rounded up as Megatron-LM does, so that every
// tensor-parallel rank holds an equal multiple of `multiple` rows:
// ceil(V / (multiple*tp)) * (multiple*tp). Arguments below 1 count as 1.
func (m *Model) PaddedVocab(multiple, tp int) int {
	step := max(1, multiple) * max(1, tp)
	return (m.Vocab + step - 1) / step * step
}
