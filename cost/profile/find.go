package profile

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"meshplan/strict"
)

//go:embed catalogue/*.toml
var catalogue embed.FS

// Catalogue lists the files of the catalogue, each with its variants, in the
// order of their names.
var Catalogue = sync.OnceValues(func() ([]*Profile, error) {
	entries, err := fs.ReadDir(catalogue, "catalogue")
	if err != nil {
		return nil, err
	}
	var list []*Profile
	for _, e := range entries {
		p, err := readFile(e.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
})

// readFile reads a file of the catalogue.
func readFile(file string) (*Profile, error) {
	text, err := catalogue.ReadFile("catalogue/" + file)
	if err != nil {
		return nil, err
	}
	return Parse(text, file)
}

// FileText is the text of a file of the catalogue.
func FileText(name string) ([]byte, error) { return catalogue.ReadFile("catalogue/" + name + ".toml") }

// all are the profiles of the catalogue by name, those of variants among them.
var all = sync.OnceValue(func() map[string]*Profile {
	files, err := Catalogue()
	if err != nil {
		panic("profile: " + err.Error()) // the catalogue is embedded and tested
	}
	byName := map[string]*Profile{}
	for _, file := range files {
		for _, p := range file.Family() {
			byName[p.Name] = p
		}
	}
	return byName
})

// Names lists the profiles of the catalogue, sorted.
func Names() []string { return slices.Sorted(maps.Keys(all())) }

// Find returns the profile of the catalogue with that name. The error of an
// unknown name gives the nearest.
func Find(name string) (*Profile, error) {
	p := all()[name]
	if p == nil {
		return nil, fmt.Errorf("unknown profile %q%s", strict.Clip(name, 60), strict.Suggest(name, Names(), 3, nil))
	}
	found := *p
	return &found, nil
}

// Load returns a profile of the catalogue or, for a name that ends in .toml
// or holds a path separator, of a file.
func Load(nameOrPath string) (*Profile, error) {
	if !strings.HasSuffix(nameOrPath, ".toml") && !strings.ContainsAny(nameOrPath, `/\`) {
		return Find(nameOrPath)
	}
	text, err := strict.ReadFile(nameOrPath, strict.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("profile %w", err)
	}
	return Parse(text, nameOrPath)
}

// Parse reads a profile; name says where the text comes from. Unknown keys,
// missing constants, impossible values and constants without a source are
// errors that give line and column.
func Parse(text []byte, name string) (*Profile, error) {
	p := new(Profile)
	doc, err := strict.Decode(name, text, p)
	if err != nil {
		return nil, err
	}
	if p.Base != "" {
		base, err := readFile(p.Base + ".toml")
		if err != nil || base.Base != "" {
			return nil, fmt.Errorf("%s: unknown base %q: want a profile of the catalogue that has none itself", doc.At("base"), strict.Clip(p.Base, 60))
		}
		p.inherit(base, doc)
	}
	if err := p.validate(doc); err != nil {
		return nil, err
	}
	return p, nil
}
