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

// axes reports whether the groups of each kind are the lines along an axis of
// the grid.
func (p *Problem) axes() bool {
	var lines [][][]int
	stride := 1
	for _, n := range p.Grid {
		lines = append(lines, p.lines(stride, n))
		stride *= n
	}
	for _, kind := range p.Kinds {
		same := func(axis [][]int) bool {
			return slices.EqualFunc(axis, kind, func(a, b []int) bool { return slices.Equal(a, b) })
		}
		if !slices.ContainsFunc(lines, same) {
			return false
		}
	}
	return len(lines) > 0
}

// lines are the lines along an axis of the grid, by their first item.
func (p *Problem) lines(stride, n int) [][]int {
	var lines [][]int
	for first := range p.Items {
		if first/stride%n != 0 {
			continue
		}
		line := make([]int, n)
		for k := range line {
			line[k] = first + k*stride
		}
		lines = append(lines, line)
	}
	return lines
}
