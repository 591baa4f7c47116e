package models

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"meshplan/strict"
)

// jsonKind is the kind of a JSON value.
type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber // also Python's NaN, Infinity and -Infinity
	jsonString
	jsonArray
	jsonObject
)

var jsonKindNames = [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}

// jsonValue is one value of a JSON text with the place where it starts.
type jsonValue struct {
	kind    jsonKind
	at      int    // byte offset
	text    string // of a number as written, of a string without escapes
	yes     bool   // of a boolean
	items   []jsonValue
	members []jsonMember
}

// jsonMember is one key of an object.
type jsonMember struct {
	key   string
	at    int
	value jsonValue
}

// get is the member of the key; nil where there is none or it is null, which
// configuration files use for "not given".
func (v *jsonValue) get(key string) *jsonMember {
	for i := range v.members {
		if m := &v.members[i]; m.key == key && m.value.kind != jsonNull {
			return m
		}
	}
	return nil
}

// whole is the value as a whole number; 4096.0 is one.
func (v *jsonValue) whole() (n int, ok bool) {
	if v.kind != jsonNumber {
		return 0, false
	}
	if n, err := strconv.Atoi(v.text); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1e15 {
		return 0, false
	}
	return int(f), true
}

// number is item i of a list as a whole number.
func (v *jsonValue) number(i int) (n int, ok bool) {
	if i >= len(v.items) {
		return 0, false
	}
	return v.items[i].whole()
}

// trivial reports a value that switches nothing on: null, false, 0, and empty
// strings, lists and objects.
func (v *jsonValue) trivial() bool {
	switch v.kind {
	case jsonBool:
		return !v.yes
	case jsonNumber:
		n, ok := v.whole()
		return ok && n == 0
	case jsonString:
		return v.text == ""
	}
	return len(v.items) == 0 && len(v.members) == 0
}

// String is the value as an error quotes it.
func (v *jsonValue) String() string {
	switch v.kind {
	case jsonBool:
		return strconv.FormatBool(v.yes)
	case jsonNumber:
		return strict.Clip(v.text, 40)
	case jsonString:
		return strconv.Quote(strict.Clip(v.text, 40))
	}
	return jsonKindNames[v.kind]
}

// lineColumn is the place of a byte offset as ":line:column", both from 1.
func lineColumn(text []byte, at int) string {
	before := text[:min(at, len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf(":%d:%d", line, len(before)-bytes.LastIndexByte(before, '\n'))
}
