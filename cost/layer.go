package cost

import (
	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
)

// Two measures of the same work appear below. "Slot" is what one micro-batch
// takes on one rank. "Sequence" is slot x tp x cp / micro-batch: the GPU time
// of one sequence, in which the dimensions that share the work are cancelled,
// so that a whole step's total is batch x sequence / GPUs. On a plan both say
// the same; over a box each is a lower bound where the other is loose.

// pass is a forward and a backward time.
type pass struct{ fwd, bwd float64 }

func (p pass) sum() float64 { return p.fwd + p.bwd }

func (p pass) plus(q pass) pass { return pass{p.fwd + q.fwd, p.bwd + q.bwd} }

func (p pass) times(f float64) pass { return pass{p.fwd * f, p.bwd * f} }

// links is the communication of one layer, forward and backward alike.
type links struct {
	tp, etp, ep float64 // exposed time of one pass
	cp          contexts
	again       echo // what recompute of ops repeats of the exposed time
}

// echo is the communication that recompute repeats.
type echo struct{ tp, etp, ep float64 }

func (e *echo) sum() float64 { return e.tp + e.etp + e.ep }

// ofMLP is what recompute of the MLP, one of so many blocks, repeats.
func (l *links) ofMLP(blocks float64) echo {
	return echo{tp: l.tp * (blocks - 1) / blocks, etp: l.etp, ep: l.ep}
}

// measure selects slot or sequence.
type measure bool

const (
	slot     measure = false
	sequence measure = true
)

// message is the time of a dimension's collective whose size is per x micro-batch / (cp x
// tp^shared), in the given measure.
func (m *Model) message(d plan.Dim, op cluster.Collective, g *group, v *view, per interval, shared bool, what measure) float64 {
	lo, hi := per.lo*v.mb.lo/v.cp.hi, per.hi*v.mb.hi/v.cp.lo
	whole := per.lo * v.tp.lo
	if shared {
		lo, hi, whole = lo/v.tp.hi, hi/v.tp.lo, per.lo
	}
	if what == slot {
		return m.nets[d].seconds(op, g, lo)
	}
	if g.n.lo <= 1 {
		return 0
	}
	return m.nets[d].seconds(op, g, hi) / hi * whole
}

// layerLinks is the communication inside one layer of the kind.
//
// Tensor parallelism: two all-reduces of s b h a pass, or an all-gather and a
// reduce-scatter each under sequence parallelism, half of them for the
// attention (Korthikanti et al., section 4.2). Expert parallelism: dispatch and
// combine, an all-to-all of every token's top_k copies each. Expert tensor
// parallelism gathers those copies and scatters the sums.
func (m *Model) layerLinks(v *view, kind models.Kind, what measure) links {
	var l links
	t := &m.profile.Time
	hidden := m.seq * m.bytes * float64(m.model.Hidden)
	if tp := v.group(plan.TP); tp.n.hi > 1 {
		block, gather := m.blockSeconds(v, &tp, hidden, what)
		share := t.TPExposed.Value * m.blocks(kind)
		l.tp, l.again.tp = share*block, share*gather
	}
	if kind == models.MoE {
		copies := hidden * float64(m.model.TopK) * m.load
		if ep := v.group(plan.EP); ep.n.hi > 1 {
			l.ep = float64(t.EPExposed.Value*2) * m.message(plan.EP, cluster.AllToAll, &ep, v, interval{copies, copies}, true, what)
		}
		if etp := v.group(plan.ETP); etp.n.hi > 1 {
			size := interval{copies * v.etp.lo, copies * v.etp.hi}
			gather := m.message(plan.ETP, cluster.AllGather, &etp, v, size, true, what)
			l.etp = t.TPExposed.Value * (gather + m.message(plan.ETP, cluster.ReduceScatter, &etp, v, size, true, what))
			l.again.etp = t.TPExposed.Value * gather
		}
	}
	l.cp = m.contextLinks(v, what)
	return l
}

// blockSeconds is the tensor-parallel communication of one pass through the
// attention or the MLP, and the part of it whose results recompute of ops does
// not keep: the gather, or the all-reduce.
func (m *Model) blockSeconds(v *view, tp *group, hidden float64, what measure) (block, gather float64) {
	reduce := 0.0
	size := interval{hidden, hidden}
	if v.sp.Lo == 0 {
		reduce = m.message(plan.TP, cluster.AllReduce, tp, v, size, false, what)
		if v.sp.Hi == 0 {
			return reduce, reduce
		}
	}
	gather = m.message(plan.TP, cluster.AllGather, tp, v, size, false, what)
	scatter := gather + m.message(plan.TP, cluster.ReduceScatter, tp, v, size, false, what)
	if v.sp.Lo == 1 {
		return scatter, gather
	}
	return min(reduce, scatter), min(reduce, gather)
}

// spPick is the lesser of a pair over the sequence-parallel choices of a view.
func spPick(v *view, pair [2]float64) float64 {
	if v.sp.Lo == v.sp.Hi {
		return pair[v.sp.Lo]
	}
	return min(pair[0], pair[1])
}

// layerPass is one layer's forward and backward time, with what it does not
// hide of exchanging sharded weights and gradients and of moving activations to
// the host. The sequence measure leaves those two out.
func (m *Model) layerPass(v *view, kind models.Kind, what measure) pass {
	p := m.layerWork(v, kind, what)
	if what == slot {
		p = m.withUnit(v, kind, p)
		if v.actOffload.Lo > 0 {
			p = p.atLeast(m.offloadTime(v, kind))
		}
		if m.gradsLeave(v) {
			p = p.atLeast(m.gradsTime(v, kind))
		}
	}
	return p
}

// withUnit adds what a layer's work does not hide of its unit's exchange.
func (m *Model) withUnit(v *view, kind models.Kind, p pass) pass {
	if v.exchanges() {
		return m.behind(v, p, m.layerUnit(v, kind))
	}
	return p
}

// layerWork is one layer's forward and backward time, recompute included.
func (m *Model) layerWork(v *view, kind models.Kind, what measure) pass {
	w := m.workIn(v, part(kind), what)
	var experts pass
	if kind == models.MoE {
		experts = m.expertPass(v, what)
	}
	l := m.layerLinks(v, kind, what)
	core := m.attention(v, &w, &l, what)
	comm := l.tp + l.ep + l.etp
	fwd := spPick(v, w.fwd) + core.fwd + experts.fwd + comm
	bwd := spPick(v, w.bwd) + core.bwd + experts.bwd + comm
	bwd += m.repeated(v, kind, &w, &l, fwd, core.fwd, experts.fwd)
	p := pass{fwd, bwd}
	if what == slot {
		p = p.atLeast(m.hostFloor(v))
	}
	return p
}

func (p pass) atLeast(q pass) pass { return pass{max(p.fwd, q.fwd), max(p.bwd, q.bwd)} }

// hostFloor is the time the host needs to launch one layer's kernels: a third
// of it in the forward pass, and once more what is recomputed in full or op by
// op. The MLP, which has half of the kernels, repeats half.
func (m *Model) hostFloor(v *view) pass {
	third := m.profile.Time.HostLayer.Value / 3
	p := pass{third, 2 * third}
	switch lo, hi := plan.Recompute(v.recompute.Lo), plan.Recompute(v.recompute.Hi); {
	case lo == plan.RecomputeFull, lo == plan.RecomputeOps && hi == plan.RecomputeOps:
		p.bwd += third
	case lo >= plan.RecomputeOps:
		p.bwd += third / 2
	}
	return p
}

// headPass is the output head's time on the last stage.
func (m *Model) headPass(v *view, what measure) pass {
	w := m.workIn(v, headPart, what)
	p := pass{spPick(v, w.fwd), spPick(v, w.bwd)}
	if what == slot && v.exchanges() {
		p = m.behind(v, p, m.headUnit(v))
	}
	return p
}
