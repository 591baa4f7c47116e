package cost

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/cluster"
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
	neighbour                bool   // point to point
	parts                    []nest // what it consists of, where that runs over parts of the group
}

// nest is a part of a flow and the ranks that it runs over.
type nest struct {
	group group
	flow  flow
}

// part adds a part over a group of more than one rank.
func (f *flow) part(g group, p flow) {
	if g.n.lo > 1 {
		f.parts = append(f.parts, nest{g, p})
	}
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
			PerLevel: m.levelsOf(&g, &f), Seconds: units.Seconds(f.seconds),
			Exposed:           units.Seconds(max(0, step-m.without(p, f.link, 1e9, 1e-9))),
			Per10PctBandwidth: units.Seconds(max(0, step-m.without(p, f.link, 1.1, 1))),
			Per10PctLatency:   units.Seconds(max(0, step-m.without(p, f.link, 1, 0.9))),
			Placed:            m.placed(&g), Source: m.sourceOf(&g, &f),
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

// dimNames names those of the dimensions that have more than one rank, and
// dp_shard always where it shares with cp, whose name alone stands for the
// exchange of keys and values.
func dimNames(v *view, dims []plan.Dim) string {
	var names []string
	for _, d := range dims {
		if v.box[plan.Coord(d)].Lo > 1 || d == plan.DPShard && len(names) > 0 {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, " x ")
}

// levelsOf is the bytes of a flow, or of its parts together, on each level.
func (m *Model) levelsOf(g *group, f *flow) []LevelBytes {
	if len(f.parts) == 0 {
		return m.perLevel(g, f)
	}
	sum := m.perLevel(&f.parts[0].group, &f.parts[0].flow)
	for i := range f.parts[1:] {
		for l, level := range m.perLevel(&f.parts[i+1].group, &f.parts[i+1].flow) {
			sum[l].Bytes += level.Bytes
		}
	}
	return sum
}

// perLevel spreads the bytes a GPU sends over the levels: in a ring, by the
// share of its links that lie on each level; in an all-to-all, by the share of
// the partners that lie beyond each domain.
func (m *Model) perLevel(g *group, f *flow) []LevelBytes {
	n := g.n.lo
	sent := f.bytes
	if !f.neighbour {
		sent *= f.op.BusFactor(n)
	}
	var list []LevelBytes
	below := 1.0
	whole := *g
	if m.profile.Time.DistinctCopies && f.link == plan.EP {
		whole.copies = float64(m.model.TopK)
	}
	for l, level := range m.cluster.Levels {
		at := g.cum[l].lo
		share := 1/below - 1/at
		switch {
		case f.op == cluster.AllToAll && !f.neighbour:
			share = (at - below) / (n - 1) * whole.distinct(n/below)
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

// sourceOf is the sources of a flow's parts.
func (m *Model) sourceOf(g *group, f *flow) string {
	if len(f.parts) == 0 {
		return m.source(g, f)
	}
	var list []string
	for i := range f.parts {
		if source := m.source(&f.parts[i].group, &f.parts[i].flow); !slices.Contains(list, source) {
			list = append(list, source)
		}
	}
	return strings.Join(list, " and ")
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
