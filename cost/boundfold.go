package cost

import (
	"math"

	"meshplan/plan"
)

// foldedSpan bounds a V-shaped pipeline (ZB-V, DualPipe, DualPipeV) from its turn,
// the rank p-1 that holds the two chunks in the middle of the model. Its first
// backward of chunk 0 follows every forward of the first micro-batch and the
// gradients of every input behind. By then it has run p+1 forwards of chunk 0, p of
// chunk 1 and one backward of chunk 1; all the rest comes after:
//
//	turn  sum f + sum of the later chunks' i + rest
//
// Under DualPipe the last forward then passes every rank before, each time beside a
// backward, and its gradient passes every chunk:
//
//	end   sum f + sum of the later chunks' i + rest but p backwards
//	      + sum of the ranks' before it f&b + sum i
//
// Split gives the turn no fewer layers than any other rank but the head's, where
// each rank's memory is the same: without recompute, whose activations wait longer
// the later the rank. Of each rank's layers the later chunk holds half, and of the
// head's rank, rounded down.
func (m *Model) foldedSpan(v *view, j *job, once *pass) float64 {
	p, micro := v.cols.lo, v.each.lo
	kind := m.kinds[len(m.kinds)-1]
	all, n := float64(len(m.kinds)), m.layers[kind]
	others := all - n
	if !m.ordered || p < 3 || micro < p+1 || v.recompute.Hi != int32(plan.RecomputeNone) || others > (all-p)/2 {
		return 0
	}
	layer := j.layer[kind]
	behind := float64(layer.inp*(all-1)/2) + j.head.inp + float64(j.hop.inp*p/2)
	shallow := max(0, others-max(0, p-2)) // of the other kind's layers, those that may lie on the turn
	best := math.Inf(1)
	for q := 0.0; q <= all; q++ {
		head := float64(micro * (v.busy(layer)*max(0, q-others) + v.busy(j.head)))
		if head >= best {
			break
		}
		full := max(0, math.Ceil((all-q)/(p-1)))
		turn := layer.times(max(0, full-shallow)).plus(j.hop)
		rest := once.fwd + behind + float64((micro-p-1)*v.busy(turn))
		span := rest + float64(p*turn.bwd)
		if v.order.Lo >= plan.DualPipe.Value() {
			before := max(0, n-full-(p-1)) / 2
			span = max(span, rest+float64(before*layer.beside())+once.inp)
		}
		best = min(best, max(head, span))
	}
	return best
}
