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
	l := &catalogue{
		name: "clusters", short: "The clusters that can be named", show: "NAME:GPUS|FILE",
		known: cluster.Names, rows: clusterRows, items: clusterItems, view: clusterView, toml: clusterTOML, extra: clusterExtra,
	}
	return l.command(a)
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
func clusterView(name string) (string, error) {
	c, err := cluster.Load(name)
	if err != nil {
		return "", err
	}
	var p page
	p.line("%s: %s x %s in %s of %d", c.Name, units.Grouped(int64(c.GPUs())), c.GPU.Name, count(c.Nodes(), "node"), c.GPUsPerNode)
	p.list([][2]string{
		{"memory", c.GPU.Runtime.String() + " a GPU as the runtime reports it"},
		{"bf16 peak", peak(c.GPU)},
		{"HBM", c.GPU.HBM.String()},
		{"host", host(c)},
	})
	p.heading("Levels, innermost first")
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

func clusterTOML(name string) ([]byte, error) {
	c, err := cluster.Load(name)
	if err != nil {
		return nil, err
	}
	return c.TOML()
}

func clusterExtra(name string) map[string]float64 {
	c, err := cluster.Load(name)
	if err != nil {
		return nil
	}
	return map[string]float64{"gpus": float64(c.GPUs())}
}
