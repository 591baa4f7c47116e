// Package strict reads what users write and says what is wrong with it: TOML
// files in which every key must be known, and names that must be in a list.
//
//	text, err := strict.ReadFile(path, strict.MaxFile)
//	doc, err := strict.Decode(path, text, &job) // job.toml:3:1: unknown key "sequ"; nearest: seq
//	err = fmt.Errorf("%s: seq is 0; want at least 1", doc.At("seq"))
//
// Every error is one line: the file with line and column, what is wrong, what
// was expected, and the nearest valid key or name.
package strict

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// MaxFile is the size in bytes of the largest TOML file that is read.
const MaxFile = 256 << 10

// Doc is a TOML file that has been read. It knows where its keys stand.
type Doc struct {
	file string
	text string
	keys []key
}

// Decode reads TOML into the struct that into points to; file is its name, for
// errors. Keys are those of the struct's toml tags, letter by letter. Text
// that is too large, nests too deeply or is not TOML, unknown keys and values
// of the wrong type are errors.
func Decode(file string, text []byte, into any) (*Doc, error) {
	if len(text) > MaxFile {
		return nil, TooLarge(file, MaxFile)
	}
	d := &Doc{file: file, text: string(text)}
	if at := tooDeep(d.text); at >= 0 {
		return nil, fmt.Errorf("%s: nested too deeply: at most %d brackets and dots around a value", d.place(at), maxDepth)
	}
	var tree map[string]toml.Primitive
	meta, err := toml.Decode(d.text, &tree)
	if err != nil {
		return nil, d.located("not TOML: ", err)
	}
	d.keys = scan(d.text)
	if err := d.checkKeys(into); err != nil {
		return nil, err
	}
	if _, err := toml.Decode(d.text, into); err != nil {
		return nil, d.typeError(&meta, tree, into, err)
	}
	return d, nil
}

// Keys are the paths of the keys and tables, in the order of the file. Those
// of a list of tables occur once for each table.
func (d *Doc) Keys() [][]string {
	paths := make([][]string, len(d.keys))
	for i, k := range d.keys {
		paths[i] = slices.Clone(k.path)
	}
	return paths
}

// Has reports whether the file sets the key or has the table of that path.
func (d *Doc) Has(path ...string) bool { return d.find(path) != nil }

// HasElement reports whether the file sets the key, of which lists of tables
// are numbered from 0: "level[1].size".
func (d *Doc) HasElement(path string) bool { return d.element(path) != nil }

// AtElement is FILE:LINE:COLUMN of such a key; the file alone where there is
// none.
func (d *Doc) AtElement(path string) string {
	if k := d.element(path); k != nil {
		return d.place(k.at)
	}
	return d.file
}

// element is the key of a numbered path.
func (d *Doc) element(path string) *key {
	i := slices.IndexFunc(d.keys, func(k key) bool { return k.number == path })
	if i < 0 {
		return nil
	}
	return &d.keys[i]
}

// SetNumber is the file's text with another number for a key of a numbered
// path, everything else as it was. The key's value must be a plain number.
func (d *Doc) SetNumber(path, number string) (string, error) {
	k := d.element(path)
	if k == nil {
		return "", fmt.Errorf("%s has no key %s", d.file, path)
	}
	rest := d.text[k.at:]
	equals := strings.IndexByte(rest, '=')
	start := k.at + equals + 1
	for start < len(d.text) && (d.text[start] == ' ' || d.text[start] == '\t') {
		start++
	}
	end := start + strings.IndexAny(d.text[start:]+"\n", ",}#\r\n \t")
	if _, err := strconv.ParseFloat(d.text[start:end], 64); equals < 0 || err != nil {
		return "", fmt.Errorf("%s: %s is no plain number", d.place(k.at), path)
	}
	return d.text[:start] + number + d.text[end:], nil
}

// At is FILE:LINE:COLUMN of the first key or table of that path; the file
// alone where it has none or the path is empty.
func (d *Doc) At(path ...string) string {
	if k := d.find(path); k != nil {
		return d.place(k.at)
	}
	return d.file
}

// find is the first key of the path or, for a table that only its keys spell,
// inside it.
func (d *Doc) find(path []string) *key {
	if len(path) == 0 {
		return nil
	}
	var inside *key
	for i := range d.keys {
		k := &d.keys[i]
		if len(k.path) < len(path) || !slices.Equal(k.path[:len(path)], path) {
			continue
		}
		if len(k.path) == len(path) {
			return k
		}
		if inside == nil {
			inside = k
		}
	}
	return inside
}

// place is FILE:LINE:COLUMN of a byte of the text, both from 1.
func (d *Doc) place(at int) string {
	before := d.text[:at]
	return fmt.Sprintf("%s:%d:%d", d.file, strings.Count(before, "\n")+1, at-strings.LastIndexByte(before, '\n'))
}

// located gives an error of package toml file, line and column. A prefix says
// what kind of error it is.
func (d *Doc) located(prefix string, err error) error {
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return fmt.Errorf("%s: %s%s", d.file, prefix, oneLine(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	at := fmt.Sprintf("%s:%d:%d", d.file, parse.Position.Line, max(1, parse.Position.Col))
	if parse.LastKey != "" {
		return fmt.Errorf("%s: %skey %s: %s", at, prefix, Clip(oneLine(parse.LastKey), 60), oneLine(parse.Message))
	}
	return fmt.Errorf("%s: %s%s", at, prefix, oneLine(parse.Message))
}

// oneLine is a message of the TOML parser, which quotes the file's text, on
// one line of a bounded length.
func oneLine(message string) string {
	return Clip(strings.Join(strings.Fields(message), " "), 200)
}
