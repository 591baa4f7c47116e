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
	c, err := Parse(specOrPath, text)
	if err == nil {
		c.file = specOrPath
	}
	return c, err
}

// LoadWith is Load with the nodes of a list. Of a catalogue system the list
// says how many GPUs there are: the name may stand alone ("h100").
func LoadWith(specOrPath string, nodes []Node) (*Cluster, error) {
	if isPath(specOrPath) {
		c, err := Load(specOrPath)
		if err != nil {
			return nil, err
		}
		return c.WithNodes(nodes)
	}
	name, count, hasCount := strings.Cut(strings.TrimSpace(specOrPath), ":")
	s := known().system(name)
	if s == nil {
		return nil, fmt.Errorf("unknown cluster %q%s", strict.Clip(specOrPath, 60), strict.Suggest(name, Names(), 3, plain))
	}
	c, err := s.With(nodes)
	if err != nil || !hasCount {
		return c, err
	}
	n, err := parseCount(count)
	if err != nil || n != c.GPUs() && n != c.Present() {
		return nil, fmt.Errorf("cluster %q: the list of nodes has %d healthy GPUs of %d; want %s alone, or %s", strict.Clip(specOrPath, 60), c.GPUs(), c.Present(), s.Name, c.Name)
	}
	return c, nil
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
	doc, err := strict.Decode(file, text, &f)
	if err != nil {
		return nil, err
	}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(file), ".toml")
	}
	c, err := f.cluster(doc)
	if err == nil && len(f.Leaves)+len(f.Nodes) > 0 {
		return f.machines(doc, c)
	}
	if err == nil {
		err = c.Validate()
	}
	if err == nil {
		err = c.validateNodes(doc.Has("nics_per_node"))
	}
	if err != nil {
		return nil, located(doc, err)
	}
	return c, nil
}
