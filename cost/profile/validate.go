package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"meshplan/plan"
	"meshplan/strict"
)

// maxPerParameter is the most bytes that a recipe may keep per parameter;
// known ones keep 16 to 20.
const maxPerParameter = 1000

// validate is the first thing that the file lacks or that is impossible.
func (p *Profile) validate(doc *strict.Doc) error {
	if p.Name == "" {
		return fmt.Errorf("%s: a profile needs a name", doc.At("name"))
	}
	if err := strict.Printable(p.Name); err != nil {
		return fmt.Errorf("%s: name %w", doc.At("name"), err)
	}
	if err := p.validateRecipes(doc); err != nil {
		return err
	}
	if err := p.validateServices(doc); err != nil {
		return err
	}
	if err := p.validateVariants(doc); err != nil {
		return err
	}
	if err := p.validateRates(doc); err != nil {
		return err
	}
	for key, c := range p.constants() {
		path := strings.Split(key, ".")
		if !doc.Has(path...) && p.Base == "" {
			return fmt.Errorf("%s: %s is missing", doc.At(path[0]), key)
		}
		err := c.validate(key)
		if err == nil && doc.Has(path...) {
			err = c.validatePrior()
		}
		if err != nil {
			return fmt.Errorf("%s: %s %w", doc.At(path...), key, err)
		}
	}
	for key := range p.switches() {
		if path := strings.Split(key, "."); !doc.Has(path...) && p.Base == "" {
			return fmt.Errorf("%s: %s is missing: want true or false", doc.At(path[0]), key)
		}
	}
	if len(p.Frameworks) == 0 {
		return fmt.Errorf("%s: a profile needs frameworks, those whose plans it prices", doc.At("frameworks"))
	}
	if err := knownPrecision(p.Precision); err != nil {
		return fmt.Errorf("%s: %w", doc.At("precision"), err)
	}
	return p.validateFree(doc)
}

// knownPrecision is the error of a precision that no job can have.
func knownPrecision(precision plan.Precision) error {
	if slices.Contains(plan.Precisions(), precision) {
		return nil
	}
	var known []string
	for _, k := range plan.Precisions() {
		known = append(known, string(k))
	}
	return fmt.Errorf("unknown precision %q%s", strict.Clip(string(precision), 60), strict.Suggest(string(precision), known, 1, nil))
}

func (p *Profile) validateRecipes(doc *strict.Doc) error {
	names := map[string]bool{}
	for i, r := range p.Recipes {
		switch {
		case r.Name == "" || names[r.Name]:
			return fmt.Errorf("%s: recipe %d is called %q: want a name of its own", doc.AtElement(fmt.Sprintf("recipe[%d]", i)), i+1, strict.Clip(r.Name, 60))
		case !sane(r.Weight) || !sane(r.Grad) || !sane(r.Optimizer) || !sane(r.NewtonSchulz) || r.NewtonSchulz > 100 || r.PerParameter() == 0 || r.PerParameter() > maxPerParameter:
			return fmt.Errorf("%s: recipe %q keeps %g + %g + %g bytes per parameter: want numbers of at least 0 that add up to at most %d",
				doc.AtElement(fmt.Sprintf("recipe[%d]", i)), strict.Clip(r.Name, 60), r.Weight, r.Grad, r.Optimizer, maxPerParameter)
		case r.Source == "":
			return fmt.Errorf("%s: recipe %q has no source", doc.AtElement(fmt.Sprintf("recipe[%d]", i)), strict.Clip(r.Name, 60))
		}
		if err := strict.Printable(r.Name); err != nil {
			return fmt.Errorf("%s: the name of recipe %d %w", doc.AtElement(fmt.Sprintf("recipe[%d]", i)), i+1, err)
		}
		names[r.Name] = true
	}
	if _, err := p.Recipe(""); err != nil {
		return fmt.Errorf("%s: default_recipe: %w", doc.At("default_recipe"), err)
	}
	return nil
}

// sane reports a number that is finite and not negative.
func sane(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
