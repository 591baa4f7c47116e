package profile

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

//go:embed catalogue/*.toml
var catalogue embed.FS

// maxFile is the largest profile file that is read.
const maxFile = 1 << 20

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
	sort.Strings(names)
	return names
}

// Find returns the profile of the catalogue with that name.
func Find(name string) (*Profile, error) {
	text, err := catalogue.ReadFile("catalogue/" + name + ".toml")
	if err != nil {
		return nil, fmt.Errorf("unknown profile %q: known profiles are %s", name, join(Names()))
	}
	return Parse(text, name+".toml")
}

// Load returns a profile of the catalogue or, for a name that ends in .toml
// or holds a path separator, of a file.
func Load(nameOrPath string) (*Profile, error) {
	if !strings.HasSuffix(nameOrPath, ".toml") && !strings.ContainsAny(nameOrPath, `/\`) {
		return Find(nameOrPath)
	}
	info, err := os.Stat(nameOrPath)
	switch {
	case err != nil:
		return nil, fmt.Errorf("profile %s: %w", nameOrPath, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("profile %s is not a file", nameOrPath)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("profile %s has %d bytes; at most %d are read", nameOrPath, info.Size(), maxFile)
	}
	text, err := os.ReadFile(nameOrPath)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", nameOrPath, errors.Unwrap(err))
	}
	return Parse(text, nameOrPath)
}

// Parse reads a profile; name says where the text comes from. Unknown keys,
// missing constants and constants without a source are errors.
func Parse(text []byte, name string) (*Profile, error) {
	var p Profile
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&p)
	var position toml.ParseError
	switch {
	case errors.As(err, &position):
		return nil, fmt.Errorf("%s:%d:%d: %s", name, position.Position.Line, position.Position.Start+1, position.Message)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return nil, fmt.Errorf("%s: unknown key %q", name, extra[0].String())
	}
	if err := p.validate(&meta); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &p, nil
}

func (p *Profile) validate(meta *toml.MetaData) error {
	if p.Name == "" {
		return errors.New("name is missing")
	}
	for _, r := range p.Recipes {
		if !sane(r.Weight) || !sane(r.Grad) || !sane(r.Optimizer) || r.PerParameter() == 0 || r.PerParameter() > 1000 {
			return fmt.Errorf("recipe %q: bytes per parameter must be between 0 and 1000", r.Name)
		}
	}
	if _, err := p.Recipe(""); err != nil {
		return err
	}
	if err := constants(reflect.ValueOf(p.Memory), "memory", meta); err != nil {
		return err
	}
	if err := constants(reflect.ValueOf(p.Time), "time", meta); err != nil {
		return err
	}
	switch {
	case p.Memory.Reserved.Value < 1:
		return errors.New("memory.reserved_ratio must be at least 1")
	case p.Memory.Margin.Value >= 1:
		return errors.New("memory.fit_margin must be below 1")
	case p.Time.GradOverlap.Value > 1 || p.Time.ParamOverlap.Value > 1:
		return errors.New("time.grad_overlap and time.param_overlap must be at most 1")
	}
	return nil
}

// constants checks that every constant of a section is given, finite, not
// negative and has a source.
func constants(section reflect.Value, name string, meta *toml.MetaData) error {
	for i := range section.NumField() {
		c, ok := section.Field(i).Interface().(Constant)
		if !ok {
			continue
		}
		key := section.Type().Field(i).Tag.Get("toml")
		switch {
		case !meta.IsDefined(name, key):
			return fmt.Errorf("%s.%s is missing", name, key)
		case !sane(c.Value):
			return fmt.Errorf("%s.%s must be a number of at least 0", name, key)
		case c.Source == "":
			return fmt.Errorf("%s.%s has no source", name, key)
		}
	}
	return nil
}

// Assumptions lists, as sentences, the constants that nobody printed or
// measured.
func (p *Profile) Assumptions() []string {
	var list []string
	for _, s := range []struct {
		name  string
		value reflect.Value
	}{{"memory", reflect.ValueOf(p.Memory)}, {"time", reflect.ValueOf(p.Time)}} {
		for i := range s.value.NumField() {
			if c, ok := s.value.Field(i).Interface().(Constant); ok && c.Assumed {
				list = append(list, fmt.Sprintf("profile %s assumes %s.%s = %g: %s",
					p.Name, s.name, s.value.Type().Field(i).Tag.Get("toml"), c.Value, c.Source))
			}
		}
	}
	return list
}

func sane(v float64) bool { return v >= 0 && !math.IsInf(v, 1) && !math.IsNaN(v) }

func join(names []string) string { return strings.Join(names, ", ") }
