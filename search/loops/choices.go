package loops

import "meshplan/plan"

// choices are the values that loop i can take under those set before it, by
// the grids alone: rules are asked afterwards. The slice is valid until the
// next call for the same loop.
func (e *Enumerator) choices(i int, from []int32) []int32 {
	c, out := e.order[i], e.chosen[i][:0]
	d, level, placed := c.Dim()
	for _, v := range from {
		switch {
		case !placed,
			c == plan.Coord(d) && e.degreeFits(d, int64(v)),
			c != plan.Coord(d) && e.factorFits(d, level, v):
			out = append(out, v)
		}
	}
	e.chosen[i] = out
	return out
}

// degreeFits reports whether a degree leaves room for the degrees still open.
func (e *Enumerator) degreeFits(d plan.Dim, v int64) bool {
	if d <= plan.PP {
		product := v
		for b := plan.Dim(0); b < d; b++ {
			product *= int64(e.point[plan.Coord(b)])
		}
		return product <= e.inner[e.levels-1]
	}
	if !e.moe {
		return v == 1
	}
	for b := plan.ETP; b < d; b++ {
		v *= int64(e.point[plan.Coord(b)])
	}
	ranks := e.gpus() / int64(e.point[plan.Coord(plan.PP)])
	if d == plan.EDP {
		return v == ranks
	}
	return ranks%v == 0
}

// gpus is the number of GPUs used, once the dense degrees are set.
func (e *Enumerator) gpus() int64 {
	n := int64(1)
	for d := plan.TP; d <= plan.PP; d++ {
		n *= int64(e.point[plan.Coord(d)])
	}
	return n
}

// factorFits reports whether a cumulative factor divides upwards and whether
// the grids still fit the level: the dense grid at most fills it, the expert
// grid then uses as many as the dense one.
func (e *Enumerator) factorFits(d plan.Dim, level int, v int32) bool {
	if e.point[plan.Coord(d)]%v != 0 || v%e.below(d, level) != 0 {
		return false
	}
	if d <= plan.PP {
		used := e.used(plan.TP, d, level) * int64(v/e.below(d, level))
		return used <= e.sizes[level] && (d != plan.PP || e.rest(level, used))
	}
	if !e.moe {
		return true // degree 1
	}
	used := e.used(plan.ETP, d, level) * int64(v/e.below(d, level)) * e.factor(plan.PP, level)
	dense := e.used(plan.TP, plan.PP+1, level)
	return used == dense || d != plan.EDP && dense%used == 0
}

// rest reports whether the GPUs above the level hold what is not placed up to
// it.
func (e *Enumerator) rest(level int, used int64) bool {
	below := int64(1)
	for l := 0; l < level; l++ {
		below *= e.used(plan.TP, plan.PP+1, l)
	}
	return e.gpus()/(below*used) <= e.outer[level]
}

// used is the product of the factors on a level of the dimensions from..to-1.
func (e *Enumerator) used(from, to plan.Dim, level int) int64 {
	n := int64(1)
	for d := from; d < to; d++ {
		n *= e.factor(d, level)
	}
	return n
}

func (e *Enumerator) factor(d plan.Dim, level int) int64 {
	return int64(e.point[plan.At(d, level)] / e.below(d, level))
}

func (e *Enumerator) below(d plan.Dim, level int) int32 {
	if level == 0 {
		return 1
	}
	return e.point[plan.At(d, level-1)]
}

// divides reports whether the value of loop i divides the factors set above it
// and is divided by those below. It asks of loops in any order.
func (s *search) divides(i int, v int32) bool {
	d, level, placed := s.order[i].Dim()
	if !placed {
		return true
	}
	if s.order[i] == plan.Coord(d) {
		level = s.levels - 1
	}
	for l := range s.levels {
		if c := plan.At(d, l); s.position[c] < i {
			if at := s.point[c]; l < level && v%at != 0 || l > level && at%v != 0 {
				return false
			}
		}
	}
	return true
}

// completions lists for each loop the levels all of whose factors are known
// from there on, and not before.
func (s *search) completions() [][]int {
	list := make([][]int, len(s.order))
	for l := range s.levels {
		last := 0
		for d := range plan.NumDims {
			last = max(last, s.position[plan.At(d, l)])
			if l > 0 {
				last = max(last, s.position[plan.At(d, l-1)])
			}
		}
		list[last] = append(list[last], l)
	}
	return list
}

// fill reports whether the grids fit the levels that loop i completes, and use
// as many of their sub-domains.
func (s *search) fill(i int) bool {
	for _, l := range s.complete[i] {
		used := s.used(plan.TP, plan.PP+1, l)
		if used > s.sizes[l] || s.moe && s.used(plan.ETP, plan.NumDims, l)*s.factor(plan.PP, l) != used {
			return false
		}
	}
	return true
}
