package models

import (
	"fmt"
	"strings"

	"meshplan/strict"
)

// refuse is the error of a family that is not read: it names the family, the
// key that shows what is not modelled, and what can be used instead.
func (r *hfReader) refuse(at *jsonMember) {
	name := fmt.Sprintf("%s %s", at.key, at.value.String())
	if at.key == "architectures" {
		name = "architectures " + archNames(at)
	} else if archs := r.root.get("architectures"); archs != nil {
		name += " (" + archNames(archs) + ")"
	}
	key, why := r.notModelled(at)
	text := fmt.Sprintf("%s is not a family that is read; %q is not modelled (%s)%s",
		name, key, why, strict.Suggest(at.value.text, hfNames(), 3, plain))
	if known := catalogued(at.value.text); len(known) > 0 {
		text += "; the catalogue has " + oneOf(known)
	}
	r.fail(at, "%s; a model of plain layers can be given as a TOML file", text)
}

// notModelled is the key that shows best what the family's layers have that is
// not modelled, with the reason; the key that names the family where no other
// does.
func (r *hfReader) notModelled(at *jsonMember) (key, why string) {
	for _, list := range [][]telltale{foreign, hints} {
		if nested := r.root.get("text_config"); nested != nil {
			if t := firstOf(list, &nested.value); t != nil {
				return "text_config." + t.key, t.why
			}
		}
		if t := firstOf(list, &r.root); t != nil {
			return t.key, t.why
		}
	}
	return at.key, "nothing is known of its layers"
}

// firstOf is the first telltale whose key the object switches on.
func firstOf(list []telltale, object *jsonValue) *telltale {
	for i := range list {
		if m := object.get(list[i].key); m != nil && !m.value.trivial() {
			return &list[i]
		}
	}
	return nil
}

// archNames is the names in architectures, for a sentence.
func archNames(archs *jsonMember) string {
	var names []string
	for i := range archs.value.items {
		names = append(names, strict.Clip(archs.value.items[i].text, 60))
	}
	if len(names) == 0 {
		return archs.value.String()
	}
	return strict.Clip(strings.Join(names, ", "), 120)
}

// hfNames is the model_type values that are read.
func hfNames() []string {
	var names []string
	for _, f := range hfFamilies {
		names = append(names, f.types...)
	}
	return names
}

// catalogued is the catalogue's models of a family.
func catalogued(family string) []string {
	var names []string
	for _, m := range All() {
		if m.Family == family && len(names) < 3 {
			names = append(names, m.Name)
		}
	}
	return names
}

// otherFile says what a JSON file without model_type and architectures is.
func otherFile(root *jsonValue) string {
	kinds := []struct{ key, what string }{
		{"tokenizer_class", "it is a tokenizer's configuration (tokenizer_class); the model's config.json lies beside it"},
		{"added_tokens_decoder", "it is a tokenizer's configuration (added_tokens_decoder); the model's config.json lies beside it"},
		{"added_tokens", "it is a tokenizer (added_tokens); the model's config.json lies beside it"},
		{"weight_map", "it is an index of weight files (weight_map); the model's config.json lies beside it"},
		{"peft_type", "it is an adapter's configuration (peft_type); the base model's config.json is needed"},
		{"zero_optimization", "it is a DeepSpeed configuration (zero_optimization)"},
		{"n_layers", "it names no family (model_type, architectures); keys such as n_layers belong to a format of the model's own code"},
	}
	for _, k := range kinds {
		if root.get(k.key) != nil {
			return k.what
		}
	}
	return "it has neither model_type nor architectures"
}
