package cluster

import "slices"

// Machines are the nodes that a cluster really has, as domains of its levels.
// Domains may differ: a node may have broken GPUs, a leaf fewer nodes than
// another. The sizes of the cluster's levels are those of the largest domains.
type Machines struct {
	// Nodes are all nodes in the order of the list, those without a healthy GPU
	// too. Each says how many healthy GPUs it has.
	Nodes []Node
	// Root is the one domain of the outermost level.
	Root *Domain
	// Box is the level whose domains the network joins: nodes or, where one
	// scale-up domain holds several nodes, these.
	Box int

	levels  int      // of the domains
	of      *Cluster // the cluster at full size, of which these are the machines
	classes []*class // of the boxes, each with their number
	whole   *class
	merged  bool // the network has one level, and boxes may hold several blocks
}

// Domain is one domain of a level and the healthy GPUs in it, at least one.
type Domain struct {
	Name   string    // "" where the list gives none
	GPUs   int       // healthy
	Inside []*Domain // of the level below, in the order of the list; none on the innermost
	Shares []Share   // on the innermost: the nodes that it spans
}

// Share is a number of a node's healthy GPUs.
type Share struct {
	Node *Node
	GPUs int
}

// Irregular reports whether some domains have less than others of their level.
func (c *Cluster) Irregular() bool {
	return c.Machines != nil && (c.Machines.merged || c.Machines.Root.GPUs != c.room())
}

// IsMerged reports whether the cluster is one that Merged made.
func (c *Cluster) IsMerged() bool { return c.Machines != nil && c.Machines.merged }

// room is the product of the levels' sizes: the GPUs if all domains were full.
func (c *Cluster) room() int { return c.Domain(len(c.Levels) - 1) }

// Present is the number of GPUs of all nodes, broken ones too.
func (c *Cluster) Present() int {
	if c.Machines == nil {
		return c.GPUs()
	}
	return len(c.Machines.Nodes) * c.Machines.of.GPUsPerNode
}

// class is what domains of a level that hold the same have in common.
type class struct {
	gpus   int      // in all
	inside []*class // of the level below, each with its number
	number int      // of such domains in the domain above
}

// classify finds the classes of a domain's tree.
func classify(d *Domain) *class {
	c := &class{gpus: d.GPUs, number: 1}
	for _, in := range d.Inside {
		c.inside = collect(c.inside, classify(in))
	}
	slices.SortFunc(c.inside, compareClasses)
	return c
}

// collect adds a class to a list of different ones.
func collect(list []*class, c *class) []*class {
	for _, known := range list {
		if compareClasses(known, c) == 0 {
			known.number += c.number
			return list
		}
	}
	return append(list, c)
}

// compareClasses orders classes by what is in them, not by their number.
func compareClasses(a, b *class) int {
	if a.gpus != b.gpus {
		return a.gpus - b.gpus
	}
	return slices.CompareFunc(a.inside, b.inside, func(x, y *class) int {
		if c := compareClasses(x, y); c != 0 {
			return c
		}
		return x.number - y.number
	})
}

// holds reports whether a domain of the level has room for a job that uses
// used[l] sub-domains in each domain of level l: at least used[level] domains
// inside it have room for what is used below.
func (c *class) holds(used []int32, level int) bool {
	if level == 0 {
		return c.gpus >= int(used[0])
	}
	return c.count(used, level) >= int(used[level])
}

// count is the number of domains inside that have room for what is used below
// the level.
func (c *class) count(used []int32, level int) int {
	n := 0
	for _, in := range c.inside {
		if in.holds(used, level-1) {
			n += in.number
		}
	}
	return n
}

// blocks is how many blocks of what is used up to the level lie in a domain of
// it, where the parts of a block may lie anywhere inside.
func (c *class) blocks(used []int32, level int) int {
	n := c.gpus
	if level > 0 {
		n = 0
		for _, in := range c.inside {
			n += in.number * in.blocks(used, level-1)
		}
	}
	return n / int(used[level])
}

// Holds reports whether the machines have room for a job that uses used[l]
// sub-domains (GPUs on level 0) in each domain of level l that it uses. A
// cluster without a list of nodes is full.
func (c *Cluster) Holds(used []int32) bool {
	m := c.Machines
	switch {
	case m == nil:
		return true
	case m.merged:
		return m.room(used) >= int(used[m.Box+1])
	}
	return m.whole.holds(used, len(c.Levels)-1)
}

// room is the number of blocks of what is used inside a box that the boxes
// hold.
func (m *Machines) room(used []int32) int {
	n := 0
	for _, c := range m.classes {
		n += c.number * c.blocks(used, m.Box)
	}
	return n
}

// prune drops the domains without a healthy GPU and counts the others' GPUs.
func (d *Domain) prune() {
	if len(d.Inside) > 0 {
		d.GPUs = 0
		d.Inside = slices.DeleteFunc(d.Inside, func(in *Domain) bool {
			in.prune()
			d.GPUs += in.GPUs
			return in.GPUs == 0
		})
		return
	}
	d.Shares = slices.DeleteFunc(d.Shares, func(s Share) bool { return s.GPUs == 0 })
	d.GPUs = 0
	for _, s := range d.Shares {
		d.GPUs += s.GPUs
	}
}

// widest are the sizes of the largest domains of each level, the innermost
// first.
func (d *Domain) widest(levels int) []int {
	sizes := make([]int, levels)
	d.widen(sizes, levels-1)
	return sizes
}

func (d *Domain) widen(sizes []int, level int) {
	if level == 0 {
		sizes[0] = max(sizes[0], d.GPUs)
		return
	}
	sizes[level] = max(sizes[level], len(d.Inside))
	for _, in := range d.Inside {
		in.widen(sizes, level-1)
	}
}

// Boxes are the domains of the box level inside a domain of the given level.
func (m *Machines) Boxes(d *Domain, level int) []*Domain {
	if level <= m.Box {
		return []*Domain{d}
	}
	var list []*Domain
	for _, in := range d.Inside {
		list = append(list, m.Boxes(in, level-1)...)
	}
	return list
}

// Merged is the cluster with one network level in place of several, as slow as
// the slowest of them: whatever leaves a box is priced as if it left every
// domain. A job may use any boxes, and several blocks in one box: the parts of
// a job's domain need not lie in one domain of the machines. It is nil where
// that allows no more: where the machines are regular or have no network.
func (c *Cluster) Merged() *Cluster {
	m := c.Machines
	if !c.Irregular() || m.merged || m.Box == len(c.Levels)-1 {
		return nil
	}
	last := c.Levels[len(c.Levels)-1]
	for _, l := range c.Levels[m.Box+1:] {
		last.Bandwidth = min(last.Bandwidth, l.Bandwidth)
		last.Latency = max(last.Latency, l.Latency)
		last.Oversubscription = max(last.Oversubscription, l.Oversubscription)
	}
	last.Size = c.GPUs()
	p := c.copied()
	p.Levels = append(slices.Clone(c.Levels[:m.Box+1]), last)
	own := *m
	own.merged, own.classes = true, nil
	for _, box := range m.Boxes(m.Root, len(c.Levels)-1) {
		own.classes = collect(own.classes, classify(box))
	}
	p.Machines = &own
	return p
}
