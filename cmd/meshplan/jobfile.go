package main

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"meshplan/strict"
)

// jobFile is a job file that has been read and holds known keys only.
type jobFile struct {
	*strict.Doc
	path   string
	values reflect.Value // a pointer to a jobFileType
}

// jobFileType is the struct that a job file is decoded into.
var jobFileType = reflect.StructOf(jobFileFields())

func jobFileFields() []reflect.StructField {
	types := [...]reflect.Type{text: reflect.TypeFor[string](), whole: reflect.TypeFor[int64](),
		real: reflect.TypeFor[float64](), toggle: reflect.TypeFor[bool]()}
	var list []reflect.StructField
	for _, key := range keys() {
		list = append(list, reflect.StructField{
			Name: exported(key),
			Type: types[fieldOf(key).kind],
			Tag:  reflect.StructTag("toml:" + strconv.Quote(key)),
		})
	}
	return list
}

// exported is the name of a key's field in jobFileType.
func exported(key string) string { return "Key_" + key }

// readFile applies a job file below what the flags have set: flags win, but
// what the file says is checked all the same. "-" reads standard input.
func (j *job) readFile(path string, stdin io.Reader) error {
	file, err := openJobFile(path, stdin)
	if err != nil {
		return usageError(err)
	}
	for _, key := range file.Keys() {
		f := fieldOf(key[0])
		value := file.text(f)
		to := j
		if j.given[f.name] {
			to = newJob()
		}
		if err := f.set(to, value); err != nil {
			return badUsage("%s: %s %q: %w", file.At(key...), key[0], value, err)
		}
		to.given[f.name] = true
	}
	return nil
}

// openJobFile reads and parses a job file.
func openJobFile(path string, stdin io.Reader) (*jobFile, error) {
	data, err := readAll(path, stdin)
	if err != nil {
		return nil, fmt.Errorf("job file %w", err)
	}
	f := &jobFile{path: path, values: reflect.New(jobFileType)}
	f.Doc, err = strict.Decode(path, data, f.values.Interface())
	return f, err
}

// readAll returns the text of a file or of standard input.
func readAll(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return strict.Read(path, stdin, strict.MaxFile)
	}
	return strict.ReadFile(path, strict.MaxFile)
}

// text is the value of a field as a flag would be given it.
func (f *jobFile) text(d *field) string {
	v := f.values.Elem().FieldByName(exported(d.key()))
	switch d.kind {
	case whole:
		return strconv.FormatInt(v.Int(), 10)
	case real:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case toggle:
		return strconv.FormatBool(v.Bool())
	}
	if d.name == "model" || d.name == "cluster" || d.name == "profile" {
		return f.beside(v.String())
	}
	return v.String()
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
