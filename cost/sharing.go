package cost

import (
	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
)

// sharing says when the ranks of a view exchange sharded weights and gradients.
// What holds for some plans of a box only is false, so that bounds count
// nothing for it.
type sharing struct {
	gathersForward  bool // each layer's weights, in every micro-batch, for forward
	gathersBackward bool // and again for backward
	reducesEach     bool // each layer's gradients, in every micro-batch
	gathersOnce     bool // all weights once a step
	reducesOnce     bool // all gradients once a step
}

// sharingOf is the sharing of a view. FSDP gathers a layer's weights for each
// forward and, if it does not keep them (stage 3), for each backward, and reduces
// gradients in each backward; a pipeline may hold both until the last
// micro-batch (torch.distributed.pipelining). DeepSpeed's stage 2 gathers once a
// step.
func (m *Model) sharingOf(v *view) sharing {
	lo, hi := v.zero.Lo, v.zero.Hi
	holds := m.profile.Memory.PipelineHolds
	mayHold, mayNot := holds && v.pp.hi > 1, !holds || v.pp.lo <= 1
	each := m.profile.Time.GatherEach
	return sharing{
		gathersForward:  lo >= plan.ZeroWeights || lo >= plan.ZeroGradients && each && !mayHold,
		gathersBackward: lo >= plan.ZeroWeights,
		reducesEach:     lo >= plan.ZeroGradients && !mayHold,
		gathersOnce:     hi <= plan.ZeroOptimizer || hi <= plan.ZeroGradients && !(each && mayNot),
		reducesOnce:     hi <= plan.ZeroOptimizer || !mayNot,
	}
}

// unit is the time to gather the weights and to reduce the gradients of what is
// exchanged together: a layer, or the embedding and the head.
type unit struct{ gather, reduce float64 }

// unitOf is the exchange of the given parameters in one micro-batch: over
// dp_shard x cp, and of gradients then over dp_replicate (HSDP); experts over
// their own data-parallel group.
func (m *Model) unitOf(v *view, h *held) unit {
	var u unit
	t := &m.profile.Time
	local := h.split/v.tp.hi + h.whole
	experts := h.experts / m.expertRanks(v)
	edp := v.group(plan.EDP)
	if v.gathersForward {
		u.gather = m.nets[plan.DPShard].seconds(cluster.AllGather, &v.shard, local*t.ParamComm.Value)
		if experts > 0 {
			u.gather += m.nets[plan.EDP].seconds(cluster.AllGather, &edp, experts*t.ParamComm.Value)
		}
	}
	if v.reducesEach {
		dr := v.group(plan.DPReplicate)
		u.reduce = m.nets[plan.DPShard].seconds(cluster.ReduceScatter, &v.shard, local*t.GradComm.Value) +
			m.nets[plan.DPReplicate].seconds(cluster.AllReduce, &dr, local/v.shard.n.hi*t.GradComm.Value)
		if experts > 0 {
			u.reduce += m.nets[plan.EDP].seconds(cluster.ReduceScatter, &edp, experts*t.GradComm.Value)
		}
	}
	return u
}

// behind is the time of a pass that gathers and reduces a unit while it
// computes: what its own time cannot hide comes on top. Gathers for the next unit
// and reductions of the last one run beside it.
func (m *Model) behind(v *view, p pass, u unit) pass {
	again := 0.0
	if v.gathersBackward {
		again = u.gather
	}
	back := u.reduce + again
	p.fwd, p.bwd = m.hiding(p.fwd, u.gather), m.hiding(p.bwd, back)
	p.inp, p.wgt = m.hiding(p.inp, again), m.hiding(p.wgt, u.reduce)
	return p
}

// hiding is the time of some work that hides some communication.
func (m *Model) hiding(work, comm float64) float64 {
	hides, open := m.profile.Time.UnitOverlap.Value, m.profile.Time.UnitExposed.Value
	return work + float64(open*comm) + max(0, float64((1-open)*comm)-float64(hides*work))
}

// exchanges reports whether anything is exchanged in every micro-batch.
func (s *sharing) exchanges() bool { return s.gathersForward || s.reducesEach }

// layerUnit is the exchange of one layer.
func (m *Model) layerUnit(v *view, kind models.Kind) unit { return m.unitOf(v, &m.held[kind]) }

// headUnit is the exchange of the head and, where one rank has both, of the
// embedding.
func (m *Model) headUnit(v *view) unit {
	table := held{split: m.wordTable(v)}
	if (v.pp.hi <= 1 || v.folded) && !m.model.TieEmbeddings {
		table.split *= 2
	}
	return m.unitOf(v, &table)
}
