package cluster

import (
	"math"

	"meshplan/plan"
	"meshplan/units"
)

// GEMM is the time of one dense GEMM of m rows against an n x k weight, with
// the kernel's launch: the larger of the measured time and of the operands'
// bytes over the HBM rate. It is non-decreasing in m, n and k (to rounding)
// and infinite when the GPU lacks the precision or the precision is not one
// of bf16, fp16, tf32, fp32.
//
// The measured time is a table over rows and weight size that is read at
// rows = min(m, n) and weights = max(m, n) k, since a GEMM and its transpose
// run alike: a tensor-parallel shard with few columns is as hard to fill as a
// batch with few rows. Beyond the table the rate stays what it is at the edge;
// below its smallest weight (8.4M) the time shrinks in proportion down to the
// kernel floor.
func (g *GPU) GEMM(p plan.Precision, m, n, k float64) units.Seconds {
	return g.gemms(p, 1, m, n, k)
}

// GroupedGEMM is the time of `experts` GEMMs of `rows` rows each against
// their own n x k weights in one grouped kernel: as many experts as there are
// fill the GPU together, so it costs what one GEMM of the same rows against
// experts x n columns costs. Non-decreasing in every size.
func (g *GPU) GroupedGEMM(p plan.Precision, experts, rows, n, k float64) units.Seconds {
	return g.gemms(p, experts, rows, n, k)
}

func (g *GPU) gemms(p plan.Precision, count, m, n, k float64) units.Seconds {
	f, ok := gemmFormat(p)
	if !ok || g.gemm[f] == nil {
		return units.Seconds(math.Inf(1))
	}
	elements := float64(m*k) + float64(n*k) + float64(m*n)
	t := g.gemm[f].seconds(min(m, n), count*(max(m, n)*k))
	return units.Seconds(max(t, count*(elementBytes[f]*elements)/float64(g.HBM)))
}

// gemmModel is the measured time of a GEMM.
type gemmModel struct {
	table *grid   // seconds over rows and weights
	floor float64 // seconds of a kernel that does nothing
	rows  int     // measured rows it was fitted to
}

// seconds is the time of `rows` rows against a weight of that many elements.
func (t *gemmModel) seconds(rows, weights float64) float64 {
	s := t.table.at(rows, weights)
	xs, ys := t.table.xs, t.table.ys
	if most := ys[len(ys)-1]; weights > most {
		s *= weights / most
	}
	if most := xs[len(xs)-1]; rows > most {
		s *= rows / most
	}
	if least := ys[0]; weights < least {
		s = t.floor + float64((s-t.floor)*(weights/least))
	}
	return s
}
