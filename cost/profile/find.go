package profile

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"meshplan/strict"
)

//go:embed catalogue/*.toml
var catalogue embed.FS

// Names lists the profiles of the catalogue, sorted.
func Names() []string {
	entries, err := fs.ReadDir(catalogue, "catalogue")
	if err != nil {
		panic("profile: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	slices.Sort(names)
	return names
}

// Find returns the profile of the catalogue with that name. The error of an
// unknown name gives the nearest.
func Find(name string) (*Profile, error) {
	text, err := catalogue.ReadFile("catalogue/" + name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("unknown profile %q%s", strict.Clip(name, 60), strict.Suggest(name, Names(), 3, nil))
	}
	return Parse(text, name+".toml")
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
	if err := p.validate(doc); err != nil {
		return nil, err
	}
	return p, nil
}
