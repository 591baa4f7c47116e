package profile

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/plan"
	"meshplan/strict"
)

// Service says which measured runs a profile serves, by the names that their
// authors print for the framework and its kernels, and what such runs do where
// they do not say. Several services of one profile are tried like those of
// several profiles; see Serves.
type Service struct {
	// Names are patterns of framework names: case does not matter and * stands
	// for any text, "Megatron-LM 202*".
	Names []string `toml:"names"`
	// Kernels are patterns of kernel names; a service without any takes all.
	Kernels []string `toml:"kernels"`
	// Releases are patterns of releases, "25.0*"; a service without any takes all.
	Releases []string `toml:"releases"`
	// Precisions are patterns of precisions; a service without any takes all.
	Precisions []string `toml:"precisions"`
	// EndsAsLayers says that embedding and head count as a layer each when layers
	// are divided over the pipeline: ceil((layers + 2) / pp) to each rank from the
	// front.
	EndsAsLayers bool `toml:"ends_as_layers"`
	// Documents is the mean length in tokens of the documents that fine-tuning
	// runs pack into a sequence, beyond which nothing is attended to; 0 where
	// sequences are whole.
	Documents int `toml:"documents"`
	// Plan is the text of the options that these runs have unless they say
	// otherwise: "sp=off,zero=0".
	Plan string `toml:"plan"`
	// FLOPs is how these runs count the FLOP/s they print; "" means that it is
	// not known. A step time is taken from printed FLOP/s only with it.
	FLOPs  FLOPCount `toml:"flops"`
	Source string    `toml:"source"`
}

// FLOPCount is a way to count the FLOPs of a step.
type FLOPCount string

// MegatronFLOPs is the count of models.MegatronFLOPs: every layer recomputed,
// attention not causal.
const MegatronFLOPs FLOPCount = "megatron-2021"

// Software is what a measured run says of the software it ran on, "" where it
// does not say.
type Software struct{ Framework, Kernel, Release, Precision string }

// Serves reports whether the service takes runs of the software. Of several that
// do, the one of the largest weight is the most specific: one that names the
// kernel, else the release, else the precision, else the one whose pattern has
// the most letters.
func (s *Service) Serves(run Software) (weight int, ok bool) {
	weight = matchAny(s.Names, run.Framework)
	if weight < 0 {
		return 0, false
	}
	for _, f := range []struct {
		patterns []string
		name     string
		weight   int
	}{{s.Kernels, run.Kernel, 4 * named}, {s.Releases, run.Release, 2 * named}, {s.Precisions, run.Precision, named}} {
		if len(f.patterns) == 0 {
			continue
		}
		if matchAny(f.patterns, f.name) < 0 {
			return 0, false
		}
		weight += f.weight
	}
	return weight, true
}

// named is more than any pattern has letters.
const named = 1 << 20

// matchAny is the number of letters of the longest pattern that matches, -1
// when none does.
func matchAny(patterns []string, name string) int {
	best := -1
	for _, p := range patterns {
		if matchPattern(strings.ToLower(p), strings.ToLower(strings.TrimSpace(name))) {
			best = max(best, len(p)-strings.Count(p, "*"))
		}
	}
	return best
}

// matchPattern matches a text against a pattern in which * is any text.
func matchPattern(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}

// validateServices is the first thing wrong with the profile's services.
func (p *Profile) validateServices(doc *strict.Doc) error {
	for i := range p.Services {
		if err := p.Services[i].validate(); err != nil {
			return fmt.Errorf("%s: service %d %w", doc.At("service"), i+1, err)
		}
	}
	return nil
}

func (s *Service) validate() error {
	if len(s.Names) == 0 {
		return fmt.Errorf("has no names: want patterns such as \"nanotron*\"")
	}
	for _, pattern := range slices.Concat(s.Names, s.Kernels, s.Releases, s.Precisions) {
		if strings.Trim(pattern, "* ") == "" {
			return fmt.Errorf("has the pattern %q, which matches everything: want a name in it", strict.Clip(pattern, 60))
		}
	}
	part, err := plan.Parse(s.Plan)
	if err != nil {
		return fmt.Errorf("has a %w", err)
	}
	for _, c := range []plan.Coord{plan.SP, plan.Zero, plan.RecomputeC} {
		part.Given &^= plan.Set(0).With(plan.Field(c))
	}
	switch {
	case part.Given != 0:
		return fmt.Errorf("has the plan %q: want only sp, zero and recompute in it", strict.Clip(s.Plan, 60))
	case s.FLOPs != "" && s.FLOPs != MegatronFLOPs:
		return fmt.Errorf("counts flops as %q: want %q or none", strict.Clip(string(s.FLOPs), 60), MegatronFLOPs)
	case s.Documents < 0:
		return fmt.Errorf("has documents of %d tokens: want at least 0", s.Documents)
	case s.Source == "":
		return fmt.Errorf("has no source")
	}
	return nil
}
