package models

// The sizes of a vision encoder.
var (
	hfVisionLayers = quantity{"vision_params", "number of the vision encoder's layers", 1, maxLayers,
		[]string{"num_hidden_layers"}}
	hfVisionHidden = quantity{"vision_params", "hidden size of the vision encoder", 1, maxHidden,
		[]string{"hidden_size"}}
	hfVisionFFN = quantity{"vision_params", "width of the vision encoder's MLP", 1, maxWidth,
		[]string{"intermediate_size"}}
	hfVisionImage = quantity{"vision_params", "pixels of an image's side", 1, maxImage,
		[]string{"image_size"}}
	hfVisionPatch = quantity{"vision_params", "pixels of a patch's side", 1, maxImage,
		[]string{"patch_size"}}
	hfVisionOut = quantity{"vision_params", "width of the vision encoder's output", 1, maxHidden,
		[]string{"vision_output_dim"}}
	hfMerge = quantity{"vision_params", "patches merged along a side", 1, maxMerge,
		[]string{"spatial_merge_size"}}
	hfVisionProject = quantity{"vision_params", "width of the vision adapter", 1, maxHidden,
		[]string{"projector_input_dim"}}
	hfVisionProjectOut = quantity{"vision_params", "output of the vision adapter", 1, maxHidden,
		[]string{"projector_output_dim"}}
)

// tower is the shape of a vision transformer: layers of plain attention and an
// MLP without gate, both with biases, and two layer norms each.
type tower struct{ layers, hidden, ffn, patches, pixels int64 }

// tower reads the shape; whether the file gives all of it is the second result.
func (r *hfReader) tower() (t tower, ok bool) {
	sizes := [...]quantity{hfVisionLayers, hfVisionHidden, hfVisionFFN, hfVisionImage, hfVisionPatch}
	var n [len(sizes)]int64
	ok = true
	for i, q := range sizes {
		size, given := r.given(q)
		n[i], ok = int64(size), ok && given
	}
	if !ok || r.err != nil {
		return t, false
	}
	side := n[3] / n[4]
	return tower{layers: n[0], hidden: n[1], ffn: n[2], patches: side * side, pixels: 3 * n[4] * n[4]}, true
}

// layer is the parameters of one layer.
func (t tower) layer() int64 {
	attention := 4*t.hidden*t.hidden + 4*t.hidden
	mlp := 2*t.hidden*t.ffn + t.ffn + t.hidden
	return attention + mlp + 4*t.hidden
}

// siglip counts the encoder of Gemma 3: patches through a convolution with
// bias, learned positions, the layers and a last layer norm; and the projector,
// a norm and a matrix to the hidden size of the text.
func siglip(r *hfReader, m *Model) int64 {
	t, ok := r.tower()
	if !ok || r.flag("vision_use_head", true) {
		return 0
	}
	ends := t.pixels*t.hidden + t.hidden + t.patches*t.hidden + 2*t.hidden
	return r.vision(float64(t.layers)*float64(t.layer())+float64(ends),
		t.layers*t.layer()+ends+t.hidden+t.hidden*int64(m.Hidden))
}

// llama4Vision counts the encoder of Llama 4: patches through a matrix, a class
// token, learned positions, norms before and behind the layers; the adapter of
// two matrices behind the shuffle of pixels; and the projector to the text.
func llama4Vision(r *hfReader, m *Model) int64 {
	t, ok := r.tower()
	out, hasOut := r.given(hfVisionOut)
	in, hasIn := r.given(hfVisionProject)
	adapted, hasAdapted := r.given(hfVisionProjectOut)
	if !ok || !hasOut || !hasIn || !hasAdapted || r.err != nil {
		return 0
	}
	ends := t.pixels*t.hidden + t.hidden + (t.patches+1)*t.hidden + 4*t.hidden
	adapter := t.ffn*int64(in) + int64(in)*int64(adapted)
	projector := int64(out) * int64(m.Hidden)
	return r.vision(float64(t.layers)*float64(t.layer())+float64(ends), t.layers*t.layer()+ends+adapter+projector)
}

// pixtral counts the encoder of Mistral 3: patches through a convolution, a
// norm, and layers with RMS norms and a gated MLP, without biases; and the
// projector, a norm, a matrix that merges patches, and two to the text.
func pixtral(r *hfReader, m *Model) int64 {
	t, ok := r.tower()
	if !ok {
		return 0
	}
	merge, text := int64(r.outer.or(hfMerge, 2)), int64(m.Hidden)
	layer := 4*t.hidden*t.hidden + 3*t.hidden*t.ffn + 2*t.hidden
	projector := t.hidden + merge*merge*t.hidden*t.hidden + t.hidden*text + text*text
	if r.outer.flag("multimodal_projector_bias", false) {
		projector += 2 * text
	}
	return r.vision(float64(t.layers)*float64(layer), t.layers*layer+t.pixels*t.hidden+t.hidden+projector)
}

// vision is the count n, refused where an estimate of it is absurd.
func (r *hfReader) vision(about float64, n int64) int64 {
	if about > maxVision || n > maxVision {
		r.fail(r.from["vision_params"], "the vision encoder would have about %.3g parameters; at most %.0g are accepted",
			about, float64(maxVision))
		return 0
	}
	return n
}
