package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"meshplan/strict"
)

// Load makes a cluster of a catalogue system and a GPU count ("h100:256", see
// Find) or, for a name that ends in .toml, holds a path separator or is a
// file, of a cluster file (see Parse).
func Load(specOrPath string) (*Cluster, error) {
	if !isPath(specOrPath) {
		return Find(specOrPath)
	}
	text, err := strict.ReadFile(specOrPath, strict.MaxFile)
	if err != nil {
		return nil, err
	}
	return Parse(specOrPath, text)
}

func isPath(name string) bool {
	if strings.HasSuffix(name, ".toml") || strings.ContainsAny(name, `/\`) {
		return true
	}
	_, err := os.Stat(name)
	return err == nil && !strings.Contains(name, ":")
}

// Parse reads a cluster file; file is its name, for errors. Unknown keys,
// missing and impossible figures are errors.
func Parse(file string, text []byte) (*Cluster, error) {
	var f clusterFile
	if _, err := strict.Decode(file, text, &f); err != nil {
		return nil, err
	}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(file), ".toml")
	}
	c, err := f.cluster()
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}
