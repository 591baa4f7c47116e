package framework

import (
	"fmt"
	"strings"

	"meshplan/plan"
	"meshplan/units"
)

// RankOrder is how a framework numbers its ranks: the dimensions of each grid,
// the one that varies fastest first.
type RankOrder struct {
	Name   string // as the framework spells it: "tp-cp-ep-dp-pp"
	Of     string // the framework's name: "Megatron"
	Flag   string // the flag that selects it; "" for the default
	Dense  []plan.Dim
	Expert []plan.Dim
}

// Degrees are the degrees of all dimensions.
type Degrees [plan.NumDims]int32

// DegreesOf are the degrees of a plan.
func DegreesOf(p *plan.Plan) Degrees {
	var degrees Degrees
	for d := range plan.NumDims {
		degrees[d] = p.Placement.Degree(d)
	}
	return degrees
}

// Stride is the distance in ranks between neighbours of the dimension's groups.
// The dense grid's answers for pp.
func (o *RankOrder) Stride(d plan.Dim, degrees *Degrees) int {
	return strideIn(o.gridOf(d), d, degrees)
}

func strideIn(grid []plan.Dim, d plan.Dim, degrees *Degrees) int {
	stride := 1
	for _, e := range grid {
		if e == d {
			break
		}
		stride *= int(degrees[e])
	}
	return stride
}

func (o *RankOrder) gridOf(d plan.Dim) []plan.Dim {
	if d == plan.ETP || d == plan.EP || d == plan.EDP {
		return o.Expert
	}
	return o.Dense
}

// Groups are the ranks of every group of the dimension, groups in the order of
// their first rank.
func (o *RankOrder) Groups(d plan.Dim, degrees *Degrees) [][]int {
	world := 1
	for _, e := range o.gridOf(d) {
		world *= int(degrees[e])
	}
	stride, n := o.Stride(d, degrees), int(degrees[d])
	var groups [][]int
	for first := range world {
		if first/stride%n != 0 {
			continue
		}
		group := make([]int, n)
		for i := range group {
			group[i] = first + i*stride
		}
		groups = append(groups, group)
	}
	return groups
}

// Place is where contiguous ranks put the degrees when used[l] sub-domains are
// used in each domain of level l. The error says which dimension's groups are
// cut unevenly by which level.
func (o *RankOrder) Place(used []int32, degrees *Degrees, levelName func(int) string) (plan.Placement, error) {
	p := plan.Placement{Levels: int8(len(used))}
	for d := range p.Factor {
		for l := range p.Factor[d] {
			p.Factor[d][l] = 1
		}
	}
	if err := o.placeGrid(&p, o.Dense, used, degrees, levelName); err != nil {
		return p, err
	}
	if degrees[plan.ETP] == 1 && degrees[plan.EP] == 1 && degrees[plan.EDP] == 1 {
		return p, nil
	}
	pp := p.Factor[plan.PP]
	if err := o.placeGrid(&p, o.Expert, used, degrees, levelName); err != nil {
		return p, err
	}
	if p.Factor[plan.PP] != pp {
		return p, fmt.Errorf("in the rank order %s the pipelines of the dense and the expert grid are on different ranks", o.Name)
	}
	return p, nil
}

func (o *RankOrder) placeGrid(p *plan.Placement, grid []plan.Dim, used []int32, degrees *Degrees, levelName func(int) string) error {
	for _, d := range grid {
		block, below := int64(1), int64(1)
		stride, size := int64(strideIn(grid, d, degrees)), int64(degrees[d])
		for l, n := range used {
			block *= int64(n)
			inside, ok := ranksInside(block, stride, size)
			if !ok {
				return fmt.Errorf("in the rank order %s blocks of %d ranks (%s %d times stride %d) do not line up with the %d GPUs used in a domain of level %s; choose degrees whose product divides it, or give the placement",
					o.Name, stride*size, d, size, stride, block, levelName(l))
			}
			p.Factor[d][l] = int32(inside / below)
			below = inside
		}
	}
	return nil
}

// ranksInside is how many ranks of a group of the given stride and size lie in
// one contiguous block; ok is false if groups differ.
func ranksInside(block, stride, size int64) (n int64, ok bool) {
	switch {
	case block <= stride:
		return 1, stride%block == 0
	case block >= stride*size:
		return size, block%(stride*size) == 0
	}
	n = block / stride
	return n, block%stride == 0 && size%n == 0
}

// SpreadEvenly says how many sub-domains of each level a job of the given
// number of GPUs uses if it takes as many of each as it can.
func SpreadEvenly(f *Facts, gpus int64) ([]int32, error) {
	if have := f.Cluster.GPUs(); gpus > int64(have) {
		return nil, fmt.Errorf("the plan needs %s GPUs; the cluster has %s: %s", units.Grouped(gpus), units.Grouped(int64(have)), Levels(f))
	}
	levels := f.Cluster.Levels
	used := make([]int32, len(levels))
	room := make([]int64, len(levels)+1)
	room[len(levels)] = 1
	for l := len(levels) - 1; l >= 0; l-- {
		room[l] = room[l+1] * int64(levels[l].Size)
	}
	if !spread(f, gpus, 0, used, room) {
		return nil, fmt.Errorf("%d GPUs cannot be spread evenly over the %d of the cluster, whose levels are %s", gpus, f.Cluster.GPUs(), Levels(f))
	}
	return used, nil
}

func spread(f *Facts, rest int64, l int, used []int32, room []int64) bool {
	if l == len(used) {
		return rest == 1 && f.Cluster.Holds(used)
	}
	for n := min(rest, int64(f.Cluster.Levels[l].Size)); n >= 1; n-- {
		if rest%n != 0 || rest/n > room[l+1] {
			continue
		}
		used[l] = int32(n)
		if spread(f, rest/n, l+1, used, room) {
			return true
		}
	}
	return false
}

// Levels are the cluster's levels with their sizes: "nvlink 8 x leaf 32".
func Levels(f *Facts) string {
	text := ""
	for l, level := range f.Cluster.Levels {
		if l > 0 {
			text += " x "
		}
		text += fmt.Sprintf("%s %d", level.Name, level.Size)
	}
	return text
}

// Warning is "" if the order gives the plan's placement, and otherwise says
// which dimension it would put elsewhere.
func (o *RankOrder) Warning(f *Facts, p *plan.Plan) string {
	levels := len(f.Cluster.Levels)
	used := make([]int32, levels)
	for l := range used {
		used[l] = p.Placement.Used(l)
	}
	degrees := DegreesOf(p)
	own, err := o.Place(used, &degrees, func(l int) string { return f.Cluster.Levels[l].Name })
	if err != nil {
		return "placement needs a custom rank map: " + err.Error()
	}
	for d := range plan.NumDims {
		for l := range levels {
			if max(1, p.Placement.Factor[d][l]) != own.Factor[d][l] {
				return fmt.Sprintf("placement needs a custom rank map: %s's order %s puts %s %s on %s, this plan %s",
					o.Of, o.Name, d, factors(&own, d, levels), names(f), factors(&p.Placement, d, levels))
			}
		}
	}
	return ""
}

// names lists the levels as factors lists their factors: "nvlink/leaf".
func names(f *Facts) string { return strings.ReplaceAll(levelNames(f), ", ", "/") }

func factors(p *plan.Placement, d plan.Dim, levels int) string {
	text := ""
	for l := range levels {
		if l > 0 {
			text += "/"
		}
		text += fmt.Sprint(max(1, p.Factor[d][l]))
	}
	return text
}
