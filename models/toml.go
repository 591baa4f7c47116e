package models

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxTOML bounds a model file: it holds some forty short lines.
const maxTOML = 64 << 10

// required are the keys a model file must have: nothing stands for them.
var required = []string{"name", "layers", "hidden", "heads", "vocab", "tie_embeddings", "gated_mlp"}

// ParseTOML reads one model file; file is its name, for errors. Keys that a
// shape may leave out get the values of SetDefaults. Unknown keys, missing
// keys and impossible sizes are errors that give line and column.
func ParseTOML(file string, text []byte) (*Model, error) {
	if len(text) > maxTOML {
		return nil, fmt.Errorf("%s: %d bytes; a model file has at most %d", file, len(text), maxTOML)
	}
	if err := guardTOML(file, text); err != nil {
		return nil, err
	}
	m := new(Model)
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(m)
	if err != nil {
		return nil, syntaxError(file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, unknownKey(file, text, unknown[0])
	}
	if missing := missingKeys(&meta); len(missing) > 0 {
		return nil, fmt.Errorf("%s: a model needs the keys %s; missing: %s",
			file, strings.Join(required, ", "), strings.Join(missing, ", "))
	}
	m.SetDefaults()
	return m, checked(file, text, m)
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

// checked validates m and gives the error the position of its key.
func checked(file string, text []byte, m *Model) error {
	err := m.Validate()
	var field *FieldError
	if errors.As(err, &field) {
		return fmt.Errorf("%s: %w", position(file, text, field.Key), err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// syntaxError gives an error of the TOML parser file, line and column.
func syntaxError(file string, err error) error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("%s: %w", file, err)
	}
	at := fmt.Sprintf("%s:%d:%d", file, parse.Position.Line, max(1, parse.Position.Col))
	if parse.LastKey != "" {
		return fmt.Errorf("%s: key %s: %s", at, clip(parse.LastKey, 60), clip(parse.Message, 200))
	}
	return fmt.Errorf("%s: %s", at, clip(parse.Message, 200))
}

func missingKeys(meta *toml.MetaData) (missing []string) {
	for _, key := range required {
		if !meta.IsDefined(key) {
			missing = append(missing, key)
		}
	}
	return missing
}
