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
type total struct{ layers, head pass }

// totals cancels the dimensions that share the work before bounding it: batch
// x GPU time of a sequence / GPUs. Where those dimensions are known there is
// nothing to cancel, and the slots say the same.
func (m *Model) totals(v *view, j *job) total {
	var t total
	if v.sharesKnown() {
		t.layers = j.stageTime(m.layers).times(v.micro.lo / v.pp.lo)
		t.head = j.head.times(v.micro.lo)
		return t
	}
	for k := range m.layers {
		if m.layers[k] > 0 {
			t.layers = t.layers.plus(m.layerPass(v, models.Kind(k), sequence).times(m.layers[k]))
		}
	}
	t.layers = t.layers.times(m.batch / v.all)
	launches := m.batch * float64(len(m.kinds)) / (v.mb.hi * v.most(v.dp.hi*v.pp.hi, v.tp.lo*v.cp.lo, m.gpus))
	t.layers = t.layers.atLeast(m.hostFloor(v).times(launches))
	t.head = m.headPass(v, sequence).times(m.batch / v.most(v.tp.hi*v.cp.hi*v.dp.hi, v.pp.lo, m.gpus))
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
	span := max(m.meanSpan(v, &t, &j), m.slowSpan(v, &t, &j))
	whole := 0.0
	switch {
	case v.pp.hi <= 1:
		once := j.stageTime(m.layers).plus(j.head)
		whole = float64(v.micro.lo*once.sum()) + g.exposed(m, once)
	case v.pp.single() && m.ordered:
		whole = m.splitSpan(v, &j, a, limit, &g)
	}
	hidden := 0.0
	if m.profile.Time.GradOverlap.Value > 0 || m.profile.Time.ParamOverlap.Value > 0 {
		hidden = 1 / v.micro.lo
	}
	whole = max(whole, span, float64(span*(1-hidden))+g.both)
	return whole + g.optimizer + m.profile.Time.StepSeconds.Value
}

// meanHeld is the parameters of the mean rank, without embedding and head
// unless one rank holds everything; some rank holds no fewer of each.
func (m *Model) meanHeld(v *view) held {
	var h held
	for k := range m.layers {
		if m.layers[k] > 0 {
			h = h.plus(m.layerHeld(models.Kind(k)), m.layers[k]/v.pp.hi)
		}
	}
	if v.pp.hi <= 1 {
		h.split += m.vocabulary(v) * float64(m.model.Hidden)
		if !m.model.TieEmbeddings {
			h.split += m.vocabulary(v) * float64(m.model.Hidden)
		}
	}
	return h
}

// slots is the time of one micro-batch through a layer and the head.
func (m *Model) slots(v *view) job {
	j := job{head: m.headPass(v, slot)}
	for k := range m.layers {
		if m.layers[k] > 0 {
			j.layer[k] = m.layerPass(v, models.Kind(k), slot)
		}
	}
	j.hop, j.wire = m.transfers(v)
	return j
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
func (m *Model) meanSpan(v *view, t *total, j *job) float64 {
	p := v.pp.lo
	even := t.layers.sum() + t.head.sum()/v.pp.hi
	even = max(even, j.wire*v.micro.lo)
	if v.pp.lo > 1 {
		even += float64(v.micro.lo * j.hop.sum())
	}
	if v.vpp.hi > 1 {
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
	return even + float64(once.bwd*(1-1/p)) + float64(once.fwd*(1-warm))
}

// slowSpan is the pipeline's bound from its fullest rank, which holds at least
// ceil(L/p) layers, and from its last, which holds the head.
func (m *Model) slowSpan(v *view, t *total, j *job) float64 {
	last := t.head.sum()
	if v.vpp.hi <= 1 {
		last += float64(j.stageTime(m.layers).sum() * (1 - 1/v.pp.lo))
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

// splitSpan bounds the pipeline for one pp when the model's layers are of one
// kind, or dense before MoE. For every number q of layers on the last rank, the
// last but one holds at least ceil((L-q)/(p-1)), since Split gives it no fewer
// than any rank before it; the step takes at least what either of the two needs.
//
// No rank holds more layers than the limit on allocated bytes allows, which
// leaves more to the last but one.
func (m *Model) splitSpan(v *view, j *job, a *memory, limit float64, g *gradients) float64 {
	kind := m.kinds[len(m.kinds)-1]
	all, p := float64(len(m.kinds)), v.pp.lo
	ends := m.meanHeld(v)
	one := m.layerHeld(kind)
	table := m.vocabulary(v) * float64(m.model.Hidden)
	ends.split += table
	withHead := m.gradients(v, ends)
	c := spanCase{
		model: m, comm: g, mean: m.layers[kind] / p,
		commLast: &withHead,
		p:        p, micro: v.micro.lo, vpp: v.vpp, layer: j.layer[kind], others: all - m.layers[kind],
		all: j.stageTime(m.layers).plus(j.head).plus(j.hop.times(p)),
	}
	if one.experts == 0 {
		c.headLayers = table / (one.split + float64(one.whole*v.tp.hi))
	}
	best := math.Inf(1)
	var room capacity
	room.measure(v, a, &a.layer[kind], limit, math.Ceil(m.layers[kind]/p), m.layers[kind])
	for q := 0.0; q <= all && c.micro*(float64(c.layer.sum()*max(0, q-c.others))+j.head.sum()) < best; q++ {
		span := math.Inf(1)
		if v.vpp.lo <= 1 {
			c.give(j, q, room.fullest(m.layers[kind]-q, p-1))
			span = c.once()
		}
		if v.vpp.hi > 1 {
			c.give(j, max(0, q-c.shallow(p-1)), math.Ceil((all-q)/(p-1)))
			if m.single {
				c.full = room.fullest(all-q, p-1)
				c.give(j, q, c.full)
			}
			c.held = all - q
			span = min(span, c.chunked())
		}
		best = min(best, span)
	}
	return best
}

// spanCase is one case of splitSpan: layers are those of the model's last kind.
type spanCase struct {
	model                  *Model
	comm, commLast         *gradients // of the mean rank, without and with the output head
	headLayers             float64    // the head's communication, in layers; 0 where they do not compare
	mean                   float64    // layers of the mean rank
	p, micro, full, held   float64
	lastLayers             float64
	others                 float64 // layers of the other kind, at the model's front
	vpp                    interval
	layer, last, late, all pass
}

// maxLayers bounds the layers and ranks of models whose capacities are
// measured.
const maxLayers = 256

// capacity is how many layers of a kind the ranks but the last can hold when
// none holds more than k: held[k].
type capacity struct {
	tight bool // some rank holds less than the mean
	held  [maxLayers + 1]float32
}

// measure sets the capacities under a limit on allocated bytes; mean is how
// many layers a rank has to hold on the mean.
func (c *capacity) measure(v *view, a *memory, l *perLayer, limit, mean, layers float64) {
	p := v.pp.lo
	if math.IsInf(limit, 1) || p > maxLayers || layers > maxLayers {
		return
	}
	most := int(layers)
	for r := 0.0; r < p-1; r++ {
		each := l.state() + float64(v.leastInFlight(r, p)*l.kept)
		n := math.Floor(float64((limit-a.transient-a.wgrad-a.ends(r, p))/each*(1+slack)) + slack)
		c.tight = c.tight || n < mean+1
		if !c.tight && r > 0 {
			return // later ranks hold fewer micro-batches
		}
		c.held[int(max(0, min(n, layers)))]++
	}
	ranks, total := p-1, float32(0)
	for k := 0; k <= most; k++ {
		capped := c.held[k] // ranks that hold exactly k at most
		if k > 0 {
			total += float32(ranks)
		}
		c.held[k] = total
		ranks -= float64(capped)
	}
}

// fullest is the least number of layers that the fullest of the first n ranks
// holds when they hold the given number together; infinite if they cannot.
func (c *capacity) fullest(layers, n float64) float64 {
	full := max(0, math.Ceil(layers/n))
	if !c.tight {
		return full
	}
	for k := int(full); k <= maxLayers; k++ {
		if float64(c.held[k]) >= layers {
			return float64(k)
		}
		if k > int(full) && c.held[k] <= c.held[k-1] {
			break
		}
	}
	return math.Inf(1)
}

// give puts q of the layers on the last rank and full on the one before.
func (c *spanCase) give(j *job, q, full float64) {
	c.last = c.layer.times(q).plus(j.head).plus(j.hop)
	c.full, c.lastLayers = full, q
	c.late = c.layer.times(full).plus(j.hop)
	c.late.bwd = max(c.late.bwd, j.wire-c.late.fwd)
}

// shallow is how many of the other kind's layers the first chunk of rank r can
// hold, given that every chunk before it but the very first holds a layer.
func (c *spanCase) shallow(r float64) float64 { return max(0, c.others-max(0, r-1)) }

// once is 1F1B's turning form (see schedule.span) of the last two ranks:
// sum of the others + m time - (warm-up - 1) forward.
func (c *spanCase) once() float64 {
	if math.IsInf(c.full, 1) {
		return c.full
	}
	last := c.all.sum() + float64((c.micro-1)*c.last.sum())
	late := c.all.sum() + float64((c.micro-1)*c.late.sum()) - float64((min(c.micro, 2)-1)*c.late.fwd)
	return max(last+c.exposedLast(), late+c.exposedLate(c.full))
}

// exposed is what a rank does not hide of its communication when it holds the
// given number of layers and the communication is known for another number. Of
// less it has at least that share, since a collective's time per byte does not
// rise with size.
func (c *spanCase) exposed(comm *gradients, time pass, layers, known float64) float64 {
	share := min(1, layers/known)
	g := gradients{reduce: comm.reduce * share, gather: comm.gather * share, both: comm.both * share}
	return g.exposed(c.model, time)
}

// exposedLate and exposedLast are that of the late and of the last rank.
func (c *spanCase) exposedLate(layers float64) float64 {
	return c.exposed(c.comm, c.late, layers, c.mean)
}

func (c *spanCase) exposedLast() float64 {
	return c.exposed(c.commLast, c.last, c.lastLayers+c.headLayers, c.mean+c.headLayers)
}

// chunked is the opening form of the last two ranks: the first chunks of the
// ranks before + m time. Either the late rank holds exactly c.full layers, and
// no rank before it more, or it holds at least one more.
func (c *spanCase) chunked() float64 {
	if math.IsInf(c.full, 1) {
		return c.full
	}
	one := c.layer.sum()
	late := c.late.sum() - float64(c.shallow(c.p-2)*one)
	open, openLast := c.exposedLate(c.full-c.shallow(c.p-2)), c.exposedLast()
	exact := max(float64(c.opening(c.p-1, c.held)*one)+float64(c.micro*c.last.sum())+openLast,
		float64(c.opening(c.p-2, c.held-c.full)*one)+float64(c.micro*late)+open)
	more := max(float64(max(0, c.p-2-c.others)*one)+float64(c.micro*c.last.sum())+openLast,
		float64(max(0, c.p-3-c.others)*one)+float64(c.micro*(late+one))+max(0, open-one))
	return min(exact, more)
}

// opening is the least number of layers in the first chunks of the first n
// ranks when they hold `held` layers together and none more than c.full: each
// chunk holds at least a v-th of its rank's layers, rounded down, and every
// chunk but the very first at least one. The other kind's layers count as none.
func (c *spanCase) opening(n, held float64) float64 {
	v := c.vpp.hi
	least := max(n-1, (held-float64(n*(v-1)))/v)
	if c.vpp.single() {
		chunk := math.Floor(c.full / v)
		spare := c.full - float64(chunk*v)
		least = max(least, float64(n*chunk)-(float64(n*c.full)-held)/(spare+1))
	}
	return max(0, least-c.others)
}

// leastPeakOf bounds the reserved memory of the tightest stage: the mean over
// stages of what all dimensions share, stage 0 and the last stage; and, for one
// pp and layers of one kind, whether any split stays within the two limits a
// verdict knows.
func (m *Model) leastPeakOf(v *view, a *memory, usable float64) float64 {
	ratio := m.profile.Memory.Reserved.Value
	peak := max(m.meanPeak(v, a), m.endPeak(v, a)) * ratio
	if !v.pp.single() {
		return peak
	}
	for _, limit := range [...]float64{m.fitLimit(usable), usable} {
		if peak <= limit && !m.room(v, a, limit/ratio) {
			peak = math.Nextafter(limit, math.Inf(1))
		}
	}
	return peak
}

// meanPeak is the mean over the stages of their layers' state, with every
// dimension that shares it cancelled.
func (m *Model) meanPeak(v *view, a *memory) float64 {
	total := 0.0
	for k, n := range m.layers {
		total += float64(n * (a.layer[k].state() + float64(v.leastInFlight(v.pp.hi-1, v.pp.hi)*a.layer[k].kept)))
	}
	mean := total / v.pp.hi
	if v.zero.Hi >= 1 && v.zero.Lo >= 0 {
		params := 0.0
		for k, n := range m.layers {
			if n > 0 {
				params += float64(n * float64(m.params[k].Total()))
			}
		}
		mean = max(mean, params*m.recipe.Optimizer/m.gpus)
	}
	return mean + a.transient + a.wgrad
}

// endPeak is the least memory of the first stage if it holds as many layers as
// the mean, or else of another stage that holds more.
func (m *Model) endPeak(v *view, a *memory) float64 {
	last := a.transient + a.wgrad + a.headKept + a.headWgrad + a.finalNorm
	if !a.tied {
		last += a.head
	}
	return max(last, a.transient+a.wgrad+a.embedding)
}

// room reports whether, kind by kind, the layers fit the stages when each may
// hold as many as the limit on allocated bytes allows.
func (m *Model) room(v *view, a *memory, limit float64) bool {
	p := v.pp.lo
	left := m.layers
	for r := 0.0; r < p; r++ {
		flight := v.leastInFlight(r, p)
		free := limit - a.transient - a.wgrad - a.ends(r, p)
		if free < 0 {
			return false
		}
		for k := range left {
			if m.layers[k] == 0 {
				continue
			}
			left[k] -= math.Floor(float64(free/(a.layer[k].state()+float64(flight*a.layer[k].kept))*(1+1e-12)) + 1e-9)
		}
	}
	return left[models.Dense] <= 0 && left[models.MoE] <= 0
}
