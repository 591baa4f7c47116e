package search

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/plan"
)

// machines counts the nodes of the job's list, nil without one.
func (j *job) machines() *Machines {
	c := j.facts.Cluster
	if c.Machines == nil {
		return nil
	}
	return &Machines{Nodes: len(c.Machines.Nodes), GPUs: c.Present(), Healthy: c.GPUs()}
}

// seat says which nodes run an aligned plan.
func (j *job) seat(r *PlanResult, p *plan.Plan) {
	used := usedOf(p, j.levels)
	if seats := j.facts.Cluster.Seats(used); seats != nil {
		j.host(r, p, seats)
	}
}

// usedOf are the sub-domains that a plan uses in each domain of the levels.
func usedOf(p *plan.Plan, levels int) []int32 {
	used := make([]int32, levels)
	for l := range used {
		used[l] = p.Placement.Used(l)
	}
	return used
}

// host lists the nodes that run a plan whose block number i, in the order of
// the positions on the levels above the boxes, has the shares seats[i].
func (j *job) host(r *PlanResult, p *plan.Plan, seats [][]cluster.Share) {
	order := j.Framework.RankOrder(j.facts, p)
	n := newNumbering(p, j.levels, &order)
	at := map[*cluster.Node]int{}
	ranks := [][]int{}
	for i, shares := range seats {
		block := n.block(i, j.facts.Cluster.Machines.Box)
		for _, s := range shares {
			k, known := at[s.Node]
			if !known {
				k = len(r.Hosts)
				at[s.Node] = k
				r.Hosts, ranks = append(r.Hosts, Host{Node: s.Node.Name, In: s.Node.In}), append(ranks, nil)
			}
			ranks[k], block = append(ranks[k], block[:s.GPUs]...), block[s.GPUs:]
		}
	}
	for k := range r.Hosts {
		r.Hosts[k].GPUs, r.Hosts[k].Ranks = len(ranks[k]), runLength(ranks[k])
	}
	r.RankOrder = order.Name
	sortHosts(r.Hosts, ranks)
}

// sortHosts orders the hosts by their first rank.
func sortHosts(hosts []Host, ranks [][]int) {
	byRank := make([]int, len(hosts))
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortFunc(byRank, func(a, b int) int { return cmp.Compare(ranks[a][0], ranks[b][0]) })
	sorted := make([]Host, len(hosts))
	for i, k := range byRank {
		sorted[i] = hosts[k]
	}
	copy(hosts, sorted)
}

// runLength writes ranks with their runs folded: "0-3,16-19".
func runLength(ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); {
		end := i + 1
		for end < len(ranks) && ranks[end] == ranks[end-1]+1 {
			end++
		}
		part := fmt.Sprint(ranks[i])
		if end > i+1 {
			part += fmt.Sprint("-", ranks[end-1])
		}
		parts, i = append(parts, part), end
	}
	return strings.Join(parts, ",")
}

// numbering gives the rank of each position of a plan. A position counts the
// GPUs used, those of one domain of a level together; on every level the dense
// dimensions vary in their own order, tp fastest.
type numbering struct {
	p       *plan.Plan
	levels  int
	used    []int32
	strides [plan.NumDims]int
}

func newNumbering(p *plan.Plan, levels int, o *framework.RankOrder) *numbering {
	n := &numbering{p: p, levels: levels, used: usedOf(p, levels)}
	degrees := framework.DegreesOf(p)
	for _, d := range plan.DenseDims {
		n.strides[d] = o.Stride(d, &degrees)
	}
	return n
}

// inside is the number of positions in a domain of the level.
func (n *numbering) inside(level int) int {
	size := 1
	for _, u := range n.used[:level+1] {
		size *= int(u)
	}
	return size
}

// block are the ranks of block number i of what is used up to the level. The
// GPUs of an innermost domain are alike, so that they run theirs in order.
func (n *numbering) block(i, level int) []int {
	size := n.inside(level)
	ranks := make([]int, size)
	for k := range ranks {
		ranks[k] = n.rank(i*size + k)
	}
	for domain := range slices.Chunk(ranks, int(n.used[0])) {
		slices.Sort(domain)
	}
	return ranks
}

func (n *numbering) rank(position int) int {
	rank := 0
	var below [plan.NumDims]int
	for d := range below {
		below[d] = 1
	}
	for l := range n.levels {
		digits := position % int(n.used[l])
		position /= int(n.used[l])
		for _, d := range plan.DenseDims {
			f := int(max(1, n.p.Placement.Factor[d][l]))
			rank += digits % f * below[d] * n.strides[d]
			digits /= f
			below[d] *= f
		}
	}
	return rank
}

// JoinRuns writes runs of ranks behind each other, those that follow on each
// other as one: "0-7" and "8-15" are "0-15".
func JoinRuns(list []string) string {
	var parts []string
	last := -1
	for part := range strings.SplitSeq(strings.Join(list, ","), ",") {
		first, end, isRun := strings.Cut(part, "-")
		if !isRun {
			end = first
		}
		k := len(parts) - 1
		if from, _ := strconv.Atoi(first); k >= 0 && from == last+1 {
			head, _, _ := strings.Cut(parts[k], "-")
			parts[k] = head + "-" + end
		} else {
			parts = append(parts, part)
		}
		last, _ = strconv.Atoi(end)
	}
	return strings.Join(parts, ",")
}
