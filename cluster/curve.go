package cluster

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/interp"
)

// Curve is the time of an operation against its size: straight between the
// measured points when both are drawn on logarithmic scales, and
// non-decreasing (to rounding), so that over an interval of sizes its ends
// bound it.
type Curve struct {
	line        interp.PiecewiseLinear // ln seconds against ln bytes
	first, last float64                // bytes of the end points
	floor, end  float64                // seconds at the end points
	change      float64
	scaling     scaling
}

// NewCurve makes a curve of measured points, in any order. It wants at least
// two points of distinct positive sizes and positive times. Where a larger
// size was measured faster, neighbouring points are pooled; Change says by
// how much.
func NewCurve(bytes, seconds []float64) (*Curve, error) {
	xs, ys, err := logPoints(bytes, seconds)
	if err != nil {
		return nil, err
	}
	c := &Curve{change: math.Expm1(isotonic(ys))}
	if err := c.line.Fit(xs, ys); err != nil {
		return nil, fmt.Errorf("curve: %w", err)
	}
	n := len(xs) - 1
	c.first, c.last = math.Exp(xs[0]), math.Exp(xs[n])
	c.floor, c.end = math.Exp(ys[0]), math.Exp(ys[n])
	return c, nil
}

// scaled is the curve over links of other bandwidth and latency: what the smallest
// size takes goes with the latency, the rest with the inverse of the bandwidth, and no
// size is faster than at the rate of the largest.
func (c *Curve) scaled(by scaling) *Curve {
	if c == nil || by == (scaling{}) {
		return c
	}
	s := *c
	s.scaling = by
	return &s
}

// Seconds is the time of the operation at a size in bytes: flat below the
// first point, proportional to the size beyond the last, before it is scaled.
func (c *Curve) Seconds(bytes float64) float64 {
	t := c.measured(bytes)
	if c.scaling == (scaling{}) {
		return t
	}
	return max(float64(c.floor*c.scaling.latency)+(t-c.floor)/c.scaling.bandwidth, c.end*(bytes/c.last)/c.scaling.bandwidth)
}

func (c *Curve) measured(bytes float64) float64 {
	switch {
	case bytes <= c.first:
		return c.floor
	case bytes >= c.last:
		return c.end * (bytes / c.last)
	}
	t := math.Exp(c.line.Predict(math.Log(bytes)))
	return min(max(t, c.floor), c.end)
}

// Floor is the time of the smallest measured size, in seconds.
func (c *Curve) Floor() float64 {
	latency, _ := c.scaling.factors()
	return c.floor * latency
}

// Range is the smallest and the largest measured size, in bytes; outside it
// Seconds extrapolates.
func (c *Curve) Range() (first, last float64) { return c.first, c.last }

// Change is the largest relative change that making the curve non-decreasing
// took: 0.02 is 2 %.
func (c *Curve) Change() float64 { return c.change }

// logPoints sorts points by size and takes logarithms.
func logPoints(sizes, values []float64) (xs, ys []float64, err error) {
	if len(sizes) != len(values) || len(sizes) < 2 {
		return nil, nil, fmt.Errorf("a curve needs at least two points, each of a size and a time; got %d sizes and %d times", len(sizes), len(values))
	}
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return sizes[order[a]] < sizes[order[b]] })
	for at, i := range order {
		if !positive(sizes[i]) || !positive(values[i]) {
			return nil, nil, fmt.Errorf("point (%g bytes, %g s) of a curve: both must be positive numbers", sizes[i], values[i])
		}
		xs = append(xs, math.Log(sizes[i]))
		ys = append(ys, math.Log(values[i]))
		if at > 0 && xs[at] <= xs[at-1] {
			return nil, nil, fmt.Errorf("size %g appears twice in a curve", sizes[i])
		}
	}
	return xs, ys, nil
}

// positive reports whether v is a finite number above zero.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
