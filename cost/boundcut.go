package cost

import "math"

// cutSpan bounds the pipeline of a view in which some schedule cuts the backward
// in two, by forms that hold under every schedule:
//
//	mean   the mean over the ranks of their own work
//	ends   a rank has a share of the layers and the head's has the head as well,
//	       however they are divided
//	full   the fullest rank where no rank holds more than memory allows
//	pass   the first micro-batch goes forward through every chunk and back, of
//	       which ranks wait for the gradient of the input alone
//
// and, where there is only one schedule, by forms of its own.
//
// Plans allocate at most limit.
func (m *Model) cutSpan(v *view, j *job, t *total, a *memory, limit float64) float64 {
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
	case !m.crowded(v, j, a, limit, hop, &span):
		return math.Inf(1)
	case v.folded:
		span = max(span, m.foldedSpan(v, j, &once))
	case v.vpp.hi <= 1:
		span = max(span, m.delayedSpan(v, j, &once))
	}
	return span
}

// crowded raises the span to that of the fullest rank, for the layers of each kind,
// where each rank holds as many as its memory allows; false where they have no room.
func (m *Model) crowded(v *view, j *job, a *memory, limit, hop float64, span *float64) bool {
	p := int(v.cols.lo)
	if math.IsInf(limit, 1) || p > maxLayers || len(m.kinds) > maxLayers {
		return true
	}
	var room [maxLayers]float64
	for k, n := range m.layers {
		if n == 0 {
			continue
		}
		l, total := &a.layer[k], 0.0
		for r := range p {
			f := v.leastFlight(float64(r), v.cols.lo)
			free := limit - a.common() - a.ends(float64(r), v.cols.lo)
			room[r] = min(n, max(0, math.Floor(float64(free/(l.state()+l.activations(&f))*(1+slack))+slack)))
			total += room[r]
		}
		if total < n {
			return false
		}
		full := math.Ceil(n / v.cols.lo)
		for ; full < n && heldWithin(room[:p], full) < n; full++ {
		}
		*span = max(*span, float64(v.each.lo*(float64(full*v.busy(j.layer[k]))+hop)))
	}
	return true
}

// heldWithin is how many layers ranks of the given room hold when none holds more than
// full.
func heldWithin(room []float64, full float64) (total float64) {
	for _, n := range room {
		total += min(n, full)
	}
	return total
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
