// Package cluster describes the machines a job can run on: GPU kinds with
// their measured GEMM, attention and collective speed, and clusters as levels
// of a network, innermost first.
//
//	c, err := cluster.Find("h100:256")
//	fmt.Println(c.GPUs(), c.Levels[0].Name, c.Levels[0].Bandwidth)  // 256 nvlink 371.0 GB/s
//
// All rates are per direction. A GPU kind or a cluster of the user's own is a
// TOML file that Load reads; TOML writes one to start from.
package cluster

import "meshplan/units"

// MaxGPUs is the largest cluster that is accepted.
const MaxGPUs = 10_000_000

// Level is one level of the network: a domain of it holds Size sub-domains of
// the level below, or GPUs on the innermost level.
type Level struct {
	Name string
	// Size is the number of sub-domains in one domain of this level.
	Size int
	// Bandwidth is the effective rate of this level's link for large messages,
	// per GPU and direction.
	Bandwidth units.BytesPerSecond
	// Latency is the time of one hop of a ring under NCCL's LL128 protocol
	// (src/graph/tuning.cc: 1.9 us over NVLink, 2.5 over PCIe, 4 over a
	// network); the LL and Simple protocols follow by NCCL's own ratios.
	Latency units.Seconds
	// Oversubscription is at least 1 and divides the rate of traffic that
	// leaves the level below.
	Oversubscription float64
	// Mesh says that the GPUs of a domain are linked pairwise, not by a switch:
	// Bandwidth is what all Size-1 links of a GPU carry together, and a group
	// reaches only the links among its own members (see Among). Only the
	// innermost level can be a mesh.
	Mesh bool
}

// Among is the effective rate, per GPU and direction, at which that many ranks
// of one domain reach each other: the level's bandwidth; of a mesh, ranks-1 of
// its Size-1 links. Fewer than two ranks count as a pair, whose rate is that of
// a message from point to point. It does not fall with the number of ranks.
func (l Level) Among(ranks int) units.BytesPerSecond {
	ranks = max(ranks, 2)
	if !l.Mesh || ranks >= l.Size {
		return l.Bandwidth
	}
	return l.Bandwidth * units.BytesPerSecond(float64(ranks-1)/float64(l.Size-1))
}

// Cluster is a number of equal GPUs and the network between them. Its GPU may
// be the catalogue's own and must not be changed.
type Cluster struct {
	Name    string
	Aliases []string
	GPU     *GPU
	// Levels are innermost first, 1 to plan.MaxLevels of them.
	Levels []Level
	// GPUsPerNode is the number of GPUs one operating system sees. It may be
	// smaller than the innermost domain (GB200: 4 of 72).
	GPUsPerNode int
	NICsPerNode int
	// HostMemory is the memory of one node's CPUs; 0 when unknown.
	HostMemory units.Bytes
	// HostLink is the effective rate between one GPU and that memory, per GPU
	// and direction, for large copies from pinned memory; 0 when unknown. What
	// GPUs share on the way, a PCIe switch or the memory itself, is not in it.
	HostLink units.BytesPerSecond
	// NVLS is the bus bandwidth of an all-reduce that the switch of the
	// innermost domain adds up; 0 when it cannot. It is used from NVLSRanks
	// ranks upwards.
	NVLS      units.BytesPerSecond
	NVLSRanks int
	// Collectives names the table of measured collectives inside one domain;
	// "" when there is none.
	Collectives string
	// Assumptions are sentences about figures that no source gives.
	Assumptions []string

	file        string  // that Load read it from; "" for none
	more        bool    // domains of the outermost level than there
	collectives scaling // of the measured collectives
	changed     *edit   // what With changed; nil when nothing
	changes     []string
	// Machines are the nodes that there really are; nil where every domain is
	// full.
	Machines *Machines
}

// copied is a cluster of its own with the same figures: what With changed of the
// cluster is what With starts from.
func (c *Cluster) copied() *Cluster {
	n := *c
	n.changed = nil
	return &n
}

// GPUs is the number of healthy GPUs: the product of the levels' sizes where
// every domain is full.
func (c *Cluster) GPUs() int {
	if c.Machines != nil {
		return c.Machines.Root.GPUs
	}
	return c.Domain(len(c.Levels) - 1)
}

// Domain is the number of GPUs in one domain of the level (0 = innermost).
func (c *Cluster) Domain(level int) int {
	n := 1
	for _, l := range c.Levels[:min(level+1, len(c.Levels))] {
		n *= l.Size
	}
	return n
}

// Nodes is the number of nodes, the last one perhaps not full.
func (c *Cluster) Nodes() int {
	if c.Machines != nil {
		return len(c.Machines.Nodes)
	}
	per := max(1, c.GPUsPerNode)
	return (c.GPUs() + per - 1) / per
}
