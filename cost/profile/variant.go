package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"meshplan/plan"
	"meshplan/strict"
)

// Variant is the same framework with other kernels or of another release: a
// profile of its own, called NAME-VARIANT, that differs from its file's in what
// it sets. All profiles of a file are fitted together.
type Variant struct {
	Name      string         `toml:"name"`
	About     string         `toml:"about"`
	Recipe    string         `toml:"default_recipe"`
	Precision plan.Precision `toml:"precision"`
	Services  []Service      `toml:"service"`
	Memory    Memory         `toml:"memory"`
	Time      Time           `toml:"time"`

	set map[string]bool // keys that it sets
}

// element is the path of a key in the file: of the profile itself, or of one
// of its variants.
func element(variant int, key string) string {
	if variant < 0 {
		return key
	}
	return fmt.Sprintf("variant[%d].%s", variant, key)
}

// own is the file's profile, without variants.
const own = -1

// Family is the profiles of the file: its own, and one for each variant.
func (p *Profile) Family() []*Profile {
	list := make([]*Profile, 0, 1+len(p.Variants))
	first := *p
	first.Variants = nil
	list = append(list, &first)
	for i := range p.Variants {
		v := &p.Variants[i]
		q := first
		q.Name, q.Services = p.Name+"-"+v.Name, v.Services
		if v.Recipe != "" {
			q.DefaultRecipe = v.Recipe
		}
		if v.Precision != "" {
			q.Precision = v.Precision
		}
		if v.About != "" {
			q.About = v.About
		}
		overlay(&q, &Profile{Memory: v.Memory, Time: v.Time}, func(key string) bool { return v.set[key] })
		list = append(list, &q)
	}
	return list
}

// overlay puts the constants and switches of another profile over those of p.
func overlay(p, over *Profile, set func(key string) bool) {
	constants, switches := map[string]*Constant{}, map[string]*bool{}
	for key, c := range over.constants() {
		constants[key] = c
	}
	for key, c := range over.switches() {
		switches[key] = c
	}
	for key, c := range p.constants() {
		if set(key) {
			*c = *constants[key]
		}
	}
	for key, c := range p.switches() {
		if set(key) {
			*c = *switches[key]
		}
	}
}

// inherit takes everything from the base that the file does not set. Constants
// of the base are not the file's to fit.
func (p *Profile) inherit(base *Profile, doc *strict.Doc) {
	below := *base
	for _, c := range below.constants() {
		c.Low, c.High = 0, 0
	}
	overlay(p, &below, func(key string) bool { return !doc.Has(strings.Split(key, ".")...) })
	for _, f := range []struct {
		to   *string
		from string
	}{{&p.Version, base.Version}, {&p.About, base.About}, {&p.DefaultRecipe, base.DefaultRecipe},
		{(*string)(&p.Precision), string(base.Precision)}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	if len(p.Frameworks) == 0 {
		p.Frameworks = base.Frameworks
	}
	if !doc.Has("rate") {
		p.Rates = slices.Clone(base.Rates)
		for _, c := range p.rates {
			c.Low, c.High = 0, 0
		}
	}
	for _, r := range base.Recipes {
		if !slices.ContainsFunc(p.Recipes, func(o Recipe) bool { return o.Name == r.Name }) {
			p.Recipes = append(p.Recipes, r)
		}
	}
}

// validateVariants is the first thing wrong with the variants; it notes what
// each of them sets.
func (p *Profile) validateVariants(doc *strict.Doc) error {
	names := map[string]bool{}
	for i := range p.Variants {
		v, at := &p.Variants[i], element(i, "name")
		if v.Name == "" || names[v.Name] {
			return fmt.Errorf("%s: variant %d is called %q: want a name of its own", doc.AtElement(at), i+1, strict.Clip(v.Name, 60))
		}
		if err := strict.Printable(v.Name); err != nil {
			return fmt.Errorf("%s: the name of variant %d %w", doc.AtElement(at), i+1, err)
		}
		if v.Precision != "" {
			if err := knownPrecision(v.Precision); err != nil {
				return fmt.Errorf("%s: variant %s: %w", doc.AtElement(element(i, "precision")), v.Name, err)
			}
		}
		if _, err := p.Recipe(v.Recipe); err != nil {
			return fmt.Errorf("%s: variant %s: %w", doc.AtElement(at), v.Name, err)
		}
		names[v.Name], v.set = true, map[string]bool{}
		part := &Profile{Memory: v.Memory, Time: v.Time}
		for key, c := range part.constants() {
			if v.set[key] = doc.HasElement(element(i, key)); !v.set[key] {
				continue
			}
			if err := cmp.Or(c.validate(key), c.validatePrior()); err != nil {
				return fmt.Errorf("%s: variant %s: %s %w", doc.AtElement(element(i, key)), v.Name, key, err)
			}
		}
		for key := range part.switches() {
			v.set[key] = doc.HasElement(element(i, key))
		}
		for j := range v.Services {
			if err := v.Services[j].validate(); err != nil {
				return fmt.Errorf("%s: variant %s: service %d %w", doc.AtElement(at), v.Name, j+1, err)
			}
		}
	}
	return nil
}
