package cost

import (
	"fmt"
	"strings"

	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// flow is one row of the traffic table: the communication of a step on one
// rank, the bytes a GPU sends and the time they take.
type flow struct {
	link                     plan.Dim   // whose network the row's messages use
	dims                     []plan.Dim // whose ranks make up the group
	splits, collective, when string
	op                       cluster.Collective
	bytes, seconds           float64
	neighbour                bool // point to point
}

// traffics is the traffic table of a plan whose step takes the given time.
func (m *Model) traffics(p *plan.Plan, v *view, j *job, s *schedule, step float64) []Traffic {
	var table []Traffic
	for _, f := range append(m.layerFlows(v, j, s), m.stepFlows(v, j, s)...) {
		g := m.groupOf(v, f.dims)
		if g.n.lo <= 1 {
			continue
		}
		table = append(table, Traffic{
			Dimension: dimNames(v, f.dims), Splits: f.splits, Collective: f.collective, When: f.when,
			PerLevel: m.perLevel(&g, &f), Seconds: units.Seconds(f.seconds),
			Exposed:           units.Seconds(max(0, step-m.without(p, f.link, 1e9, 1e-9))),
			Per10PctBandwidth: units.Seconds(max(0, step-m.without(p, f.link, 1.1, 1))),
			Per10PctLatency:   units.Seconds(max(0, step-m.without(p, f.link, 1, 0.9))),
			Placed:            m.placed(&g), Source: m.source(&g, &f),
		})
	}
	return table
}

// without is the step time when the dimension's links are faster by the given
// factors.
func (m *Model) without(p *plan.Plan, link plan.Dim, bandwidth, latency float64) float64 {
	c := *m
	c.nets[link] = m.nets[link].scaled(bandwidth, latency)
	return float64(c.Price(p).Step)
}

func (m *Model) groupOf(v *view, dims []plan.Dim) group {
	g := v.group(dims[0])
	for _, d := range dims[1:] {
		h := v.group(d)
		g = g.join(&h)
	}
	return g
}

// dimNames names those of the dimensions that have more than one rank.
func dimNames(v *view, dims []plan.Dim) string {
	var names []string
	for _, d := range dims {
		if v.box[plan.Coord(d)].Lo > 1 {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, " x ")
}

// layerFlows is the communication inside and between the layers, on the
// slowest rank.
func (m *Model) layerFlows(v *view, j *job, s *schedule) []flow {
	t := &m.profile.Time
	hidden := v.tokens.lo * m.bytes * float64(m.model.Hidden)
	copies := hidden * float64(m.model.TopK) * m.load / v.tp.lo
	passes := 2.0
	if plan.Recompute(v.recompute.Lo) == plan.RecomputeFull {
		passes = 3
	}
	n := m.linkTotals(v, s.ranks[s.slowest()].layers)
	per := j.micro * passes
	collective := "all-gather + reduce-scatter"
	if v.sp.Lo == 0 {
		collective = "all-reduce"
	}
	return []flow{
		{link: plan.TP, dims: []plan.Dim{plan.TP}, splits: "each layer's matrices", collective: collective,
			when: "every layer, critical path", op: cluster.AllReduce,
			bytes: hidden*n.blocks*per + float64(hidden*n.bytes.tp*j.micro), seconds: whole(n.tp*per+float64(n.again.tp*j.micro), t.TPExposed.Value)},
		m.contextFlow(v, j, &n, passes),
		{link: plan.EP, dims: []plan.Dim{plan.EP}, splits: "the experts", collective: "all-to-all",
			when: "every MoE layer, twice a pass", op: cluster.AllToAll,
			bytes: 2*copies*n.moe*per + float64(2*copies*n.bytes.ep*j.micro), seconds: whole(n.ep*per+float64(n.again.ep*j.micro), t.EPExposed.Value)},
		{link: plan.ETP, dims: []plan.Dim{plan.ETP}, splits: "each expert's matrices", collective: "all-gather + reduce-scatter",
			when: "every MoE layer", op: cluster.AllReduce,
			bytes: copies*v.etp.lo*n.moe*per + float64(copies*v.etp.lo*n.bytes.etp*j.micro), seconds: whole(n.etp*per+float64(n.again.etp*j.micro), t.TPExposed.Value)},
		{link: plan.PP, dims: []plan.Dim{plan.PP}, splits: "groups of layers", collective: "send and receive",
			when: "every micro-batch and chunk", neighbour: true,
			bytes: 2 * m.transferBytes(v) * j.micro * v.vpp.lo, seconds: j.wire * j.micro},
	}
}

// whole is the time of which a share is exposed.
func whole(exposed, share float64) float64 {
	if share > 0 {
		return exposed / share
	}
	return 0
}

// linkTotal is a rank's communication of one pass, summed over its layers, and
// what recompute of ops or of the MLP repeats of it: seconds, and messages.
type linkTotal struct {
	tp, ep, etp, blocks, moe, layers float64

	cp           contexts
	again, bytes echo
}

// repeat adds what the plan's recompute repeats in n layers.
func (t *linkTotal) repeat(v *view, l *links, blocks, moe, n float64) {
	again, bytes := l.ofMLP(blocks), echo{tp: blocks - 1, etp: moe, ep: moe}
	switch plan.Recompute(v.recompute.Lo) {
	case plan.RecomputeOps:
		again, bytes = l.again, echo{tp: blocks, etp: moe / 2}
		if v.sp.Lo == 1 { // the gather, not the scatter
			bytes.tp /= 2
		}
	case plan.RecomputeMLP:
	default:
		return
	}
	t.again = echo{t.again.tp + float64(n*again.tp), t.again.etp + float64(n*again.etp), t.again.ep + float64(n*again.ep)}
	t.bytes = echo{t.bytes.tp + float64(n*bytes.tp), t.bytes.etp + float64(n*bytes.etp), t.bytes.ep + float64(n*bytes.ep)}
}

func (m *Model) linkTotals(v *view, layers [models.NumKinds]float64) linkTotal {
	var total linkTotal
	for i, n := range layers {
		if n == 0 {
			continue
		}
		kind := models.Kind(i)
		l := m.layerLinks(v, kind, slot)
		total.tp += float64(n * l.tp)
		total.ep += float64(n * l.ep)
		total.etp += float64(n * l.etp)
		total.cp = total.cp.plus(&l.cp, n)
		total.layers += n
		total.blocks += n * m.blocks(kind)
		moe := 0.0
		if kind == models.MoE {
			moe = 1
		}
		total.moe += n * moe
		total.repeat(v, &l, m.blocks(kind), moe, n)
	}
	return total
}

// stepFlows is the communication of gradients and of sharded parameters, on the
// slowest rank: dense ones, copies of the shards, experts.
func (m *Model) stepFlows(v *view, j *job, s *schedule) []flow {
	rank := s.slowest()
	h := m.rankParams(v, s.ranks[rank].layers, rank, j.pp)
	local, experts := h.split/v.tp.lo+h.whole, h.experts/(v.ep.lo*v.etp.lo)
	dims := []plan.Dim{plan.CP, plan.DPShard}
	if v.zero.Lo == plan.ZeroNone {
		dims = append(dims, plan.DPReplicate)
	}
	list := []flow{m.stepFlow(v, j, plan.DPShard, dims, local, "the batch")}
	if v.zero.Lo >= plan.ZeroOptimizer {
		list[0].splits = "the batch and " + [...]string{"the optimizer state", "gradients", "weights"}[v.zero.Lo-1]
		list = append(list, m.replicaFlow(v, j, local/(v.ds.lo*v.cp.lo)))
	}
	if m.model.Experts > 0 {
		list = append(list, m.stepFlow(v, j, plan.EDP, []plan.Dim{plan.EDP}, experts, "the experts' share of the batch"))
	}
	return list
}

// replicaFlow adds up the gradients of the replicas' shards.
func (m *Model) replicaFlow(v *view, j *job, shard float64) flow {
	t := &m.profile.Time
	g := v.group(plan.DPReplicate)
	times, when := 1.0, "once a step"
	if v.reducesEach {
		times, when = j.micro, "every layer and micro-batch"
	}
	return flow{link: plan.DPReplicate, dims: []plan.Dim{plan.DPReplicate}, splits: "the batch", collective: "all-reduce",
		when: when, op: cluster.AllReduce, bytes: shard * t.GradComm.Value * times,
		seconds: m.buckets(plan.DPReplicate, cluster.AllReduce, &g, shard, t.GradComm.Value) * times}
}

// stepFlow reduces the gradients of some parameters and, when something is
// sharded, gathers the parameters: once a step, or in every micro-batch.
func (m *Model) stepFlow(v *view, j *job, link plan.Dim, dims []plan.Dim, params float64, splits string) flow {
	t := &m.profile.Time
	g := m.groupOf(v, dims)
	f := flow{link: link, dims: dims, splits: splits, when: "once a step", collective: "all-reduce", op: cluster.AllReduce,
		bytes: params * t.GradComm.Value, seconds: m.buckets(link, cluster.AllReduce, &g, params, t.GradComm.Value)}
	if v.zero.Lo == plan.ZeroNone {
		return f
	}
	gathers, reductions := 1.0, 1.0
	if v.gathersForward {
		gathers = j.micro
	}
	if v.gathersBackward {
		gathers *= 2
	}
	if v.reducesEach {
		reductions = j.micro
	}
	if v.exchanges() {
		f.when = "every layer and micro-batch, behind its neighbours"
	}
	f.collective, f.op = "reduce-scatter + all-gather", cluster.ReduceScatter
	f.bytes = params * (float64(t.GradComm.Value*reductions) + float64(t.ParamComm.Value*gathers))
	f.seconds = float64(m.buckets(link, cluster.ReduceScatter, &g, params, t.GradComm.Value)*reductions) +
		float64(m.buckets(link, cluster.AllGather, &g, params, t.ParamComm.Value)*gathers)
	return f
}

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
		switch {
		case f.op == cluster.AllToAll && !f.neighbour:
			share = (at - below) / (n - 1)
		case at == n && below < n && !(f.neighbour && f.link == plan.PP):
			share = 1 / below // the link that closes the ring
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
	net := m.nets[f.link]
	if !f.neighbour && g.cum[0].lo == g.n.lo && n < len(net.curves[f.op]) && net.curves[f.op][n] {
		return "measured curve"
	}
	return "closed form"
}
