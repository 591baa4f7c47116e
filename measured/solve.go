package measured

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"meshplan/cost/profile"
)

// fit is a search for the constants under which the samples and the priors are
// most likely: half the squared distance of each constant's logarithm from its
// prior, in its own spread, plus the samples' losses. A constant is searched as
// the place between its ends,
//
//	value = low (high/low)^(1/(1+exp(-x)))
//
// so that it never leaves them.
type fit struct {
	samples []sample
	apply   func(values []float64) families
	free    []profile.Parameter
	edge    float64 // log of the peak over what is usable at which a run is as likely to run as not

	at       []float64 // where the following were taken
	errors   []float64
	jacobian [][]float64 // of the errors, by constant
}

// maxRounds bounds the steps of a fit; it usually takes six to twelve.
const maxRounds = 40

// nudge is the step in x by which slopes are taken.
const nudge = 1e-3

// value is a constant at x, and place its x.
func value(p *profile.Parameter, x float64) float64 {
	return p.Low * math.Pow(p.High/p.Low, 1/(1+math.Exp(-x)))
}

func place(p *profile.Parameter, v float64) float64 {
	share := math.Log(v/p.Low) / math.Log(p.High/p.Low)
	share = min(max(share, 1e-3), 1-1e-3)
	return math.Log(share / (1 - share))
}

// off is how far a constant is from its prior, in spreads.
func off(p *profile.Parameter, v float64) float64 { return math.Log(v/p.Prior) / p.Spread() }

func (f *fit) values(x []float64) []float64 {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = value(&f.free[i], x[i])
	}
	return v
}

// errorsAt are the samples' errors at x.
func (f *fit) errorsAt(x []float64) []float64 {
	out := make([]float64, len(f.samples))
	list := f.apply(f.values(x))
	const piece = 64 // samples of one price model lie side by side
	var wg sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for lo := 0; lo < len(out); lo += piece {
		hi := min(lo+piece, len(out))
		gate <- struct{}{}
		wg.Go(func() {
			evaluate(f.samples[lo:hi], list, out[lo:hi])
			<-gate
		})
	}
	wg.Wait()
	return out
}

// take sets errors and slopes at x.
func (f *fit) take(x []float64) {
	if f.at != nil && equal(f.at, x) {
		return
	}
	f.at = append([]float64(nil), x...)
	f.errors = f.errorsAt(x)
	f.jacobian = make([][]float64, len(x))
	for k := range x {
		y := append([]float64(nil), x...)
		y[k] += nudge
		moved := f.errorsAt(y)
		for i := range moved {
			moved[i] = (moved[i] - f.errors[i]) / nudge
		}
		f.jacobian[k] = moved
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// cost is what is minimised.
func (f *fit) cost(x []float64) float64 {
	total := 0.0
	for i, e := range f.errorsAt(x) {
		v, _, _ := f.samples[i].loss(e, f.edge)
		total += v
	}
	for k := range x {
		d := off(&f.free[k], value(&f.free[k], x[k]))
		total += d * d / 2
	}
	return total
}

// gradient and hessian are those of cost; the curvature of the errors themselves
// is left out (Gauss and Newton).
func (f *fit) gradient(g, x []float64) {
	f.take(x)
	for k := range x {
		g[k] = f.pull(k, x[k])
	}
	for i := range f.samples {
		_, slope, _ := f.samples[i].loss(f.errors[i], f.edge)
		for k := range x {
			g[k] += float64(slope * f.jacobian[k][i])
		}
	}
}

func (f *fit) hessian(h *mat.SymDense, x []float64) {
	f.take(x)
	n := len(x)
	sum := make([]float64, n*n)
	for i := range f.samples {
		_, _, curvature := f.samples[i].loss(f.errors[i], f.edge)
		for a := range n {
			for b := a; b < n; b++ {
				sum[a*n+b] += curvature * f.jacobian[a][i] * f.jacobian[b][i]
			}
		}
	}
	for a := range n {
		for b := a; b < n; b++ {
			if a == b {
				slope := f.slope(a, x[a])
				sum[a*n+b] += slope * slope
			}
			h.SetSym(a, b, sum[a*n+b])
		}
	}
}

// pull is the gradient of the prior of constant k, slope that of its distance.
func (f *fit) pull(k int, x float64) float64 {
	return off(&f.free[k], value(&f.free[k], x)) * f.slope(k, x)
}

func (f *fit) slope(k int, x float64) float64 {
	p := &f.free[k]
	s := 1 / (1 + math.Exp(-x))
	return math.Log(p.High/p.Low) * s * (1 - s) / p.Spread()
}

// solution is the constants found, and how well the samples pin each: its
// standard deviation over the prior's.
type solution struct {
	values []float64
	pinned []float64
	x      []float64
}

// solve finds the constants from the given start, nil being the priors.
func (f *fit) solve(ctx context.Context, start []float64) (*solution, error) {
	x := make([]float64, len(f.free))
	for k := range x {
		x[k] = place(&f.free[k], f.free[k].Prior)
		if start != nil {
			x[k] = start[k]
		}
	}
	if len(x) == 0 {
		return &solution{}, nil
	}
	problem := optimize.Problem{Func: f.cost, Grad: f.gradient, Hess: f.hessian,
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		}}
	settings := &optimize.Settings{MajorIterations: maxRounds, GradientThreshold: 1e-3,
		Converger: &optimize.FunctionConverge{Absolute: 1e-4, Relative: 1e-6, Iterations: 3}}
	r, err := optimize.Minimize(problem, x, settings, &optimize.Newton{Linesearcher: &optimize.Backtracking{}})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r == nil {
		return nil, fmt.Errorf("the fit did not begin: %w", err)
	}
	// A line search that finds nothing better ends at the least cost so far.
	x = r.X
	h := mat.NewSymDense(len(x), nil)
	f.hessian(h, x)
	return &solution{values: f.values(x), pinned: f.pins(h, x), x: x}, nil
}

// pins is the standard deviation of each constant's logarithm, given the samples
// and the priors, over that of its prior.
func (f *fit) pins(h *mat.SymDense, x []float64) []float64 {
	out := make([]float64, len(x))
	var factor mat.Cholesky
	if !factor.Factorize(h) {
		for k := range out {
			out[k] = 1
		}
		return out
	}
	var inverse mat.SymDense
	if err := factor.InverseTo(&inverse); err != nil {
		return out
	}
	for k := range out {
		out[k] = min(1, math.Sqrt(inverse.At(k, k))*f.slope(k, x[k]))
	}
	return out
}
