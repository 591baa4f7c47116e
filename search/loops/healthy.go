package loops

import (
	"slices"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/plan"
)

// ownRule replaces the framework's rule of an irregular cluster by one that
// looks at each domain in turn.
func ownRule(p *Problem) *Problem {
	c := p.Facts.Cluster
	if !c.Irregular() {
		return p
	}
	q := *p
	q.Rules = slices.DeleteFunc(slices.Clone(p.Rules), func(r framework.Rule) bool { return r.ID == framework.HealthyRule })
	var reads []plan.Coord
	for _, d := range plan.DenseDims {
		for l := range plan.MaxLevels {
			reads = append(reads, plan.At(d, l))
		}
	}
	levels := len(c.Levels)
	q.Rules = append(q.Rules, framework.Rule{ID: "room", Reads: reads, Holds: func(_ *framework.Facts, p *plan.Point) bool {
		used := make([]int, levels)
		below := 1
		for l := range used {
			ranks := 1
			for _, d := range plan.DenseDims {
				ranks *= int(p[plan.At(d, l)])
			}
			used[l], below = ranks/below, ranks
		}
		if c.IsMerged() {
			return anywhere(c, used)
		}
		return hasRoom(c.Machines.Root, used, levels-1)
	}})
	return &q
}

// hasRoom reports whether a domain of the level has room for what is used.
func hasRoom(d *cluster.Domain, used []int, level int) bool {
	if level == 0 {
		return d.GPUs >= used[0]
	}
	n := 0
	for _, in := range d.Inside {
		if hasRoom(in, used, level-1) {
			n++
		}
	}
	return n >= used[level]
}

// anywhere reports whether the boxes hold the blocks that are used.
func anywhere(c *cluster.Cluster, used []int) bool {
	n, _ := blocksIn(c.Machines.Root, used, c.Machines.Box)
	return n >= used[len(used)-1]
}

// blocksIn is how many blocks lie in a domain, which are cut from what each domain up
// to the box holds, and the domain's level.
func blocksIn(d *cluster.Domain, used []int, box int) (n, level int) {
	if len(d.Inside) == 0 {
		return d.GPUs / used[0], 0
	}
	for _, in := range d.Inside {
		more, below := blocksIn(in, used, box)
		n, level = n+more, below+1
	}
	if level <= box {
		n /= used[level]
	}
	return n, level
}
