package cluster

import (
	"fmt"
	"slices"

	"meshplan/units"
)

// System is a kind of machine of the catalogue; with a number of GPUs it
// becomes a Cluster.
type System struct {
	Name    string
	Aliases []string
	GPU     *GPU
	// Inner are the levels inside one scale-up domain or box, innermost first,
	// at full size.
	Inner []Level
	// Leaf is the most scale-up domains (or boxes) of one non-blocking leaf
	// group.
	Leaf int
	// Network is the effective rate of the NICs per GPU and NetworkLatency the
	// time of one hop, the same on the leaf and the spine.
	Network        units.BytesPerSecond
	NetworkLatency units.Seconds

	GPUsPerNode, NICsPerNode int
	HostMemory               units.Bytes
	HostLink                 units.BytesPerSecond // between a GPU and the host's memory
	NVLS                     units.BytesPerSecond
	NVLSRanks                int
	Collectives              string
	Source                   string
	Assumptions              []string
}

// Box is the number of GPUs inside the outermost of the inner levels.
func (s *System) Box() int {
	n := 1
	for _, l := range s.Inner {
		n *= l.Size
	}
	return n
}

// SystemOf is the system that a GPU's name stands for, the first of the
// catalogue's files with that GPU; nil when there is none.
func SystemOf(g *GPU) *System { return known().systemOf[g] }

// Cluster is the system with that many GPUs. Fewer than a box is one box, not
// full; more must be whole boxes, and more boxes than a leaf group holds must
// fill whole leaf groups of at least half its size. The error names the
// nearest counts that do.
func (s *System) Cluster(gpus int) (*Cluster, error) {
	if gpus < 1 || gpus > MaxGPUs {
		return nil, fmt.Errorf("%d GPUs: want 1 to %d", gpus, MaxGPUs)
	}
	levels, assumption, broken := s.levels(gpus)
	if broken != "" {
		return nil, fmt.Errorf("%s cannot have %d GPUs: %s; nearest: %s", s.Name, gpus, broken, s.nearestCounts(gpus))
	}
	c := s.of(levels)
	c.Name, c.GPUsPerNode = fmt.Sprintf("%s:%d", s.Name, gpus), min(s.GPUsPerNode, gpus)
	if assumption != "" {
		c.Assumptions = append(c.Assumptions, assumption)
	}
	return c, c.Validate()
}

// of is a cluster of the levels.
func (s *System) of(levels []Level) *Cluster {
	return &Cluster{
		Name: s.Name, Aliases: slices.Clone(s.Aliases), GPU: s.GPU, Levels: levels,
		GPUsPerNode: s.GPUsPerNode, NICsPerNode: s.NICsPerNode, HostMemory: s.HostMemory, HostLink: s.HostLink,
		NVLS: s.NVLS, NVLSRanks: s.NVLSRanks, Collectives: s.Collectives,
		Assumptions: slices.Concat(s.GPU.Assumptions, s.Assumptions),
	}
}

// With is the system with the nodes of a list. Nodes whose leaf group the list
// does not give fill groups in its order: equal ones where Cluster would make
// them of as many GPUs, else as large ones as there are. The error names the
// node, and where it stands.
func (s *System) With(nodes []Node) (*Cluster, error) {
	of := s.of(append(slices.Clone(s.Inner), s.network("leaf", 0), s.network("spine", 0)))
	fill := of.sizes()
	leaf := len(s.Inner)
	boxes := (len(nodes)*s.GPUsPerNode + s.Box() - 1) / s.Box()
	assumption := ""
	fill[leaf] = s.Leaf
	if n, said := s.leafSize(boxes); n > 0 {
		fill[leaf], assumption = n, said
	} else {
		assumption = fmt.Sprintf("%d boxes do not divide into leaf groups of %d to %d: groups of %d and a smaller one are assumed, in the order of the list",
			boxes, (s.Leaf+1)/2, s.Leaf, s.Leaf)
	}
	c, err := assemble(of, fill, nodes)
	if err != nil {
		return nil, err
	}
	c.Name = fmt.Sprintf("%s:%d", s.Name, c.GPUs())
	if assumption != "" && len(nodes[0].In) == 0 {
		c.Assumptions = append(c.Assumptions, assumption)
	}
	return c, nil
}

// levels are the network levels of that many GPUs, with the assumption that
// the leaf groups took, if any; broken names the rule that the count breaks.
func (s *System) levels(gpus int) (levels []Level, assumption, broken string) {
	left, domain := gpus, 1
	for _, l := range s.Inner {
		domain *= l.Size
		size := min(l.Size, left)
		l.Bandwidth, l.Size, l.Mesh = l.Among(size), size, l.Mesh && size > 1
		if left%l.Size != 0 {
			return nil, "", fmt.Sprintf("%d is not a whole number of %s domains of %d GPUs", gpus, l.Name, domain)
		}
		levels, left = append(levels, l), left/l.Size
		if left == 1 {
			return levels, "", ""
		}
	}
	leaf, assumption := s.leafSize(left)
	if leaf == 0 {
		return nil, "", fmt.Sprintf("%d boxes of %d do not fill whole leaf groups of %d to %d", left, s.Box(), (s.Leaf+1)/2, s.Leaf)
	}
	levels = append(levels, s.network("leaf", leaf))
	if left > leaf {
		levels = append(levels, s.network("spine", left/leaf))
	}
	return levels, assumption, ""
}

// atMost is the largest number of GPUs up to that which the system can have.
func (s *System) atMost(gpus int) int {
	for _, _, broken := s.levels(gpus); broken != ""; _, _, broken = s.levels(gpus) {
		gpus--
	}
	return gpus
}

func (s *System) network(name string, size int) Level {
	return Level{Name: name, Size: size, Bandwidth: s.Network, Latency: s.NetworkLatency, Oversubscription: 1}
}

// leafSize is the number of boxes of one leaf group: all of them when they
// fit, else the largest divisor from half a group up; 0 when there is none.
func (s *System) leafSize(boxes int) (leaf int, assumption string) {
	if boxes <= s.Leaf {
		return boxes, ""
	}
	if boxes%s.Leaf == 0 {
		return s.Leaf, ""
	}
	for n := s.Leaf - 1; 2*n >= s.Leaf; n-- {
		if boxes%n == 0 {
			return n, fmt.Sprintf("%d boxes do not divide into leaf groups of %d: groups of %d are assumed", boxes, s.Leaf, n)
		}
	}
	return 0, ""
}

// nearestCounts names the valid counts just below and above.
func (s *System) nearestCounts(gpus int) string {
	below, above := 0, 0
	for n := gpus - 1; n >= 1 && below == 0; n-- {
		if _, _, broken := s.levels(n); broken == "" {
			below = n
		}
	}
	for n := gpus + 1; n <= MaxGPUs && above == 0; n++ {
		if _, _, broken := s.levels(n); broken == "" {
			above = n
		}
	}
	switch {
	case below == 0:
		return fmt.Sprint(above)
	case above == 0:
		return fmt.Sprint(below)
	}
	return fmt.Sprintf("%d, %d", below, above)
}
