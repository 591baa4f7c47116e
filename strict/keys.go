package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// checkKeys is the error of the first key that the struct does not have. The
// decoder would take Size for size; here a key is spelled in one way.
func (d *Doc) checkKeys(into any) error {
	t := reflect.TypeOf(into)
	for _, k := range d.keys {
		if err := d.checkKey(t, k); err != nil {
			return err
		}
	}
	return nil
}

func (d *Doc) checkKey(t reflect.Type, k key) error {
	for i, part := range k.path {
		t = table(t)
		if t == nil {
			return d.unknownKey(k, fmt.Sprintf(": %s is not a table", Clip(toml.Key(k.path[:i]).String(), 60)))
		}
		field, ok := fieldOf(t, part)
		if !ok {
			return d.unknownKey(k, Suggest(part, Fields(t), 1, nil))
		}
		t = field.Type
	}
	return nil
}

func (d *Doc) unknownKey(k key, why string) error {
	return fmt.Errorf("%s: unknown key %q%s", d.place(k.at), Clip(toml.Key(k.path).String(), 60), why)
}

// Fields are the keys of a struct type: the names of its toml tags, in order.
func Fields(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		if name := tag(f); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// fieldOf is the struct's field with the key.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if key != "" && tag(f) == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// tag is the key of a field: the name of its toml tag.
func tag(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return name
}

// table is the struct type that a table or list of tables is read into, nil
// for the type of a single value.
func table(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || readsText(t) {
		return nil
	}
	return t
}

// readsText reports a type that is read from a string by its own method.
func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
