package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/cluster"
	"meshplan/plan"
	"meshplan/units"
)

// clustersCommand is `clusters`.
func clustersCommand(a *app) *cobra.Command {
	var nodes, topology string
	load := func(name string) (*cluster.Cluster, error) {
		return clusterOf(&job{cluster: name, nodes: nodes, topology: topology})
	}
	l := &catalogue{
		name: "clusters", short: "The clusters that can be named", show: "NAME:GPUS|FILE",
		known: cluster.Names, rows: clusterRows, items: clusterItems,
		view:  func(name string) (string, error) { return clusterView(load(name)) },
		toml:  func(name string) ([]byte, error) { return clusterTOML(load(name)) },
		extra: func(name string) map[string]float64 { return clusterExtra(load(name)) },
	}
	c := l.command(a)
	for _, show := range c.Commands() {
		if show.Name() == "show" {
			show.Flags().StringVar(&nodes, "nodes", "", "`LIST`: "+fieldOf("nodes").usage)
			show.Flags().StringVar(&topology, "topology", "", "`FILE`: "+fieldOf("topology").usage)
		}
	}
	return c
}

// clusterItem is an entry of `clusters list --json`.
type clusterItem struct {
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases"`
	GPU         string   `json:"gpu"`
	MemoryBytes float64  `json:"memory_bytes"` // what the runtime reports for a GPU
	BF16        float64  `json:"bf16_flops_per_second"`
}

func clusterItems() []any {
	items := []any{}
	for _, s := range cluster.All() {
		aliases := append([]string{}, s.Aliases...)
		items = append(items, clusterItem{s.Name, aliases, s.GPU.Name, float64(s.GPU.Runtime), float64(s.GPU.PeakOf(plan.BF16))})
	}
	return items
}

func clusterRows() [][]string {
	rows := [][]string{{"cluster", "GPU", "memory", "bf16 peak", "HBM", "also"}}
	for _, s := range cluster.All() {
		rows = append(rows, []string{s.Name + ":GPUS", s.GPU.Name, s.GPU.Runtime.String(), peak(s.GPU),
			s.GPU.HBM.String(), clip(strings.Join(s.Aliases, ", "), 24)})
	}
	return rows
}

// peak is the dense bf16 rate of a GPU, "-" if it has none.
func peak(g *cluster.GPU) string {
	if g.PeakOf(plan.BF16) == 0 {
		return "-"
	}
	return g.PeakOf(plan.BF16).String()
}

// clusterView is a cluster as text: its GPU, its levels and what is assumed.
func clusterView(c *cluster.Cluster, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var p page
	of := ""
	if c.Present() > c.GPUs() {
		of = " healthy of " + units.Grouped(int64(c.Present()))
	}
	p.line("%s: %s x %s%s in %s of %d", c.Name, units.Grouped(int64(c.GPUs())), c.GPU.Name, of, count(c.Nodes(), "node"), c.GPUsPerNode)
	p.list([][2]string{
		{"memory", c.GPU.Runtime.String() + " a GPU as the runtime reports it"},
		{"bf16 peak", peak(c.GPU)},
		{"HBM", c.GPU.HBM.String()},
		{"host", host(c)},
	})
	heading := "Levels, innermost first"
	if c.Irregular() {
		heading += ", with the sizes of the largest domains"
	}
	p.heading("%s", heading)
	rows := [][]string{{"level", "size", "GPUs", "per GPU and direction", "latency", "oversubscription"}}
	for i, l := range c.Levels {
		bandwidth := l.Bandwidth.String()
		if l.Mesh {
			bandwidth += ", " + l.Among(2).String() + " to a neighbour"
		}
		rows = append(rows, []string{l.Name, fmt.Sprint(l.Size), units.Grouped(int64(c.Domain(i))), bandwidth,
			l.Latency.String(), fmt.Sprintf("%g", l.Oversubscription)})
	}
	p.table(rows)
	machines(&p, c)
	warnings(&p, c.Assumptions)
	return p.String(), nil
}

// host says what a node's host offers for offload.
func host(c *cluster.Cluster) string {
	memory, link := "memory of a node unknown", "link to it unknown"
	if c.HostMemory > 0 {
		memory = c.HostMemory.String() + " a node"
	}
	if c.HostLink > 0 {
		link = c.HostLink.String() + " to each GPU"
	}
	return memory + ", " + link
}

func clusterTOML(c *cluster.Cluster, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return c.TOML()
}

func clusterExtra(c *cluster.Cluster, err error) map[string]float64 {
	if err != nil {
		return nil
	}
	extra := map[string]float64{"gpus": float64(c.GPUs())}
	if c.Machines != nil {
		extra["gpus_there"] = float64(c.Present())
	}
	return extra
}
