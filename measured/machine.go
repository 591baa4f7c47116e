package measured

import (
	"regexp"
	"strconv"
	"strings"

	"meshplan/cluster"
	"meshplan/strict"
	"meshplan/units"
)

// machineOf is the cluster of a row: the catalogue's system for its GPU, with
// the row's GPUs a node and network where it gives them.
func machineOf(s *setup, d *defaults) (*cluster.Cluster, *skip) {
	gpu := gpuOf(s)
	if s[colGPU] == "" {
		return nil, skipped(UnknownGPU, "gpu is not given")
	}
	if gpu == nil {
		return nil, skipped(UnknownGPU, "no GPU %q in the catalogue", strict.Clip(s[colGPU], 60))
	}
	of := cluster.SystemOf(gpu)
	if of == nil {
		return nil, skipped(UnknownGPU, "the catalogue has no system with %s", gpu.Name)
	}
	gpus, skip := s.whole(colGPUs, NoPlan)
	if skip != nil {
		return nil, skip
	}
	perNode, skip := s.whole(colGPUsPerNode, NoPlan)
	switch {
	case skip != nil:
		return nil, skip
	case gpus == 0:
		return nil, skipped(NoPlan, "gpus is not given")
	}
	system := nodesOf(*of, perNode)
	d.note(s, colGPUsPerNode, colNetwork)
	if n, ok := networkOf(s[colNetwork], system.GPUsPerNode); ok {
		system.Network, system.NICsPerNode = n.perGPU, n.nics
	}
	c, err := wide(system, gpus)
	if err != nil {
		return nil, skipped(NoPlan, "%v", err)
	}
	return c, nil
}

// gpuOf is the GPU of the catalogue by the row's name, together with its
// memory where there are kinds that differ by it.
func gpuOf(s *setup) *cluster.GPU {
	if s[colGPU] == "" {
		return nil
	}
	for _, name := range []string{s[colGPU] + "-" + s[colGPUMemory] + "GB", s[colGPU]} {
		if g, err := cluster.FindGPU(name); err == nil {
			return g
		}
	}
	return nil
}

// nodesOf is the system with nodes of another number of GPUs, where a node is
// the innermost domain. A rack of many nodes (GB200: 4 of 72) stays what it is.
func nodesOf(s cluster.System, perNode int) cluster.System {
	if perNode == 0 || perNode == s.GPUsPerNode || s.GPUsPerNode != s.Box() || len(s.Inner) != 1 {
		return s
	}
	level := s.Inner[0]
	level.Size = perNode
	s.Inner = []cluster.Level{level}
	s.NICsPerNode = max(1, s.NICsPerNode*perNode/s.GPUsPerNode)
	s.GPUsPerNode = perNode
	if perNode == 1 {
		s.NVLS, s.NVLSRanks = 0, 0
	}
	return s
}

// wide is the system with room for that many GPUs: whole boxes, and one leaf
// group of all where the system's own groups do not divide.
func wide(s cluster.System, gpus int) (*cluster.Cluster, error) {
	boxes := (gpus + s.Box() - 1) / s.Box()
	if boxes > 1 {
		gpus = boxes * s.Box()
	}
	c, err := s.Cluster(gpus)
	if err != nil {
		s.Leaf = boxes
		c, err = s.Cluster(gpus)
	}
	return c, err
}

// network is what a node reaches other nodes with.
type network struct {
	perGPU units.BytesPerSecond
	nics   int
}

// rates finds "4x100Gb", "1x HDR IB 200Gb/s", "1600Gbps", "8x HDR200"; rates in
// bytes (GB/s) are those of links inside a node.
var rates = regexp.MustCompile(`(?:(\d{1,2})\s*[xX]\s*)?(?:[A-Za-z]+\s+)*?(?:(\d{2,5})\s*Gb(?:it)?\b|(\d{2,5})\s*Gbps|(?:EDR|HDR|NDR|XDR)\s?(\d{3}))`)

// networkOf reads the network of a node of that many GPUs; ok is false where
// the text gives no rate. A rate is that of the node, or of each GPU if the text
// says so.
func networkOf(text string, perNode int) (n network, ok bool) {
	found := rates.FindStringSubmatch(text)
	if found == nil || perNode < 1 {
		return n, false
	}
	gigabits, err := strconv.ParseFloat(found[2]+found[3]+found[4], 64)
	if err != nil || gigabits <= 0 {
		return n, false
	}
	n.nics = perNode
	switch {
	case found[1] != "":
		if n.nics, err = strconv.Atoi(found[1]); err != nil || n.nics < 1 {
			return n, false
		}
	case !strings.Contains(strings.ToLower(text), "per gpu"):
		gigabits /= float64(perNode)
	}
	n.perGPU = effective(gigabits) * units.BytesPerSecond(float64(n.nics)/float64(perNode))
	return n, true
}

// effective is what large messages reach of a NIC's rate: 12 GB/s of 100G, 23.5
// of 200G, 48.5 of 400G (NVIDIA maintainers in nccl issues: 23.5-24 and 46-49;
// SimAI: 23.5, 48.5), as the catalogue's systems have it.
func effective(gigabits float64) units.BytesPerSecond {
	share := 0.97
	switch {
	case gigabits <= 100:
		share = 0.96
	case gigabits <= 200:
		share = 0.94
	}
	return units.BytesPerSecond(share * gigabits / 8 * 1e9)
}
