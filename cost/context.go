package cost

import (
	"meshplan/cluster"
	"meshplan/plan"
)

// Context parallelism cuts every sequence into cp parts. A rank's queries meet
// the keys and values of the others in one of four ways (Megatron core
// cp_comm_type, Transformer Engine context_parallel.py):
//
//	ring        keys and values travel round a ring in cp-1 steps, each behind
//	            one part of the core; in backward their gradients travel along.
//	            Partial outputs are merged at every step.
//	all-gather  keys and values of all ranks are gathered before the core, again
//	            in backward, and their gradients reduce-scattered after it. One
//	            layer's gathered keys, values and gradients are in memory at once.
//	all-to-all  heads are exchanged for tokens (DeepSpeed-Ulysses, arXiv
//	            2309.14509, section 3.1): queries, keys and values before the
//	            core, its output after it, and their gradients in backward. The
//	            core runs over whole sequences with its share of the heads; of
//	            key-value heads every rank has at least one.
//	hierarchical  the all-to-all among the ranks that share a domain of the
//	            innermost level, then a ring between domains, in which each rank
//	            has its share of the heads for all tokens of its domain (Megatron
//	            core hierarchical_context_parallel_sizes; USP, arXiv 2405.07719).
//
// Gathers and all-to-alls hide behind nothing. Ring and all-gather cut the sequence
// in a zigzag, which spreads the causal mask evenly; an all-to-all needs none.

// contexts is the communication of one layer's attention core.
type contexts struct {
	step            float64 // one step of the ring, forward
	gather, scatter float64 // of all keys and values
	exchange        float64 // the four all-to-alls of one pass
	inside, between float64 // those inside a domain, and one step of the ring between domains
}

func (c contexts) plus(o *contexts, n float64) contexts {
	return contexts{
		c.step + float64(n*o.step), c.gather + float64(n*o.gather), c.scatter + float64(n*o.scatter), c.exchange + float64(n*o.exchange),
		c.inside + float64(n*o.inside), c.between + float64(n*o.between),
	}
}

// contextLinks is the context-parallel communication in the view.
func (m *Model) contextLinks(v *view, what measure) contexts {
	var c contexts
	if v.cp.lo <= 1 {
		return c
	}
	cp := v.group(plan.CP)
	if v.cpComm.Contains(int32(plan.CPRing)) && what == slot {
		c.step = m.nets[plan.CP].hopSeconds(&cp, m.ringBytes(v.mb.lo, v.cp.hi, v.tp.hi))
	}
	if v.cpComm.Contains(int32(plan.CPAllGather)) {
		c.gather = m.gatherContext(v, cluster.AllGather, &cp, what)
		c.scatter = m.gatherContext(v, cluster.ReduceScatter, &cp, what)
	}
	if v.cpComm.Contains(int32(plan.CPAllToAll)) {
		c.exchange = m.exchangeContext(v, &cp, v.cp, interval{1, 1}, what)
	}
	if v.cpComm.Contains(int32(plan.CPHierarchical)) {
		inside, between := nested(&cp)
		share := interval{inside.n.lo / v.cp.hi, min(1, inside.n.hi/v.cp.lo)}
		c.inside = m.exchangeContext(v, &inside, inside.n, share, what)
		if what == slot {
			c.between = m.nets[plan.CP].hopSeconds(&between, m.ringBytes(v.mb.lo, between.n.hi, v.tp.hi*inside.n.hi))
		}
	}
	return c
}

// nested splits a group into the ranks that share an innermost domain and the
// ranks of like place in each of its domains.
func nested(g *group) (inside, between group) {
	inside.n = g.cum[0]
	between.n = g.n.over(inside.n)
	for l := range g.cum {
		inside.cum[l], between.cum[l] = inside.n, g.cum[l].over(inside.n)
	}
	return inside, between
}

// over is the quotient of two numbers of ranks.
func (a interval) over(b interval) interval {
	return interval{max(1, a.lo/b.hi), max(1, a.hi/b.lo)}
}

// keyValue is the heads that hold keys and values, and their width together.
func (m *Model) keyValue() (heads, key, value float64) {
	o := m.model
	if o.MLA() {
		return float64(o.Heads), float64(o.QKDim()), float64(o.VHeadDim())
	}
	return float64(o.KVHeads), float64(o.HeadDim), float64(o.HeadDim)
}

// ringBytes is the size of one step of the context-parallel ring: the keys and
// values of a rank's tokens.
func (m *Model) ringBytes(mb, cp, tp float64) float64 {
	heads, key, value := m.keyValue()
	return m.seq * mb / cp * max(1, heads/tp) * (key + value) * m.bytes
}

// gatherContext is the time to gather the keys and values of whole sequences,
// or to reduce and scatter their gradients.
func (m *Model) gatherContext(v *view, op cluster.Collective, cp *group, what measure) float64 {
	net, lo := m.nets[plan.CP], m.ringBytes(v.mb.lo, 1, v.tp.hi)
	if what == slot {
		return net.seconds(op, cp, lo)
	}
	heads, key, value := m.keyValue()
	hi := m.ringBytes(v.mb.hi, 1, v.tp.lo)
	whole := m.seq * max(v.tp.lo, heads) * v.cp.lo * (key + value) * m.bytes
	return net.seconds(op, cp, hi) / hi * whole
}

// exchangeContext is the time of the all-to-alls of one pass over a group of so
// many ranks, a share of all context-parallel ranks: queries, output, keys and
// values, of which each rank of the group has a head at least.
func (m *Model) exchangeContext(v *view, cp *group, ranks, share interval, what measure) float64 {
	o := m.model
	heads, key, value := m.keyValue()
	total := 0.0
	for _, width := range [...]float64{float64(o.QKDim()), float64(o.VHeadDim())} {
		size := m.seq * float64(o.Heads) * width * m.bytes
		total += m.message(plan.CP, cluster.AllToAll, cp, v, interval{size, size}, true, what)
	}
	net := m.nets[plan.CP]
	for _, width := range [...]float64{key, value} {
		head := m.seq * width * m.bytes
		lo := head * v.mb.lo * max(share.lo, heads/(v.tp.hi*v.cp.hi))
		if what == slot {
			total += net.seconds(cluster.AllToAll, cp, lo)
			continue
		}
		hi := head * v.mb.hi * max(share.hi, heads/(v.tp.lo*v.cp.lo))
		total += net.seconds(cluster.AllToAll, cp, hi) / hi * (head * max(v.tp.lo*ranks.lo, heads))
	}
	return total
}

// coreWork is the forward time of the attention core under each kind of
// context parallelism. Without an exchange of heads a kernel sees a cp-th of
// the sequence. That of hierarchical is the least over the rings.
func (m *Model) coreWork(tp, cp, mb float64) [plan.NumCPComm]float64 {
	w := [...]float64{
		plan.CPRing:         m.ringCore(tp, cp, mb, cp),
		plan.CPAllGather:    m.coreTime(tp, cp, mb, cp),
		plan.CPAllToAll:     m.ringCore(tp, cp, mb, 1),
		plan.CPHierarchical: m.ringCore(tp, cp, mb, 1),
	}
	for ring, ranks := 2, int(cp); ring <= ranks; ring++ {
		if ranks%ring == 0 {
			w[plan.CPHierarchical] = min(w[plan.CPHierarchical], m.ringCore(tp, cp, mb, float64(ring)))
		}
	}
	return w
}

// ringCore is the forward time of the attention core in a ring of so many of the
// cp ranks: a kernel sees that part of the sequence.
func (m *Model) ringCore(tp, cp, mb, ring float64) float64 {
	return m.coreTime(tp, cp, mb, ring) + m.merging(m.seq*mb/cp, tp, ring)
}

// attention is the core's forward and backward time with the communication that
// nothing hides: the least over the view's kinds.
func (m *Model) attention(v *view, w *work, l *links, what measure) pass {
	least := m.attentionOf(v, plan.CPComm(v.cpComm.Lo), w, l, what)
	for k := v.cpComm.Lo + 1; k <= v.cpComm.Hi; k++ {
		p := m.attentionOf(v, plan.CPComm(k), w, l, what)
		least = pass{fwd: min(least.fwd, p.fwd), bwd: min(least.bwd, p.bwd)}
	}
	return least
}

func (m *Model) attentionOf(v *view, kind plan.CPComm, w *work, l *links, what measure) pass {
	p := m.core(v, w, kind, what)
	if v.cp.lo <= 1 {
		return p
	}
	share := m.profile.Time.RingExposed.Value
	switch kind {
	case plan.CPAllGather:
		return p.plus(pass{fwd: l.cp.gather, bwd: l.cp.gather + l.cp.scatter})
	case plan.CPAllToAll:
		return p.plus(pass{fwd: l.cp.exchange, bwd: l.cp.exchange})
	case plan.CPHierarchical:
		if what == slot {
			ring := v.ring(kind)
			p = pass{fwd: ringed(p.fwd, l.cp.between, share, ring), bwd: ringed(p.bwd, 2*l.cp.between, share, ring)}
		}
		return p.plus(pass{fwd: l.cp.inside, bwd: l.cp.inside})
	}
	if what == sequence {
		return p
	}
	return pass{fwd: ringed(p.fwd, l.cp.step, share, v.cp), bwd: ringed(p.bwd, 2*l.cp.step, share, v.cp)}
}

// ring is the number of parts into which a kind of context parallelism cuts the
// sequence for the core.
func (v *view) ring(kind plan.CPComm) interval {
	switch kind {
	case plan.CPAllToAll:
		return interval{1, 1}
	case plan.CPHierarchical:
		return v.cp.over(v.level(plan.CP, 0))
	}
	return v.cp
}

// core is the time of the core alone on the context-parallel rank that takes
// longest. Of whole parts of a causal sequence the last of n ranks attends to 2 - 1/n
// times the mean; an exchange of heads leaves no rank more than others.
func (m *Model) core(v *view, w *work, kind plan.CPComm, what measure) pass {
	fwd, ring := w.core[kind], v.ring(kind)
	if kind == plan.CPHierarchical && ring.single() && v.tp.single() && v.cp.single() && v.mb.single() {
		fwd = m.ringCore(v.tp.lo, v.cp.lo, v.mb.lo, ring.lo)
		if what == sequence {
			fwd *= v.tp.lo * v.cp.lo / v.mb.lo
		}
	}
	core := pass{fwd: fwd, bwd: fwd * m.profile.Time.AttnBackward.Value}
	if share := m.profile.Time.Imbalance.Value; share != 0 && ring.lo > 1 {
		return core.times(1 + float64(share*(1-1/ring.lo)))
	}
	return core
}

// ringed is the time of an attention core under ring context parallelism: each
// of the cp-1 exchanges hides behind one part of the core, but for a share.
func ringed(core, step, share float64, cp interval) float64 {
	ring := (cp.lo - 1) * step
	return max(core, core/cp.hi+ring) + float64(share*ring)
}

// gathered is the memory of one layer's gathered keys, values and gradients.
func (m *Model) gathered(v *view) float64 {
	if v.cp.lo <= 1 || v.cpComm.Lo != int32(plan.CPAllGather) || !v.cpComm.Single() {
		return 0
	}
	return 2 * m.ringBytes(v.mb.lo, 1, v.tp.hi)
}
