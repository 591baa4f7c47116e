package cluster

// validateNodes is the error of nodes of a file that contradict its levels: a
// domain is made of whole nodes or a node of whole domains. Of the outermost
// level there is one domain only, whose last node need not be full. nics says
// that the file gives their number.
func (c *Cluster) validateNodes(nics bool) error {
	if nics && c.NICsPerNode == 0 && c.GPUs() > c.GPUsPerNode {
		return wrong("nics_per_node", "nics_per_node = 0: nodes that a network joins have at least 1; leave the key out where the number is not known; nearest: 1")
	}
	level := c.splitBy(c.GPUsPerNode)
	if level < 0 {
		return nil
	}
	below, above := c.GPUsPerNode-1, c.GPUsPerNode+1
	for c.splitBy(below) >= 0 {
		below--
	}
	for c.splitBy(above) >= 0 {
		above++
	}
	return wrong("gpus_per_node", "gpus_per_node = %d: want whole nodes in a domain of %s, which has %d GPUs, or whole domains in a node; nearest: %d or %d",
		c.GPUsPerNode, c.Levels[level].Name, c.Domain(level), below, above)
}

// splitBy is the first level, but the outermost, of whose domains nodes of
// that many GPUs are neither a part nor made; -1 where there is none.
func (c *Cluster) splitBy(node int) int {
	for l := range len(c.Levels) - 1 {
		if d := c.Domain(l); d%node != 0 && node%d != 0 {
			return l
		}
	}
	return -1
}
