package measured

import (
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/cost/profile"
)

// A constant is its prior at 0, moves by its spread there, grows with x, and
// never leaves its range.
func TestConstantsStayWithinTheirRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := &profile.Parameter{}
		p.Low = math.Exp(r.NormFloat64() * 5)
		p.Prior = p.Low * (1 + math.Exp(r.NormFloat64()*3))
		p.High = p.Prior * (1 + math.Exp(r.NormFloat64()*3))
		if v := value(p, 0); v != p.Prior {
			t.Errorf("%g to %g: %g at 0, want the prior %g", p.Low, p.High, v, p.Prior)
		}
		if slope := math.Log(value(p, 1e-4)/value(p, -1e-4)) / 2e-4; math.Abs(slope/p.Spread()-1) > 1e-3 {
			t.Errorf("%g to %g, prior %g: slope %g, want %g", p.Low, p.High, p.Prior, slope, p.Spread())
		}
		last := 0.0
		for _, x := range []float64{math.Inf(-1), -1e6, -30, -3, -1, -0.1, 0.1, 1, 3, 30, 1e6, math.Inf(1)} {
			v := value(p, x)
			if !(v >= p.Low && v <= p.High) || v < last {
				t.Errorf("%g to %g, prior %g: %g at %g, %g before", p.Low, p.High, p.Prior, v, x, last)
			}
			last = v
		}
	}
}

// kindsOfSamples are one of each kind of sample.
var kindsOfSamples = map[string]sample{
	"a time":               {weight: 1},
	"a time among many":    {weight: 0.3},
	"a reading of memory":  {memory: true, read: allocated, weight: 1},
	"a run that ran":       {memory: true, weight: 1},
	"one out of memory":    {memory: true, oom: true, weight: 0.5},
	"another that ran, of": {memory: true, weight: 2},
}

// The slope of a loss is its derivative; what is wrong costs more the further it
// is off; an outlier pulls less than an error of one scale.
func TestLossesHaveTheirSlopes(t *testing.T) {
	const h = 1e-6
	for name, s := range kindsOfSamples {
		for e := -1.0; e <= 1; e += 0.0137 {
			v, slope, curvature := s.loss(e)
			up, upper, _ := s.loss(e + h)
			down, lower, _ := s.loss(e - h)
			if got := (up - down) / (2 * h); math.Abs(got-slope) > 1e-5*(1+math.Abs(slope)) {
				t.Errorf("%s off by %g: slope %g, by differences %g", name, e, slope, got)
			}
			if !(v >= 0 && curvature > 0) {
				t.Errorf("%s off by %g: costs %g, curvature %g", name, e, v, curvature)
			}
			label := s.memory && s.read == ""
			if second := (upper - lower) / (2 * h); label && curvature < second*(1-1e-3)-1e-6 {
				t.Errorf("%s off by %g: curvature %g, by differences %g", name, e, curvature, second)
			}
			if !label && math.Abs(curvature*e-slope) > 1e-9 {
				t.Errorf("%s off by %g: slope %g, curvature %g", name, e, slope, curvature)
			}
		}
	}
	s := kindsOfSamples["a time"]
	_, near, _ := s.loss(timeScale)
	if _, far, _ := s.loss(100 * timeScale); far > near/10 {
		t.Errorf("an outlier pulls by %g, an error of one scale by %g", far, near)
	}
	for _, e := range []float64{-1e3, 1e3} {
		for name, s := range kindsOfSamples {
			if v, slope, c := s.loss(e); math.IsNaN(v+slope+c) || math.IsInf(v+slope+c, 0) {
				t.Errorf("%s off by %g costs %g, %g, %g", name, e, v, slope, c)
			}
		}
	}
}

// The gradient is the slope of the cost in each direction, and the hessian is
// symmetric with at least the priors' curvature.
func TestTheGradientIsTheSlopeOfTheCost(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	const free = `norm_bytes = { value = 20, prior = 20, low = 4, high = 100, source = "for the test" }`
	file, _ := readProfile(t, "internevo", "[memory]", "[memory]\n"+free)
	l := learnerOf(t, textOf(t, names, rows), file)
	f := &fit{samples: l.samples, touches: l.touches, apply: l.with, free: l.free}
	r := rand.New(rand.NewPCG(3, 4))
	n := len(f.free)
	for range 12 {
		x, g := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k] = 2 * r.NormFloat64()
		}
		f.gradient(g, x)
		for k := range x {
			const h = 5e-3
			up, down := append([]float64(nil), x...), append([]float64(nil), x...)
			up[k], down[k] = x[k]+h, x[k]-h
			want := (f.cost(up) - f.cost(down)) / (2 * h)
			if math.Abs(g[k]-want) > 0.02*(1+math.Abs(want)) {
				t.Errorf("%s at %v: gradient %g, by differences %g", f.free[k].Path, x, g[k], want)
			}
		}
	}
}
