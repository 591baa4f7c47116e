package models

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"meshplan/strict"
)

// ParseHF reads a Hugging Face config.json; file is its name, for errors and
// for the model's name. It reads the families of hfFamilies and refuses all
// others by name: a shape is never guessed. Errors give line and column.
func ParseHF(file string, text []byte) (*Model, error) {
	if len(text) > maxJSON {
		return nil, strict.TooLarge(file, maxJSON)
	}
	root, err := parseJSON(text)
	var bad *jsonError
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("%s%s: not JSON that can be read: %s", file, lineColumn(text, bad.at), bad.text)
	}
	r := newHFReader(file, text, root)
	family := r.family()
	if r.err != nil {
		return nil, r.err
	}
	m := &Model{Name: hfName(file), Family: family.name}
	r.name = family.name
	layers := r.layers(family)
	family.read(layers, m)
	layers.leftovers()
	if layers != r {
		r.around(layers)
		r.take(layers)
		r.encoder(family, m)
		r.leftovers()
	}
	if r.err != nil {
		return nil, r.err
	}
	m.SetDefaults()
	return r.validated(m)
}

// hfName is the model's name: of the file, or of its folder where the file is
// called config.json.
func hfName(file string) string {
	base := filepath.Base(file)
	if strings.EqualFold(base, "config.json") {
		if absolute, err := filepath.Abs(file); err == nil {
			base = filepath.Base(filepath.Dir(absolute))
		}
	}
	name := strings.TrimSuffix(base, ".json")
	if plain(name) == "" {
		return "model"
	}
	return name
}

// family is the family that model_type and architectures name; both must agree
// where both are given.
func (r *hfReader) family() *hfFamily {
	if r.root.kind != jsonObject {
		r.fail(nil, "not a Hugging Face config.json: it holds %s, not an object", jsonKindNames[r.root.kind])
		return nil
	}
	kind, archs := r.get("model_type"), r.get("architectures")
	if kind == nil && archs == nil {
		r.fail(nil, "not a Hugging Face config.json: %s", otherFile(&r.root))
		return nil
	}
	var byType, byArch *hfFamily
	if kind != nil {
		byType = findFamily(func(f *hfFamily) bool { return f.has(kind.value.text) })
		if byType == nil {
			r.refuse(kind)
		}
	}
	if archs != nil {
		byArch = r.familyOfArchs(archs)
	}
	if byType != nil && byArch != nil && byType != byArch {
		r.fail(archs, "architectures is %s but model_type is %q: two spellings of the family that disagree",
			archNames(archs), kind.value.text)
	}
	if byType == nil {
		return byArch
	}
	return byType
}

func (r *hfReader) familyOfArchs(archs *jsonMember) *hfFamily {
	var found *hfFamily
	for i := range archs.value.items {
		arch := archs.value.items[i].text
		f := findFamily(func(f *hfFamily) bool { return slices.Contains(f.archs, arch) })
		if f == nil || found != nil && f != found {
			r.refuse(archs)
			return nil
		}
		found = f
	}
	if found == nil {
		r.fail(archs, "architectures is %s; want a list with one name", archs.value.String())
	}
	return found
}

func findFamily(is func(*hfFamily) bool) *hfFamily {
	for i := range hfFamilies {
		if is(&hfFamilies[i]) {
			return &hfFamilies[i]
		}
	}
	return nil
}

// leftovers refuses keys that change the layers and that the family's reader
// did not ask for.
func (r *hfReader) leftovers() {
	r.sameType()
	for _, t := range slices.Concat(foreign, optional) {
		m := r.root.get(t.key)
		if m != nil && !r.used[t.key] && !m.value.trivial() {
			r.fail(m, "%s is %s, which is not modelled for the family %s (%s)", t.key, m.value.String(), r.name, t.why)
		}
	}
}

// sameType refuses two spellings of the parameters' type that disagree. The
// shape does not depend on it.
func (r *hfReader) sameType() {
	now, before := r.root.get("dtype"), r.root.get("torch_dtype")
	if now != nil && before != nil && now.value.String() != before.value.String() {
		r.fail(now, "dtype is %s but torch_dtype is %s: two spellings of the type of the parameters that disagree",
			now.value.String(), before.value.String())
	}
}

// validated checks the model and speaks of its fields by the file's own keys.
func (r *hfReader) validated(m *Model) (*Model, error) {
	err := m.Validate()
	var field *FieldError
	if errors.As(err, &field) {
		member := r.from[field.Key]
		name := field.Key
		if member != nil {
			name = member.key
		}
		r.fail(member, "%s %s", name, field.Text)
		return nil, r.err
	}
	return m, err
}
