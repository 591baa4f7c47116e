package models

import "slices"

// hfFamily is one architecture of Hugging Face's transformers that is read.
type hfFamily struct {
	name  string   // the catalogue's word for it
	types []string // values of model_type
	archs []string // values of architectures
	read  func(*hfReader, *Model)

	// Families whose files may nest the layers in text_config have a model_type
	// for that object and a count of the vision encoder beside it, 0 where not
	// all its sizes are given.
	text    string
	encoder func(*hfReader, *Model) int64
}

// has reports whether model_type is one of the family's.
func (f *hfFamily) has(kind string) bool { return slices.Contains(f.types, kind) }

// The families. Defaults of absent keys are those of the family's
// configuration class in transformers.
var hfFamilies = slices.Concat(hfLlamas, hfQwenVLs, hfGemmas, hfExperted, hfGPTs, hfParallels)

// hfLlamas are the families with the layers of Llama: RMS norms, rotary
// embedding, grouped heads and a gated MLP.
var hfLlamas = []hfFamily{
	plainFamily("llama", "LlamaForCausalLM", readLlama),
	plainFamily("mistral", "MistralForCausalLM", readMistral),
	{name: "mistral3", types: []string{"mistral3"}, archs: []string{"Mistral3ForConditionalGeneration"},
		read: readMistral, text: "mistral", encoder: pixtral},
	plainFamily("qwen2", "Qwen2ForCausalLM", readQwen2),
	plainFamily("qwen3", "Qwen3ForCausalLM", readQwen3),
	plainFamily("mimo", "MiMoForCausalLM", readMiMo),
	plainFamily("phi3", "Phi3ForCausalLM", readPhi3),
	plainFamily("glm", "GlmForCausalLM", readGLM),
	plainFamily("glm4", "Glm4ForCausalLM", readGLM4),
	plainFamily("internlm2", "InternLM2ForCausalLM", readInternLM2),
	plainFamily("granite", "GraniteForCausalLM", readLlama),
	plainFamily("smollm3", "SmolLM3ForCausalLM", readSmolLM3),
	plainFamily("seed_oss", "SeedOssForCausalLM", readSeedOSS),
	plainFamily("olmo2", "Olmo2ForCausalLM", readOLMo2),
	plainFamily("olmo3", "Olmo3ForCausalLM", readOLMo3),
}

// plainFamily is a family with one model_type, which is its name, and one
// architecture.
func plainFamily(name, arch string, read func(*hfReader, *Model)) hfFamily {
	return hfFamily{name: name, types: []string{name}, archs: []string{arch}, read: read}
}
