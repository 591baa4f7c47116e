package profile

import (
	"errors"
	"fmt"
	"slices"

	"meshplan/cluster"
	"meshplan/plan"
	"meshplan/strict"
)

// Rate is how much of the measured curves of some GPUs the kernels of running
// jobs reach: of the GEMM curve in some precisions, and of the attention curve.
// The curves are of single kernels at full clocks. A GPU that no rate names
// reaches all of them.
type Rate struct {
	GPUs       []string         `toml:"gpus"`       // catalogue names
	Precisions []plan.Precision `toml:"precisions"` // all where there are none
	GEMM       Constant         `toml:"gemm"`
	Attention  Constant         `toml:"attention"`
}

// Takes reports whether the rate is that of the GPU in the precision.
func (r *Rate) Takes(gpu string, precision plan.Precision) bool {
	return slices.Contains(r.GPUs, gpu) && (len(r.Precisions) == 0 || slices.Contains(r.Precisions, precision))
}

// GEMMShare is the share of the GPU's GEMM curve that jobs of the precision
// reach: the product of the rates that take them.
func (p *Profile) GEMMShare(gpu string, precision plan.Precision) float64 {
	return p.share(gpu, precision, func(r *Rate) float64 { return r.GEMM.Value })
}

// AttentionShare is the share of the GPU's attention curve that jobs of the
// precision reach.
func (p *Profile) AttentionShare(gpu string, precision plan.Precision) float64 {
	return p.share(gpu, precision, func(r *Rate) float64 { return r.Attention.Value })
}

func (p *Profile) share(gpu string, precision plan.Precision, of func(*Rate) float64) float64 {
	share := 1.0
	for i := range p.Rates {
		if r := &p.Rates[i]; r.Takes(gpu, precision) && of(r) > 0 {
			share *= of(r)
		}
	}
	return share
}

// rates are the constants of the rates by their paths.
func (p *Profile) rates(yield func(path string, c *Constant) bool) {
	for i := range p.Rates {
		for _, f := range []struct {
			key string
			c   *Constant
		}{{"gemm", &p.Rates[i].GEMM}, {"attention", &p.Rates[i].Attention}} {
			if f.c.Source != "" && !yield(fmt.Sprintf("rate[%d].%s", i, f.key), f.c) {
				return
			}
		}
	}
}

// named is the first thing wrong with what a rate is of. A GPU by another name
// than the catalogue's would silently have none; one that a cluster file describes
// has no measured curve to be a share of.
func (r *Rate) named() error {
	if len(r.GPUs) == 0 {
		return errors.New("names no gpus")
	}
	for _, name := range r.GPUs {
		switch g, err := cluster.FindGPU(name); {
		case err != nil:
			return fmt.Errorf("is of an %w", err)
		case g.Name != name:
			return fmt.Errorf("is of GPU %q: want its name in the catalogue, %q", strict.Clip(name, 60), g.Name)
		}
	}
	for _, precision := range r.Precisions {
		if err := knownPrecision(precision); err != nil {
			return fmt.Errorf("is of an %w", err)
		}
	}
	if r.GEMM == (Constant{}) && r.Attention == (Constant{}) {
		return errors.New("has no share: want gemm or attention")
	}
	return nil
}

func (p *Profile) validateRates(doc *strict.Doc) error {
	for i := range p.Rates {
		r := &p.Rates[i]
		if err := r.named(); err != nil {
			return fmt.Errorf("%s: rate %d %w", doc.AtElement(fmt.Sprintf("rate[%d]", i)), i+1, err)
		}
		for _, c := range []Constant{r.GEMM, r.Attention} {
			if c.Source == "" && c != (Constant{}) {
				return fmt.Errorf("%s: a share of rate %d has no source", doc.AtElement(fmt.Sprintf("rate[%d]", i)), i+1)
			}
		}
	}
	for path, c := range p.rates {
		err := c.within(&rateLimit)
		if err == nil && doc.Has("rate") {
			err = c.validatePrior()
		}
		if err != nil {
			return fmt.Errorf("%s: %s %w", doc.AtElement(path), path, err)
		}
	}
	return nil
}
