package cluster

import (
	"slices"

	"meshplan/units"
)

// Collective is a kind of collective operation.
type Collective uint8

// The collectives.
const (
	AllReduce Collective = iota
	AllGather
	ReduceScatter
	AllToAll
	NumCollectives
)

var collectiveNames = [NumCollectives]string{"all_reduce", "all_gather", "reduce_scatter", "alltoall"}

// String is the name nccl-tests uses: "all_reduce", "alltoall".
func (op Collective) String() string { return collectiveNames[op] }

// BusFactor is bus bandwidth over algorithm bandwidth of a collective over n
// ranks, as nccl-tests defines it: time = BusFactor x size / bus bandwidth.
// It is the share of the message that the busiest link carries: 2(n-1)/n for an
// all-reduce, (n-1)/n otherwise (nccl-tests doc/PERFORMANCE.md).
func (op Collective) BusFactor(n float64) float64 {
	if op == AllReduce {
		return 2 * (n - 1) / n
	}
	return (n - 1) / n
}

// Inside is the measured time of a collective among that many ranks of one
// innermost domain, against nccl-tests' size: the total over the ranks for
// all-gather and reduce-scatter, the buffer of one rank for all-reduce and
// all-to-all. It is nil where nothing was measured.
func (c *Cluster) Inside(op Collective, ranks int) *Curve {
	if ranks > c.Levels[0].Size {
		return nil
	}
	return known().collectives[curveKey{c.Collectives, op, ranks}].scaled(c.collectives)
}

// scaling says how a domain differs from the one whose collectives were measured.
// Its zero value is no difference.
type scaling struct{ latency, bandwidth float64 }

// factors are those of latency and bandwidth.
func (s scaling) factors() (latency, bandwidth float64) {
	if s == (scaling{}) {
		return 1, 1
	}
	return s.latency, s.bandwidth
}

// times is both differences together.
func (s scaling) times(o scaling) scaling {
	latency, bandwidth := s.factors()
	more, faster := o.factors()
	if latency *= more; latency == 1 && bandwidth*faster == 1 {
		return scaling{}
	}
	return scaling{latency: latency, bandwidth: bandwidth * faster}
}

// InsideBandwidth is the bus bandwidth of a collective among that many ranks
// of one innermost domain for large messages, where no curve is measured: the
// link's rate; of a mesh, the links among the group; for an all-reduce that
// the switch adds up, NVLS.
func (c *Cluster) InsideBandwidth(op Collective, ranks int) units.BytesPerSecond {
	l := c.Levels[0]
	if op == AllReduce && c.NVLS > 0 && ranks >= c.NVLSRanks {
		return max(c.NVLS, l.Bandwidth)
	}
	return l.Among(ranks)
}

// collectiveTables are the names of the tables of measured collectives.
func collectiveTables() []string {
	var names []string
	for key := range known().collectives {
		names = append(names, key.gpu)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
