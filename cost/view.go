package cost

import (
	"math"

	"meshplan/models"
	"meshplan/plan"
)

// interval is a closed interval of a quantity.
type interval struct{ lo, hi float64 }

func (a interval) single() bool { return a.lo == a.hi }

func (a interval) times(b interval) interval {
	return interval{float64(a.lo * b.lo), float64(a.hi * b.hi)}
}

// atMost is the interval without what lies above a value, of which at least the
// lower end stays.
func (a interval) atMost(v float64) interval { return interval{a.lo, max(a.lo, min(a.hi, v))} }

// group is a set of ranks that communicate: how many there are and, on each
// level, how many of them share a domain.
type group struct {
	n   interval
	cum [plan.MaxLevels]interval

	// copies is how many ranks of the group a token is sent to, of which those
	// that lie together get it once; 0 where every copy travels by itself.
	copies float64
}

// distinct is the share of the copies that travel when a token's ranks lie in n
// places at random and each place gets it once: n (1 - (1-1/n)^copies) / copies
// (DeepSeek-V3, arXiv 2412.19437, section 3.2.2, limits the places for this).
func (g *group) distinct(n float64) float64 {
	if g.copies <= 0 {
		return 1
	}
	return n * (1 - math.Pow(1-1/max(1, n), g.copies)) / g.copies
}

func (g *group) join(h *group) group {
	var j group
	j.n = g.n.times(h.n)
	for l := range j.cum {
		j.cum[l] = g.cum[l].times(h.cum[l])
	}
	return j
}

// placed reports whether the group has one size and place.
func (g *group) placed() bool {
	for l := range g.cum {
		if !g.cum[l].single() {
			return false
		}
	}
	return g.n.single()
}

// leaves reports whether the group surely has ranks in several innermost domains.
func (g *group) leaves() bool { return g.cum[0].hi < g.n.lo }

// view is a box with the quantities derived from it. A plan is a box whose
// intervals are single values, so that the price and its bound are computed by
// the same operations.
type view struct {
	tp, cp, ds, dr, pp, etp, ep interval
	vpp, mb                     interval
	dp                          interval // dp_shard x dp_replicate
	micro                       interval // micro-batches per step
	tokens                      interval // of a micro-batch on one context-parallel rank
	sp, zero, recompute, cpComm plan.Range
	optOffload, actOffload      plan.Range // percent in host memory
	shard, replicas             group      // the ranks that share a shard's state, and they with their replicas
	spare                       plan.Range // percent of the layers that recompute spares
	fitting                     bool       // each rank recomputes a number of layers of its own
	sharing
	pipe
	gpus float64 // most GPUs that plans with these stages can use
	all  float64 // most GPUs: tp cp dp pp, at most those
	box  *plan.Box
}

func of(r plan.Range) interval { return interval{float64(r.Lo), float64(r.Hi)} }

func (m *Model) look(b *plan.Box) view {
	v := view{
		tp: of(b[plan.TP]), cp: of(b[plan.CP]), ds: of(b[plan.DPShard]), dr: of(b[plan.DPReplicate]),
		pp: of(b[plan.PP]), etp: of(b[plan.ETP]), ep: of(b[plan.EP]),
		vpp: of(b[plan.VPP]), mb: of(b[plan.MicroBatch]),
		sp: b[plan.SP], zero: b[plan.Zero], recompute: b[plan.RecomputeC],
		cpComm: b[plan.CPCommC], box: b,
	}
	if v.zero.Lo == plan.ZeroNone && v.zero.Hi == plan.ZeroOptimizer && v.ds.lo > 1 {
		v.zero.Lo = plan.ZeroOptimizer // shards are of the optimizer's state
	}
	v.dp = v.ds.times(v.dr)
	v.gpus = m.gpus
	if v.pp.single() && int(v.pp.lo) < len(m.placeable) {
		v.gpus = m.placeable[int(v.pp.lo)]
	}
	v.dp.hi = max(v.dp.lo, min(v.dp.hi, v.gpus/(v.tp.lo*v.cp.lo*v.pp.lo), m.batch/v.mb.lo))
	if m.layers[models.MoE] > 0 { // both grids are of the same ranks
		edp := of(b[plan.EDP])
		v.dp.hi = max(v.dp.lo, min(v.dp.hi, v.ep.hi*v.etp.hi*edp.hi/(v.tp.lo*v.cp.lo)))
		v.dp.lo = min(v.dp.hi, max(v.dp.lo, v.ep.lo*v.etp.lo*edp.lo/(v.tp.hi*v.cp.hi)))
	}
	v.micro = interval{max(1, m.batch/(v.dp.hi*v.mb.hi)), max(1, m.batch/(v.dp.lo*v.mb.lo))}
	v.setPipe(b)
	v.tokens = interval{m.seq * v.mb.lo / v.cp.hi, m.seq * v.mb.hi / v.cp.lo}
	v.optOffload, v.actOffload = b[plan.OptOffload], b[plan.ActOffload]
	v.spare = b[plan.RecomputeSpare]
	if v.fitting = v.spare.Lo == plan.SpareFitting; v.spare.Hi == plan.SpareFitting {
		v.spare = plan.Range{Lo: 0, Hi: 100} // any share, at any rank
	}
	v.sharing = m.sharingOf(&v)
	m.groups(&v)
	v.all = v.most(v.tp.hi*v.cp.hi*v.dp.hi*v.pp.hi, 1)
	return v
}

// groups sets the data-parallel groups. Where they are not placed yet, no more of
// their ranks lie in a domain than it can hold beside the other dimensions.
func (m *Model) groups(v *view) {
	ds, dr, cp := v.group(plan.DPShard), v.group(plan.DPReplicate), v.group(plan.CP)
	v.shard = ds.join(&cp)
	v.replicas = v.shard.join(&dr)
	for l := range m.cluster.Levels {
		room := m.domains[l] / (v.level(plan.TP, l).lo * v.level(plan.PP, l).lo)
		v.replicas.cum[l] = v.replicas.cum[l].atMost(room)
		v.shard.cum[l] = v.shard.cum[l].atMost(room / dr.cum[l].lo)
	}
}

// most is the largest product of some dimensions of the dense grid: at most
// the product of their upper ends, and at most the GPUs that can be used divided by the product
// of the others' lower ends.
func (v *view) most(hi, othersLo float64) float64 { return min(hi, v.gpus/othersLo) }

func (v *view) group(d plan.Dim) group {
	g := group{n: of(v.box[plan.Coord(d)])}
	for l := range g.cum {
		g.cum[l] = v.level(d, l)
	}
	return g
}

// level is the dimension's cumulative factor.
func (v *view) level(d plan.Dim, l int) interval { return of(v.box[plan.At(d, l)]) }
