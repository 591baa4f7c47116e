package cost

import (
	"math"

	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// Bound is below the figures of every plan in the box: no plan in it is faster
// than Step or needs less memory than Peak, and none has more than Usable. It
// does not allocate.
func (m *Model) Bound(b *plan.Box) Bound { return m.BoundWithin(b, math.Inf(1)) }

// BoundWithin is Bound for the plans of the box whose peak is at most the given
// share of what they can use; Step then also counts the layers that the first
// ranks cannot hold.
func (m *Model) BoundWithin(b *plan.Box, share float64) Bound {
	v := m.look(b)
	a := m.account(&v)
	usable := m.usable(&v)
	limit := usable * share / m.profile.Memory.Reserved.Value
	return Bound{
		Step:   units.Seconds(m.leastStep(&v, &a, limit)),
		Peak:   units.Bytes(m.leastPeakOf(&v, &a, usable)),
		Usable: units.Bytes(usable),
	}
}

// total is the whole step's time of the layers and of the head per GPU, if the
// work were spread evenly over the pipeline.
type total struct {
	layers, head pass
	work         float64 // of the layers, where it is spread over the most GPUs
}

// totals cancels the dimensions that share the work before bounding it: batch
// x GPU time of a sequence / GPUs. Where those dimensions are known there is
// nothing to cancel, and the slots say the same.
func (m *Model) totals(v *view, j *job) total {
	var t total
	if v.sharesKnown() {
		t.layers = j.stageTime(m.layers).times(v.micro.lo / v.pp.lo)
		t.work = v.busy(t.layers)
		t.head = j.head.times(v.micro.lo)
		return t
	}
	for k := range m.layers {
		if m.layers[k] > 0 {
			t.layers = t.layers.plus(m.layerPass(v, models.Kind(k), sequence).times(m.layers[k]))
		}
	}
	t.layers = t.layers.times(m.batch / v.all)
	t.work = v.busy(t.layers)
	var floor pass
	for k, n := range m.layers {
		if n > 0 {
			floor = floor.plus(m.hostFloor(v, models.Kind(k)).times(n))
		}
	}
	t.layers = t.layers.atLeast(floor.times(m.batch / (v.mb.hi * v.most(v.dp.hi*v.pp.hi, v.tp.lo*v.cp.lo))))
	t.head = m.headPass(v, sequence).times(m.batch / v.most(v.tp.hi*v.cp.hi*v.dp.hi, v.pp.lo))
	return t
}

// sharesKnown reports whether every dimension that shares a layer's work is
// single.
func (v *view) sharesKnown() bool {
	return v.tp.single() && v.cp.single() && v.dp.single() && v.pp.single() && v.mb.single() &&
		v.ep.single() && v.etp.single()
}

// leastStep bounds the step time. The once-a-step communication comes in two
// ways. On any rank, what hides it is at most an m-th of the pipeline's span.
// And where a rank's own time bounds the span with a factor of at least one for
// each second of it, that time hides no more of the communication than it adds.
// Plans allocate at most limit.
func (m *Model) leastStep(v *view, a *memory, limit float64) float64 {
	j := m.slots(v)
	t := m.totals(v, &j)
	g := m.gradients(v, m.meanHeld(v))
	span, whole := 0.0, 0.0
	if v.whole() {
		span = max(m.meanSpan(v, &t, &j), m.slowSpan(v, &t, &j), m.passSpan(v, &j))
	} else {
		span = m.cutSpan(v, &j, &t, a, limit)
	}
	switch {
	case !v.whole():
	case v.pp.hi <= 1:
		once := j.stageTime(m.layers).plus(j.head)
		whole = float64(v.micro.lo*once.sum()) + g.exposed(m, once, 0)
	case v.pp.single() && m.ordered:
		whole = m.splitSpan(v, &j, a, limit, &g)
	}
	hidden := 0.0
	if m.profile.Time.GradOverlap.Value > 0 || m.profile.Time.ParamOverlap.Value > 0 {
		hidden = 1 / v.each.lo
	}
	whole = max(whole, span, float64(span*(1-hidden))+g.both)
	return m.waited(v, whole+g.optimizer+m.profile.Time.StepSeconds.Value, t.work)
}

// waited is the least step with what ranks wait for slower ones, which grows with the
// GPUs. On fewer of them than share the work within the step it takes longer: their
// work is at least that much, and from 8 GPUs up the product of both has its least
// value at an end.
func (m *Model) waited(v *view, step, work float64) float64 {
	fewest := v.tp.lo * v.cp.lo * v.dp.lo * v.pp.lo
	enough := max(fewest, v.all*min(1, work/step))
	waited := step * m.waiting(enough)
	if few := max(fewest, 8); few < enough {
		waited = min(waited, work*v.all/few*m.waiting(few))
	}
	return waited
}

// meanHeld is the parameters of the mean rank, without embedding and head
// unless one rank holds everything; some rank holds no fewer of each.
func (m *Model) meanHeld(v *view) held {
	var h held
	for k := range m.layers {
		if m.layers[k] > 0 {
			h = h.plus(m.held[k], m.layers[k]/v.cols.hi)
		}
	}
	if v.pp.hi <= 1 {
		table := m.wordTable(v)
		h.split += table
		if !m.model.TieEmbeddings {
			h.split += table
		}
		h = h.plus(m.mtpHeld(v, 1), 1)
	}
	return h
}

// meanSpan is the pipeline's bound from the mean over its ranks.
//
// One chunk a rank: a rank's first backward follows every forward, and all but
// its warm-up comes after, so on the mean over ranks
// span >= m (f+b)/p + b (1 - 1/p) + f (1 - min(m,p)/p), with f, b the sums over
// all ranks. Several chunks: a rank starts after the first chunk of each before
// it, which holds at least a v-th of the rank's layers, rounded down; the
// distribution of layers that makes the largest such form least leaves
// span >= m (f+b)/p + chunk (p-1)/2.
//
// GPipe's span, f + b + (m-1)(slowest f + slowest b), is above all of these
// forms on any ranks, and on the mean (m + p - 1)(f+b)/p.
func (m *Model) meanSpan(v *view, t *total, j *job) float64 {
	p := v.pp.lo
	even := t.layers.sum() + t.head.sum()/v.pp.hi
	even = max(even, j.wire*v.micro.lo)
	if v.pp.lo > 1 {
		even += float64(v.micro.lo * j.hop.sum())
	}
	if v.vpp.hi > 1 && !v.gpipe {
		if !m.single {
			return even
		}
		chunk := max(0, (float64(len(m.kinds))/v.pp.hi-v.vpp.hi+1)/v.vpp.hi)
		return even + chunk*j.layer[m.kinds[0]].sum()*(p-1)/2
	}
	once := j.stageTime(m.layers).plus(j.head)
	warm := min(v.micro.hi, v.pp.hi) / v.pp.hi
	if !v.pp.single() || !v.micro.single() {
		warm = 1
	}
	if v.gpipe {
		warm = 1 / p
	}
	return even + float64(once.bwd*(1-1/p)) + float64(once.fwd*(1-warm))
}

// passSpan is the pipeline's bound from the way of its first micro-batch through
// every chunk of every rank. With several chunks each further one takes a chunk
// of the mean rank at least (see schedule.span). With one chunk a rank's first
// backward follows every forward of the first micro-batch, and after it come its
// other backwards and the forwards beyond its warm-up.
func (m *Model) passSpan(v *view, j *job) float64 {
	once := j.stageTime(m.layers).plus(j.head).plus(j.hop.times(v.pp.lo))
	further := (v.micro.lo - 1) * once.sum() / (v.pp.hi * v.vpp.hi)
	if v.vpp.lo <= 1 {
		single := float64((v.micro.lo-1)*once.bwd/v.pp.hi) + float64(max(0, v.micro.lo-v.pp.hi)*once.fwd/v.pp.hi)
		if further = min(further, single); v.vpp.hi <= 1 {
			further = single
		}
	}
	return once.sum() + further
}

// slowSpan is the pipeline's bound from its fullest rank, which holds at least
// ceil(L/p) layers, and from its last, which holds the head.
func (m *Model) slowSpan(v *view, t *total, j *job) float64 {
	last := t.head.sum()
	if v.vpp.hi <= 1 {
		last += float64(j.stageTime(m.layers).sum() * (1 - 1/v.pp.lo))
	}
	if !m.ordered {
		return max(last, m.turnSpan(v, j))
	}
	if !m.single {
		return last
	}
	return max(last, t.layers.sum()*m.leastUneven(v))
}

// leastUneven is the least of ceil(L/p) p / L over the view's pp.
func (m *Model) leastUneven(v *view) float64 {
	if !v.pp.single() || int(v.pp.lo) >= len(m.uneven) {
		return 1
	}
	return m.uneven[int(v.pp.lo)]
}
