package models

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"meshplan/units"
)

// maxJSON bounds a config.json: the largest known one, with a shape for every
// layer, has 32 kB.
const maxJSON = 4 << 20

// Load is the model of a catalogue name, a model file (.toml) or a Hugging
// Face config.json (.json). What ends in .toml or .json or holds a path
// separator is a file; a repository id such as meta-llama/Llama-3.1-70B counts
// as a catalogue name where no such file exists.
func Load(nameOrPath string) (*Model, error) {
	if strings.TrimSpace(nameOrPath) == "" {
		return nil, errors.New("no model given: want a catalogue name, a model file (.toml) or a config.json")
	}
	ext := strings.ToLower(filepath.Ext(nameOrPath))
	if ext == ".toml" || ext == ".json" {
		return loadFile(nameOrPath, ext)
	}
	separated := strings.ContainsAny(nameOrPath, `/\`)
	_, missing := os.Stat(nameOrPath)
	if separated && missing == nil {
		return loadFile(nameOrPath, ext)
	}
	m, err := Find(nameOrPath)
	switch {
	case err == nil:
		return m, nil
	case separated:
		return nil, fmt.Errorf("%w; nor is there such a file", err)
	case missing == nil:
		return nil, fmt.Errorf("%w; a file of that name exists, but model files end in .toml or .json", err)
	}
	return nil, err
}

// loadFile reads one file by its extension.
func loadFile(path, ext string) (*Model, error) {
	base := strings.ToLower(filepath.Base(path))
	if base == "tokenizer.json" || base == "tokenizer_config.json" {
		return nil, fmt.Errorf("%s: not a Hugging Face config.json: it is a tokenizer's; the model's config.json lies beside it", path)
	}
	switch ext {
	case ".toml":
		text, err := readFile(path, maxTOML)
		if err != nil {
			return nil, err
		}
		return ParseTOML(path, text)
	case ".json":
		text, err := readFile(path, maxJSON)
		if err != nil {
			return nil, err
		}
		return ParseHF(path, text)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, isFolder(path)
	}
	return nil, fmt.Errorf("%s: a model file ends in .toml, a Hugging Face configuration in .json", path)
}

// readFile reads a regular file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case info.IsDir():
		return nil, isFolder(path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	case info.Size() > limit:
		return nil, tooLarge(path, info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	if int64(len(text)) > limit {
		return nil, tooLarge(path, int64(len(text)), limit)
	}
	return text, nil
}

// fileError is an error of the system without its own mention of the path.
func fileError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func isFolder(path string) error {
	return fmt.Errorf("%s: a directory; give the file in it, for example %s", path, filepath.Join(path, "config.json"))
}

func tooLarge(path string, size, limit int64) error {
	return fmt.Errorf("%s: %s; at most %s are read", path, units.Bytes(size), units.Bytes(limit))
}
