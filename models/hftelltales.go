package models

// telltale is a key that changes what the layers are, with the reason.
type telltale struct{ key, why string }

// foreign are keys that no family read here has. A file with one that is
// switched on is refused: its layers are not counted as if they were plain.
var foreign = []telltale{
	{"block_configs", "each layer has a shape of its own"},
	{"hybrid_override_pattern", "layers are a mix of attention, Mamba and MLP"},
	{"layers_block_type", "layers are a mix of attention and Mamba"},
	{"hybrid_layer_pattern", "windowed layers have heads of their own"},
	{"swa_head_dim", "windowed layers have heads of their own"},
	{"mamba_num_heads", "Mamba layers"},
	{"ssm_state_size", "Mamba layers"},
	{"linear_num_key_heads", "linear-attention layers"},
	{"linear_num_value_heads", "linear-attention layers"},
	{"full_attention_interval", "linear-attention layers"},
	{"attn_output_gate", "a gate behind attention"},
	{"compress_ratios", "compressed attention"},
	{"hc_mult", "hyper-connections"},
	{"num_hash_layers", "layers routed by hashes"},
	{"o_lora_rank", "a low-rank output projection"},
	{"index_topk", "a sparse-attention indexer"},
	{"index_n_heads", "a sparse-attention indexer"},
	{"index_head_dim", "a sparse-attention indexer"},
	{"enable_moe_block", "experts beside a dense MLP"},
	{"global_head_dim", "full-attention layers have heads of their own"},
	{"num_global_key_value_heads", "full-attention layers have heads of their own"},
	{"num_kv_shared_layers", "layers that share keys and values"},
	{"hidden_size_per_layer_input", "embeddings for every layer"},
	{"attn_config", "attention in a nested object"},
	{"ffn_config", "experts in a nested object"},
	{"text_config", "a language model nested in a larger one"},
	{"vision_config", "a vision encoder"},
	{"audio_config", "an audio encoder"},
	{"add_cross_attention", "cross-attention"},
	{"is_encoder_decoder", "an encoder"},
	{"attention_chunk_size", "attention in chunks"},
	{"use_routing_bias", "a bias in the router"},
	{"qk_norm_type", "norms on queries and keys"},
	{"shared_intermediate_size", "a shared expert"},
	{"shared_expert_intermediate_size", "a shared expert with a gate of its own"},
	{"moe_shared_expert_intermediate_size", "a shared expert with a width of its own"},
}

// optional are keys that some families have and others do not. A file with one
// is refused if its family's reader did not ask for it.
var optional = []telltale{
	{"use_qk_norm", "norms on queries and keys"},
	{"n_shared_experts", "shared experts"},
	{"num_shared_experts", "shared experts"},
	{"num_experts", "experts"},
	{"num_local_experts", "experts"},
	{"n_routed_experts", "experts"},
	{"first_k_dense_replace", "a mix of dense and MoE layers"},
	{"moe_layer_freq", "a mix of dense and MoE layers"},
	{"interleave_moe_layer_step", "a mix of dense and MoE layers"},
	{"mlp_only_layers", "a mix of dense and MoE layers"},
	{"kv_lora_rank", "latent attention"},
	{"q_lora_rank", "latent attention"},
	{"num_nextn_predict_layers", "multi-token-prediction layers"},
	{"num_mtp_modules", "multi-token-prediction layers"},
	{"mtp_num_hidden_layers", "multi-token-prediction layers"},
	{"attention_bias", "biases of the attention"},
	{"mlp_bias", "biases of the MLP"},
	{"sliding_window", "an attention window"},
	{"sliding_window_size", "an attention window"},
	{"layer_types", "layers of different types"},
	{"qkv_bias", "biases of the attention"},
}

// hints are keys that explain an unknown family when no foreign key does.
var hints = []telltale{
	{"attn_logit_softcapping", "norms behind the blocks"},
	{"query_pre_attn_scalar", "norms behind the blocks"},
	{"sliding_window_pattern", "a mix of windowed and full layers"},
	{"new_decoder_architecture", "attention and MLP side by side"},
	{"parallel_attn", "attention and MLP side by side"},
	{"word_embed_proj_dim", "a projected embedding"},
	{"rotary_dim", "rotary embedding on part of a head"},
	{"partial_rotary_factor", "rotary embedding on part of a head"},
}
