package models

// SetDefaults fills the zero fields of a shape that have a natural value:
// kv_heads (= heads), head_dim (= hidden/heads), norm (rmsnorm),
// norms_per_layer (2), attn_bias and qk_norm (none), pos_embed (rope),
// attn_pattern (full, or sliding where a window is given), and of an MoE model
// moe_every (1). It says nothing of the fields without one.
func (m *Model) SetDefaults() {
	orInt(&m.KVHeads, m.Heads)
	if m.Heads > 0 && m.Hidden%m.Heads == 0 {
		orInt(&m.HeadDim, m.Hidden/m.Heads)
	}
	if m.MLA() {
		orInt(&m.HeadDim, m.QKDim())
	}
	or(&m.Norm, RMSNorm)
	orInt(&m.NormsPerLayer, 2)
	or(&m.AttnBias, BiasNone)
	or(&m.QKNorm, QKNormNone)
	or(&m.PosEmbed, Rope)
	if m.Window > 0 {
		or(&m.AttnPattern, PatternSliding)
	}
	or(&m.AttnPattern, PatternFull)
	if m.Experts > 0 {
		orInt(&m.MoEEvery, 1)
	}
}

func or[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}

func orInt(field *int, value int) {
	if *field == 0 {
		*field = value
	}
}
