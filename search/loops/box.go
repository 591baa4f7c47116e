package loops

import (
	"slices"

	"meshplan/plan"
)

// box is the smallest box known to hold the valid points under the loops up to
// i; false means there are none.
func (s *search) box(i int) (plan.Box, bool) {
	var b plan.Box
	live := &s.frames[i+1].live
	for c := range plan.Coord(plan.NumOptions) {
		if b[c] = (plan.Range{Lo: s.point[c], Hi: s.point[c]}); s.position[c] > i {
			b[c] = plan.Range{Lo: live[c][0], Hi: live[c][len(live[c])-1]}
		}
	}
	if !s.boundDegrees(&b, live) {
		return b, false
	}
	ok := true
	for l := 0; l < s.levels-1 && ok; l++ {
		ok = s.boundFactors(&b, l, i)
	}
	for d := plan.Dim(0); d < plan.NumDims; d++ {
		for l := s.levels - 1; l < plan.MaxLevels-1; l++ {
			b[plan.At(d, l)] = b[d]
		}
	}
	return b, ok
}

// boundDegrees cuts the open degrees to what the cluster holds: the product of
// a grid is at most its GPUs, and both grids use the same number.
func (s *search) boundDegrees(b *plan.Box, live *[plan.NumCoords][]int32) bool {
	most := s.inner[s.levels-1]
	if !s.cap(b, live, plan.DenseDims[:], most) {
		return false
	}
	if !s.moe {
		return true
	}
	whole := true
	for _, d := range plan.DenseDims {
		whole = whole && b[d].Single()
	}
	if !whole {
		return s.cap(b, live, plan.ExpertDims[:], most)
	}
	most = product(b, plan.DenseDims[:])
	return s.cap(b, live, plan.ExpertDims[:], most) && s.raise(b, live, plan.ExpertDims[:], most)
}

// raise lifts the lower ends of the dimensions to the least live value under
// which their product can reach need.
func (s *search) raise(b *plan.Box, live *[plan.NumCoords][]int32, dims []plan.Dim, need int64) bool {
	for _, d := range dims {
		others := int64(1)
		for _, o := range dims {
			if o != d && others < need {
				others *= int64(b[o].Hi)
			}
		}
		r, least := &b[d], int32(ceilDiv(need, others))
		if least > r.Hi {
			return false
		}
		if least > r.Lo {
			at, _ := slices.BinarySearch(live[d], least)
			r.Lo = min(r.Hi, live[d][at])
		}
	}
	return true
}

// cap lowers the upper ends of the dimensions to the largest live value under
// which their product is at most most.
func (s *search) cap(b *plan.Box, live *[plan.NumCoords][]int32, dims []plan.Dim, most int64) bool {
	least := product(b, dims)
	if least > most {
		return false
	}
	for _, d := range dims {
		r := &b[d]
		room := most / (least / int64(r.Lo))
		for v := live[d]; int64(r.Hi) > room; v = v[:len(v)-1] {
			r.Hi = v[len(v)-1]
		}
	}
	return true
}

// product multiplies the lower ends of the degrees.
func product(b *plan.Box, dims []plan.Dim) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= int64(b[d].Lo)
	}
	return n
}

// boundFactors bounds the cumulative factors of a level that are still open
// after loop i: at least what the levels above cannot hold, at most what the
// levels up to this one do.
func (s *search) boundFactors(b *plan.Box, l, i int) bool {
	for d := plan.Dim(0); d < plan.NumDims; d++ {
		c := plan.At(d, l)
		if s.position[c] <= i {
			b[c] = plan.Range{Lo: s.point[c], Hi: s.point[c]}
			continue
		}
		lo := ceilDiv(int64(b[d].Lo), s.outer[l])
		if l > 0 {
			lo = max(lo, int64(b[plan.At(d, l-1)].Lo))
		}
		hi := min(int64(b[d].Hi), s.inner[l])
		if above := plan.At(d, l+1); s.position[above] <= i {
			hi = min(hi, int64(s.point[above]))
		}
		b[c] = plan.Range{Lo: int32(lo), Hi: int32(hi)}
	}
	most := s.inner[l]
	if l > 0 && s.placed(l-1, i) {
		most = s.ranks(l-1) * s.sizes[l]
	}
	need := ceilDiv(product(b, plan.DenseDims[:]), s.outer[l])
	if !s.fit(b, l, i, plan.DenseDims[:], need, most) {
		return false
	}
	if !s.moe {
		return true
	}
	if s.placed(l, i) {
		need = s.ranks(l)
		most = need
	}
	return s.fit(b, l, i, plan.ExpertDims[:], need, most)
}

// placed reports whether the dense grid is placed up to the level after loop i.
func (s *search) placed(level, i int) bool {
	for _, d := range plan.DenseDims {
		if s.position[plan.At(d, level)] > i {
			return false
		}
	}
	return true
}

// ranks is the number of GPUs used in one domain of a placed level.
func (s *search) ranks(level int) int64 {
	n := int64(1)
	for _, d := range plan.DenseDims {
		n *= int64(s.point[plan.At(d, level)])
	}
	return n
}

// fit cuts the open factors of a grid so that their product can lie between
// need and most.
func (s *search) fit(b *plan.Box, l, i int, dims []plan.Dim, need, most int64) bool {
	least := int64(1)
	for _, d := range dims {
		least *= int64(b[plan.At(d, l)].Lo)
	}
	if least > most {
		return false
	}
	for _, d := range dims {
		r := &b[plan.At(d, l)]
		r.Hi = int32(min(int64(r.Hi), most/(least/int64(r.Lo))))
	}
	for _, d := range dims {
		r := &b[plan.At(d, l)]
		others := int64(1)
		for _, o := range dims {
			if o != d && others < need {
				others *= int64(b[plan.At(o, l)].Hi)
			}
		}
		r.Lo = max(r.Lo, int32(ceilDiv(need, others)))
		if s.position[plan.At(d, l)] > i && b[d].Single() {
			s.snap(r, b[d].Lo)
		}
		if r.Lo > r.Hi {
			return false
		}
	}
	return true
}

// snap moves the ends of the range inwards to divisors of n; without one the
// range is left empty.
func (s *search) snap(r *plan.Range, n int32) {
	divisors, ok := s.divisors[n]
	if !ok {
		for v := int32(1); v <= n; v++ {
			if n%v == 0 {
				divisors = append(divisors, v)
			}
		}
		s.divisors[n] = divisors
	}
	lo, _ := slices.BinarySearch(divisors, r.Lo)
	hi, found := slices.BinarySearch(divisors, r.Hi)
	if !found {
		hi--
	}
	if lo > hi {
		*r = plan.Range{Lo: 1, Hi: 0}
		return
	}
	*r = plan.Range{Lo: divisors[lo], Hi: divisors[hi]}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
