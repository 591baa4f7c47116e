package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"meshplan/strict"
)

// jobFile is a job file that has been read and holds known keys only.
type jobFile struct {
	*strict.Doc
	folder string        // that the paths it names start from; "" for the working directory
	values reflect.Value // a pointer to a jobFileType
}

// jobFileType is the struct that a job file is decoded into.
var jobFileType = reflect.StructOf(jobFileFields())

func jobFileFields() []reflect.StructField {
	types := [...]reflect.Type{text: reflect.TypeFor[string](), whole: reflect.TypeFor[int64](),
		real: reflect.TypeFor[float64](), toggle: reflect.TypeFor[bool](), list: reflect.TypeFor[string]()}
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
// what the file says is checked all the same. "-" reads standard input. When
// the context ends before the file does, the program has been stopped.
func (j *job) readFile(ctx context.Context, path string, stdin io.Reader) error {
	file, err := openJobFile(ctx, path, stdin)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &failure{exitStopped, fmt.Errorf("stopped while reading the job file %s", path)}
	}
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
			return badUsage("%s: %s %q: %w", file.At(key...), key[0], clipped(value), err)
		}
		to.given[f.name], to.at[f.name] = true, file.At(key...)
	}
	return nil
}

// openJobFile reads and parses a job file.
func openJobFile(ctx context.Context, path string, stdin io.Reader) (*jobFile, error) {
	f := &jobFile{values: reflect.New(jobFileType)}
	var data []byte
	var err error
	switch {
	case path == "-":
		data, err = untilDone(ctx, func() ([]byte, error) { return strict.Read(path, stdin, strict.MaxFile) })
	case isPipe(path):
		data, err = untilDone(ctx, func() ([]byte, error) { return readPipe(path) })
	default:
		f.folder = filepath.Dir(path)
		data, err = strict.ReadFile(path, strict.MaxFile)
	}
	if err != nil {
		return nil, fmt.Errorf("job file %w", err)
	}
	f.Doc, err = strict.Decode(path, data, f.values.Interface())
	return f, err
}

// isPipe reports a pipe, such as a shell makes of <(command).
func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == fs.ModeNamedPipe
}

// readPipe reads a pipe to its end, of as many bytes as a file may have.
func readPipe(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return strict.Read(path, f, strict.MaxFile)
}

// untilDone is what the read gives, or the context's error once it is done:
// nothing ends a read from a terminal or a pipe that stays silent.
func untilDone(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	done := make(chan struct{})
	var text []byte
	var err error
	go func() {
		defer close(done)
		text, err = read()
	}()
	select {
	case <-done:
		return text, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
	if slices.Contains([]string{"model", "cluster", "profile", "nodes", "topology"}, d.name) {
		return f.beside(v.String())
	}
	return v.String()
}

// beside resolves a path that the job file names against the file's folder.
// Anything else is a name of a catalogue.
func (f *jobFile) beside(value string) string {
	isPath := strings.ContainsRune(value, '/') || strings.ContainsRune(value, filepath.Separator) ||
		slices.Contains([]string{".toml", ".json", ".txt", ".conf"}, filepath.Ext(value))
	if !isPath || filepath.IsAbs(value) || f.folder == "" {
		return value
	}
	return filepath.Join(f.folder, value)
}
