package models

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"meshplan/strict"
)

//go:embed catalogue/*.toml
var files embed.FS

// catalogue is the embedded models, by name, and the indexes of their names and
// aliases: pointed, in which all differ, and plain.
type catalogue struct {
	models  []*Model
	pointed map[string]*Model
	plain   map[string][]*Model
}

func newCatalogue() *catalogue {
	return &catalogue{pointed: map[string]*Model{}, plain: map[string][]*Model{}}
}

var embedded = sync.OnceValues(readCatalogue)

// All is every model of the catalogue, by name. The models are the caller's
// own copies.
func All() []*Model {
	c, err := embedded()
	if err != nil {
		return nil
	}
	all := make([]*Model, len(c.models))
	for i, m := range c.models {
		all[i] = m.Clone()
	}
	return all
}

// Names is the names of the catalogue's models, sorted.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

// Find is the catalogue's model of the name or alias, in any spelling: case
// and the characters - _ . / and space do not matter, but where only they tell
// two models apart, as in opt-1.3b and opt-13b, those between digits do. An
// unknown name is an error that gives the nearest known ones.
func Find(name string) (*Model, error) {
	c, err := embedded()
	if err != nil {
		return nil, err
	}
	return c.find(name)
}

func (c *catalogue) find(name string) (*Model, error) {
	if m, ok := c.pointed[pointed(name)]; ok {
		return m.Clone(), nil
	}
	switch found := c.plain[plain(name)]; len(found) {
	case 0:
	case 1:
		return found[0].Clone(), nil
	default:
		return nil, fmt.Errorf("model %q is %s or %s; give it with its points", strict.Clip(name, 60), found[0].Name, found[1].Name)
	}
	return nil, fmt.Errorf("no model %q in the catalogue%s", strict.Clip(name, 60), strict.Suggest(name, c.names(), 3, plain))
}

// names is one name a model, in catalogue order.
func (c *catalogue) names() []string {
	names := make([]string, len(c.models))
	for i, m := range c.models {
		names[i] = m.Name
	}
	return names
}

func readCatalogue() (*catalogue, error) {
	entries, err := files.ReadDir("catalogue")
	if err != nil {
		return nil, fmt.Errorf("model catalogue: %w", err)
	}
	c := newCatalogue()
	for _, e := range entries {
		path := "catalogue/" + e.Name()
		text, err := files.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("model catalogue: %w", err)
		}
		if err := c.add(path, text); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.models, func(a, b *Model) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}

// add reads one embedded file; a name that is taken is an error.
func (c *catalogue) add(path string, text []byte) error {
	m, err := ParseTOML(path, text)
	if err != nil {
		return fmt.Errorf("model catalogue: %w", err)
	}
	for _, name := range append([]string{m.Name}, m.Aliases...) {
		if other, taken := c.pointed[pointed(name)]; taken {
			return fmt.Errorf("model catalogue: %s: name %q is taken by %s", path, name, other.Name)
		}
		c.pointed[pointed(name)] = m
		if same := c.plain[plain(name)]; !slices.Contains(same, m) {
			c.plain[plain(name)] = append(same, m)
		}
	}
	c.models = append(c.models, m)
	return nil
}
