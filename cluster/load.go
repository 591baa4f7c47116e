package cluster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the largest cluster file that is read, in bytes: it holds some
// fifty short lines.
const maxFile = 64 << 10

// Load makes a cluster of a catalogue system and a GPU count ("h100:256", see
// Find) or, for a name that ends in .toml, holds a path separator or is a
// file, of a cluster file (see Parse).
func Load(specOrPath string) (*Cluster, error) {
	if !isPath(specOrPath) {
		return Find(specOrPath)
	}
	text, err := readFile(specOrPath)
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

// readFile reads a regular file of at most maxFile bytes.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("cluster file %s is a directory", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, pathError(path, err)
	}
	return text, nil
}

func pathError(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cluster file %s: %w", path, err)
}

// Parse reads a cluster file; file is its name, for errors. Unknown keys,
// missing and impossible figures are errors.
func Parse(file string, text []byte) (*Cluster, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("cluster file %s is larger than %d bytes", file, maxFile)
	}
	if err := shallow(file, text); err != nil {
		return nil, err
	}
	var f clusterFile
	if err := decode(file, text, &f); err != nil {
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
