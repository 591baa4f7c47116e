package cost

import "math"

// rampPoints is the number of powers of two that a ramp tabulates.
const rampPoints = 42

// ramp is a time against a size, tabulated at powers of two and linear in
// between: it does not fall with size, and its ratio to size does not rise.
// Both are made so when it is built, so that a bound is an end point.
type ramp [rampPoints]float64

// newRamp tabulates a function.
func newRamp(seconds func(size float64) float64) *ramp {
	var r ramp
	for i := range r {
		r[i] = seconds(math.Ldexp(1, i))
		if i > 0 {
			r[i] = min(max(r[i], r[i-1]), 2*r[i-1])
		}
	}
	return &r
}

// lesser is a ramp that is nowhere above either.
func lesser(a, b *ramp) *ramp {
	var r ramp
	for i := range r {
		r[i] = min(a[i], b[i])
	}
	return &r
}

// at is the time of a size.
func (r *ramp) at(size float64) float64 {
	if size <= 1 {
		return r[0]
	}
	fraction, exponent := math.Frexp(size) // size = fraction 2^exponent, fraction in [0.5, 1)
	i := exponent - 1
	if i >= rampPoints-1 {
		return float64(r[rampPoints-1] * (size / math.Ldexp(1, rampPoints-1)))
	}
	return r[i] + float64((r[i+1]-r[i])*(float64(2*fraction)-1))
}
