package cost

import (
	"fmt"
	"strings"

	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// flow is one dimension's communication of a step on one rank: the bytes a GPU
// sends and the time they take.
type flow struct {
	dims                     []plan.Dim
	splits, collective, when string
	op                       cluster.Collective
	bytes, seconds           float64
	neighbour                bool // point to point
}

// traffics is the traffic table of a plan.
func (m *Model) traffics(p *plan.Plan, v *view, j *job, s *schedule) []Traffic {
	var table []Traffic
	for _, f := range m.flows(v, j, s) {
		g := m.groupOf(v, f.dims)
		if g.n.lo <= 1 {
			continue
		}
		row := Traffic{
			Dimension: dimNames(f.dims), Splits: f.splits, Collective: f.collective, When: f.when,
			PerLevel: m.perLevel(&g, &f), Seconds: units.Seconds(f.seconds),
			Placed: m.placed(&g), Source: m.source(&g, &f),
		}
		step := float64(m.Price(p).Step)
		row.Exposed = units.Seconds(max(0, step-m.without(p, f.dims, 1e9, 1e-9)))
		row.Per10PctBandwidth = units.Seconds(max(0, step-m.without(p, f.dims, 1.1, 1)))
		row.Per10PctLatency = units.Seconds(max(0, step-m.without(p, f.dims, 1, 0.9)))
		table = append(table, row)
	}
	return table
}

// without is the step time when the dimensions' links are faster by the given
// factors.
func (m *Model) without(p *plan.Plan, dims []plan.Dim, bandwidth, latency float64) float64 {
	c := &Model{}
	c.copyFrom(m)
	for _, d := range dims {
		c.nets[d] = m.nets[d].scaled(bandwidth, latency)
	}
	return float64(c.Price(p).Step)
}

// copyFrom shares everything but the networks and buffers.
func (m *Model) copyFrom(o *Model) {
	m.model, m.cluster, m.gpu, m.workload = o.model, o.cluster, o.gpu, o.workload
	m.profile, m.recipe, m.precision, m.bytes = o.profile, o.recipe, o.precision, o.bytes
	m.seq, m.batch, m.load, m.gpus, m.gates = o.seq, o.batch, o.load, o.gpus, o.gates
	m.context, m.peak, m.hbm, m.batched = o.context, o.peak, o.hbm, o.batched
	m.kinds, m.layers, m.params, m.single, m.ordered, m.uneven = o.kinds, o.layers, o.params, o.single, o.ordered, o.uneven
	m.nets, m.table, m.experts = o.nets, o.table, o.experts
	m.scratch.New = o.scratch.New
}

func (m *Model) groupOf(v *view, dims []plan.Dim) group {
	g := v.group(dims[0])
	for _, d := range dims[1:] {
		h := v.group(d)
		g = g.join(&h)
	}
	return g
}

func dimNames(dims []plan.Dim) string {
	names := make([]string, len(dims))
	for i, d := range dims {
		names[i] = d.String()
	}
	return strings.Join(names, " x ")
}

// flows lists the dimensions' communication on the slowest rank.
func (m *Model) flows(v *view, j *job, s *schedule) []flow {
	rank := s.slowest()
	k := &s.ranks[rank]
	hidden := v.tokens.lo * m.bytes * float64(m.model.Hidden)
	passes := 2.0
	if plan.Recompute(v.recompute.Lo) == plan.RecomputeFull {
		passes = 3
	}
	t := &m.profile.Time
	var tp, ep, etp, ring, blocks, moe, layers float64
	for i, n := range k.layers {
		if n == 0 {
			continue
		}
		l := m.layerLinks(v, models.Kind(i), slot)
		tp, ep, etp, ring = tp+float64(n*l.tp), ep+float64(n*l.ep), etp+float64(n*l.etp), ring+float64(n*l.ring)
		layers += n
		if models.Kind(i) == models.MoE {
			moe += n
		}
		blocks += n
		if models.Kind(i) == models.Dense || m.model.SharedFFN > 0 {
			blocks += n
		}
	}
	per := j.micro * passes
	unexposed := func(seconds, share float64) float64 {
		if share > 0 {
			return seconds / share
		}
		return 0
	}
	collective := "all-gather + reduce-scatter"
	if v.sp.Lo == 0 {
		collective = "all-reduce"
	}
	copies := hidden * float64(m.model.TopK) * m.load / v.tp.lo
	grad := m.gradients(v, m.rankParams(k.layers, rank, j.pp, v.tp.lo))
	h := m.rankParams(k.layers, rank, j.pp, v.tp.lo)
	local := h.split/v.tp.lo + h.whole
	bytes := t.GradComm.Value
	dp, dpOp, reduce := []plan.Dim{plan.CP, plan.DPShard, plan.DPReplicate}, cluster.AllReduce, "all-reduce"
	if v.zero.Lo == 1 {
		dp, dpOp, reduce = []plan.Dim{plan.CP, plan.DPShard}, cluster.ReduceScatter, "reduce-scatter + all-gather"
		bytes += t.ParamComm.Value
	}
	list := []flow{
		{dims: []plan.Dim{plan.TP}, splits: "each layer's matrices", collective: collective, when: "every layer, critical path",
			op: cluster.AllReduce, bytes: hidden * blocks * per, seconds: unexposed(tp*per, t.TPExposed.Value)},
		{dims: []plan.Dim{plan.CP}, splits: "the sequence", collective: "ring of keys and values", when: "every layer, behind attention", neighbour: true,
			bytes: m.ringBytes(v.mb.lo, v.cp.lo, v.tp.lo) * (v.cp.lo - 1) * layers * j.micro * (passes + 1), seconds: ring * (v.cp.lo - 1) * j.micro * (passes + 1)},
		{dims: []plan.Dim{plan.EP}, splits: "the experts", collective: "all-to-all", when: "every MoE layer, twice a pass",
			op: cluster.AllToAll, bytes: 2 * copies * moe * per, seconds: unexposed(ep*per, t.EPExposed.Value)},
		{dims: []plan.Dim{plan.ETP}, splits: "each expert's matrices", collective: "all-gather + reduce-scatter", when: "every MoE layer",
			op: cluster.AllReduce, bytes: copies * v.etp.lo * moe * per, seconds: unexposed(etp*per, t.TPExposed.Value)},
		{dims: []plan.Dim{plan.PP}, splits: "groups of layers", collective: "send and receive", when: "every micro-batch and chunk", neighbour: true,
			bytes: 2 * m.transferBytes(v) * j.micro * v.vpp.lo, seconds: j.wire * j.micro},
		{dims: dp, splits: "the batch and the optimizer state", collective: reduce, when: "once a step",
			op: dpOp, bytes: local * bytes, seconds: grad.reduce + grad.gather},
	}
	if v.zero.Lo == 1 {
		list = append(list, flow{dims: []plan.Dim{plan.DPReplicate}, splits: "the batch", collective: "all-reduce", when: "once a step",
			op: cluster.AllReduce, bytes: local / (v.ds.lo * v.cp.lo) * t.GradComm.Value,
			seconds: m.buckets(plan.DPReplicate, cluster.AllReduce, ptr(v.group(plan.DPReplicate)), local/(v.ds.lo*v.cp.lo), t.GradComm.Value)})
	}
	if m.model.Experts > 0 {
		edp := v.group(plan.EDP)
		experts := h.experts / (v.ep.lo * v.etp.lo)
		list = append(list, flow{dims: []plan.Dim{plan.EDP}, splits: "the experts' share of the batch", collective: reduce, when: "once a step",
			op: dpOp, bytes: experts * bytes, seconds: m.buckets(plan.EDP, cluster.ReduceScatter, &edp, experts, bytes)})
	}
	return list
}

func ptr(g group) *group { return &g }

// perLevel spreads the bytes a GPU sends over the levels: in a ring, by the
// share of its links that lie on each level; in an all-to-all, by the share of
// the partners that lie beyond each domain.
func (m *Model) perLevel(g *group, f *flow) []LevelBytes {
	n := g.n.lo
	sent := f.bytes
	if !f.neighbour {
		sent *= factor(f.op, n)
	}
	var list []LevelBytes
	below := 1.0
	for l, level := range m.cluster.Levels {
		at := g.cum[l].lo
		share := 1/below - 1/at
		if f.op == cluster.AllToAll && !f.neighbour {
			share = (at - below) / (n - 1)
		} else if at == n && below < n {
			share = 1 / below // the link that closes the ring
		}
		if f.neighbour && f.dims[0] == plan.PP && at == n && below < n {
			share = 1/below - 1/at
		}
		below = at
		list = append(list, LevelBytes{Level: level.Name, Bytes: units.Bytes(sent * max(0, share))})
	}
	return list
}

// placed says on which levels the group's ranks lie: "8 in nvlink, 4 in leaf".
func (m *Model) placed(g *group) string {
	var parts []string
	below := 1.0
	for l, level := range m.cluster.Levels {
		if f := g.cum[l].lo / below; f > 1 {
			parts = append(parts, fmt.Sprintf("%g in %s", f, level.Name))
		}
		below = g.cum[l].lo
	}
	return strings.Join(parts, ", ")
}

// source says where the time of the row's collective comes from.
func (m *Model) source(g *group, f *flow) string {
	n := int(g.n.lo)
	net := m.nets[f.dims[0]]
	if !f.neighbour && g.cum[0].lo == g.n.lo && n < len(net.curves[f.op]) && net.curves[f.op][n] {
		return "measured curve"
	}
	return "closed form"
}
