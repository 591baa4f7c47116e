package cluster

import (
	"fmt"
	"strings"

	"meshplan/strict"
)

// leafFile is a leaf of a cluster file: nodes by name, or a number of them.
type leafFile struct {
	Name  string `toml:"name"` // or the names around its nodes, "pod1/leaf1"
	Nodes string `toml:"nodes,omitempty"`
	Size  int    `toml:"size,omitzero"`
	GPUs  *int   `toml:"gpus"` // healthy ones of each node; nil is all
}

// nodeFile says how many GPUs of some nodes are healthy.
type nodeFile struct {
	Name string `toml:"name"` // a hostlist
	GPUs *int   `toml:"gpus"`
}

// machines is the cluster with the nodes of the file's leaves.
func (f *clusterFile) machines(doc *strict.Doc, c *Cluster) (*Cluster, error) {
	var nodes []Node
	for i := range f.Leaves {
		of, err := f.Leaves[i].nodes(doc, i)
		if err != nil {
			return nil, err
		}
		if nodes = append(nodes, of...); len(nodes) > maxNodes {
			return nil, fmt.Errorf("%s: more than %d nodes", doc.AtElement(fmt.Sprintf("leaf[%d]", i)), maxNodes)
		}
	}
	if err := differ(nodes); err != nil {
		return nil, err
	}
	byName := make(map[string]*Node, len(nodes))
	for i := range nodes {
		byName[nodes[i].Name] = &nodes[i]
	}
	for i := range f.Nodes {
		if err := f.Nodes[i].set(doc, i, byName, nodes); err != nil {
			return nil, err
		}
	}
	with, err := c.WithNodes(nodes)
	if err != nil && !strings.HasPrefix(err.Error(), doc.At()+":") {
		err = located(doc, err)
	}
	return with, err
}

// nodes are the nodes of the leaf with the number i.
func (f *leafFile) nodes(doc *strict.Doc, i int) ([]Node, error) {
	table := fmt.Sprintf("leaf[%d]", i)
	at := func(key string) string { return at(doc, table, key) }
	if f.Name == "" {
		return nil, fmt.Errorf("%s: the leaf needs a name", at("name"))
	}
	in, err := pathOf(named{f.Name, 0})
	if err != nil {
		return nil, placed(err, func(int) string { return at("name") })
	}
	if (f.Nodes == "") == (f.Size == 0) {
		return nil, fmt.Errorf("%s: leaf %s: want either nodes, such as \"gpu[001-030]\", or size, their number", at("name"), strict.Clip(f.Name, 40))
	}
	gpus := -1
	if f.GPUs != nil {
		if gpus = *f.GPUs; gpus < 0 {
			return nil, fmt.Errorf("%s: gpus = %d: want the number of healthy GPUs of each node, at least 0", at("gpus"), gpus)
		}
	}
	if f.Size != 0 {
		if f.Size < 1 || f.Size > maxNodes {
			return nil, fmt.Errorf("%s: size = %d: want 1 to %d nodes", at("size"), f.Size, maxNodes)
		}
		f.Nodes = fmt.Sprintf("%s-[1-%d]", in[len(in)-1], f.Size)
	}
	key := "nodes"
	if f.Size != 0 {
		key = "size"
	}
	found, err := hosts(f.Nodes, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %s %q: %w", at(key), key, strict.Clip(f.Nodes, 60), err)
	}
	return once(found, func(int) string { return at(key) }, in, gpus)
}

// at is where a key of a table stands, or the table.
func at(doc *strict.Doc, table, key string) string {
	if path := table + "." + key; doc.HasElement(path) {
		return doc.AtElement(path)
	}
	return doc.AtElement(table)
}

// set gives the nodes of the table with the number i their healthy GPUs.
func (f *nodeFile) set(doc *strict.Doc, i int, byName map[string]*Node, nodes []Node) error {
	table := fmt.Sprintf("node[%d]", i)
	if f.GPUs == nil || *f.GPUs < 0 {
		return fmt.Errorf("%s: node %q: want gpus, the number of healthy ones, at least 0", at(doc, table, "gpus"), strict.Clip(f.Name, 60))
	}
	names, err := Hosts(f.Name)
	if err != nil {
		return fmt.Errorf("%s: name %q: %w", at(doc, table, "name"), strict.Clip(f.Name, 60), err)
	}
	for _, name := range names {
		n := byName[name]
		if n == nil {
			return fmt.Errorf("%s: node %s is in no leaf%s", at(doc, table, "name"), name, strict.Suggest(name, namesOf(nodes), 2, nil))
		}
		n.GPUs, n.At = *f.GPUs, at(doc, table, "gpus")
	}
	return nil
}

// tables are the leaves and nodes of a cluster file that gives the machines.
func (m *Machines) tables() (leaves []leafFile, nodes []nodeFile) {
	var names, broken [][]string
	for i := range m.Nodes {
		n := &m.Nodes[i]
		leaf := strings.Join(n.In, "/")
		if len(n.In) == 0 {
			leaf = "all"
		}
		if k := len(leaves) - 1; k < 0 || leaves[k].Name != leaf {
			leaves, names = append(leaves, leafFile{Name: leaf}), append(names, nil)
		}
		names[len(names)-1] = append(names[len(names)-1], n.Name)
		if n.GPUs < m.of.GPUsPerNode {
			if k := len(nodes) - 1; k < 0 || *nodes[k].GPUs != n.GPUs {
				nodes, broken = append(nodes, nodeFile{GPUs: &n.GPUs}), append(broken, nil)
			}
			broken[len(broken)-1] = append(broken[len(broken)-1], n.Name)
		}
	}
	for i := range leaves {
		leaves[i].Nodes = FoldHosts(names[i])
	}
	for i := range nodes {
		nodes[i].Name = FoldHosts(broken[i])
	}
	return leaves, nodes
}
