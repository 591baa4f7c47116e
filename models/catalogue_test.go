package models

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestEveryEmbeddedFileIsReadAndIsInCanonicalForm(t *testing.T) {
	if _, err := embedded(); err != nil {
		t.Fatal(err)
	}
	paths, err := fs.Glob(files, "catalogue/*.toml")
	if err != nil || len(paths) != len(All()) {
		t.Fatalf("%d files, %d models, %v", len(paths), len(All()), err)
	}
	for _, m := range All() {
		text, err := files.ReadFile("catalogue/" + m.Name + ".toml")
		if err != nil {
			t.Errorf("a model's file is not called by its name: %v", err)
			continue
		}
		written, err := m.TOML()
		if err != nil || string(written) != string(text) {
			t.Errorf("%s: file differs from what TOML writes (%v):\n%s", m.Name, err, written)
		}
		if m.Source == "" {
			t.Errorf("%s: no source", m.Name)
		}
	}
}

func TestNamesAreFoundInAnySpelling(t *testing.T) {
	for spelled, want := range map[string]string{
		"llama-3-70b": "llama-3-70b", "llama3-70b": "llama-3-70b", "LLAMA3_70B": "llama-3-70b",
		"Llama3 70B": "llama-3-70b", "meta-llama/Meta-Llama-3-70B": "llama-3-70b",
		"Meta-Llama-3.1-70B": "llama-3.1-70b", "llama31_70b": "llama-3.1-70b",
		"meta-llama/Llama-3.1-70B-Instruct": "llama-3.1-70b", "LLAMA3.1_405B": "llama-3.1-405b",
		"llama3-405b": "llama-3.1-405b", "LLAMA2-70B": "llama-2-70b", "NousResearch/Llama-2-70b-hf": "llama-2-70b",
		"llama32_1b": "llama-3.2-1b", "Llama 3.3 70B Instruct": "llama-3.3-70b",
		"GPT3-175B": "gpt3-175b", "GPT-175B": "gpt3-175b", "GPT-3-175B": "gpt3-175b", "GPT-530B": "megatron-530b",
		"Mixtral-8x7B": "mixtral-8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1": "mixtral-8x7b",
		"Qwen2.5 7B": "qwen2.5-7b", "Qwen/Qwen3-32B": "qwen3-32b", "Qwen3_30B_a3B": "qwen3-30b-a3b",
		"Qwen3 MoE 30B": "qwen3-30b-a3b", "DeepSeek V3 671B": "deepseek-v3", "deepseek_v3": "deepseek-v3",
		"DeepSeekV3": "deepseek-v3", "deepseek-ai/DeepSeek-R1": "deepseek-r1", "Kimi K2": "kimi-k2",
		"GPT OSS 120B": "gpt-oss-120b", "gpt_oss_20b": "gpt-oss-20b", "openai/gpt-oss-20b": "gpt-oss-20b",
		"Llama-4-17Bx128E": "llama-4-maverick", "Grok1-314B": "grok-1", "Nemotron4-15B": "nemotron-4-15b",
		"Nemotron-340B": "nemotron-4-340b", " mistralai/Mistral-7B-v0.1 ": "mistral-7b-v0.1",
		"MiniMaxAI/MiniMax-M2.5": "minimax-m2.5", "dbrx": "dbrx", "Phi-4": "phi-4",
		"facebook/opt-1.3b": "opt-1.3b", "opt_1_3b": "opt-1.3b", "OPT 1.3B": "opt-1.3b", "opt-13b": "opt-13b", "OPT13B": "opt-13b",
		"CohereForAI/c4ai-command-r-plus": "command-r-plus", "Falcon 40B": "falcon-40b", "bloom-7.1b": "bloom-7b1",
		"mistralai/Mistral-Nemo-Instruct-2407": "mistral-nemo", "gemma-3-4b-it": "gemma-3-4b",
	} {
		m, err := Find(spelled)
		if err != nil {
			t.Error(err)
		} else if m.Name != want {
			t.Errorf("%q is %s, want %s", spelled, m.Name, want)
		}
	}
}

func TestAnUnknownNameIsAnErrorThatGivesTheNearest(t *testing.T) {
	for name, want := range map[string]string{
		"lama-3.1-70b": "llama-3.1-70b", "deepseek-v4": "deepseek-v3", "mixtral-8x8b": "mixtral-8x7b",
		"kimi": "kimi-k2", "qwen3-31b": "qwen3-32b", "": "and 64 more", "zzzzzzzzzzzzzz": "and 64 more",
		strings.Repeat("x", 100_000): "and 64 more",
	} {
		_, err := Find(name)
		if err == nil {
			t.Errorf("%q was found", name)
		} else if !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%v: want a short error with %q", err, want)
		}
	}
}

func TestNamesAreSortedAndCallersGetTheirOwnCopies(t *testing.T) {
	if names := Names(); !slices.IsSorted(names) || len(names) != 79 {
		t.Errorf("%d names: %v", len(names), names)
	}
	m := must(t, "llama-3-8b")
	m.Layers, m.Aliases[0] = 1, "changed"
	if again := must(t, "llama-3-8b"); again.Layers != 32 || again.Aliases[0] == "changed" {
		t.Error("a caller changed the catalogue")
	}
}

func TestANameThatOnlyItsPointsTellApartIsAskedFor(t *testing.T) {
	c := newCatalogue()
	for _, name := range []string{"a-1.23b", "a-12.3b"} {
		m := must(t, "phi-4")
		m.Name, m.Aliases = name, nil
		text, err := m.TOML()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.add(name+".toml", text); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := c.find("a_1_23b"); err != nil || m.Name != "a-1.23b" {
		t.Error(m, err)
	}
	if _, err := c.find("a123b"); err == nil || !strings.Contains(err.Error(), `model "a123b" is a-1.23b or a-12.3b; give it with its points`) {
		t.Error(err)
	}
}

func TestANameTakenTwiceIsAnError(t *testing.T) {
	text, err := must(t, "phi-4").TOML()
	if err != nil {
		t.Fatal(err)
	}
	c := newCatalogue()
	if err := c.add("a.toml", text); err != nil {
		t.Fatal(err)
	}
	if err := c.add("b.toml", text); err == nil || !strings.Contains(err.Error(), `b.toml: name "phi-4" is taken by phi-4`) {
		t.Error(err)
	}
}
