package main

import (
	"fmt"
	"slices"

	"meshplan/cluster"
	"meshplan/search"
)

// hosts says which nodes run a plan, those of a leaf together, and how the
// groups of an unaligned plan lie on the leaves.
func hosts(p *page, a *search.PlanResult) {
	if u := a.Unaligned; u != nil {
		p.heading("Unaligned: %s of %s, wherever there is room", count(u.Blocks, "block"), count(u.GPUsPerBlock, "GPU"))
		var items [][2]string
		for _, s := range u.Straddling {
			verb := "straddle"
			if s.Groups == 1 {
				verb = "straddles"
			}
			text := fmt.Sprintf("%s of %s %s %s domains", grouped(float64(s.Straddle)), count(s.Groups, "group"), verb, u.Level)
			if !s.Least {
				text += "; that fewer cannot is not proven"
			}
			items = append(items, [2]string{s.Dimension, text})
		}
		p.list(items)
	}
	if len(a.Hosts) == 0 {
		return
	}
	p.heading("Nodes by rank (%s)", a.RankOrder)
	rows := [][]string{{"leaf", "nodes", "GPUs each", "ranks"}}
	i := 0
	for i < len(a.Hosts) && len(rows) <= mostRows {
		first, end := &a.Hosts[i], i+1
		names, ranks := []string{first.Node}, []string{first.Ranks}
		for ; end < len(a.Hosts) && alike(first, &a.Hosts[end]); end++ {
			names, ranks = append(names, a.Hosts[end].Node), append(ranks, a.Hosts[end].Ranks)
		}
		rows = append(rows, []string{leafName(first.In), cluster.FoldHosts(names), fmt.Sprint(first.GPUs), search.JoinRuns(ranks)})
		i = end
	}
	p.table(rows)
	if rest := len(a.Hosts) - i; rest > 0 {
		p.line("  and %s more; --json names all", count(rest, "node"))
	}
}

// mostRows is the most rows of nodes that are shown.
const mostRows = 24

// alike reports whether two nodes are in one leaf and run as many ranks.
func alike(a, b *search.Host) bool {
	return slices.Equal(a.In, b.In) && a.GPUs == b.GPUs
}
