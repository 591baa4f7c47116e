package measured

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"meshplan/cost/profile"
)

// fit is a search for the constants under which the samples and the priors are
// most likely: half the squared x of each constant plus the samples' losses,
//
//	value = prior exp(spread g(x))
//
// where g is x near 0, so that x is the distance from the prior in spreads, and
// bends towards the ends of the constant's range, which it never leaves.
type fit struct {
	samples []sample
	apply   func(values []float64) families
	free    []profile.Parameter
	touches func(p *profile.Parameter, s *sample) bool // whether the sample depends on the constant at all

	at       []float64 // where errors were taken
	errors   []float64
	sloped   []float64   // where the jacobian was taken
	jacobian [][]float64 // of the errors, by constant
}

// maxRounds bounds the steps of a fit; it usually takes six to twelve.
const maxRounds = 40

// nudge is the step in x by which slopes are taken.
const nudge = 1e-3

// value is a constant at x.
func value(p *profile.Parameter, x float64) float64 {
	end := math.Log(p.High / p.Prior)
	if x < 0 {
		end = math.Log(p.Prior / p.Low)
	}
	v := p.Prior * math.Exp(end*math.Tanh(x*p.Spread()/end))
	return min(max(v, p.Low), p.High) // which rounding may leave
}

func (f *fit) values(x []float64) []float64 {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = value(&f.free[i], x[i])
	}
	return v
}

// errorsAt are the samples' errors at x.
func (f *fit) errorsAt(x []float64) []float64 {
	if f.at == nil || !slices.Equal(f.at, x) {
		f.at, f.errors = slices.Clone(x), f.errorsOf(f.samples, x)
	}
	return f.errors
}

func (f *fit) errorsOf(samples []sample, x []float64) []float64 {
	out := make([]float64, len(samples))
	list := f.apply(f.values(x))
	const piece = 64 // samples of one price model lie side by side
	var wg sync.WaitGroup
	gate := make(chan struct{}, runtime.GOMAXPROCS(0))
	for lo := 0; lo < len(out); lo += piece {
		hi := min(lo+piece, len(out))
		gate <- struct{}{}
		wg.Go(func() {
			evaluate(samples[lo:hi], list, out[lo:hi])
			<-gate
		})
	}
	wg.Wait()
	return out
}

// take sets errors and slopes at x.
func (f *fit) take(x []float64) {
	f.errorsAt(x)
	if f.sloped != nil && slices.Equal(f.sloped, x) {
		return
	}
	f.sloped = slices.Clone(x)
	f.jacobian = make([][]float64, len(x))
	for k := range x {
		y := slices.Clone(x)
		y[k] += nudge
		var at []int
		var some []sample
		for i := range f.samples {
			if f.touches(&f.free[k], &f.samples[i]) {
				at, some = append(at, i), append(some, f.samples[i])
			}
		}
		f.jacobian[k] = make([]float64, len(f.samples))
		for j, e := range f.errorsOf(some, y) {
			f.jacobian[k][at[j]] = (e - f.errors[at[j]]) / nudge
		}
	}
}

// cost is what is minimised.
func (f *fit) cost(x []float64) float64 {
	total := 0.0
	for i, e := range f.errorsAt(x) {
		v, _, _ := f.samples[i].loss(e)
		total += v
	}
	for _, d := range x {
		total += d * d / 2
	}
	return total
}

// gradient and hessian are those of cost; the curvature of the errors themselves
// is left out (Gauss and Newton).
func (f *fit) gradient(g, x []float64) {
	f.take(x)
	copy(g, x)
	for i := range f.samples {
		_, slope, _ := f.samples[i].loss(f.errors[i])
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
		_, _, curvature := f.samples[i].loss(f.errors[i])
		for a := range n {
			for b := a; b < n; b++ {
				sum[a*n+b] += curvature * f.jacobian[a][i] * f.jacobian[b][i]
			}
		}
	}
	for a := range n {
		for b := a; b < n; b++ {
			if a == b {
				sum[a*n+b]++
			}
			h.SetSym(a, b, sum[a*n+b])
		}
	}
}

// solution is the constants found, and how well the samples pin each: its
// standard deviation over the prior's.
type solution struct {
	values []float64
	pinned []float64
	x      []float64
}

// solve finds the constants from the given start.
func (f *fit) solve(ctx context.Context, x []float64) (*solution, error) {
	problem := optimize.Problem{Func: f.cost, Grad: f.gradient, Hess: f.hessian,
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		}}
	settings := &optimize.Settings{MajorIterations: maxRounds, GradientThreshold: 1e-3,
		Converger: &optimize.FunctionConverge{Absolute: 0.01, Iterations: 2}}
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
	return &solution{values: f.values(x), pinned: pins(h), x: x}, nil
}

// pins is the standard deviation of each constant's x, given the samples and the
// priors; that of the priors alone is 1.
func pins(h *mat.SymDense) []float64 {
	out := make([]float64, h.SymmetricDim())
	var factor mat.Cholesky
	var inverse mat.SymDense
	ok := factor.Factorize(h)
	if ok {
		var ill mat.Condition
		if err := factor.InverseTo(&inverse); err != nil && !errors.As(err, &ill) {
			ok = false
		}
	}
	for k := range out {
		if out[k] = 1; ok {
			out[k] = min(1, math.Sqrt(inverse.At(k, k)))
		}
	}
	return out
}
