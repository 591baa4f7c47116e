package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"meshplan/strict"
)

// Bounds of a JSON text: real configurations nest 5 deep and hold some
// thousand values.
const (
	maxJSONDepth  = 64
	maxJSONValues = 200_000
)

// jsonError is what is wrong with a JSON text, and where.
type jsonError struct {
	at   int
	text string
}

func (e *jsonError) Error() string { return e.text }

// parseJSON reads a JSON text. It differs from encoding/json in what a
// configuration file needs: each value has its place, Python's NaN and
// Infinity are read (they are written by its json module), a key given twice is
// an error, and depth and number of values are bounded. The error is a
// *jsonError.
func parseJSON(text []byte) (root jsonValue, err error) {
	p := &jsonParser{text: text}
	p.at = len(text) - len(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	root, err = p.value(0)
	if err != nil {
		return root, err
	}
	p.space()
	if p.at < len(text) {
		return root, p.unexpected("the end of the file")
	}
	return root, nil
}

type jsonParser struct {
	text   []byte
	at     int
	values int
}

func (p *jsonParser) fail(format string, args ...any) error {
	return &jsonError{p.at, fmt.Sprintf(format, args...)}
}

// unexpected is the error of the next byte, or of the end of the text.
func (p *jsonParser) unexpected(wanted string) error {
	if p.at >= len(p.text) {
		return p.fail("the file ends here, where %s should be; is it truncated?", wanted)
	}
	r, _ := utf8.DecodeRune(p.text[p.at:])
	return p.fail("unexpected character %q, where %s should be", r, wanted)
}

func (p *jsonParser) space() {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n"), p.text[p.at]) >= 0 {
		p.at++
	}
}

// next skips spaces and returns the next byte, 0 at the end.
func (p *jsonParser) next() byte {
	p.space()
	if p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *jsonParser) value(depth int) (v jsonValue, err error) {
	if p.values++; p.values > maxJSONValues {
		return v, p.fail("more than %d values; no config.json has as many", maxJSONValues)
	}
	if depth > maxJSONDepth {
		return v, p.fail("nested deeper than %d levels; no config.json is", maxJSONDepth)
	}
	c := p.next()
	v.at = p.at
	switch {
	case c == '{':
		err = p.object(&v, depth)
	case c == '[':
		err = p.array(&v, depth)
	case c == '"':
		v.kind = jsonString
		v.text, err = p.str()
	default:
		err = p.scalar(&v)
	}
	return v, err
}

func (p *jsonParser) array(v *jsonValue, depth int) error {
	v.kind = jsonArray
	return p.list(']', func() error {
		item, err := p.value(depth + 1)
		v.items = append(v.items, item)
		return err
	})
}

func (p *jsonParser) object(v *jsonValue, depth int) error {
	v.kind = jsonObject
	seen := map[string]bool{}
	return p.list('}', func() error {
		if p.next() != '"' {
			return p.unexpected("a key in quotes")
		}
		m := jsonMember{at: p.at}
		var err error
		if m.key, err = p.str(); err != nil {
			return err
		}
		if seen[m.key] {
			return &jsonError{m.at, fmt.Sprintf("key %q is given twice", strict.Clip(m.key, 60))}
		}
		seen[m.key] = true
		if p.next() != ':' {
			return p.unexpected("a colon")
		}
		p.at++
		m.value, err = p.value(depth + 1)
		v.members = append(v.members, m)
		return err
	})
}

// list reads the elements up to the closing bracket; it stands on the opening
// one.
func (p *jsonParser) list(end byte, element func() error) error {
	p.at++
	if p.next() == end {
		p.at++
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		switch p.next() {
		case ',':
			p.at++
		case end:
			p.at++
			return nil
		default:
			return p.unexpected(fmt.Sprintf("a comma or %q", end))
		}
	}
}

// str reads the quoted string that starts here.
func (p *jsonParser) str() (string, error) {
	end := p.at + 1
	for end < len(p.text) && p.text[end] != '"' {
		if p.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.text) {
		p.at = len(p.text)
		return "", p.unexpected("the closing quote of a string")
	}
	var s string
	if json.Unmarshal(p.text[p.at:end+1], &s) != nil {
		return "", p.fail("a string that is not valid JSON")
	}
	p.at = end + 1
	return s, nil
}
