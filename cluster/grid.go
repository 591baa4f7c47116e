package cluster

import (
	"math"

	"gonum.org/v1/gonum/interp"
)

// grid is a quantity over two sizes x and y, straight between its knots on
// logarithmic scales in each direction, non-decreasing in both and constant
// outside the table.
type grid struct {
	xs, ys  []float64                // the knots
	lny     []float64                // ln of ys
	ln      [][]float64              // ln of the values, ln[j][i] at xs[i], ys[j]
	columns []interp.PiecewiseLinear // ln[j] against ln x
	change  float64                  // largest relative change of making it non-decreasing
}

// newGrid makes a grid of ascending positive knots (at least two each) and of
// the logarithms of the values, which it makes non-decreasing in x and in y
// and, if saturating, growing at most in proportion to each. Every pass keeps
// what the passes before it reached.
func newGrid(xs, ys []float64, ln [][]float64, saturating bool) *grid {
	g := &grid{xs: xs, ys: ys, lny: logs(ys), ln: ln}
	lnx := logs(xs)
	for _, row := range ln {
		g.regress(lnx, row, saturating)
	}
	across := make([]float64, len(ys))
	for i := range xs {
		for j := range ys {
			across[j] = ln[j][i]
		}
		g.regress(g.lny, across, saturating)
		for j := range ys {
			ln[j][i] = across[j]
		}
	}
	g.change = math.Expm1(g.change)
	g.columns = make([]interp.PiecewiseLinear, len(ys))
	for j := range ys {
		if err := g.columns[j].Fit(lnx, ln[j]); err != nil {
			panic("cluster: " + err.Error()) // unreachable: Fit reports no errors
		}
	}
	return g
}

func (g *grid) regress(x, y []float64, saturating bool) {
	g.change = max(g.change, isotonic(y))
	if saturating {
		g.change = max(g.change, saturate(x, y))
	}
}

// at is the value at x and y; outside the table that of the nearest point in
// it.
func (g *grid) at(x, y float64) float64 {
	lx, ly := math.Log(x), math.Log(y)
	last := len(g.ys) - 1
	switch {
	case y <= g.ys[0]:
		return math.Exp(g.columns[0].Predict(lx))
	case y >= g.ys[last]:
		return math.Exp(g.columns[last].Predict(lx))
	}
	j := 1
	for g.ys[j] < y {
		j++
	}
	below, above := g.columns[j-1].Predict(lx), g.columns[j].Predict(lx)
	share := (ly - g.lny[j-1]) / (g.lny[j] - g.lny[j-1])
	return math.Exp(below + float64((above-below)*share))
}

// value is the knot's value.
func (g *grid) value(i, j int) float64 { return math.Exp(g.ln[j][i]) }

// logs is the natural logarithm of every element.
func logs(xs []float64) []float64 {
	ln := make([]float64, len(xs))
	for i, x := range xs {
		ln[i] = math.Log(x)
	}
	return ln
}
