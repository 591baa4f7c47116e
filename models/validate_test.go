package models

import (
	"errors"
	"math"
	"testing"
)

func TestShapesThatCanNotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, model string
		change      func(*Model)
		want        string
	}{
		{"an empty name", "phi-4", func(m *Model) { m.Name = " - " }, "name is empty"},
		{"kv heads that do not divide the heads", "phi-4", func(m *Model) { m.KVHeads = 7 }, "kv_heads is 7, which does not divide 40 heads; nearest: 5 or 8"},
		{"more kv heads than heads", "phi-4", func(m *Model) { m.KVHeads = 80 }, "nearest: 40"},
		{"an unknown norm", "phi-4", func(m *Model) { m.Norm = "batch" }, `norm is "batch"; want rmsnorm, layernorm, layernorm1p or layernorm-nobias`},
		{"an unknown bias", "phi-4", func(m *Model) { m.AttnBias = "all" }, `attn_bias is "all"; want none, qkv or qkvo`},
		{"three norms a layer", "phi-4", func(m *Model) { m.NormsPerLayer = 3 }, "norms_per_layer is 3; want 1, 2 or 4"},
		{"one norm for blocks in a row", "phi-4", func(m *Model) { m.NormsPerLayer = 1 }, "norms_per_layer is 1 without parallel"},
		{"norms behind parallel blocks", "gemma-2-27b", func(m *Model) { m.Parallel = true }, "norms_per_layer is 4 with parallel"},
		{"an offset of positions that are not learned", "phi-4", func(m *Model) { m.PosOffset = 2 }, "pos_offset is 2 without learned positions"},
		{"a negative offset of positions", "opt-66b", func(m *Model) { m.PosOffset = -2 }, "pos_offset is -2; want a whole number from 0 to 1,000"},
		{"a negative vision encoder", "gemma-3-27b", func(m *Model) { m.VisionParams = -1 }, "vision_params is -1; want a whole number from 0 to 1,000,000,000,000"},
		{"a gate without experts", "phi-4", func(m *Model) { m.SharedGate = true }, "shared_gate is set without experts"},
		{"a gate without shared experts", "mixtral-8x7b", func(m *Model) { m.SharedGate = true }, "shared_gate is set without shared_experts"},
		{"learned positions without a number", "gpt3-175b", func(m *Model) { m.MaxPos = 0 }, "max_pos is missing"},
		{"a dense model without an MLP", "phi-4", func(m *Model) { m.FFN = 0 }, "ffn is missing"},
		{"a dense model with top_k", "phi-4", func(m *Model) { m.TopK = 2 }, "top_k is 2 without experts"},
		{"a router bias without experts", "phi-4", func(m *Model) { m.RouterBias = true }, "router_bias is set without experts"},
		{"more experts a token than there are", "mixtral-8x7b", func(m *Model) { m.TopK = 9 }, "top_k is 9; want a whole number from 1 to 8"},
		{"experts without a width", "mixtral-8x7b", func(m *Model) { m.MoEFFN = 0 }, "moe_ffn is 0"},
		{"a shared width without shared experts", "mixtral-8x7b", func(m *Model) { m.SharedFFN = 8 }, "shared_ffn is 8 with 0 shared_experts"},
		{"dense layers only, with experts", "mixtral-8x7b", func(m *Model) { m.MoEEvery, m.FirstKDense = 32, 31; m.Layers = 31 }, "first_k_dense is 31"},
		{"a period that never comes", "mixtral-8x7b", func(m *Model) { m.MoEEvery, m.FirstKDense, m.Layers = 20, 25, 30 }, "no layer of 30 would be MoE"},
		{"latent parts without a latent", "phi-4", func(m *Model) { m.QKRopeDim = 64 }, "qk_rope_dim is 64 without kv_lora_rank"},
		{"a latent without its parts", "deepseek-v3", func(m *Model) { m.VDim = 0 }, "v_dim is 0"},
		{"grouped heads in latent attention", "deepseek-v3", func(m *Model) { m.KVHeads = 8 }, "latent attention (kv_lora_rank) has as many as heads, 128"},
		{"biases in latent attention", "deepseek-v3", func(m *Model) { m.AttnBias = BiasQKV }, "biases of latent attention are not modelled"},
		{"a pattern that is no pattern", "gemma-3-27b", func(m *Model) { m.AttnPattern = "5:2" }, `attn_pattern is "5:2"`},
		{"a pattern without a window", "phi-4", func(m *Model) { m.AttnPattern = "5:1" }, "full has none"},
		{"a window without a pattern", "phi-4", func(m *Model) { m.Window = 9 }, "full has none"},
		{"the least number there is", "phi-4", func(m *Model) { m.Hidden = math.MinInt }, "hidden is -9223372036854775808"},
		{"the largest number there is", "phi-4", func(m *Model) { m.Vocab = math.MaxInt }, "vocab is 9223372036854775807"},
		{"sizes whose product is absurd", "deepseek-v3", func(m *Model) { m.Experts, m.MoEFFN, m.Hidden = 100_000, 10_000_000, 1_000_000 }, "parameters; at most 1e+17 are accepted"},
	} {
		m := must(t, c.model)
		c.change(m)
		err := m.Validate()
		checkError(t, c.name, err, c.want)
		var field *FieldError
		if !errors.As(err, &field) || field.Key == "" {
			t.Errorf("%s: not an error of a field: %v", c.name, err)
		}
	}
}
