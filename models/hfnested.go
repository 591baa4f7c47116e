package models

// inside reads an object that is nested in the one r reads.
func (r *hfReader) inside(m *jsonMember) *hfReader {
	n := newHFReader(r.file, r.text, m.value)
	n.outer, n.name = r, r.name
	if m.value.kind != jsonObject {
		n.fail(m, "%s is %s; want an object", m.key, m.value.String())
	}
	return n
}

// take takes over what a nested reader found: its first error, and the places
// of what it read.
func (r *hfReader) take(nested *hfReader) {
	if r.err == nil {
		r.err = nested.err
	}
	for key, member := range nested.from {
		if r.from[key] == nil {
			r.from[key] = member
		}
	}
}

// layers is the reader of the language model's layers: of text_config where
// the family nests them there, and of the file itself otherwise.
func (r *hfReader) layers(f *hfFamily) *hfReader {
	if f.encoder == nil {
		return r
	}
	text := r.get("text_config")
	if text == nil {
		return r
	}
	layers := r.inside(text)
	if kind := layers.get("model_type"); kind != nil && kind.value.text != f.text {
		layers.fail(kind, "text_config.model_type is %s, which is not the language model of %s", kind.value.String(), f.types[0])
	}
	return layers
}

// object reads a nested object that the family must have.
func (r *hfReader) object(key string, read func(*hfReader)) {
	m := r.get(key)
	if m == nil {
		r.fail(nil, "no object %s", key)
		return
	}
	nested := r.inside(m)
	read(nested)
	nested.leftovers()
	r.take(nested)
}

// tied reads whether the head is the embedding matrix; a nested language model
// may leave it to the object around it.
func (r *hfReader) tied(absent bool) bool {
	const key = "tie_word_embeddings"
	if r.outer != nil {
		absent = r.outer.flag(key, absent)
	}
	return r.flag(key, absent)
}

// around refuses keys of the nested layers that the object around them has too,
// with another value.
func (r *hfReader) around(layers *hfReader) {
	for i := range layers.root.members {
		in := &layers.root.members[i]
		out := r.root.get(in.key)
		if in.key == "model_type" || out == nil || in.value.kind == jsonNull || !layers.used[in.key] {
			continue
		}
		if a, b := in.value.String(), out.value.String(); a != b {
			layers.fail(in, "text_config.%s is %s but %s is %s: two spellings that disagree", in.key, a, in.key, b)
		}
	}
}

// encoder counts the vision encoder beside a nested language model. What can
// not be counted is said in the model's notes.
func (r *hfReader) encoder(f *hfFamily, m *Model) {
	m.Notes = "text part"
	vision := r.get("vision_config")
	if vision == nil {
		m.Notes += "; the file gives no shape of a vision encoder"
		return
	}
	if r.err != nil {
		return
	}
	tower := r.inside(vision)
	if n := f.encoder(tower, m); n > 0 {
		m.VisionParams = n
	} else {
		m.Notes += "; the vision encoder is not counted: vision_config does not give all its sizes"
	}
	tower.sameType()
	r.take(tower)
}
