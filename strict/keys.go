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
	unknown := fmt.Sprintf("%s: unknown key %q", d.place(k.at), Clip(toml.Key(k.path).String(), 60))
	for i, part := range k.path {
		t = table(t)
		if t == nil {
			return fmt.Errorf("%s: %s is not a table", unknown, Clip(toml.Key(k.path[:i]).String(), 60))
		}
		field, ok := fieldOf(t, part)
		if !ok {
			return fmt.Errorf("%s%s", unknown, Suggest(part, Fields(t), 1, nil))
		}
		t = field.Type
	}
	return nil
}

// Fields are the keys of a struct type: the names of its toml tags, in order.
func Fields(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		names = append(names, tag(f))
	}
	return names
}

// fieldOf is the struct's field with the key.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if tag(f) == key {
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
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	return t
}
