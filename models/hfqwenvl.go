package models

// The sizes of the vision encoder of Qwen3-VL that others do not have.
var (
	hfVisionDepth = quantity{"vision_params", "number of the vision encoder's layers", 1, maxLayers,
		[]string{"depth"}}
	hfVisionFrames = quantity{"vision_params", "frames of a patch", 1, maxMerge,
		[]string{"temporal_patch_size"}}
	hfVisionPositions = quantity{"vision_params", "number of positions of the vision encoder", 1, maxPatches,
		[]string{"num_position_embeddings"}}
	hfVisionText = quantity{"vision_params", "width of the vision encoder's output", 1, maxHidden,
		[]string{"out_hidden_size"}}
)

// hfQwenVLs are the language models of Qwen3-VL, with the layers of Qwen3.
var hfQwenVLs = []hfFamily{
	{name: "qwen3_vl", types: []string{"qwen3_vl"}, archs: []string{"Qwen3VLForConditionalGeneration"},
		read: readQwen3, text: "qwen3_vl_text", encoder: qwen3Vision},
	{name: "qwen3_vl_moe", types: []string{"qwen3_vl_moe"}, archs: []string{"Qwen3VLMoeForConditionalGeneration"},
		read: readQwen3MoE, text: "qwen3_vl_moe_text", encoder: qwen3Vision},
}

// qwen3Vision counts the encoder of Qwen3-VL: patches of several frames through
// a convolution with bias, learned positions, the layers, and mergers, one
// behind the last layer and one behind each of deepstack_visual_indexes.
func qwen3Vision(r *hfReader, _ *Model) int64 {
	sizes := [...]quantity{hfVisionDepth, hfVisionHidden, hfVisionFFN, hfVisionPatch,
		hfVisionFrames, hfVisionPositions, hfMerge, hfVisionText}
	var n [len(sizes)]int64
	for i, q := range sizes {
		size, given := r.given(q)
		if !given {
			return 0
		}
		n[i] = int64(size)
	}
	t := tower{layers: n[0], hidden: n[1], ffn: n[2], patches: n[5], pixels: 3 * n[3] * n[3] * n[4]}
	merged := n[6] * n[6] * t.hidden
	merger := merged*merged + merged + merged*n[7] + n[7]
	deep := int64(0)
	if list := r.get("deepstack_visual_indexes"); list != nil {
		deep = int64(len(list.value.items))
	}
	ends := t.pixels*t.hidden + t.hidden + t.patches*t.hidden
	about := float64(t.layers)*float64(t.layer()) + float64(ends) + float64(deep+1)*float64(merged)*float64(merged+n[7])
	return r.vision(about, t.layers*t.layer()+ends+2*t.hidden+merger+deep*(2*merged+merger))
}
