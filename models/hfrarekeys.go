package models

// Quantities that only one or two families have.
var (
	hfSharedFFN = quantity{"shared_ffn", "width of the shared expert", 1, maxWidth,
		[]string{"shared_expert_intermediate_size"}}
	hfDBRXFFN = quantity{"moe_ffn", "width of an expert", 1, maxWidth,
		[]string{"ffn_hidden_size"}}
	hfExpertFFN = quantity{"moe_ffn", "width of an expert", 1, maxWidth,
		[]string{"intermediate_size"}}
	hfDenseFFN = quantity{"ffn", "width of a dense layer's MLP", 1, maxWidth,
		[]string{"intermediate_size_mlp"}}
	hfFalconFFN = quantity{"ffn", "width of the MLP", 1, maxWidth,
		[]string{"ffn_hidden_size"}}
	hfOPTFFN = quantity{"ffn", "width of the MLP", 1, maxWidth,
		[]string{"ffn_dim"}}
	hfExpansion = quantity{"ffn", "width of the MLP over the hidden size", 1, maxExpansion,
		[]string{"expansion_ratio"}}
	hfProjected = quantity{"hidden", "width of the embedding", 1, maxHidden,
		[]string{"word_embed_proj_dim"}}
	hfSeqLength = quantity{"max_pos", "number of positions", 1, maxPositions,
		[]string{"seq_length", "max_position_embeddings"}}
	hfFalconNorms = quantity{"norms_per_layer", "number of norms of parallel blocks", 1, 2,
		[]string{"num_ln_in_parallel_attn"}}
	hfChunk = quantity{"window", "chunk of the attention", 1, maxPositions,
		[]string{"attention_chunk_size"}}
	hfNoRope = quantity{"attn_pattern", "period of layers without rotary embedding", 1, maxLayers,
		[]string{"no_rope_layer_interval"}}
	hfPeriod = quantity{"attn_pattern", "period of layers with full attention", 1, maxLayers,
		[]string{"sliding_window_pattern", "_sliding_window_pattern"}}
	hfMTPDepth = quantity{"mtp_layers", "number of layers of a multi-token-prediction module", 1, maxMTP,
		[]string{"mtp_transformer_layers"}}
)
