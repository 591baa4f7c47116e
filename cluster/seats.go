package cluster

// Seats are the GPUs of an aligned placement: for each box that a job uses the
// shares of its nodes in it, the boxes of one leaf together, and so on; the
// first that have room, in the order of the list. used[l] is the number of
// sub-domains used in each domain of level l. It is nil where the machines have
// no room, see Holds.
func (c *Cluster) Seats(used []int32) [][]Share {
	m := c.Machines
	if m == nil || m.merged || !c.Holds(used) {
		return nil
	}
	return m.seats(m.Root, used, len(c.Levels)-1)
}

func (m *Machines) seats(d *Domain, used []int32, level int) [][]Share {
	if level <= m.Box {
		return [][]Share{d.aligned(used, level)}
	}
	var list [][]Share
	n := int32(0)
	for _, in := range d.Inside {
		if n < used[level] && in.holds(used, level-1) {
			list = append(list, m.seats(in, used, level-1)...)
			n++
		}
	}
	return list
}

// holds is Holds of one domain.
func (d *Domain) holds(used []int32, level int) bool {
	if level == 0 {
		return d.GPUs >= int(used[0])
	}
	n := int32(0)
	for _, in := range d.Inside {
		if in.holds(used, level-1) {
			n++
		}
	}
	return n >= used[level]
}

// aligned are the shares that a job has of a box that has room for it.
func (d *Domain) aligned(used []int32, level int) []Share {
	if level == 0 {
		return d.blocks(used, 0)[0]
	}
	var list []Share
	n := int32(0)
	for _, in := range d.Inside {
		if n < used[level] && in.holds(used, level-1) {
			list = append(list, in.aligned(used, level-1)...)
			n++
		}
	}
	return list
}

// Blocks are the blocks of used[0] x used[1] x ... GPUs, up to the box level,
// that each domain above the boxes has room for, with the shares of nodes that
// each takes. The cluster is a merged one.
func (c *Cluster) Blocks(used []int32) [][][]Share {
	m := c.Machines
	var leaves [][][]Share
	for _, leaf := range m.above(m.Root, m.levels-1) {
		var blocks [][]Share
		for _, box := range m.Boxes(leaf, m.Box+1) {
			blocks = append(blocks, box.blocks(used, m.Box)...)
		}
		leaves = append(leaves, blocks)
	}
	return leaves
}

// above are the domains of the level above the boxes.
func (m *Machines) above(d *Domain, level int) []*Domain {
	if level == m.Box+1 {
		return []*Domain{d}
	}
	var list []*Domain
	for _, in := range d.Inside {
		list = append(list, m.above(in, level-1)...)
	}
	return list
}

// blocks cuts a domain into blocks of what is used up to the level; what is
// left over stays idle.
func (d *Domain) blocks(used []int32, level int) [][]Share {
	if level == 0 {
		return cut(d.Shares, int(used[0]))
	}
	var parts, blocks [][]Share
	for _, in := range d.Inside {
		parts = append(parts, in.blocks(used, level-1)...)
	}
	for n := int(used[level]); len(parts) >= n; parts = parts[n:] {
		var block []Share
		for _, p := range parts[:n] {
			block = append(block, p...)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// cut cuts shares into runs of so many GPUs.
func cut(shares []Share, size int) (runs [][]Share) {
	var run []Share
	need := size
	for _, s := range shares {
		for left := s.GPUs; left > 0; {
			n := min(left, need)
			run = append(run, Share{s.Node, n})
			left, need = left-n, need-n
			if need == 0 {
				runs, run, need = append(runs, run), nil, size
			}
		}
	}
	return runs
}

// LeafLevel is the name of the level above the boxes.
func (c *Cluster) LeafLevel() string {
	if m := c.Machines; m != nil && m.Box+1 < len(m.of.Levels) {
		return m.of.Levels[m.Box+1].Name
	}
	return c.Levels[len(c.Levels)-1].Name
}
