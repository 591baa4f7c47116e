package models

import (
	"fmt"

	"meshplan/units"
)

// hfReader reads the quantities of one config.json. It remembers the first
// error, so that a family's reader need not test each step, and the keys it was
// asked for, so that the keys nobody asked for can be judged.
type hfReader struct {
	file string
	text []byte
	root jsonValue
	name string // of the family
	// outer reads the object that this one is nested in; nil for the file's own.
	outer *hfReader
	from  map[string]*jsonMember // by the model's key: the member it was read from
	used  map[string]bool        // by config.json key
	err   error
}

func newHFReader(file string, text []byte, root jsonValue) *hfReader {
	return &hfReader{file: file, text: text, root: root, from: map[string]*jsonMember{}, used: map[string]bool{}}
}

// quantity is a size that configuration files spell in several ways.
type quantity struct {
	key       string // the model's key
	what      string
	min, max  int
	spellings []string
}

// fail remembers the first error, at the member where one is given.
func (r *hfReader) fail(at *jsonMember, format string, args ...any) {
	if r.err != nil {
		return
	}
	place := r.file
	if at != nil {
		place += lineColumn(r.text, at.at)
	}
	r.err = fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...))
}

// get is the member of the key, nil if it is absent or null.
func (r *hfReader) get(key string) *jsonMember {
	r.used[key] = true
	return r.root.get(key)
}

// given is the quantity in whichever spelling the file has. Two spellings that
// disagree are an error.
func (r *hfReader) given(q quantity) (n int, ok bool) {
	var first *jsonMember
	for _, key := range q.spellings {
		m := r.get(key)
		if m == nil {
			continue
		}
		if first == nil {
			r.from[q.key] = m
		}
		v, valid := m.value.whole()
		if !valid || v < q.min || v > q.max {
			r.fail(m, "%s is %s; want a whole number from %s to %s", key, m.value.String(),
				units.Grouped(int64(q.min)), units.Grouped(int64(q.max)))
			return q.min, true
		}
		if first != nil && v != n {
			r.fail(m, "%s is %d but %s is %d: two spellings of the %s that disagree", key, v, first.key, n, q.what)
		}
		if first == nil {
			first, n = m, v
		}
	}
	return n, first != nil
}

// need is a quantity the file must have.
func (r *hfReader) need(q quantity) int {
	n, ok := r.given(q)
	if !ok {
		r.fail(nil, "no %s: want the key %q", q.what, q.spellings[0])
		return max(1, q.min)
	}
	return n
}

// or is a quantity with the value that the family takes where it is absent.
func (r *hfReader) or(q quantity, absent int) int {
	if n, ok := r.given(q); ok {
		return n
	}
	return absent
}

// flag is a boolean with the value that the family takes where it is absent.
func (r *hfReader) flag(key string, absent bool) bool {
	m := r.get(key)
	if m == nil {
		return absent
	}
	if m.value.kind != jsonBool {
		r.fail(m, "%s is %s; want true or false", key, m.value.String())
	}
	return m.value.yes
}

// switchedOff refuses a switch that is on; why says what it would change.
func (r *hfReader) switchedOff(key, why string) {
	if r.flag(key, false) {
		r.unmodelled(r.root.get(key), why)
	}
}

// always refuses a switch that is off but on in every layer that is modelled.
func (r *hfReader) always(key, why string) {
	if !r.flag(key, true) {
		r.unmodelled(r.root.get(key), why)
	}
}

// word is a string, "" where it is absent.
func (r *hfReader) word(key string) string {
	m := r.get(key)
	if m == nil {
		return ""
	}
	if m.value.kind != jsonString {
		r.fail(m, "%s is %s; want a string", key, m.value.String())
	}
	return m.value.text
}

// unmodelled is the error of a value that the family's layers do not have here.
func (r *hfReader) unmodelled(m *jsonMember, why string) {
	r.fail(m, "%s is %s, which is not modelled: %s", m.key, m.value.String(), why)
}
