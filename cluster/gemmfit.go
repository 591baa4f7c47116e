package cluster

import (
	"math"
	"slices"
	"sort"
)

// gemmRow is one measured GEMM.
type gemmRow struct {
	m, n, k, seconds float64
}

// sameColumn is the largest ratio of two weight sizes that share a column of
// the table: 4096 x 4096, 8192 x 2048 and 7168 x 2048 do. A column for each
// weight size follows the rows a little closer (4.3 % against 4.8 % on an
// H100) and predicts left-out shapes no better (7.4 % both).
const sameColumn = 1.25

// leastFloor is the shortest kernel: aiconfigurator adds 3 us to every
// memory-bound operation. The fit of the rows falls below it where small
// weights stay in the second-level cache.
const leastFloor = 3e-6

// fitGEMM makes the bf16 table of one GPU from its measured rows. Every weight
// size must have been measured at the same numbers of rows.
//
// The table is saturating: a larger GEMM is never less efficient. The rows
// have GEMMs that are, because long ones heat the GPU until it clocks down
// and because of noise; taken literally, sharding would make work vanish.
// Left-out shapes are predicted better so on 6 of the 9 GPUs, and worse on
// the two whose large GEMMs slow down most (GB200, L40S).
func fitGEMM(rows []gemmRow) *gemmModel {
	columns := byWeight(rows)
	var xs, ys []float64
	var ln [][]float64
	for _, r := range rows {
		xs = append(xs, r.m)
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	for _, column := range columns {
		weights, times := summary(column, xs)
		ys, ln = append(ys, weights), append(ln, times)
	}
	t := &gemmModel{table: newGrid(xs, ys, ln, true), rows: len(rows)}
	t.floor = kernelFloor(t.table)
	return t
}

// byWeight groups rows by weight size, ascending.
func byWeight(rows []gemmRow) (columns [][]gemmRow) {
	sorted := slices.Clone(rows)
	sort.SliceStable(sorted, func(a, b int) bool { return sorted[a].n*sorted[a].k < sorted[b].n*sorted[b].k })
	for _, r := range sorted {
		last := len(columns) - 1
		if last >= 0 && r.n*r.k <= sameColumn*columns[last][0].n*columns[last][0].k {
			columns[last] = append(columns[last], r)
		} else {
			columns = append(columns, []gemmRow{r})
		}
	}
	return columns
}

// summary is one column: the geometric mean of its weights, and for each
// number of rows the logarithm of the median time per weight times that mean.
func summary(column []gemmRow, xs []float64) (weights float64, ln []float64) {
	var sum float64
	for _, r := range column {
		sum += math.Log(r.n * r.k)
	}
	mean := sum / float64(len(column))
	for _, m := range xs {
		var at []float64
		for _, r := range column {
			if r.m == m {
				at = append(at, math.Log(r.seconds/(r.n*r.k)))
			}
		}
		ln = append(ln, mean+median(at))
	}
	return math.Exp(mean), ln
}

// kernelFloor is the intercept of time against weight size at the fewest
// rows, where the weight's traffic is all there is: least squares of the
// relative error, at least leastFloor and below the shortest time measured.
func kernelFloor(g *grid) float64 {
	var aa, ab, bb, ay, by float64
	for j, w := range g.ys {
		a, b := 1/g.value(0, j), w/g.value(0, j)
		aa, ab, bb, ay, by = aa+float64(a*a), ab+float64(a*b), bb+float64(b*b), ay+a, by+b
	}
	floor := (float64(ay*bb) - float64(by*ab)) / (float64(aa*bb) - float64(ab*ab))
	return min(max(floor, leastFloor), 0.9*g.value(0, 0))
}

// scaled is the model of another GPU or precision whose compute takes
// `compute` times as long and whose memory traffic `memory` times. The time
// at the fewest rows is all traffic; a larger one is the larger of its scaled
// self and of that traffic.
func (t *gemmModel) scaled(compute, memory float64) *gemmModel {
	ln := make([][]float64, len(t.table.ys))
	for j := range ln {
		traffic := (t.table.value(0, j) - t.floor) * memory
		for i := range t.table.xs {
			work := (t.table.value(i, j) - t.floor) * compute
			ln[j] = append(ln[j], math.Log(t.floor+max(work, traffic)))
		}
	}
	return &gemmModel{table: newGrid(t.table.xs, t.table.ys, ln, true), floor: t.floor, rows: t.rows}
}

// median is the middle value, or the mean of the two middle ones.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
