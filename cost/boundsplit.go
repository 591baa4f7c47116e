package cost

import "math"

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
	c := spanCase{
		model: m, comm: g, commLast: g, mean: m.layers[kind] / p,
		p: p, micro: v.micro.lo, vpp: v.vpp, warm: min(v.micro.lo, 2), layer: j.layer[kind], others: all - m.layers[kind],
		all: j.stageTime(m.layers).plus(j.head).plus(j.hop.times(p)),
	}
	if one := &m.held[kind]; one.experts == 0 {
		table := m.wordTable(v)
		withHead := m.gradients(v, m.meanHeld(v).plus(held{split: 1}, table))
		c.commLast, c.headLayers = &withHead, table/(one.split+float64(one.whole*v.tp.hi))
	}
	if v.gpipe {
		c.warm = 1
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
	comm, commLast         *gradients // of the mean rank, without and, where they compare, with the output head
	headLayers             float64    // the head's communication, in layers; 0 where they do not compare
	mean                   float64    // layers of the mean rank
	p, micro, full, held   float64
	lastLayers             float64
	warm                   float64 // micro-batches of the late rank before its first backward, as turning counts them
	others                 float64 // layers of the other kind, at the model's front
	vpp                    interval
	layer, last, late, all pass
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
// sum of the others + m time - (warm-up - 1) forward. GPipe's flow, which has no
// such last term, is never below it.
func (c *spanCase) once() float64 {
	if math.IsInf(c.full, 1) {
		return c.full
	}
	last := c.all.sum() + float64((c.micro-1)*c.last.sum())
	late := c.all.sum() + float64((c.micro-1)*c.late.sum()) - float64((c.warm-1)*c.late.fwd)
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
	exposed := openLast
	if c.micro*c.lastLayers >= c.full { // the late rank's layers hide no more than the last's add
		exposed = max(open, openLast)
	}
	exact := max(float64(c.opening(c.p-1, c.held)*one)+float64(c.micro*c.last.sum())+exposed,
		float64(c.opening(c.p-2, c.held-c.full)*one)+float64(c.micro*late)+open,
		c.passing(max(c.last.sum(), c.late.sum()))+max(open, openLast))
	more := max(float64(max(0, c.p-2-c.others)*one)+float64(c.micro*c.last.sum())+openLast,
		float64(max(0, c.p-3-c.others)*one)+float64(c.micro*(late+one))+max(0, open-one),
		c.passing(max(c.last.sum(), c.late.sum()))+openLast)
	return min(exact, more)
}

// passing is the passing form (see schedule.span) where a rank takes that time.
func (c *spanCase) passing(rank float64) float64 {
	return c.all.sum() + float64((c.micro-1)*rank/c.vpp.hi)
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
