package cost

import (
	"meshplan/cluster"
	"meshplan/plan"
)

// Context parallelism cuts every sequence into cp parts. A rank's queries meet
// the keys and values of the others in one of three ways (Megatron core
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
//
// The last two hide behind nothing. Ring and all-gather cut the sequence in a
// zigzag, which spreads the causal mask evenly; an all-to-all needs none.

// contexts is the communication of one layer's attention core.
type contexts struct {
	step            float64 // one step of the ring, forward
	gather, scatter float64 // of all keys and values
	exchange        float64 // the four all-to-alls of one pass
}

func (c contexts) plus(o *contexts, n float64) contexts {
	return contexts{
		c.step + float64(n*o.step), c.gather + float64(n*o.gather), c.scatter + float64(n*o.scatter), c.exchange + float64(n*o.exchange),
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
		c.exchange = m.exchangeContext(v, &cp, what)
	}
	return c
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

// exchangeContext is the time of the all-to-alls of one pass: queries, output,
// keys and values.
func (m *Model) exchangeContext(v *view, cp *group, what measure) float64 {
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
		lo := head * v.mb.lo * max(1, heads/(v.tp.hi*v.cp.hi))
		if what == slot {
			total += net.seconds(cluster.AllToAll, cp, lo)
			continue
		}
		hi := head * v.mb.hi * max(1, heads/(v.tp.lo*v.cp.lo))
		total += net.seconds(cluster.AllToAll, cp, hi) / hi * (head * max(v.tp.lo*v.cp.lo, heads))
	}
	return total
}

// coreWork is the forward time of the attention core under each kind of
// context parallelism. Without an exchange of heads a kernel sees a cp-th of
// the sequence.
func (m *Model) coreWork(tokens, tp, cp, mb float64) [plan.NumCPComm]float64 {
	part := m.coreTime(tp, cp, mb, m.seq/cp)
	return [...]float64{
		plan.CPRing:      part + m.merging(tokens, tp, cp),
		plan.CPAllGather: part,
		plan.CPAllToAll:  m.coreTime(tp, cp, mb, m.seq),
	}
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
	p := m.unbalanced(v, m.core(w, kind), kind)
	if v.cp.lo <= 1 {
		return p
	}
	switch kind {
	case plan.CPAllGather:
		return p.plus(pass{fwd: l.cp.gather, bwd: l.cp.gather + l.cp.scatter})
	case plan.CPAllToAll:
		return p.plus(pass{fwd: l.cp.exchange, bwd: l.cp.exchange})
	}
	if what == sequence {
		return p
	}
	share := m.profile.Time.RingExposed.Value
	return pass{fwd: ringed(p.fwd, l.cp.step, share, v.cp), bwd: ringed(p.bwd, 2*l.cp.step, share, v.cp)}
}

// unbalanced is the core's time on the context-parallel rank that takes longest. Of
// whole parts of a causal sequence the last rank attends to 2 - 1/cp times the
// mean; an exchange of heads leaves no rank more than others.
func (m *Model) unbalanced(v *view, core pass, kind plan.CPComm) pass {
	share := m.profile.Time.Imbalance.Value
	if share == 0 || v.cp.lo <= 1 || kind == plan.CPAllToAll {
		return core
	}
	return core.times(1 + float64(share*(1-1/v.cp.lo)))
}

// core is the core alone.
func (m *Model) core(w *work, kind plan.CPComm) pass {
	fwd := w.core[kind]
	return pass{fwd: fwd, bwd: fwd * m.profile.Time.AttnBackward.Value}
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
