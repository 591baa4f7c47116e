package cost

import (
	"math"

	"meshplan/cluster"
	"meshplan/plan"
)

// afterSpan is the once-a-step communication and the optimizer on the rank
// where they take longest, and what of the communication nothing hides. They
// and the fixed part are what a step takes beside the pipeline.
//
// A rank that waits for the slowest one communicates meanwhile too, so what hides
// the communication of any rank is the slowest rank's pass. Were it the rank's
// own, a rank that others wait for would gain by being slower.
func (m *Model) afterSpan(v *view, j *job, s *schedule) (worst gradients, exposed float64) {
	pace := 0.0
	for r := range j.pp {
		pace = max(pace, j.hides(s.ranks[r].time).sum())
	}
	for r := range j.pp {
		k := &s.ranks[r]
		if r > 1 && r < j.pp-1 && k.layers == s.ranks[r-1].layers && k.time == s.ranks[r-1].time {
			continue
		}
		g, busy := m.gradients(v, m.rankParams(v, k.layers, r, j)), j.hides(k.time)
		if e := g.exposed(m, busy, pace-busy.sum()); r == 0 || e+g.optimizer > exposed+worst.optimizer {
			worst, exposed = g, e
		}
	}
	return worst, exposed
}

// hides is the part of a rank's pass that hides the once-a-step communication: no
// more than it is busy.
func (j *job) hides(t pass) pass {
	switch {
	case j.schedule < plan.ZBH1:
		return t
	case j.schedule < plan.DualPipe:
		return pass{fwd: t.fwd, bwd: t.inp + t.wgt}
	}
	return pass{fwd: t.besideFwd, bwd: t.besideBwd}
}

// gradients is the once-a-step communication of a rank: reduction and gather
// times, and the optimizer's.
type gradients struct {
	reduce, gather, optimizer float64
	both                      float64 // reduce + gather, or a bound of their sum
}

// exposed is what neither the last backward nor the next forward hides, nor the
// time for which the rank is idle beside them.
func (g *gradients) exposed(m *Model, time pass, idle float64) float64 {
	t := &m.profile.Time
	open, param, grad := t.OnceExposed.Value, t.ParamOverlap.Value, t.GradOverlap.Value
	rest := 1 - open
	hidden := float64(param*time.fwd) + float64(grad*time.bwd) + float64(max(param, grad)*idle)
	reduce, gather := max(0, float64(g.reduce*rest)-float64(grad*time.bwd)), max(0, float64(g.gather*rest)-float64(param*time.fwd))
	if grad >= param {
		reduce, gather = besidesIdle(idle, reduce, grad, gather, param)
	} else {
		gather, reduce = besidesIdle(idle, gather, param, reduce, grad)
	}
	return max(reduce+gather+float64(open*(g.reduce+g.gather)), float64(g.both*rest)-hidden+float64(open*g.both))
}

// besidesIdle is what is left of two parts when idle seconds hide the first as far as
// they can, then the second, each second a share of one.
func besidesIdle(idle, first, share, second, shareOfSecond float64) (restOfFirst, restOfSecond float64) {
	if share <= 0 {
		return first, second
	}
	used := min(idle, first/share)
	return max(0, first-float64(share*used)), max(0, second-float64(shareOfSecond*(idle-used)))
}

// gradients of a rank holding the given parameters. Where something is sharded
// (ZeRO stage 1 and above): reduce-scatter and all-gather over dp_shard x cp,
// all-reduce over dp_replicate of each shard, as far as they come once a step;
// what comes in every micro-batch is in the layers' time (see sharing). Otherwise
// an all-reduce over dp x cp. Experts use their own data-parallel group.
func (m *Model) gradients(v *view, h held) gradients {
	var g gradients
	t := &m.profile.Time
	dr, edp := v.group(plan.DPReplicate), v.group(plan.EDP)
	local := h.split/v.tp.hi + h.whole
	experts := h.experts / m.expertRanks(v)
	grad, param := t.GradComm.Value, t.ParamComm.Value
	if v.zero.Lo == plan.ZeroNone {
		g.reduce = m.buckets(plan.DPShard, cluster.AllReduce, &v.replicas, local, grad) + m.buckets(plan.EDP, cluster.AllReduce, &edp, experts, grad)
		g.optimizer = m.optimizerTime(v, local+experts)
		g.reduce += float64(t.ReduceRank.Value * (v.replicas.n.lo - 1))
		g.both = g.reduce
		if v.zero.Hi == plan.ZeroNone {
			return g
		}
	}
	var z gradients
	if v.reducesOnce {
		z.reduce = m.buckets(plan.DPShard, cluster.ReduceScatter, &v.shard, local, grad) +
			m.buckets(plan.DPReplicate, cluster.AllReduce, &dr, local/v.shard.n.hi, grad) +
			m.buckets(plan.EDP, cluster.ReduceScatter, &edp, experts, grad)
	}
	if v.gathersOnce {
		z.gather = m.buckets(plan.DPShard, cluster.AllGather, &v.shard, local, param) + m.buckets(plan.EDP, cluster.AllGather, &edp, experts, param)
	}
	z.optimizer = m.shardedOptimizer(v, h)
	if v.reducesOnce {
		z.reduce += float64(t.ShardRank.Value * (v.shard.n.lo - 1))
	}
	z.both = z.reduce + z.gather
	if v.reducesOnce && v.gathersOnce && (!v.replicas.placed() || !edp.placed()) {
		least := m.leastMoved(v, local, experts)
		z.reduce, z.both = max(z.reduce, least.reduce), max(z.both, least.both)
	}
	if v.zero.Lo == plan.ZeroNone {
		return gradients{min(g.reduce, z.reduce), 0, min(g.optimizer, z.optimizer), min(g.both, z.both)}
	}
	return z
}

// leastMoved bounds the sharded optimizer's communication by what has to leave
// each domain, however n ranks are divided into s shards and r replicas: each
// byte of a gradient moves (1-1/s) + 2/s (1-1/r) >= 1-1/n times, and with the
// parameters' gather, which moves no more than the gradients, the sum of both
// is at least 1-1/n times the sum of their bytes.
func (m *Model) leastMoved(v *view, local, experts float64) gradients {
	var dense, expert [plan.MaxLevels]float64
	for l := range m.cluster.Levels {
		size := m.domains[l]
		at := func(d plan.Dim) interval { return v.level(d, l) }
		pp := at(plan.PP).lo
		dense[l] = max(1, min(at(plan.CP).hi*at(plan.DPShard).hi*at(plan.DPReplicate).hi, size/(pp*at(plan.TP).lo)))
		expert[l] = max(1, min(at(plan.EDP).hi, size/(pp*at(plan.EP).lo*at(plan.ETP).lo)))
	}
	t := &m.profile.Time
	moved := func(bytes float64) float64 {
		total := m.nets[plan.DPShard].cut(v.cp.lo*v.dp.lo, &dense, local*bytes)
		if experts > 0 {
			ranks := v.tp.lo * v.cp.lo * v.dp.lo / (v.ep.hi * v.etp.hi)
			total += m.nets[plan.EDP].cut(max(1, ranks), &expert, experts*bytes)
		}
		return total
	}
	g := gradients{reduce: moved(t.GradComm.Value)}
	g.both = moved(t.GradComm.Value + min(t.ParamComm.Value, t.GradComm.Value))
	return g
}

// shardedOptimizer is the time of the optimizer on a rank's shard.
func (m *Model) shardedOptimizer(v *view, h held) float64 {
	split, whole := m.shardRanks(v)
	params := h.split/split + h.whole/whole + h.experts/max(m.expertRanks(v), split)
	return m.optimizerTime(v, params)
}

// buckets is the time to move params x bytes in the profile's buckets; a profile
// that gives no size for them moves all at once.
func (m *Model) buckets(d plan.Dim, op cluster.Collective, g *group, params, bytes float64) float64 {
	if g.n.lo <= 1 || params <= 0 {
		return 0
	}
	t := &m.profile.Time
	n := 1.0
	if size := max(t.BucketParameters.Value, t.BucketPerRank.Value*g.n.hi); size > 0 {
		n = max(1, math.Ceil(params/size))
	}
	return n * m.nets[d].seconds(op, g, params*bytes/n)
}
