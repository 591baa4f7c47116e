package strict

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/BurntSushi/toml"
)

// mismatch is a value that its field cannot take.
type mismatch struct {
	place *key
	err   error
}

// typeError is the error of the first value of the file that has the wrong
// type. The decoder's own error is of any of them, and of a value in a list of
// tables it knows only the place of the last one: so each value is decoded on
// its own.
func (d *Doc) typeError(meta *toml.MetaData, tree map[string]toml.Primitive, into any, decoding error) error {
	var first mismatch
	d.compare(meta, tree, table(reflect.TypeOf(into)), "", &first)
	if first.place == nil {
		return d.syntaxError(decoding)
	}
	return fmt.Errorf("%s: %s %w", d.place(first.place.at), Clip(toml.Key(first.place.path).String(), 60), first.err)
}

// compare decodes the values of a table one by one and keeps the mismatch that
// comes first in the file.
func (d *Doc) compare(meta *toml.MetaData, tree map[string]toml.Primitive, t reflect.Type, number string, first *mismatch) {
	for name, value := range tree {
		field, ok := fieldOf(t, name)
		if !ok {
			continue
		}
		if number != "" {
			name = number + "." + name
		}
		d.compareValue(meta, value, field.Type, name, first)
	}
}

func (d *Doc) compareValue(meta *toml.MetaData, value toml.Primitive, t reflect.Type, number string, first *mismatch) {
	var inner map[string]toml.Primitive
	var list []toml.Primitive
	switch {
	case table(t) != nil && t.Kind() == reflect.Slice && meta.PrimitiveDecode(value, &list) == nil:
		for i, item := range list {
			d.compareValue(meta, item, t.Elem(), element(number, i), first)
		}
		return
	case table(t) != nil && t.Kind() != reflect.Slice && meta.PrimitiveDecode(value, &inner) == nil:
		d.compare(meta, inner, table(t), number, first)
		return
	}
	err := meta.PrimitiveDecode(value, reflect.New(t).Interface())
	if err == nil {
		return
	}
	place := d.numbered(number)
	if place == nil || first.place != nil && first.place.at < place.at {
		return
	}
	first.place, first.err = place, worded(meta, value, t, err)
}

// numbered is the key of a number, or the first one inside it.
func (d *Doc) numbered(number string) *key {
	for i := range d.keys {
		k := &d.keys[i]
		if k.number == number || len(k.number) > len(number) && k.number[:len(number)] == number && (k.number[len(number)] == '.' || k.number[len(number)] == '[') {
			return k
		}
	}
	return nil
}

// worded says what a field wants. An error of the value's own reader, of a
// quantity for example, is already worded.
func worded(meta *toml.MetaData, value toml.Primitive, t reflect.Type, err error) error {
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("is wrong: %s", oneLine(parse.Message))
	}
	var given any
	if meta.PrimitiveDecode(value, &given) != nil {
		return errors.New("has a value that cannot be read")
	}
	return fmt.Errorf("wants %s, not %s", wanted(t), shown(given))
}

func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if table(t) == nil {
		switch t.Kind() {
		case reflect.Bool:
			return "true or false"
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return "a whole number"
		case reflect.Float32, reflect.Float64:
			if reflect.PointerTo(t).NumMethod() == 0 {
				return "a number"
			}
		case reflect.Slice:
			return "a list of strings"
		}
		return "a string"
	}
	if t.Kind() == reflect.Slice {
		return "a list of tables"
	}
	return "a table"
}

// shown is a value as an error quotes it.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(Clip(v, 60))
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return "a date"
}
