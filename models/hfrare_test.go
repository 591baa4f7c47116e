package models

import (
	"strings"
	"testing"
)

func TestShapesThatRareFamiliesDoNotHaveHereAreRefusedByKey(t *testing.T) {
	const gemma, scout, falcon = "gemma-3-27b.json", "llama-4-scout.json", "falcon-180b.json"
	for _, c := range []struct {
		name, file string
		edits      []string
		want       string
	}{
		{"a text_config that is no object", gemma, []string{`"text_config": {`, `"text_config": 7, "x": {`}, "text_config is 7; want an object"},
		{"a text_config of another family", gemma, []string{`"gemma3_text"`, `"llama"`}, `text_config.model_type is "llama", which is not the language model of gemma3`},
		{"two words on a tied head", gemma, []string{`"text_config": {`, `"tie_word_embeddings": false, "text_config": {"tie_word_embeddings": true,`}, "text_config.tie_word_embeddings is true but tie_word_embeddings is false"},
		{"two hidden sizes", gemma, []string{`"text_config"`, `"hidden_size": 1, "text_config"`}, "text_config.hidden_size is 5376 but hidden_size is 1: two spellings that disagree"},
		{"a word on a tied head that is none", gemma, []string{`"text_config"`, `"tie_word_embeddings": 1, "text_config"`}, "tie_word_embeddings is 1; want true or false"},
		{"two spellings of the type", gemma, []string{`"torch_dtype"`, `"dtype": "float32", "torch_dtype"`}, `dtype is "float32" but torch_dtype is "bfloat16"`},
		{"two spellings of the type inside", scout, []string{`"torch_dtype"`, `"dtype": "float32", "torch_dtype"`}, `dtype is "float32" but torch_dtype is "bfloat16"`},
		{"two spellings of the period", gemma, []string{`"head_dim"`, `"sliding_window_pattern": 6, "_sliding_window_pattern": 5, "head_dim"`}, "_sliding_window_pattern is 5 but sliding_window_pattern is 6"},
		{"a period that layer_types do not have", "command-a.json", []string{`"head_dim"`, `"layer_types": [` + strings.Repeat(`"sliding_attention", `, 63) + `"full_attention"], "head_dim"`}, "sliding_window_pattern is 4 but layer_types has another order"},
		{"a period that is a word", gemma, []string{`"head_dim"`, `"sliding_window_pattern": "LG", "head_dim"`}, `sliding_window_pattern is "LG"`},
		{"a period in a family without", "llama-3.1-70b.json", []string{`"mlp_bias"`, `"sliding_window_pattern": 6, "mlp_bias"`}, "sliding_window_pattern is 6, which is not modelled for the family llama"},
		{"an audio encoder", gemma, []string{`"text_config"`, `"audio_config": {"x": 1}, "text_config"`}, "audio_config is an object, which is not modelled for the family gemma3"},
		{"a negative size of the vision encoder", gemma, []string{`"patch_size": 14`, `"patch_size": -14`}, "patch_size is -14; want a whole number from 1 to 100,000"},
		{"an absurd vision encoder", gemma, []string{`"num_hidden_layers": 27`, `"num_hidden_layers": 10000`, `"intermediate_size": 4304`, `"intermediate_size": 10000000`}, "the vision encoder would have about 2.31e+14 parameters"},
		{"a projected embedding", "opt-1.3b.json", []string{`"word_embed_proj_dim": 2048`, `"word_embed_proj_dim": 512`}, "word_embed_proj_dim is 512, which is not modelled"},
		{"norms behind the blocks of OPT", "opt-1.3b.json", []string{`"do_layer_norm_before": true`, `"do_layer_norm_before": false`}, "do_layer_norm_before is false, which is not modelled"},
		{"OPT without its last norm", "opt-1.3b.json", []string{`"_remove_final_layer_norm": false`, `"_remove_final_layer_norm": true`}, "_remove_final_layer_norm is true, which is not modelled"},
		{"another MLP of BLOOM", "bloom-7b1.json", []string{`"n_inner": null`, `"n_inner": 1000`}, "n_inner is 1000 but the MLP of BLOOM is 4 times the hidden size, 16384"},
		{"two spellings of BLOOM's heads", "bloom-7b1.json", []string{`"n_head": 32`, `"n_head": 16`}, "n_head is 16 but num_attention_heads is 32"},
		{"groups without the new architecture", falcon, []string{`"new_decoder_architecture": true`, `"new_decoder_architecture": false`, `"multi_query": true`, `"multi_query": false`}, "num_kv_heads is 8 but multi_query and new_decoder_architecture are false"},
		{"the new architecture in a row", falcon, []string{`"parallel_attn": true`, `"parallel_attn": false`}, "parallel_attn is false, which is not modelled"},
		{"three norms of Falcon", falcon, []string{`"multi_query"`, `"num_ln_in_parallel_attn": 3, "multi_query"`}, "num_ln_in_parallel_attn is 3; want a whole number from 1 to 2"},
		{"no experts' object", "dbrx.json", []string{`"ffn_config"`, `"x"`}, "no object ffn_config"},
		{"two spellings inside an object", "dbrx.json", []string{`"moe_num_experts": 16`, `"moe_num_experts": 16, "num_experts": 8`}, "moe_num_experts is 16 but num_experts is 8"},
		{"shared experts inside an object", "dbrx.json", []string{`"moe_num_experts": 16`, `"moe_num_experts": 16, "n_shared_experts": 1`}, "n_shared_experts is 1, which is not modelled for the family dbrx"},
		{"heads inside an object", "dbrx.json", []string{`"kv_n_heads": 8`, `"kv_n_heads": 7`}, "kv_n_heads is 7, which does not divide 48 heads"},
		{"linear attention in MiniMax", "minimax-m2.5.json", []string{"1,\n    1,", "1,\n    0,"}, "attn_type_list has 0, which is not modelled: linear-attention layers"},
		{"a layer too few in MiniMax", "minimax-m2.5.json", []string{"1,\n    1,", "1,"}, "attn_type_list has 61 entries for 62 layers"},
		{"norms on each head in MiniMax", "minimax-m2.5.json", []string{"per_layer", "per_head"}, `qk_norm_type is "per_head", which is not modelled`},
		{"deep MTP modules", "minimax-m2.5.json", []string{`"mtp_transformer_layers": 1`, `"mtp_transformer_layers": 2`}, "mtp_transformer_layers is 2, which is not modelled"},
		{"an MoE layer out of turn", "llama-4-maverick.json", []string{`"moe_layers": [
      1,`, `"moe_layers": [
      0,`}, "moe_layers is not every layer that interleave_moe_layer_step 2 gives"},
		{"an MoE layer too few", "llama-4-maverick.json", []string{`"moe_layers": [
      1,`, `"moe_layers": [`}, "moe_layers is not every layer that interleave_moe_layer_step 2 gives"},
		{"layers without rotary embedding out of turn", "llama-4-maverick.json", []string{`"no_rope_layers": [
      1,`, `"no_rope_layers": [
      0,`}, "no_rope_layers is a list, which is not modelled"},
		{"chunks that disagree with their interval", "llama-4-maverick.json", []string{`"no_rope_layers"`, `"no_rope_layer_interval": 5, "no_rope_layers"`}, "no_rope_layers has another order than no_rope_layer_interval 5"},
		{"layer types that disagree with the chunks", "llama-4-maverick.json", []string{`"no_rope_layers"`, `"layer_types": [` + strings.Repeat(`"full_attention", `, 47) + `"full_attention"], "no_rope_layers"`}, "no_rope_layers is a list but layer_types has another order"},
	} {
		_, err := ParseHF("config.json", config(t, c.file, c.edits...))
		checkError(t, c.name, err, c.want)
	}
}

func TestOtherShapesOfRareFamiliesAreRead(t *testing.T) {
	const gemma, falcon = "gemma-3-27b.json", "falcon-7b.json"
	for _, c := range []struct {
		name, file string
		edits      []string
		holds      func(*Model) bool
	}{
		{"a language model without its encoder", gemma, []string{`"vision_config"`, `"x"`}, func(m *Model) bool {
			return m.VisionParams == 0 && m.Notes == "text part; the file gives no shape of a vision encoder"
		}},
		{"an encoder with a head, which is not counted", gemma, []string{`"vision_use_head": false`, `"vision_use_head": true`}, func(m *Model) bool {
			return m.VisionParams == 0 && strings.HasPrefix(m.Notes, "text part; the vision encoder is not counted")
		}},
		{"an encoder of which a size is left out", gemma, []string{`"patch_size"`, `"patch"`}, func(m *Model) bool {
			return m.VisionParams == 0 && strings.HasPrefix(m.Notes, "text part; the vision encoder is not counted")
		}},
		{"a head tied in the outer object only", gemma, []string{`"text_config"`, `"tie_word_embeddings": false, "text_config"`}, func(m *Model) bool { return !m.TieEmbeddings }},
		{"all layers full", gemma, []string{`"head_dim"`, `"sliding_window_pattern": 1, "head_dim"`}, func(m *Model) bool { return m.AttnPattern == PatternFull && m.Window == 0 }},
		{"a period under its later name", gemma, []string{`"head_dim"`, `"_sliding_window_pattern": 4, "head_dim"`}, func(m *Model) bool { return m.AttnPattern == "3:1" }},
		{"MoE layers as a list only", "llama-4-maverick.json", []string{`"interleave_moe_layer_step": 2,`, ""}, func(m *Model) bool { return m.MoEEvery == 2 && m.Count()[MoE] == 24 }},
		{"no chunks", "llama-4-scout.json", []string{`"attention_chunk_size": 8192`, `"attention_chunk_size": null`}, func(m *Model) bool { return m.AttnPattern == PatternFull && m.Window == 0 }},
		{"chunks between other intervals", "llama-4-scout.json", []string{`"no_rope_layers": []`, `"no_rope_layer_interval": 6`}, func(m *Model) bool { return m.AttnPattern == "5:1" }},
		{"one norm for each block of Falcon", falcon, []string{`"multi_query"`, `"num_ln_in_parallel_attn": 2, "multi_query"`}, func(m *Model) bool { return m.NormsPerLayer == 2 && m.Parallel }},
		{"Falcon in a row with ALiBi", falcon, []string{`"parallel_attn": true`, `"parallel_attn": false`, `"alibi": false`, `"alibi": true`}, func(m *Model) bool {
			return m.NormsPerLayer == 2 && !m.Parallel && m.PosEmbed == Alibi
		}},
		{"NeoX in a row", "gpt-neox-20b.json", []string{`"use_parallel_residual": true`, `"use_parallel_residual": false`}, func(m *Model) bool { return !m.Parallel }},
		{"OPT without biases", "opt-1.3b.json", []string{`"do_layer`, `"enable_bias": false, "do_layer`}, func(m *Model) bool { return !m.MLPBias && m.AttnBias == BiasNone }},
		{"MiniMax without its MTP modules", "minimax-m2.5.json", []string{`"use_mtp": true`, `"use_mtp": false`}, func(m *Model) bool { return m.MTPLayers == 0 }},
		{"the type spelled twice alike", gemma, []string{`"torch_dtype"`, `"dtype": "bfloat16", "torch_dtype"`}, func(m *Model) bool { return m.Layers == 62 }},
	} {
		m, err := ParseHF("config.json", config(t, c.file, c.edits...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !c.holds(m) {
			t.Errorf("%s: read as %+v", c.name, m)
		}
	}
}
