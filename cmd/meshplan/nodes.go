package main

import (
	"fmt"
	"os"
	"strings"

	"meshplan/cluster"
	"meshplan/units"
)

// clusterOf looks up a cluster, with the nodes of a list if there is one and
// their switches from a topology.
func clusterOf(j *job) (*cluster.Cluster, error) {
	list, topology := j.nodes, j.topology
	if list == "" && topology == "" {
		c, err := cluster.Load(j.cluster)
		return c, j.from("cluster", err)
	}
	if topology != "" {
		if _, err := os.Stat(topology); err != nil {
			return nil, fmt.Errorf("%s %q: no such file", j.named("topology"), clipped(topology))
		}
	}
	given := "nodes"
	if list == "" {
		list, topology, given = topology, "", "topology"
	}
	nodes, err := cluster.LoadNodes(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.named(given), err)
	}
	if topology != "" {
		switches, err := cluster.LoadNodes(topology)
		if err == nil {
			nodes, err = cluster.WithTopology(nodes, switches)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.named("topology"), err)
		}
	}
	c, err := cluster.LoadWith(j.cluster, nodes)
	return c, j.from("cluster", err)
}

// kindOf looks up what clusters of any size are made of.
func kindOf(j *job) (*cluster.Kind, error) {
	if j.nodes == "" && j.topology == "" {
		k, err := cluster.LoadKind(j.cluster)
		return k, j.from("cluster", err)
	}
	c, err := clusterOf(j)
	if err != nil {
		return nil, err
	}
	return cluster.KindOf(c), nil
}

// leafRow is a leaf of a list of nodes.
type leafRow struct {
	leaf           string
	nodes, broken  []string
	healthy, there int
}

// machines are the leaves of a list of nodes, with what is broken in them.
func machines(p *page, c *cluster.Cluster) {
	if c.Machines == nil {
		return
	}
	p.heading("Nodes")
	rows := [][]string{{"leaf", "nodes", "healthy", "GPUs", "broken"}}
	for _, r := range leafRows(c) {
		broken := strings.Join(r.broken, ", ")
		if len(r.broken) > mostBroken {
			broken = fmt.Sprintf("%s and %d more nodes", strings.Join(r.broken[:mostBroken], ", "), len(r.broken)-mostBroken)
		}
		rows = append(rows, []string{r.leaf, cluster.FoldHosts(r.nodes), units.Grouped(int64(r.healthy)), units.Grouped(int64(r.there)), broken})
	}
	p.table(rows)
}

// mostBroken is the most nodes with broken GPUs that a row names.
const mostBroken = 4

// leafRows are the leaves in the order of the list.
func leafRows(c *cluster.Cluster) []*leafRow {
	var list []*leafRow
	byName := map[string]*leafRow{}
	full := c.Present() / len(c.Machines.Nodes)
	for i := range c.Machines.Nodes {
		n := &c.Machines.Nodes[i]
		name := leafName(n.In)
		r := byName[name]
		if r == nil {
			r = &leafRow{leaf: name}
			list, byName[name] = append(list, r), r
		}
		r.nodes = append(r.nodes, n.Name)
		r.healthy, r.there = r.healthy+n.GPUs, r.there+full
		if n.GPUs < full {
			r.broken = append(r.broken, fmt.Sprintf("%s %d of %d", n.Name, n.GPUs, full))
		}
	}
	return list
}

// leafName is the path of a leaf, "-" where it has none.
func leafName(in []string) string {
	if len(in) == 0 {
		return "-"
	}
	return strings.Join(in, "/")
}
