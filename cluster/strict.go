package cluster

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// decode reads TOML into a struct. Unknown keys are errors that name the
// nearest known one; every error says file, line and column where known.
func decode(file string, text []byte, into any) error {
	meta, err := toml.Decode(string(text), into)
	if err != nil {
		return syntaxError(file, err)
	}
	key := unknownKey(&meta)
	if key == nil {
		return nil
	}
	allowed := keysAt(reflect.TypeOf(into).Elem(), key[:len(key)-1])
	return fmt.Errorf("%s: unknown key %q; nearest: %s",
		position(file, string(text), key), clip(key.String(), 60), strings.Join(nearest(key[len(key)-1], allowed, 1), ""))
}

// unknownKey is the first key that the struct does not have, nil when there
// is none. Keys are lower case; the decoder would take Size for size.
func unknownKey(meta *toml.MetaData) toml.Key {
	undecoded := meta.Undecoded()
	for _, key := range meta.Keys() {
		last := key[len(key)-1]
		if last != strings.ToLower(last) || len(undecoded) > 0 && key.String() == undecoded[0].String() {
			return key
		}
	}
	return nil
}

// syntaxError gives an error of the TOML parser file, line and column.
func syntaxError(file string, err error) error {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return typeError(file, err)
	}
	at := fmt.Sprintf("%s:%d:%d", file, parse.Position.Line, max(1, parse.Position.Col))
	if parse.LastKey != "" {
		return fmt.Errorf("%s: key %s: %s", at, clip(parse.LastKey, 60), clip(parse.Message, 200))
	}
	return fmt.Errorf("%s: %s", at, clip(parse.Message, 200))
}

// located is the text of the decoder's errors about types.
var located = regexp.MustCompile(`^toml: line (\d+) \(last key "(.*?)"\): (?:incompatible types: )?(.*)$`)

// typeError is the error of a value of the wrong type. Of keys in a list of
// tables the decoder knows only the last position, so that is left out.
func typeError(file string, err error) error {
	part := located.FindStringSubmatch(err.Error())
	if part == nil {
		return fmt.Errorf("%s: %s", file, clip(strings.TrimPrefix(err.Error(), "toml: "), 200))
	}
	if strings.HasPrefix(part[2], "level.") {
		return fmt.Errorf("%s: key %s: %s", file, clip(part[2], 60), clip(part[3], 200))
	}
	return fmt.Errorf("%s:%s: key %s: %s", file, part[1], clip(part[2], 60), clip(part[3], 200))
}

// keysAt are the keys of the table at a path, read from the struct's tags.
func keysAt(t reflect.Type, path []string) []string {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if len(path) > 0 && strings.EqualFold(name, path[0]) {
			return keysAt(f.Type, path[1:])
		}
		keys = append(keys, name)
	}
	return keys
}

// position is file:line:column of the first line that sets the key inside its
// table, else of the first that names it, else the file alone.
func position(file, text string, key []string) string {
	last := key[len(key)-1]
	table := ""
	fallback := file
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			table = strings.Trim(strings.TrimSpace(strings.SplitN(trimmed, "#", 2)[0]), "[] ")
		}
		column := strings.Index(line, last)
		if column < 0 {
			continue
		}
		at := fmt.Sprintf("%s:%d:%d", file, i+1, column+1)
		if table == strings.Join(key, ".") || table == strings.Join(key[:len(key)-1], ".") && startsWithKey(trimmed, last) {
			return at
		}
		if fallback == file && !strings.HasPrefix(trimmed, "#") {
			fallback = at
		}
	}
	return fallback
}

func startsWithKey(line, key string) bool {
	name, _, ok := strings.Cut(line, "=")
	parts := strings.Split(name, ".")
	return ok && slices.Contains([]string{key, `"` + key + `"`, "'" + key + "'"}, strings.TrimSpace(parts[0]))
}
