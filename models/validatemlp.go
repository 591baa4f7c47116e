package models

func (m *Model) checkMLP() error {
	if m.FFN == 0 && (m.Experts == 0 || m.Count()[Dense] > 0) {
		return wrong("ffn", "is missing: the model has dense layers")
	}
	return nil
}

func (m *Model) checkExperts() error {
	if m.Experts == 0 {
		if m.RouterBias {
			return wrong("router_bias", "is set without experts")
		}
		if m.SharedGate {
			return wrong("shared_gate", "is set without experts")
		}
		return absent("without experts", "top_k", m.TopK, "moe_ffn", m.MoEFFN, "shared_experts", m.SharedExperts,
			"shared_ffn", m.SharedFFN, "first_k_dense", m.FirstKDense, "moe_every", m.MoEEvery)
	}
	err := firstError(
		size("top_k", m.TopK, 1, m.Experts),
		size("moe_ffn", m.MoEFFN, 1, maxWidth),
		size("shared_experts", m.SharedExperts, 0, maxExperts),
		size("shared_ffn", m.SharedFFN, 0, maxWidth),
		size("first_k_dense", m.FirstKDense, 0, m.Layers-1),
		size("moe_every", m.MoEEvery, 1, m.Layers))
	if err != nil {
		return err
	}
	if (m.SharedExperts > 0) != (m.SharedFFN > 0) {
		return wrong("shared_ffn", "is %d with %d shared_experts: both or neither", m.SharedFFN, m.SharedExperts)
	}
	if m.SharedGate && m.SharedExperts == 0 {
		return wrong("shared_gate", "is set without shared_experts")
	}
	if m.Count()[MoE] == 0 {
		return wrong("moe_every", "is %d after %d dense layers: no layer of %d would be MoE",
			m.MoEEvery, m.FirstKDense, m.Layers)
	}
	return nil
}
