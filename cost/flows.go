package cost

import (
	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
)

// layerFlows is the communication inside and between the layers, on the
// slowest rank.
func (m *Model) layerFlows(v *view, j *job, s *schedule) []flow {
	t := &m.profile.Time
	hidden := v.tokens.lo * m.bytes * float64(m.model.Hidden)
	copies := hidden * float64(m.model.TopK) * m.load / v.tp.lo
	passes := 2.0
	if plan.Recompute(v.recompute.Lo) == plan.RecomputeFull {
		passes = 3 - percentOf(v.spare.Lo)
	}
	slowest := &s.ranks[s.slowest()]
	if j.fitting.on {
		passes = 2 + slowest.share()
	}
	n := m.linkTotals(v, slowest.layers)
	per := j.micro * passes
	tp, etp := v.group(plan.TP), v.group(plan.ETP)
	collective, exposed := "all-gather + reduce-scatter", m.exposed(&tp)
	if v.sp.Lo == 0 {
		collective, exposed = "all-reduce", 1
	}
	return []flow{
		{link: plan.TP, dims: []plan.Dim{plan.TP}, splits: "each layer's matrices", collective: collective,
			when: "every layer, critical path", op: cluster.AllReduce,
			bytes: hidden*n.blocks*per + float64(hidden*n.bytes.tp*j.micro), seconds: whole(n.tp*per+float64(n.again.tp*j.micro), exposed)},
		m.contextFlow(v, j, &n, passes),
		{link: plan.EP, dims: []plan.Dim{plan.EP}, splits: "the experts", collective: "all-to-all",
			when: "every MoE layer, twice a pass", op: cluster.AllToAll,
			bytes: 2*copies*n.moe*per + float64(2*copies*n.bytes.ep*j.micro), seconds: whole(n.ep*per+float64(n.again.ep*j.micro), t.EPExposed.Value)},
		{link: plan.ETP, dims: []plan.Dim{plan.ETP}, splits: "each expert's matrices", collective: "all-gather + reduce-scatter",
			when: "every MoE layer", op: cluster.AllReduce,
			bytes: copies*v.etp.lo*n.moe*per + float64(copies*v.etp.lo*n.bytes.etp*j.micro), seconds: whole(n.etp*per+float64(n.again.etp*j.micro), m.exposed(&etp))},
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
	t.again, t.bytes = t.again.plus(&again, n), t.bytes.plus(&bytes, n)
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
	h := m.rankParams(v, s.ranks[rank].layers, rank, j)
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

// contextFlow is the row of the traffic table: so many passes over the layers,
// of which the last is backward.
func (m *Model) contextFlow(v *view, j *job, n *linkTotal, passes float64) flow {
	f := flow{link: plan.CP, dims: []plan.Dim{plan.CP}, splits: "the sequence", when: "every layer, exposed"}
	layers, kind := n.layers*j.micro, plan.CPComm(v.cpComm.Lo)
	steps := j.micro * (passes + 1) // of a ring; backward moves gradients too
	if kind != plan.CPRing && plan.Recompute(v.recompute.Lo) == plan.RecomputeSelective {
		passes++ // the core is repeated with its communication
	}
	switch kind {
	case plan.CPAllGather:
		f.collective, f.op = "all-gather of keys and values + reduce-scatter", cluster.AllGather
		f.bytes = m.ringBytes(v.mb.lo, 1, v.tp.lo) * layers * (passes + 1)
		f.seconds = j.micro * (float64(n.cp.gather*passes) + n.cp.scatter)
	case plan.CPAllToAll:
		heads, key, value := m.keyValue()
		all := float64(m.model.Heads*(m.model.QKDim()+m.model.VHeadDim())) + float64(max(heads, v.tp.lo*v.cp.lo)*(key+value))
		f.collective, f.op = "all-to-all of heads", cluster.AllToAll
		f.bytes = v.tokens.lo / v.tp.lo * all * m.bytes * layers * passes
		f.seconds = n.cp.exchange * j.micro * passes
	case plan.CPHierarchical:
		g := v.group(plan.CP)
		inside, between := nested(&g)
		heads, key, value := m.keyValue()
		all := float64(m.model.Heads*(m.model.QKDim()+m.model.VHeadDim())) + float64(max(heads, v.tp.lo*inside.n.lo)*(key+value))
		rings := (between.n.lo - 1) * steps
		f.collective, f.op = "all-to-all of heads inside a domain, ring of keys and values between domains", cluster.AllToAll
		f.when = "every layer, the ring behind attention"
		f.part(inside, flow{link: plan.CP, op: cluster.AllToAll, bytes: v.tokens.lo / v.tp.lo * all * m.bytes * layers * passes})
		f.part(between, flow{link: plan.CP, neighbour: true, bytes: m.ringBytes(v.mb.lo, between.n.lo, v.tp.lo*inside.n.lo) * n.layers * rings})
		f.seconds = n.cp.inside*j.micro*passes + float64(n.cp.between*rings)
	default:
		rings := (v.cp.lo - 1) * steps
		f.collective, f.when, f.neighbour = "ring of keys and values", "every layer, behind attention", true
		f.bytes = m.ringBytes(v.mb.lo, v.cp.lo, v.tp.lo) * n.layers * rings
		f.seconds = n.cp.step * rings
	}
	return f
}
