package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxFile is the size in bytes of the largest job file that is read.
const maxFile = 1 << 20

// jobFile is a job file that has been read and holds known keys only.
type jobFile struct {
	path, data string
	values     map[string]any
	keys       []string // in the order of the file
}

// readFile applies a job file below what the flags have set: flags win, but
// what the file says is checked all the same. "-" reads standard input.
func (j *job) readFile(path string, stdin io.Reader) error {
	file, err := openJobFile(path, stdin)
	if err != nil {
		return usageError(err)
	}
	for _, key := range file.keys {
		f := fieldOf(key)
		value, err := file.text(f)
		if err != nil {
			return usageError(err)
		}
		to := j
		if j.given[f.name] {
			to = newJob()
		}
		if err := f.set(to, value); err != nil {
			return badUsage("%s: %s %q: %w", file.at(key), key, value, err)
		}
		to.given[f.name] = true
	}
	return nil
}

// openJobFile reads and parses a job file.
func openJobFile(path string, stdin io.Reader) (*jobFile, error) {
	data, err := readAll(path, stdin)
	if err != nil {
		return nil, fmt.Errorf("job file %s: %w", path, err)
	}
	f := &jobFile{path: path, data: data}
	meta, err := toml.Decode(data, &f.values)
	if p, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d:%d: not TOML: %s", path, p.Position.Line, p.Position.Col, p.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not TOML: %w", path, err)
	}
	for _, k := range meta.Keys() {
		if len(k) > 1 || fieldOf(k[0]) == nil {
			return nil, fmt.Errorf("%s: unknown key %q%s", f.at(k[0]), k, suggestion(k[0], keys()))
		}
		f.keys = append(f.keys, k[0])
	}
	return f, nil
}

// readAll returns the text of a file or of standard input, of at most maxFile.
func readAll(path string, stdin io.Reader) (string, error) {
	in := stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", cause(err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return "", errors.New("is a directory, want a TOML file")
		}
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return "", cause(err)
	}
	if len(data) > maxFile {
		return "", errors.New("is larger than 1 MiB, want a TOML job file")
	}
	return string(data), nil
}

// text is the value of a field as a flag would be given it; the value's type
// has to be the field's.
func (f *jobFile) text(d *field) (string, error) {
	key := d.key()
	var value string
	var kinds []kind
	switch v := f.values[key].(type) {
	case string:
		value, kinds = v, []kind{text}
	case int64:
		value, kinds = strconv.FormatInt(v, 10), []kind{whole, real}
	case float64:
		value, kinds = strconv.FormatFloat(v, 'g', -1, 64), []kind{real}
	case bool:
		value, kinds = strconv.FormatBool(v), []kind{toggle}
	}
	if !slices.Contains(kinds, d.kind) {
		return "", fmt.Errorf("%s: %s wants %s", f.at(key), key, d.kind)
	}
	if d.name == "model" || d.name == "cluster" || d.name == "profile" {
		value = f.beside(value)
	}
	return value, nil
}

// beside resolves a path that the job file names against the file's folder.
// Anything else is a name of a catalogue.
func (f *jobFile) beside(value string) string {
	isPath := strings.ContainsRune(value, '/') || strings.ContainsRune(value, filepath.Separator) ||
		strings.HasSuffix(value, ".toml") || strings.HasSuffix(value, ".json")
	if !isPath || filepath.IsAbs(value) || f.path == "-" {
		return value
	}
	return filepath.Join(filepath.Dir(f.path), value)
}

// at is "file:line:column" of a key. The TOML reader tells positions in errors
// only and those of values, so the key is decoded into a type that refuses
// every value, and the key is what the value's line begins with.
func (f *jobFile) at(key string) string {
	probe := reflect.New(reflect.StructOf([]reflect.StructField{{
		Name: "Key",
		Type: reflect.TypeFor[refusal](),
		Tag:  reflect.StructTag("toml:" + strconv.Quote(key)),
	}}))
	_, err := toml.Decode(f.data, probe.Interface())
	p, ok := errors.AsType[toml.ParseError](err)
	lines := strings.Split(f.data, "\n")
	if !ok || p.Position.Line < 1 || p.Position.Line > len(lines) {
		return f.path
	}
	line := lines[p.Position.Line-1]
	indent := len(line) - len(strings.TrimLeft(line, " \t["))
	return fmt.Sprintf("%s:%d:%d", f.path, p.Position.Line, indent+1)
}

// refusal is a TOML value that cannot be decoded.
type refusal struct{}

// UnmarshalTOML always fails.
func (*refusal) UnmarshalTOML(any) error { return errors.New("refused") }

// cause drops the operation and path that package os puts before an error.
func cause(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}
