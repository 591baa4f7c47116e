package strict

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// comparison decodes the values of a file one by one, to find the first that
// its field cannot take. The decoder's own error is of any of them, and of a
// value in a list of tables it knows only the place of the last one.
type comparison struct {
	meta   *toml.MetaData
	places map[string]*key // by number
	first  *key
	err    error // of first
}

// typeError is the error of the first value of the wrong type; decoding is the
// decoder's own.
func (d *Doc) typeError(meta *toml.MetaData, tree map[string]toml.Primitive, into any, decoding error) error {
	c := comparison{meta: meta, places: d.numbered()}
	c.table(tree, table(reflect.TypeOf(into)), "")
	if c.first == nil {
		return d.located("", decoding)
	}
	return fmt.Errorf("%s: %s %w", d.place(c.first.at), Clip(toml.Key(c.first.path).String(), 60), c.err)
}

// numbered are the keys by number, and the first key inside each table that
// has no header.
func (d *Doc) numbered() map[string]*key {
	places := map[string]*key{}
	for i := range d.keys {
		k := &d.keys[i]
		for n := len(k.number); n > 0; n = strings.LastIndexAny(k.number[:n], ".[") {
			if places[k.number[:n]] == nil {
				places[k.number[:n]] = k
			}
		}
	}
	return places
}

// table compares the values of a table.
func (c *comparison) table(tree map[string]toml.Primitive, t reflect.Type, number string) {
	for name, value := range tree {
		field, ok := fieldOf(t, name)
		if !ok {
			continue
		}
		if number != "" {
			name = number + "." + name
		}
		c.value(value, field.Type, name)
	}
}

// value compares one value; of one that is no table the decoder makes a nil
// map without an error. Of two mismatches the one that comes first in the
// file is kept.
func (c *comparison) value(value toml.Primitive, t reflect.Type, number string) {
	var inner map[string]toml.Primitive
	var list []toml.Primitive
	switch {
	case table(t) != nil && t.Kind() == reflect.Slice && c.meta.PrimitiveDecode(value, &list) == nil:
		for i, item := range list {
			c.value(item, t.Elem(), element(number, i))
		}
		return
	case table(t) != nil && t.Kind() != reflect.Slice && c.meta.PrimitiveDecode(value, &inner) == nil && inner != nil:
		c.table(inner, table(t), number)
		return
	}
	err := c.meta.PrimitiveDecode(value, reflect.New(t).Interface())
	place := c.places[number]
	if err != nil && place != nil && (c.first == nil || place.at < c.first.at) {
		c.first, c.err = place, c.worded(value, t, err)
	}
}

// worded says what a field wants. An error of the value's own reader, of a
// quantity for example, is already worded.
func (c *comparison) worded(value toml.Primitive, t reflect.Type, err error) error {
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("is wrong: %s", oneLine(parse.Message))
	}
	var given any
	if err := c.meta.PrimitiveDecode(value, &given); err != nil {
		return err
	}
	return fmt.Errorf("wants %s, not %s", wanted(t), shown(given))
}
