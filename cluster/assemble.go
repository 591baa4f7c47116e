package cluster

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/plan"
	"meshplan/strict"
)

// assembly makes domains of the levels from a list of nodes.
type assembly struct {
	of    *Cluster // at full size; a level of size 0 holds any number
	fill  []int    // sub-domains of a domain where the list does not say which; 0 is any number
	nodes []Node
	box   int // the level whose domains the network joins
	each  int // nodes of one box
	first int // the first level whose domains the list may name
	said  []string
}

// WithNodes is the cluster with the nodes of a list in place of its full domains.
// Where the list does not say in which domains they lie, they fill them in the
// order of the list. The error names the node, and where it stands.
func (c *Cluster) WithNodes(nodes []Node) (*Cluster, error) {
	if c.Machines != nil {
		return c.only(nodes)
	}
	return assemble(c, c.sizes(), nodes)
}

func (c *Cluster) sizes() []int {
	var sizes []int
	for _, l := range c.Levels {
		sizes = append(sizes, l.Size)
	}
	return sizes
}

// only is the cluster with those of its own nodes that a list names.
func (c *Cluster) only(nodes []Node) (*Cluster, error) {
	m := c.Machines
	known := make(map[string]*Node, len(m.Nodes))
	for i := range m.Nodes {
		known[m.Nodes[i].Name] = &m.Nodes[i]
	}
	nodes = slices.Clone(nodes)
	for i := range nodes {
		n := &nodes[i]
		own := known[n.Name]
		switch {
		case own == nil:
			return nil, fmt.Errorf("%s: cluster %s has no node %s%s", n.At, c.Name, n.Name, strict.Suggest(n.Name, namesOf(m.Nodes), 2, nil))
		case len(n.In) > 0 && !slices.Equal(n.In, own.In):
			return nil, fmt.Errorf("%s: node %s is in %s; cluster %s has it in %s", n.At, n.Name, strings.Join(n.In, "/"), c.Name, strings.Join(own.In, "/"))
		case n.GPUs < 0:
			n.GPUs = own.GPUs
		}
		n.In = own.In
	}
	return assemble(m.of, m.of.sizes(), nodes)
}

// assemble makes the cluster of the nodes.
func assemble(of *Cluster, fill []int, nodes []Node) (*Cluster, error) {
	a := &assembly{of: of, fill: fill, nodes: slices.Clone(nodes)}
	for _, step := range []func() error{a.boxes, a.health} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	root, err := a.tree()
	if err != nil {
		return nil, err
	}
	if root.prune(); root.GPUs == 0 {
		return nil, fmt.Errorf("%s: no node has a healthy GPU", a.nodes[0].At)
	}
	c := *of
	c.Levels = nil
	sizes := root.widest(len(of.Levels))
	for len(sizes) > 1 && sizes[len(sizes)-1] == 1 && of.Levels[len(sizes)-1].Size != 1 {
		root, sizes = root.Inside[0], sizes[:len(sizes)-1]
	}
	for i, size := range sizes {
		l := of.Levels[i]
		l.Bandwidth, l.Size, l.Mesh = l.Among(size), size, l.Mesh && size > 1
		c.Levels = append(c.Levels, l)
	}
	m := &Machines{Nodes: a.nodes, Root: root, Box: min(a.box, len(sizes)-1), levels: len(sizes), of: of, whole: classify(root)}
	c.Machines = m
	c.Assumptions = append(slices.Clone(of.Assumptions), a.said...)
	c.GPUsPerNode = min(of.GPUsPerNode, root.GPUs)
	return &c, c.Validate()
}

// boxes finds the level whose domains are nodes, or hold several.
func (a *assembly) boxes() error {
	per := a.of.GPUsPerNode
	if n := len(a.of.Levels); n == 0 || n > plan.MaxLevels {
		return a.of.validateLevels()
	}
	for l, level := range a.of.Levels {
		if level.Size < 0 || level.Size > MaxGPUs {
			return a.of.validateLevels()
		}
		domain := a.of.Domain(l)
		switch {
		case domain == 0:
			return wrong(levelKey(l, "size"), "level %d (%s) needs a size: it lies inside a node", l+1, a.of.Levels[l].Name)
		case domain == per:
			a.box, a.each, a.first = l, 1, l+1
			return nil
		case l == 0 && domain > per && domain%per == 0:
			a.box, a.each, a.first = 0, domain/per, 0
			return nil
		case domain > per:
			return wrong("gpus_per_node", "gpus_per_node = %d: a list of nodes needs nodes that are a domain of a level, or parts of an innermost domain; a domain of %s has %d GPUs",
				per, a.of.Levels[l].Name, domain)
		}
	}
	return wrong("gpus_per_node", "gpus_per_node = %d: the levels hold %d GPUs in all", per, a.of.room())
}

// health checks the nodes' GPUs and sets those that the list leaves open.
func (a *assembly) health() error {
	per := a.of.GPUsPerNode
	if len(a.nodes)*per > MaxGPUs {
		return fmt.Errorf("%s with %d GPUs each: want at most %d GPUs in all", plural(len(a.nodes), "node"), per, MaxGPUs)
	}
	some := false
	for i := range a.nodes {
		n := &a.nodes[i]
		switch {
		case n.GPUs < 0:
			n.GPUs = per
		case n.GPUs > per:
			return fmt.Errorf("%s: node %s has %d healthy GPUs; a node of %s has %d", n.At, n.Name, n.GPUs, a.of.Name, per)
		}
		some = some || n.GPUs < per
	}
	if some && a.box > 0 {
		a.said = append(a.said, fmt.Sprintf("which GPUs of a node are broken is not known: its last ones are assumed, where its %s domains of %d GPUs are concerned",
			a.of.Levels[0].Name, a.of.Levels[0].Size))
	}
	return nil
}

// inside makes the domains inside a node down to the innermost level.
func (a *assembly) inside(n *Node) *Domain {
	var list []*Domain
	size := a.of.Levels[0].Size
	for left := n.GPUs; left > 0 || list == nil; left -= size {
		list = append(list, &Domain{Shares: []Share{{n, min(left, size)}}})
	}
	for l := 1; l <= a.box; l++ {
		var above []*Domain
		for part := range slices.Chunk(list, a.of.Levels[l].Size) {
			above = append(above, &Domain{Inside: part})
		}
		list = above
	}
	list[0].Name = n.Name
	return list[0]
}
