package assign

import "slices"

// gather sorts the slices of the grid along each axis by the bins of their
// items, where no more groups straddle bins then. The groups along the axes
// never do: they are renumbered only.
func (p *Problem) gather(a *Answer) {
	stride := 1
	for _, n := range p.Grid {
		bin := p.sorted(a.Bin, stride, n)
		found := make([]int, len(p.Kinds))
		for k := range found {
			found[k] = p.straddling(k, bin)
		}
		if slices.Compare(found, a.Straddling) <= 0 {
			a.Bin, a.Straddling = bin, found
		}
		stride *= n
	}
}

// sorted is the assignment with the slices along an axis in the order of their
// bins.
func (p *Problem) sorted(bin []int, stride, n int) []int {
	members := make([][]int, n)
	for i := range bin {
		k := i / stride % n
		members[k] = append(members[k], i)
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int {
		for m := range members[x] {
			if c := bin[members[x][m]] - bin[members[y][m]]; c != 0 {
				return c
			}
		}
		return 0
	})
	out := make([]int, len(bin))
	for to, from := range order {
		for m, i := range members[to] {
			out[i] = bin[members[from][m]]
		}
	}
	return out
}
