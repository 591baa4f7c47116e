package profile

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"meshplan/plan"
	"meshplan/strict"
)

// Rates are what all profiles share: how much of the GPUs' measured curves the
// kernels of running jobs reach, by GPU and precision, and by attention kernels
// and GPU. Where nothing is said it is all of it.
type Rates struct {
	GEMM       []GEMMRate      `toml:"gemm"`
	Attention  []AttentionRate `toml:"attention"`
	Calibrated string          `toml:"calibrated"`
}

// GEMMRate is the share of the GPU's GEMM curve that jobs of a precision reach.
type GEMMRate struct {
	GPUs       []string         `toml:"gpus"` // catalogue names
	Precisions []plan.Precision `toml:"precisions"`
	Share      Constant         `toml:"share"`
}

// AttentionRate is the share of the GPU's attention curve that kernels reach.
type AttentionRate struct {
	Kernels string   `toml:"kernels"`
	GPUs    []string `toml:"gpus"` // catalogue names; all where there are none
	Share   Constant `toml:"share"`
}

//go:embed rates.toml
var ratesText []byte

// SharedRates are the embedded rates.
var SharedRates = sync.OnceValues(func() (*Rates, error) { return ParseRates(ratesText, "rates.toml") })

// ParseRates reads a file of rates; name says where the text comes from.
func ParseRates(text []byte, name string) (*Rates, error) {
	r := new(Rates)
	doc, err := strict.Decode(name, text, r)
	if err != nil {
		return nil, err
	}
	for i, param := range r.shares() {
		if err := param.validate("rates.share"); err != nil {
			return nil, fmt.Errorf("%s: share %w", doc.AtElement(r.path(i)), err)
		}
		if param.Value == 0 {
			return nil, fmt.Errorf("%s: share is 0: want more than 0", doc.AtElement(r.path(i)))
		}
	}
	return r, nil
}

// shares are all shares in the order of the file.
func (r *Rates) shares() []*Constant {
	var list []*Constant
	for i := range r.GEMM {
		list = append(list, &r.GEMM[i].Share)
	}
	for i := range r.Attention {
		list = append(list, &r.Attention[i].Share)
	}
	return list
}

// path is the place of a share in the file.
func (r *Rates) path(i int) string {
	if i < len(r.GEMM) {
		return fmt.Sprintf("gemm[%d].share", i)
	}
	return fmt.Sprintf("attention[%d].share", i-len(r.GEMM))
}

// Parameters are the shares that may be fitted.
func (r *Rates) Parameters() []Parameter {
	var list []Parameter
	for i, c := range r.shares() {
		if c.Free() {
			list = append(list, Parameter{Path: "rates." + r.path(i), Constant: *c, variant: i, key: "time.rate"})
		}
	}
	return list
}

// WithParameters is the rates with other values, in the order of Parameters.
func (r *Rates) WithParameters(values []float64) *Rates {
	q := r.clone()
	shares := q.shares()
	for i, param := range r.Parameters() {
		shares[param.variant].Value = values[i]
	}
	return q
}

// Unfitted is the rates as they were before any run was seen.
func (r *Rates) Unfitted() *Rates {
	q := r.clone()
	for _, c := range q.shares() {
		*c = c.unfitted()
	}
	return q
}

func (r *Rates) clone() *Rates {
	return &Rates{GEMM: slices.Clone(r.GEMM), Attention: slices.Clone(r.Attention), Calibrated: r.Calibrated}
}

// RewriteRates is Rewrite of a file of rates.
func RewriteRates(text []byte, name string, values []float64, calibrated string) ([]byte, error) {
	r, err := ParseRates(text, name)
	if err != nil {
		return nil, err
	}
	out := string(text)
	for i, param := range r.Parameters() {
		if out, err = setNumber(out, name, strings.TrimPrefix(param.Path, "rates.")+".value", values[i], new(Rates)); err != nil {
			return nil, err
		}
	}
	return []byte(out), nil
}

// WithRates is the profile with other shared rates.
func (p *Profile) WithRates(r *Rates) *Profile {
	q := *p
	q.rates = r
	return &q
}

// Rates are the shared rates that the profile uses.
func (p *Profile) Rates() *Rates { return p.rates }

// GEMMShare is the share of the GPU's GEMM curve that jobs of the precision
// reach.
func (p *Profile) GEMMShare(gpu string, precision plan.Precision) float64 {
	for i := range p.rates.GEMM {
		r := &p.rates.GEMM[i]
		if slices.Contains(r.GPUs, gpu) && slices.Contains(r.Precisions, precision) {
			return r.Share.Value
		}
	}
	return 1
}

// AttentionShare is the share of the GPU's attention curve that the profile's
// kernels reach.
func (p *Profile) AttentionShare(gpu string) float64 {
	for i := range p.rates.Attention {
		r := &p.rates.Attention[i]
		if r.Kernels == p.Attention && (len(r.GPUs) == 0 || slices.Contains(r.GPUs, gpu)) {
			return r.Share.Value
		}
	}
	return 1
}
