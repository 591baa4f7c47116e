package cluster

import "math"

// isotonic replaces y by the non-decreasing sequence closest to it in the
// least squares sense (pool adjacent violators) and returns the largest
// absolute change. It keeps order: if every a[i] <= b[i] before, then after.
func isotonic(y []float64) (change float64) {
	type pool struct {
		sum float64
		n   int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.n) }
	var pools []pool
	for _, v := range y {
		pools = append(pools, pool{v, 1})
		for k := len(pools) - 1; k > 0 && mean(pools[k-1]) > mean(pools[k]); k-- {
			pools[k-1] = pool{pools[k-1].sum + pools[k].sum, pools[k-1].n + pools[k].n}
			pools = pools[:k]
		}
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			v := y[i]
			if p.n > 1 {
				v = mean(p)
			}
			change = max(change, math.Abs(v-y[i]))
			y[i] = v
			i++
		}
	}
	return change
}

// saturate replaces y, a logarithm against the logarithms x, by the closest
// sequence that rises by no more than x does: in plain words, the quantity
// grows at most in proportion. A non-decreasing sequence stays so: a pool
// lowers its later elements and raises its earlier ones. It keeps order like
// isotonic, and returns the largest absolute change.
func saturate(x, y []float64) (change float64) {
	slack := make([]float64, len(y))
	for i := range y {
		slack[i] = x[i] - y[i]
	}
	change = isotonic(slack)
	for i := range y {
		y[i] = x[i] - slack[i]
	}
	return change
}
