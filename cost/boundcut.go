package cost

import "math"

// cutSpan bounds the pipeline of a view in which some schedule cuts the backward
// in two, by forms that hold under every schedule:
//
//	mean   the mean over the ranks of their own work
//	ends   a rank has a share of the layers and the head's has the head as well,
//	       however they are divided
//	pass   the first micro-batch goes forward through every chunk and back, of
//	       which ranks wait for the gradient of the input alone
//
// and, where there is only one schedule, by forms of its own.
func (m *Model) cutSpan(v *view, t *total, j *job) float64 {
	hop := 0.0
	if v.pp.lo > 1 {
		hop = v.busy(j.hop)
	}
	even := v.busy(t.layers) + v.busy(t.head)/v.pp.hi
	even = max(even, j.wire*v.each.lo) + float64(v.each.lo*hop)
	once := j.stageTime(m.layers).plus(j.head).plus(j.hop.times(v.cols.lo))
	span := max(even, once.fwd+once.inp, m.endsSpan(v, j, hop))
	switch {
	case !v.order.Single() || !v.cols.single():
	case v.folded:
		span = max(span, m.foldedSpan(v, j, &once))
	case v.vpp.hi <= 1:
		span = max(span, m.delayedSpan(v, j, &once))
	}
	return span
}

// endsSpan is the least time of the slowest rank over all ways to divide the
// layers of one kind between the rank that holds the head and the others.
func (m *Model) endsSpan(v *view, j *job, hop float64) float64 {
	head := v.busy(j.head)
	if !v.cols.single() || v.cols.lo <= 1 {
		return float64(v.each.lo * head)
	}
	worst := 0.0
	for k, n := range m.layers {
		if n == 0 {
			continue
		}
		layer, best := v.busy(j.layer[k]), math.Inf(1)
		for q := 0.0; q <= n; q++ {
			with := float64(q*layer) + head
			if with >= best {
				break
			}
			best = min(best, max(with, layer*math.Ceil((n-q)/(v.cols.lo-1))))
		}
		worst = max(worst, best)
	}
	return float64(v.each.lo * (worst + hop))
}

// delayedSpan is ZB-H1's bound from its last rank, which runs all but its last p
// weights' gradients before its last gradient of an input, for which all ranks
// before it wait in turn:
//
//	span >= sum of the others' f + m (f + i) + (m - p) w + sum of the others' i
//
// over every number of layers that the last rank may hold. Ranks before it take
// at least m times what the fullest of them holds.
func (m *Model) delayedSpan(v *view, j *job, once *pass) float64 {
	kind := m.kinds[len(m.kinds)-1]
	n, p, micro := m.layers[kind], v.cols.lo, v.each.lo
	if !m.ordered || p <= 1 {
		return 0
	}
	layer, best := j.layer[kind], math.Inf(1)
	for q := 0.0; q <= n; q++ {
		last := layer.times(q).plus(j.head).plus(j.hop)
		span := once.fwd + once.inp + float64((min(micro, p)-1)*(last.fwd+last.inp)) + float64(max(0, micro-p)*last.sum())
		if span >= best {
			break
		}
		late := layer.times(math.Ceil((n - q) / (p - 1))).plus(j.hop)
		best = min(best, max(span, float64(micro*late.sum())))
	}
	return best
}
