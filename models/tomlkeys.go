package models

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// keys are the keys of a model file, in the order they are written.
var keys = modelKeys()

func modelKeys() []string {
	var names []string
	t := reflect.TypeFor[Model]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("toml"), ",")
		names = append(names, name)
	}
	return names
}

// unknownKey is the error of a key that a model file does not have.
func unknownKey(file string, text []byte, key toml.Key) error {
	name := key.String()
	at := position(file, text, key[0])
	if len(key) > 1 {
		return fmt.Errorf("%s: unknown key %q: a model file has no tables", at, clip(name, 60))
	}
	if close := nearest(name, keys, 1); len(close) > 0 {
		return fmt.Errorf("%s: unknown key %q; nearest: %s", at, clip(name, 60), close[0])
	}
	return fmt.Errorf("%s: unknown key %q; a model file has %s", at, clip(name, 60), strings.Join(keys, ", "))
}

// position is file:line:column of the line that sets the key, or the file
// alone where no line does.
func position(file string, text []byte, key string) string {
	for i, line := range strings.Split(string(text), "\n") {
		body := strings.TrimLeft(line, " \t[")
		name, _, _ := strings.Cut(body, "=")
		name, _, _ = strings.Cut(name, "]")
		name, _, _ = strings.Cut(name, ".")
		if strings.EqualFold(strings.Trim(strings.TrimSpace(name), `"'`), key) {
			return fmt.Sprintf("%s:%d:%d", file, i+1, len(line)-len(body)+1)
		}
	}
	return file
}
