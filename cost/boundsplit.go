package cost

import "math"

// splitSpan bounds the pipeline for one pp when the model's layers are of one
// kind, or dense before MoE, of which it counts the MoE layers. For every number
// q of them on the last rank, some rank before it holds at least ceil((L-q)/(p-1));
// the step takes at least what either of the two needs. That rank is the last but
// one, since Split gives it no fewer than any before it, but where it may hold
// dense layers too (see clean).
//
// No rank holds more layers than the limit on allocated bytes allows, which
// leaves more to the last but one.
func (m *Model) splitSpan(v *view, j *job, a *memory, limit float64, g *gradients) float64 {
	kind := m.kinds[len(m.kinds)-1]
	layers, p := m.layers[kind], v.pp.lo
	c := spanCase{
		model: m, comm: g, commLast: g, mean: layers / p,
		p: p, micro: v.micro.lo, vpp: v.vpp, warm: min(v.micro.lo, 2), layer: j.layer[kind], others: float64(len(m.kinds)) - layers,
		all: j.stageTime(m.layers).plus(j.head).plus(j.hop.times(p)),
	}
	if !m.single {
		own := m.gradients(v, held{}.plus(m.held[kind], layers/p))
		c.comm, c.commLast = &own, &own
	}
	if one := &m.held[kind]; one.experts == 0 {
		table := m.wordTable(v)
		withHead := m.gradients(v, m.meanHeld(v).plus(held{split: 1}, table))
		c.commLast, c.headLayers = &withHead, table/(one.split+float64(one.whole*v.tp.hi))
	}
	if v.gpipe {
		c.warm = 1
	}
	var room capacity
	room.measure(v, a, &a.layer[kind], limit, math.Ceil(layers/p), layers)
	give := func(q float64) { c.give(j, q, layers-q, room.fullest(layers-q, p-1)) }
	even := math.Floor(layers / p)
	best := math.Inf(1)
	for q := even; q <= layers && c.micro*(float64(c.layer.sum()*q)+j.head.sum()) < best; q++ {
		give(q)
		best = min(best, c.span())
	}
	for q := even - 1; q >= 0; q-- {
		if give(q); c.leastLate() >= best {
			break // with fewer on the last rank the late one holds no fewer
		}
		best = min(best, c.span())
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

// give puts q of the layers on the last rank, and of the others full on the one
// before it.
func (c *spanCase) give(j *job, q, others, full float64) {
	c.last = c.layer.times(q).plus(j.head).plus(j.hop)
	c.full, c.held, c.lastLayers = full, others, q
	c.late = c.layer.times(full).plus(j.hop).atLeast(j.paced())
}

// span is the shortest pipeline of the chunks that the box allows.
func (c *spanCase) span() float64 {
	span := math.Inf(1)
	if c.vpp.lo <= 1 {
		span = c.once()
	}
	if c.vpp.hi > 1 {
		span = min(span, c.chunked())
	}
	return span
}

// leastLate is a part of every span: what the late rank takes without its
// communication.
func (c *spanCase) leastLate() float64 {
	least := math.Inf(1)
	if c.vpp.lo <= 1 {
		least = c.lateOnce()
	}
	if c.vpp.hi > 1 {
		least = min(least, float64(c.micro*c.late.sum()))
	}
	return least
}

// clean reports whether the last two ranks hold layers of the last kind alone:
// the others are in the model's first chunks, at least one in each but the first.
func (c *spanCase) clean() bool { return c.others == 0 || c.p-2 > c.others }

// once is 1F1B's turning form (see schedule.span) of the last two ranks:
// sum of the others + m time - (warm-up - 1) forward. GPipe's flow, which has no
// such last term, is never below it.
func (c *spanCase) once() float64 {
	if math.IsInf(c.full, 1) {
		return c.full
	}
	last, late := c.all.sum()+float64((c.micro-1)*c.last.sum()), c.lateOnce()
	return max(last+c.exposedLast(last), late+c.exposedLate(late))
}

// lateOnce is that of the late rank, without its communication.
func (c *spanCase) lateOnce() float64 {
	return c.all.sum() + float64((c.micro-1)*c.late.sum()) - float64((c.warm-1)*c.late.fwd)
}

// exposed is what a rank does not hide of its communication when it holds the
// given number of layers and the communication is known for another number. Of
// less it has at least that share, since a collective's time per byte does not
// rise with size. The slowest rank's pass, which hides it, is at most an m-th of
// the pipeline's time; should that be more than the least given, it adds more
// than it hides.
func (c *spanCase) exposed(comm *gradients, time pass, layers, known, least float64) float64 {
	share := min(1, layers/known)
	g := gradients{reduce: comm.reduce * share, gather: comm.gather * share, both: comm.both * share}
	return g.exposed(c.model, time, max(0, least/c.micro-time.sum()))
}

// exposedLate and exposedLast are that of the late and of the last rank in a
// pipeline that takes at least so long.
func (c *spanCase) exposedLate(least float64) float64 {
	return c.exposed(c.comm, c.late, c.full, c.mean, least)
}

func (c *spanCase) exposedLast(least float64) float64 {
	return c.exposed(c.commLast, c.last, c.lastLayers+c.headLayers, c.mean+c.headLayers, least)
}

// chunked is the opening form of the last two ranks: the first chunks of the
// ranks before + m time. Either the late rank holds exactly c.full layers, and
// no rank before it more, or it holds at least one more. Where another rank may
// be the one with c.full layers, or the two may hold layers that are not counted
// and hide communication, only what does not depend on that is.
func (c *spanCase) chunked() float64 {
	if math.IsInf(c.full, 1) {
		return c.full
	}
	one, slowest := c.layer.sum(), max(c.last.sum(), c.late.sum())
	workLast, workLate, passing := float64(c.micro*c.last.sum()), float64(c.micro*c.late.sum()), c.passing(slowest)
	if !c.clean() {
		return max(workLast+c.exposedLast(workLast), workLate+c.exposedLate(workLate), passing)
	}
	opened := float64(c.opening(c.p-1, c.held)*one) + workLast
	exposed := c.exposedLast(opened)
	if c.micro*c.lastLayers >= c.full { // the late rank's layers hide no more than the last's add
		exposed = max(c.exposedLate(opened), exposed)
	}
	late := float64(c.opening(c.p-2, c.held-c.full)*one) + workLate
	exact := max(opened+exposed, late+c.exposedLate(late), passing+max(c.exposedLate(passing), c.exposedLast(passing)))
	opened = float64(max(0, c.p-2-c.others)*one) + workLast
	late = float64(max(0, c.p-3-c.others)*one) + float64(c.micro*(c.late.sum()+one))
	more := max(opened+c.exposedLast(opened), late+max(0, c.exposedLate(late)-one), passing+c.exposedLast(passing))
	return min(exact, more)
}

// passing is the passing form (see schedule.span) where a rank takes that time.
func (c *spanCase) passing(rank float64) float64 {
	return c.all.sum() + float64((c.micro-1)*rank/c.vpp.hi)
}

// opening is the least number of layers in the first chunks of the first n
// ranks when they hold `held` layers together and none more than c.full: each
// chunk holds at least a v-th of its rank's layers, rounded down, and every
// chunk but the very first at least one. Ranks that may hold layers of the
// other kind are left out, with the most that they hold.
func (c *spanCase) opening(n, held float64) float64 {
	v, filled := c.vpp.hi, n-1
	if c.others > 0 {
		n -= c.others + 1
		filled, held = n, held-float64((c.others+1)*c.full)
	}
	least := max(0, filled, (held-float64(n*(v-1)))/v)
	if c.vpp.single() {
		chunk := math.Floor(c.full / v)
		spare := c.full - float64(chunk*v)
		least = max(least, float64(n*chunk)-(float64(n*c.full)-held)/(spare+1))
	}
	return least
}
