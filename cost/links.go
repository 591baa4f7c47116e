package cost

import (
	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
)

// links is the communication of one layer, forward and backward alike.
type links struct {
	tp, etp, ep float64 // exposed time of one pass
	cp          contexts
	again       echo // what recompute of ops repeats of the exposed time
}

// echo is the communication that recompute repeats.
type echo struct{ tp, etp, ep float64 }

func (e *echo) sum() float64 { return e.tp + e.etp + e.ep }

func (e *echo) plus(o *echo, n float64) echo {
	return echo{e.tp + float64(n*o.tp), e.etp + float64(n*o.etp), e.ep + float64(n*o.ep)}
}

// ofMLP is what recompute of the MLP, one of so many blocks, repeats.
func (l *links) ofMLP(blocks float64) echo {
	return echo{tp: l.tp * (blocks - 1) / blocks, etp: l.etp, ep: l.ep}
}

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
		share := t.TPSlowdown.Value * m.blocks(kind)
		if tp.leaves() {
			share *= t.TPWideSlowdown.Value
		}
		l.tp, l.again.tp = share*block, share*gather
	}
	if kind == models.MoE {
		copies := hidden * float64(m.model.TopK) * m.load
		if ep := v.group(plan.EP); ep.n.hi > 1 {
			if t.DistinctCopies {
				ep.copies = float64(m.model.TopK)
			}
			l.ep = float64(t.EPExposed.Value*2) * m.message(plan.EP, cluster.AllToAll, &ep, v, interval{copies, copies}, true, what)
		}
		if etp := v.group(plan.ETP); etp.n.hi > 1 {
			size := interval{copies * v.etp.lo, copies * v.etp.hi}
			gather := m.message(plan.ETP, cluster.AllGather, &etp, v, size, true, what)
			l.etp = m.exposed(&etp) * (gather + m.message(plan.ETP, cluster.ReduceScatter, &etp, v, size, true, what))
			l.again.etp = m.exposed(&etp) * gather
		}
	}
	l.cp = m.contextLinks(v, what)
	return l
}

// blockSeconds is the exposed tensor-parallel communication of one pass through the
// attention or the MLP, and the part of it whose results recompute of ops does not
// keep: the gather, or the all-reduce. All-reduces are never hidden: overlap with
// GEMMs needs sequence parallelism (Megatron-Bridge, communication overlap).
func (m *Model) blockSeconds(v *view, tp *group, hidden float64, what measure) (block, gather float64) {
	reduce := 0.0
	size := interval{hidden, hidden}
	if v.sp.Lo == 0 {
		reduce = m.message(plan.TP, cluster.AllReduce, tp, v, size, false, what)
		if v.sp.Hi == 0 {
			return reduce, reduce
		}
	}
	gather = m.exposed(tp) * m.message(plan.TP, cluster.AllGather, tp, v, size, false, what)
	scatter := gather + m.exposed(tp)*m.message(plan.TP, cluster.ReduceScatter, tp, v, size, false, what)
	if v.sp.Lo == 1 {
		return scatter, gather
	}
	return min(reduce, scatter), min(reduce, gather)
}

// exposed is the share of a tensor-parallel group's gathers and scatters that GEMMs
// do not hide. Transformer Engine overlaps them inside an NVLink domain only (README
// of its comm_gemm_overlap example).
func (m *Model) exposed(g *group) float64 {
	if g.leaves() {
		return 1
	}
	return m.profile.Time.TPExposed.Value
}
