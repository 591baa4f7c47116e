package cost

import (
	"math"

	"meshplan/cluster"
	"meshplan/plan"
)

// A collective's time has two sources. Among the ranks of one innermost domain
// it is a measured curve where the cluster has one. Everywhere else it is
// NCCL's own form (src/graph/tuning.cc): the least, over its protocols and
// algorithms, of latency + factor x bytes / bus bandwidth.

// protocol is one of NCCL's: base latency in seconds, latency of a hop against
// that of LL128 inside a node and between nodes, and share of the bandwidth.
// Values: NCCL src/graph/tuning.cc, baseLat and hwLat of the ring.
type protocol struct{ base, inside, between, share float64 }

var protocols = [...]protocol{
	{6.6e-6, 0.6 / 1.9, 2.7 / 4.0, 0.5}, // LL
	{14e-6, 1, 1, 0.92},                 // LL128
	{8.4e-6, 3.4 / 1.9, 14.0 / 4.0, 1},  // Simple
}

// treeShare is the bandwidth of NCCL's tree all-reduce against the ring's.
const treeShare = 0.92

// seconds is the least time of a collective over the group; bytes is the whole
// message: of an all-gather or reduce-scatter the gathered size, of an
// all-to-all what one rank sends. It does not fall with bytes, and its ratio
// to bytes does not rise.
func (w *network) seconds(op cluster.Collective, g *group, bytes float64) float64 {
	switch {
	case g.n.lo <= 1:
		return 0
	case g.cum[0].lo >= g.n.hi:
		return w.domain(op, g, bytes)
	case g.cum[0].hi < g.n.lo:
		return w.spread(op, g, bytes)
	}
	return min(w.domain(op, g, bytes), w.spread(op, g, bytes))
}

// domain is the time inside one innermost domain.
func (w *network) domain(op cluster.Collective, g *group, bytes float64) float64 {
	n := int(min(g.n.lo, maxInside))
	if n >= len(w.exact[op]) {
		return math.Inf(1)
	}
	if op == cluster.AllToAll {
		bytes *= g.distinct(float64(n))
	}
	if g.n.single() {
		return w.exact[op][n].at(bytes)
	}
	return w.least[op][n].at(bytes)
}

// spread is the closed form over several innermost domains. A group that
// spans domains has at most half of its ranks in one.
func (w *network) spread(op cluster.Collective, g *group, bytes float64) float64 {
	s := *g
	s.cum[0].hi = min(s.cum[0].hi, max(1, s.n.hi/2))
	if op == cluster.AllToAll {
		return w.allToAll(&s, bytes)
	}
	return w.closed(op, &s, bytes, w.bus(&s))
}

// bus is the most bandwidth of a ring through the group: on each level it
// crosses, the ranks that share a sub-domain drive their own links out of it. A
// group that does not fit a domain crosses one of the levels outside it, and the
// first of those with no more ranks than the domain holds.
func (w *network) bus(g *group) float64 {
	most, fastest := math.Inf(1), 0.0
	for l := w.levels - 1; l >= 0; l-- {
		below := interval{1, 1}
		if l > 0 {
			below = g.cum[l-1]
		}
		if g.cum[l].hi > below.lo {
			fastest = max(fastest, w.rate[l])
			if g.cum[l].lo > below.hi {
				most = min(most, below.hi*w.rate[l])
			}
		}
		if below.hi < g.n.lo && fastest > 0 {
			most = min(most, below.hi*fastest)
		}
	}
	if g.cum[0].lo > 1 { // a ring uses its own links inside the domain
		most = min(most, w.links(g.cum[0].hi))
	}
	if math.IsInf(most, 1) {
		return w.rate[0]
	}
	return most
}

// hops is the least summed latency of one trip round the ring, relative to the
// protocol's factors: level by level, the hops that leave a sub-domain.
func (w *network) hops(g *group, p *protocol) float64 {
	total := (g.n.lo - 1) * w.hop[0] * p.inside
	below := w.hop[0] * p.inside
	for l := 1; l < w.levels; l++ {
		step := float64(w.hop[l]*p.between) - below
		below = w.hop[l] * p.between
		domains := max(1, g.n.lo/g.cum[l-1].hi)
		if step < 0 {
			domains = max(1, g.n.hi/g.cum[l-1].lo)
		}
		total += float64((domains - 1) * step)
	}
	return max(0, total)
}

func (w *network) closed(op cluster.Collective, g *group, bytes, bus float64) float64 {
	trips, best := 1.0, math.Inf(1)
	if op == cluster.AllReduce {
		trips = 2
	}
	moved := op.BusFactor(g.n.lo) * bytes / bus
	for i := range protocols {
		p := &protocols[i]
		best = min(best, float64(p.base*w.latency)+float64(trips*w.hops(g, p))+moved/p.share)
		if op == cluster.AllReduce {
			best = min(best, float64(p.base*w.latency)+float64(2*w.tree(g, p))+moved/(p.share*treeShare))
		}
	}
	return best
}

// tree is the least latency of one way through NCCL's tree: a chain inside the
// domain and log2 of the domains between them.
func (w *network) tree(g *group, p *protocol) float64 {
	inside := max(1, g.cum[0].lo) - 1
	domains := max(1, g.n.lo/g.cum[0].hi)
	between := w.hop[1] // of a cluster of one level, that level's
	return float64(inside*w.hop[0]*p.inside) + float64(math.Log2(domains)*between*p.between)
}

// allToAll is the time of an exchange in which each rank sends equal shares to
// all others over its own links: what leaves a domain is bound by the level
// outside it, or by the fastest of those where it is not certain which.
func (w *network) allToAll(g *group, bytes float64) float64 {
	worst, reach, fastest := 0.0, w.hop[0], 0.0
	for l := w.levels - 1; l >= 0; l-- {
		below := interval{1, 1}
		if l > 0 {
			below = g.cum[l-1]
		}
		leaving := max(0, 1-below.hi/g.n.lo)
		if g.copies > 0 && leaving > 0 {
			leaving *= g.distinct(g.n.lo / below.hi)
		}
		if g.cum[l].hi > below.lo {
			rate := w.rateOf(l, g.cum[0].hi)
			fastest = max(fastest, rate)
			if g.cum[l].lo > below.hi {
				worst = max(worst, leaving*bytes/rate)
				reach = max(reach, w.hop[l])
			}
		}
		if leaving > 0 && fastest > 0 {
			worst = max(worst, leaving*bytes/fastest)
		}
	}
	return float64(protocols[0].base*w.latency) + reach + worst
}

// cut is a time that no way of reducing or gathering data over a group beats:
// of `bytes` on each of at least n ranks, every domain must send out what its
// ranks, at most `within` of them, do not hold among themselves.
func (w *network) cut(n float64, within *[plan.MaxLevels]float64, bytes float64) float64 {
	worst := 0.0
	for l := 1; l < w.levels; l++ {
		if q := within[l-1]; q < n {
			worst = max(worst, bytes*(1-q/n)/(q*w.rate[l]))
		}
	}
	return worst
}

// hopSeconds is the least time of one point-to-point message between
// neighbours of the group: on the outermost level it crosses, since the
// slowest boundary sets the pace of a pipeline or ring. A group that does not fit
// a domain crosses one of the levels outside it.
func (w *network) hopSeconds(g *group, bytes float64) float64 {
	if g.n.lo <= 1 {
		return 0
	}
	sure, outside := 0.0, math.Inf(1)
	for l := w.levels - 1; l >= 0; l-- {
		below := interval{1, 1}
		if l > 0 {
			below = g.cum[l-1]
		}
		if g.cum[l].hi > below.lo {
			t := float64(protocols[0].base*w.latency) + w.hop[l] + bytes/w.rateOf(l, 2)
			outside = min(outside, t)
			if g.cum[l].lo > below.hi {
				sure = max(sure, t)
			}
		}
		if below.hi < g.n.lo && !math.IsInf(outside, 1) {
			sure = max(sure, outside)
		}
	}
	return sure
}
