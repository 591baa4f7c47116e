package framework

import (
	"meshplan/cluster"
	"meshplan/plan"
)

// healthy: the nodes that there really are have room for what a plan uses. It
// uses as many GPUs in each node that it uses, as many nodes in each leaf, and
// so on; so there must be as many leaves with as many nodes with as many healthy
// GPUs.
func healthy(id string, c *cluster.Cluster) Rule {
	reads := degreesOf(plan.DenseDims[:])
	for _, d := range plan.DenseDims {
		for l := range len(c.Levels) - 1 {
			reads = append(reads, plan.At(d, l))
		}
	}
	return Rule{
		ID: id, Reads: reads,
		Holds: func(f *Facts, p *plan.Point) bool { return c.Holds(usedOn(f, p)) },
		Used:  c.Holds,
		Text:  func(f *Facts, p *plan.Point) string { return c.Shortfall(usedOn(f, p)) },
	}
}

// usedOn are the sub-domains that the point uses in each domain of the levels.
func usedOn(f *Facts, p *plan.Point) []int32 {
	used := make([]int32, len(f.Cluster.Levels))
	for l := range used {
		n, _ := product(p, plan.DenseDims[:], l)
		used[l] = int32(max(1, n))
	}
	return used
}
