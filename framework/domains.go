package framework

import (
	"slices"

	"meshplan/plan"
)

// Bounds of the values that the search ranges over; a pin may go beyond them.
const (
	MaxVPP        = 16
	MaxMicroBatch = 32
	MaxETP        = 64
)

// Domains are the candidate values of every coordinate, ascending: the space
// that a search ranges over. The placement coordinates of a dimension hold the
// cumulative factors that lead to some degree of it.
type Domains struct {
	Values [plan.NumCoords][]int32
}

// NewDomains are the values worth a look for the job: degrees that divide what
// they split, fit the cluster and can be placed on its levels, and the values
// that pins name.
func NewDomains(f *Facts, fw Framework, pins []Pin) *Domains {
	return newDomains(f, fw, pins, func(n, most int) []int32 { return divisors(n, most) })
}

// WideDomains are those of NewDomains and, besides, degrees that can be placed but
// do not divide what they split. A rule refuses them, which is how it comes to be
// among the reasons for which nothing fits.
func WideDomains(f *Facts, fw Framework, pins []Pin) *Domains {
	return newDomains(f, fw, pins, func(n, most int) []int32 {
		values := divisors(n, most)
		for _, d := range divisors(f.Cluster.GPUs(), most) {
			if int(d) <= n {
				values = append(values, d)
			}
		}
		return sorted(values)
	})
}

// newDomains are the domains whose degrees are those that may split a number.
func newDomains(f *Facts, fw Framework, pins []Pin, splitting func(n, most int) []int32) *Domains {
	d := &Domains{}
	searched := fw.Options()
	own := func(c plan.Coord, values []int32) []int32 {
		if v, ok := searched[c]; ok {
			return v
		}
		return values
	}
	degree := func(dim plan.Dim, values []int32) { d.degree(f, dim, own(plan.Coord(dim), values), pins) }
	n := f.Cluster.GPUs()
	batch := int(f.Workload.GlobalBatch)
	degree(plan.TP, splitting(f.Model.Heads, n))
	degree(plan.CP, splitting(int(f.Workload.SeqLen), n))
	degree(plan.DPShard, splitting(batch, n))
	degree(plan.DPReplicate, splitting(batch, n))
	degree(plan.PP, upTo(min(n, f.Model.Layers)))
	experts, width := []int32{1}, []int32{1}
	if f.MoE() {
		experts, width = splitting(f.Model.Experts, n), splitting(f.Model.MoEFFN, min(n, MaxETP))
	}
	degree(plan.ETP, width)
	degree(plan.EP, experts)
	d.degree(f, plan.EDP, d.expertReplicas(f, n), pins)
	option := func(c plan.Coord, values []int32) { d.option(c, own(c, values), pins) }
	option(plan.VPP, upTo(min(MaxVPP, f.Model.Layers)))
	option(plan.MicroBatch, splitting(batch, MaxMicroBatch))
	option(plan.SP, []int32{0, 1})
	for _, c := range []plan.Coord{plan.Zero, plan.RecomputeC, plan.CPCommC, plan.ScheduleC, plan.OptOffload, plan.ActOffload, plan.RecomputeSpare} {
		option(c, []int32{0})
	}
	return d
}

func (d *Domains) option(c plan.Coord, values []int32, pins []Pin) {
	d.Values[c] = withPinned(c, values, pins)
}

// withPinned are the values of an option and those that pins add.
func withPinned(c plan.Coord, values []int32, pins []Pin) []int32 {
	values = append(values[:len(values):len(values)], named(c, pins)...)
	return sorted(append(values, freed(c, pins)...))
}

// freed are the values of an option that most jobs leave at its default, where
// pins bound it instead of naming one value.
func freed(c plan.Coord, pins []Pin) []int32 {
	bounded := slices.ContainsFunc(pins, func(p Pin) bool {
		return p.compound() == "" && p.Coord == c && (p.Op == "<=" || p.Op == ">=")
	})
	if !bounded {
		return nil
	}
	return Choices(c)
}

// Choices are the values that a search takes of an option which most jobs leave
// at its default, where the job frees it; none for other coordinates.
func Choices(c plan.Coord) []int32 {
	switch {
	case c == plan.CPCommC:
		return []int32{int32(plan.CPRing), int32(plan.CPAllGather), int32(plan.CPAllToAll), int32(plan.CPHierarchical)}
	case c == plan.ScheduleC:
		return append([]int32{0}, upTo(int(plan.NumSchedules)-2)...)
	case c == plan.OptOffload || c == plan.ActOffload:
		return []int32{0, 25, 50, 75, 100}
	case c == plan.RecomputeSpare:
		return []int32{0, 25, 50, 75, plan.SpareFitting}
	}
	return nil
}

// degree sets the values of a dimension on every level.
func (d *Domains) degree(f *Facts, dim plan.Dim, values []int32, pins []Pin) {
	values = sorted(append(values, named(plan.Coord(dim), pins)...))
	levels := len(f.Cluster.Levels)
	reach := reachable(f, values)
	degrees := sorted(append(reach[levels-1], named(plan.Coord(dim), pins)...))
	for l := range plan.MaxLevels {
		if l < levels-1 {
			d.Values[plan.At(dim, l)] = reach[l]
		} else {
			d.Values[plan.At(dim, l)] = degrees
		}
	}
}

// reachable are the cumulative factors on each level from which a degree can
// still be reached with factors that fit the levels' sizes.
func reachable(f *Facts, degrees []int32) [][]int32 {
	candidates := divisorsOfAny(degrees)
	levels := f.Cluster.Levels
	reach := make([][]int32, len(levels))
	below := []int32{1}
	for l := range levels {
		if l == len(levels)-1 {
			candidates = degrees
		}
		size := int32(levels[l].Size)
		reach[l] = keep(candidates, func(c int32) bool {
			return slices.ContainsFunc(below, func(b int32) bool { return c%b == 0 && c/b <= size })
		})
		below = reach[l]
	}
	for l := len(levels) - 2; l >= 0; l-- {
		size := int32(levels[l+1].Size)
		reach[l] = keep(reach[l], func(b int32) bool {
			return slices.ContainsFunc(reach[l+1], func(c int32) bool { return c%b == 0 && c/b <= size })
		})
	}
	return reach
}

// expertReplicas are the quotients of dense and expert ranks that can occur.
func (d *Domains) expertReplicas(f *Facts, most int) []int32 {
	if !f.MoE() {
		return []int32{1}
	}
	dense := d.products(most, plan.TP, plan.CP, plan.DPShard, plan.DPReplicate)
	expert := d.products(most, plan.ETP, plan.EP)
	set := map[int32]bool{1: true}
	for _, n := range dense {
		for _, e := range expert {
			if n%e == 0 {
				set[n/e] = true
			}
		}
	}
	return keys(set)
}

// products are the products of one value of each dimension, up to most.
func (d *Domains) products(most int, dims ...plan.Dim) []int32 {
	set := map[int32]bool{1: true}
	for _, dim := range dims {
		next := map[int32]bool{}
		for n := range set {
			for _, v := range d.Values[dim] {
				if int64(n)*int64(v) <= int64(most) {
					next[n*v] = true
				}
			}
		}
		set = next
	}
	return keys(set)
}

// UsualPipelines are the pipeline degrees whose primes divide the size of a level,
// the number of layers or a pinned number of GPUs: plans that use every GPU have no
// others. Rest are those.
func (d *Domains) UsualPipelines(f *Facts, pins []Pin) (usual, rest []int32) {
	whole := []int{f.Model.Layers}
	for _, level := range f.Cluster.Levels {
		whole = append(whole, level.Size)
	}
	for _, p := range pins {
		if p.Name == "gpus" && p.Op == "=" {
			whole = append(whole, int(p.Value))
		}
	}
	for _, pp := range d.Values[plan.PP] {
		left := int(pp)
		for _, n := range whole {
			left = strip(left, n)
		}
		if left == 1 {
			usual = append(usual, pp)
		} else {
			rest = append(rest, pp)
		}
	}
	return usual, rest
}
