package cost

import (
	"meshplan/cluster"
	"meshplan/plan"
)

// network is what the cluster's levels cost.
type network struct {
	levels  int
	rate    [plan.MaxLevels]float64         // bytes per second, GPU and direction, after oversubscription
	among   []float64                       // of rate[0], the share that so many ranks reach of it; of a mesh below 1
	hop     [plan.MaxLevels]float64         // seconds
	exact   [cluster.NumCollectives][]*ramp // inside one domain, by ranks
	least   [cluster.NumCollectives][]*ramp // least over that many ranks and more
	curves  [cluster.NumCollectives][]bool  // measured, not from the closed form
	latency float64                         // factor of the protocols' base latencies
}

// scaled is the network with its bandwidths and latencies multiplied. What a
// curve takes for one byte is its latency, the rest is bandwidth.
func (w *network) scaled(bandwidth, latency float64) *network {
	n := *w
	n.latency *= latency
	for l := range n.rate {
		n.rate[l] *= bandwidth
		n.hop[l] *= latency
	}
	change := func(list []*ramp) []*ramp {
		out := make([]*ramp, len(list))
		for i, r := range list {
			if r == nil {
				continue
			}
			q := *r
			for k := range q {
				q[k] = float64(r[0]*latency) + (r[k]-r[0])/bandwidth
			}
			out[i] = &q
		}
		return out
	}
	for op := range n.exact {
		n.exact[op], n.least[op] = change(w.exact[op]), change(w.least[op])
	}
	return &n
}

// maxInside bounds the group sizes inside one domain that are tabulated.
const maxInside = 1024

func newNetwork(c *cluster.Cluster) *network {
	w := &network{levels: len(c.Levels), latency: 1}
	for l, lev := range c.Levels {
		w.rate[l] = float64(lev.Bandwidth)
		if l > 0 {
			w.rate[l] /= max(1, lev.Oversubscription)
		}
		w.hop[l] = float64(lev.Latency)
	}
	for l := w.levels; l < plan.MaxLevels; l++ {
		w.rate[l], w.hop[l] = w.rate[w.levels-1], w.hop[w.levels-1]
	}
	domain := min(c.Levels[0].Size, maxInside)
	for n := range domain + 1 {
		w.among = append(w.among, float64(c.Levels[0].Among(n)/c.Levels[0].Bandwidth))
	}
	for op := range w.exact {
		w.exact[op] = make([]*ramp, domain+1)
		w.least[op] = make([]*ramp, domain+1)
		w.curves[op] = make([]bool, domain+1)
		for n := domain; n >= 2; n-- {
			w.exact[op][n] = w.inside(c, cluster.Collective(op), n)
			w.curves[op][n] = c.Inside(cluster.Collective(op), n) != nil
			w.least[op][n] = w.exact[op][n]
			if n < domain {
				w.least[op][n] = lesser(w.exact[op][n], w.least[op][n+1])
			}
		}
	}
	return w
}

// links is the rate at which that many ranks of one innermost domain reach each
// other.
func (w *network) links(ranks float64) float64 {
	return w.rate[0] * w.among[min(int(ranks), len(w.among)-1)]
}

// rateOf is the rate of a level, of which the innermost counts the links of that
// many ranks only.
func (w *network) rateOf(l int, ranks float64) float64 {
	if l == 0 {
		return w.links(ranks)
	}
	return w.rate[l]
}

func (w *network) inside(c *cluster.Cluster, op cluster.Collective, n int) *ramp {
	if curve := c.Inside(op, n); curve != nil {
		return newRamp(curve.Seconds)
	}
	bus := float64(c.InsideBandwidth(op, n))
	g := group{n: interval{float64(n), float64(n)}}
	for l := range g.cum {
		g.cum[l] = g.n
	}
	return newRamp(func(bytes float64) float64 { return w.closed(op, &g, bytes, bus) })
}
