package models

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryConfigOfAFamilyReadsAsTheCataloguesModel(t *testing.T) {
	paths, err := filepath.Glob("testdata/hf/read/*.json")
	if err != nil || len(paths) < 45 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		got, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Name == "gpt2" {
			continue
		}
		want := must(t, got.Name)
		want.Aliases, want.Source, want.Notes, got.Notes = nil, "", "", ""
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -catalogue +config\n%s", path, d)
		}
	}
}

func TestGPT2HasItsPublishedNumberOfParameters(t *testing.T) {
	m, err := Load("testdata/hf/read/gpt2.json")
	if err != nil {
		t.Fatal(err)
	}
	if m.Total() != 124_439_808 {
		t.Errorf("%d parameters, want 124,439,808", m.Total())
	}
}

func TestOtherArchitecturesAreRefusedByFamilyAndKey(t *testing.T) {
	for file, want := range map[string][]string{
		"nemotron-h.json":        {`model_type "nemotron_h"`, `"hybrid_override_pattern"`},
		"nemotron-nas.json":      {`model_type "nemotron-nas" (DeciLMForCausalLM)`, `"block_configs"`},
		"deepseek-v3.2.json":     {`model_type "deepseek_v32"`, `"index_topk"`},
		"deepseek-v4.json":       {`model_type "deepseek_v4"`, `"compress_ratios"`},
		"qwen3.5.json":           {`model_type "qwen3_5_moe"`, `"text_config.linear_num_key_heads"`},
		"gemma-4.json":           {`model_type "gemma4" (Gemma4ForConditionalGeneration)`, `"text_config.enable_moe_block"`, "nearest: gemma"},
		"gemma-3n.json":          {`model_type "gemma3n"`, `"text_config.altup_num_inputs"`},
		"glm-5.json":             {`model_type "glm_moe_dsa" (GlmMoeDsaForCausalLM)`, `"index_topk"`},
		"nemotron-3-nano.json":   {`model_type "nemotron_h" (NemotronHForCausalLM)`, `"hybrid_override_pattern"`},
		"jamba.json":             {`model_type "jamba" (JambaForCausalLM)`, `"attn_layer_period"`, "Mamba"},
		"falcon-h1.json":         {`model_type "falcon_h1" (FalconH1ForCausalLM)`, `"mamba_n_heads"`},
		"granite-4.json":         {`model_type "granitemoehybrid"`, `"mamba_n_heads"`},
		"qwen3-next.json":        {`model_type "qwen3_next" (Qwen3NextForCausalLM)`, `"linear_num_key_heads"`, "linear-attention layers"},
		"minimax-text-01.json":   {`model_type "minimax_text_01"`, `"attn_type_list"`, "linear attention"},
		"minimax-m1.json":        {`model_type "minimax_m1" (MiniMaxM1ForCausalLM)`, `"attn_type_list"`},
		"kimi-linear.json":       {`model_type "kimi_linear"`, `"linear_attn_config"`},
		"mamba.json":             {`model_type "mamba2"`, `"state_size"`},
		"grok-2.json":            {`"git" (Grok1ForCausalLM)`, `"residual_moe"`},
		"mimo-v2.json":           {`model_type "mimo_v2_flash"`, `"hybrid_layer_pattern"`},
		"unheard-of.json":        {`model_type "brandnew" (BrandNewForCausalLM)`, `"model_type" is not modelled`},
		"native.json":            {"not a Hugging Face config.json"},
		"tokenizer_config.json":  {"not a Hugging Face config.json", "tokenizer"},
		"renamed-tokenizer.json": {"not a Hugging Face config.json", "tokenizer"},
		"weights-index.json":     {"not a Hugging Face config.json", "weight_map"},
	} {
		_, err := Load("testdata/hf/refused/" + file)
		for _, w := range append(want, file) {
			checkError(t, file, err, w)
		}
	}
}

// config is a fixture with some of its lines changed: each pair of edits is a
// text and its replacement.
func config(t *testing.T, file string, edits ...string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/hf/read/" + file)
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(s, edits[i]) {
			t.Fatalf("%s does not have %q", file, edits[i])
		}
		s = strings.Replace(s, edits[i], edits[i+1], 1)
	}
	return []byte(s)
}

func TestValuesThatCanNotBeAreRefusedByKey(t *testing.T) {
	const llama, hidden = "llama-3.1-70b.json", `"hidden_size": 8192`
	for _, c := range []struct {
		name, file string
		edits      []string
		want       string
	}{
		{"not a number", llama, []string{hidden, `"hidden_size": NaN`}, "config.json:7:3: hidden_size is NaN; want a whole number from 1 to 1,000,000"},
		{"an infinite number", llama, []string{hidden, `"hidden_size": -Infinity`}, "hidden_size is -Infinity"},
		{"a negative size", llama, []string{hidden, `"hidden_size": -1`}, "hidden_size is -1"},
		{"a zero size", llama, []string{hidden, `"hidden_size": 0`}, "hidden_size is 0"},
		{"a fraction", llama, []string{hidden, `"hidden_size": 8192.5`}, "hidden_size is 8192.5"},
		{"a size beyond 64 bits", llama, []string{hidden, `"hidden_size": 99999999999999999999`}, "hidden_size is 99999999999999999999"},
		{"an exponent beyond all floats", llama, []string{hidden, `"hidden_size": 1e999`}, "hidden_size is 1e999"},
		{"a string", llama, []string{hidden, `"hidden_size": "8192"`}, `hidden_size is "8192"`},
		{"a list", llama, []string{hidden, `"hidden_size": [1]`}, "hidden_size is a list"},
		{"a null", llama, []string{hidden, `"hidden_size": null`}, `no hidden size: want the key "hidden_size"`},
		{"a number for a switch", llama, []string{`"tie_word_embeddings": false`, `"tie_word_embeddings": 0`}, "tie_word_embeddings is 0; want true or false"},
		{"heads that are no multiple", llama, []string{`"num_key_value_heads": 8`, `"num_key_value_heads": 7`}, "config.json:9:3: num_key_value_heads is 7, which does not divide 64 heads"},
		{"heads that do not divide the hidden size", llama, []string{`"num_attention_heads": 64`, `"num_attention_heads": 63`}, "63 heads do not divide the hidden size 8192"},
		{"two spellings of the hidden size", llama, []string{hidden, hidden + `, "d_model": 4096`}, "d_model is 4096 but hidden_size is 8192: two spellings of the hidden size that disagree"},
		{"two spellings of top-k", "gpt-oss-20b.json", []string{`"experts_per_token": 4`, `"experts_per_token": 2`}, "experts_per_token is 2 but num_experts_per_tok is 4"},
		{"two spellings of the experts", "qwen3-30b-a3b.json", []string{`"num_experts": 128`, `"num_experts": 128, "n_routed_experts": 64`}, "n_routed_experts is 64 but num_experts is 128"},
		{"two spellings of an expert's width", "mixtral-8x7b.json", []string{`"vocab_size"`, `"moe_intermediate_size": 7, "vocab_size"`}, "moe_intermediate_size is 7 but intermediate_size is 14336"},
		{"two spellings of the leading dense layers", "deepseek-v3.json", []string{`"moe_layer_freq": 1`, `"moe_layer_freq": [` + strings.Repeat("0,", 60) + "1]"}, "moe_layer_freq gives 60 leading dense layers but first_k_dense_replace gives 3"},
		{"two spellings of the positions", "gpt2.json", []string{`"n_ctx": 1024`, `"n_ctx": 512`}, "n_ctx is 512 but n_positions is 1024"},
		{"two names of the family", llama, []string{"LlamaForCausalLM", "MistralForCausalLM"}, `architectures is MistralForCausalLM but model_type is "llama"`},
		{"a family with another head", llama, []string{"LlamaForCausalLM", "LlamaForSequenceClassification"}, "architectures LlamaForSequenceClassification is not a family that is read"},
		{"a family that is a number", llama, []string{`"model_type": "llama"`, `"model_type": 7`}, "model_type 7"},
		{"architectures that are no list", llama, []string{`"architectures": [`, `"architectures": {}, "x": [`}, "want a list with one name"},
		{"experts in a dense family", llama, []string{hidden, hidden + `, "num_local_experts": 8`}, "num_local_experts is 8, which is not modelled for the family llama (experts)"},
		{"an indexer in DeepSeek-V3", "deepseek-v3.json", []string{`"n_shared_experts"`, `"index_topk": 2048, "n_shared_experts"`}, "index_topk is 2048, which is not modelled for the family deepseek"},
		{"biases in latent attention", "deepseek-v3.json", []string{`"attention_bias": false`, `"attention_bias": true`}, "attention_bias is true, which is not modelled"},
		{"an MoE period in DeepSeek", "deepseek-v3.json", []string{`"moe_layer_freq": 1`, `"moe_layer_freq": 2`}, "moe_layer_freq is 2, which is not modelled"},
		{"a head size that is no sum", "deepseek-v3.json", []string{`"v_head_dim"`, `"head_dim": 100, "v_head_dim"`}, "head_dim is 100 but qk_nope_head_dim + qk_rope_head_dim is 192"},
		{"dense layers in the middle", "qwen3-30b-a3b.json", []string{`"mlp_only_layers": []`, `"mlp_only_layers": [5]`}, "mlp_only_layers is a list, which is not modelled"},
		{"a window for the last layers only", "qwen2.5-7b.json", []string{`"use_sliding_window": false`, `"use_sliding_window": true`, `"max_window_layers": 28`, `"max_window_layers": 20`}, "max_window_layers is 20, which is not modelled"},
		{"a linear-attention layer", "gpt-oss-20b.json", []string{`"full_attention"`, `"linear_attention"`}, `layer_types has "linear_attention", which is not modelled`},
		{"a layer type too few", "gpt-oss-20b.json", []string{`"sliding_attention",`, ``}, "layer_types has 23 entries for 24 layers"},
		{"sliding layers without a window", "gpt-oss-20b.json", []string{`"sliding_window": 128`, `"sliding_window": null`}, "layer_types has sliding layers but there is no sliding_window"},
		{"cross-attention", "gpt2.json", []string{`"n_ctx"`, `"add_cross_attention": true, "n_ctx"`}, "add_cross_attention is true, which is not modelled"},
	} {
		_, err := ParseHF("config.json", config(t, c.file, c.edits...))
		checkError(t, c.name, err, c.want)
	}
}
