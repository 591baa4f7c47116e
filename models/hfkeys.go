package models

// The quantities and every spelling of them that the families use.
var (
	hfLayers = quantity{"layers", "number of layers", 1, maxLayers,
		[]string{"num_hidden_layers", "n_layer", "n_layers", "num_layers"}}
	hfHidden = quantity{"hidden", "hidden size", 1, maxHidden,
		[]string{"hidden_size", "n_embd", "n_embed", "d_model"}}
	hfHeads = quantity{"heads", "number of attention heads", 1, maxHeads,
		[]string{"num_attention_heads", "n_head", "n_heads"}}
	hfKVHeads = quantity{"kv_heads", "number of key-value heads", 1, maxHeads,
		[]string{"num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads"}}
	hfHeadDim = quantity{"head_dim", "size of a head", 1, maxHidden,
		[]string{"head_dim", "attention_head_dim"}}
	hfFFN = quantity{"ffn", "width of the MLP", 1, maxWidth,
		[]string{"intermediate_size", "intermediate_size_mlp"}}
	hfInner = quantity{"ffn", "width of the MLP", 1, maxWidth,
		[]string{"n_inner", "intermediate_size"}}
	hfVocab = quantity{"vocab", "vocabulary size", 1, maxVocab,
		[]string{"vocab_size"}}
	hfMaxPos = quantity{"max_pos", "number of positions", 1, maxPositions,
		[]string{"max_position_embeddings", "max_seq_len"}}
	hfPositions = quantity{"max_pos", "number of positions", 1, maxPositions,
		[]string{"n_positions", "n_ctx", "max_position_embeddings"}}

	hfExperts = quantity{"experts", "number of experts", 1, maxExperts,
		[]string{"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"}}
	hfTopK = quantity{"top_k", "number of experts a token uses", 1, maxExperts,
		[]string{"num_experts_per_tok", "experts_per_token", "top_k_experts", "moe_top_k"}}
	hfMoEFFN = quantity{"moe_ffn", "width of an expert", 1, maxWidth,
		[]string{"moe_intermediate_size"}}
	// hfPlainMoEFFN is for families without dense layers, which call the width
	// of an expert intermediate_size.
	hfPlainMoEFFN = quantity{"moe_ffn", "width of an expert", 1, maxWidth,
		[]string{"intermediate_size", "moe_intermediate_size"}}
	hfShared = quantity{"shared_experts", "number of shared experts", 0, maxExperts,
		[]string{"n_shared_experts", "num_shared_experts"}}
	hfFirstDense = quantity{"first_k_dense", "number of leading dense layers", 0, maxLayers,
		[]string{"first_k_dense_replace"}}
	hfEvery = quantity{"moe_every", "period of MoE layers", 1, maxLayers,
		[]string{"decoder_sparse_step", "interleave_moe_layer_step"}}
	hfMTP = quantity{"mtp_layers", "number of multi-token-prediction layers", 0, maxMTP,
		[]string{"num_nextn_predict_layers", "num_mtp_modules", "mtp_num_hidden_layers"}}

	hfQRank = quantity{"q_lora_rank", "query latent", 0, maxHidden,
		[]string{"q_lora_rank"}}
	hfKVRank = quantity{"kv_lora_rank", "key-value latent", 1, maxHidden,
		[]string{"kv_lora_rank"}}
	hfNope = quantity{"qk_nope_dim", "part of a head without rotary embedding", 1, maxHidden,
		[]string{"qk_nope_head_dim"}}
	hfRope = quantity{"qk_rope_dim", "rotary part of a head", 1, maxHidden,
		[]string{"qk_rope_head_dim"}}
	hfQK = quantity{"head_dim", "size of a head", 1, maxHidden,
		[]string{"qk_head_dim"}}
	hfVDim = quantity{"v_dim", "value size of a head", 1, maxHidden,
		[]string{"v_head_dim"}}

	hfWindow = quantity{"window", "attention window", 1, maxPositions,
		[]string{"sliding_window", "sliding_window_size"}}
	hfWindowLayers = quantity{"attn_pattern", "number of layers with full attention", 0, maxLayers,
		[]string{"max_window_layers"}}
)
