package models

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"meshplan/strict"
)

// required are the keys a model file must have: nothing stands for them.
var required = []string{"name", "layers", "hidden", "heads", "vocab", "tie_embeddings", "gated_mlp"}

// ParseTOML reads one model file; file is its name, for errors. Keys that a
// shape may leave out get the values of SetDefaults. Unknown keys, missing
// keys and impossible sizes are errors that give line and column.
func ParseTOML(file string, text []byte) (*Model, error) {
	m := new(Model)
	doc, err := strict.Decode(file, text, m)
	if err != nil {
		return nil, err
	}
	if missing := missingKeys(doc); len(missing) > 0 {
		return nil, fmt.Errorf("%s: a model needs the keys %s; missing: %s",
			file, strings.Join(required, ", "), strings.Join(missing, ", "))
	}
	m.SetDefaults()
	return m, checked(doc, m)
}

// TOML is the model as a model file: ParseTOML reads the same model from it.
func (m *Model) TOML() ([]byte, error) {
	var out bytes.Buffer
	enc := toml.NewEncoder(&out)
	enc.Indent = ""
	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return out.Bytes(), nil
}

// checked validates m and gives the error the place of its key, or of the file
// where the key is left out.
func checked(doc *strict.Doc, m *Model) error {
	err := m.Validate()
	if err == nil {
		return nil
	}
	var key []string
	if field, ok := errors.AsType[*FieldError](err); ok {
		key = []string{field.Key}
	}
	return fmt.Errorf("%s: %w", doc.At(key...), err)
}

func missingKeys(doc *strict.Doc) (missing []string) {
	for _, key := range required {
		if !doc.Has(key) {
			missing = append(missing, key)
		}
	}
	return missing
}
