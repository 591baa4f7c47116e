package models

import (
	"strings"
	"testing"
)

func TestOtherSpellingsOfTheSameQuantityAreRead(t *testing.T) {
	for _, c := range []struct {
		name, file string
		edits      []string
		holds      func(*Model) bool
	}{
		{"an expert count as num_experts", "mixtral-8x7b.json", []string{"num_local_experts", "num_experts"}, func(m *Model) bool { return m.Experts == 8 }},
		{"an expert count as n_routed_experts", "qwen3-30b-a3b.json", []string{"num_experts", "n_routed_experts"}, func(m *Model) bool { return m.Experts == 128 }},
		{"an expert width in plain words", "mixtral-8x7b.json", nil, func(m *Model) bool { return m.MoEFFN == 14336 }},
		{"top-k as experts_per_token", "gpt-oss-20b.json", []string{`"num_experts_per_tok": 4,`, ``}, func(m *Model) bool { return m.TopK == 4 }},
		{"MTP layers as num_mtp_modules", "deepseek-v3.json", []string{"num_nextn_predict_layers", "num_mtp_modules"}, func(m *Model) bool { return m.MTPLayers == 1 }},
		{"dense layers as a list of 0 and 1", "deepseek-v3.json", []string{`"moe_layer_freq": 1`, `"moe_layer_freq": [0,0,0` + strings.Repeat(",1", 58) + "]"}, func(m *Model) bool { return m.FirstKDense == 3 }},
		{"dense layers as mlp_only_layers", "qwen3-30b-a3b.json", []string{`"mlp_only_layers": []`, `"mlp_only_layers": [0, 1]`}, func(m *Model) bool { return m.FirstKDense == 2 }},
		{"a period as decoder_sparse_step", "qwen3-30b-a3b.json", []string{`"decoder_sparse_step": 1`, `"decoder_sparse_step": 2`}, func(m *Model) bool { return m.Count()[MoE] == 24 }},
		{"a head size that means the rotary part", "deepseek-v3.json", []string{`"v_head_dim"`, `"head_dim": 64, "v_head_dim"`}, func(m *Model) bool { return m.HeadDim == 192 }},
		{"a count written as a float", "llama-3.1-70b.json", []string{`"hidden_size": 8192`, `"hidden_size": 8192.0`}, func(m *Model) bool { return m.Hidden == 8192 }},
		{"kv heads left out of a Llama", "llama-3.1-70b.json", []string{`"num_key_value_heads": 8,`, ``}, func(m *Model) bool { return m.KVHeads == 64 }},
		{"a window that is switched off by null", "mistral-7b-v0.1.json", []string{`"sliding_window": 4096`, `"sliding_window": null`}, func(m *Model) bool { return m.Window == 0 && m.AttnPattern == PatternFull }},
		{"a window that is switched off by a flag", "qwen2.5-7b.json", nil, func(m *Model) bool { return m.Window == 0 }},
		{"a window of all layers", "qwen2.5-7b.json", []string{`"use_sliding_window": false`, `"use_sliding_window": true`, `"max_window_layers": 28`, `"max_window_layers": 0`}, func(m *Model) bool { return m.AttnPattern == PatternSliding && m.Window == 131072 }},
		{"biases of a Llama", "llama-3.1-70b.json", []string{`"attention_bias": false`, `"attention_bias": true`, `"mlp_bias": false`, `"mlp_bias": true`}, func(m *Model) bool { return m.AttnBias == BiasQKVO && m.MLPBias }},
		{"an inner width of GPT-2", "gpt2.json", []string{`"n_ctx"`, `"n_inner": 1000, "n_ctx"`}, func(m *Model) bool { return m.FFN == 1000 }},
		{"GPT-2 in the later spelling", "gpt2.json", []string{"n_layer", "num_hidden_layers", "n_embd", "hidden_size", "n_head", "num_attention_heads"}, func(m *Model) bool { return m.Total() == 124_439_808 }},
		{"a file without architectures", "llama-3.1-70b.json", []string{`"architectures"`, `"archs"`}, func(m *Model) bool { return m.Family == "llama" }},
		{"a file without model_type", "llama-3.1-70b.json", []string{`"model_type"`, `"type"`}, func(m *Model) bool { return m.Family == "llama" }},
		{"Kimi K2 under the type it descends from", "kimi-k2.json", []string{"kimi_k2", "deepseek_v3"}, func(m *Model) bool { return m.Total() == 1_026_408_232_448 }},
	} {
		m, err := ParseHF("config.json", config(t, c.file, c.edits...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !c.holds(m) {
			t.Errorf("%s: read as %+v", c.name, m)
		}
	}
}

func TestAModelIsCalledByItsFileOrFolder(t *testing.T) {
	for file, want := range map[string]string{
		"/models/Llama-3.1-70B/config.json": "Llama-3.1-70B", "my.json": "my", "/config.json": "model",
	} {
		if got := hfName(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
