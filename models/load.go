package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"meshplan/strict"
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
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, isFolder(path)
	}
	switch ext {
	case ".toml":
		return readFile(path, strict.MaxFile, ParseTOML)
	case ".json":
		return readFile(path, maxJSON, ParseHF)
	}
	return nil, fmt.Errorf("%s: a model file ends in .toml, a Hugging Face configuration in .json", path)
}

// readFile reads a file of at most limit bytes and parses it.
func readFile(path string, limit int64, parse func(string, []byte) (*Model, error)) (*Model, error) {
	text, err := strict.ReadFile(path, limit)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

// isFolder is the error of a directory given for a model.
func isFolder(path string) error {
	return fmt.Errorf("%s: is a directory; give the file in it, for example %s", path, filepath.Join(path, "config.json"))
}
