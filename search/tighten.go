package search

import (
	"slices"

	"meshplan/framework"
	"meshplan/plan"
)

// tightener narrows boxes by the sizes of the cluster's levels and by the job's pins on
// the number of GPUs. Clauses propagate level by level and prime by prime; products over
// a whole grid they do not see.
type tightener struct {
	moe     bool
	levels  int
	least   int64   // GPUs that a plan uses
	most    int64   // the same
	inner   []int64 // most GPUs of one domain of each level
	outer   []int64 // most such domains
	degrees [plan.NumDims][]int32
}

func newTightener(j *job) *tightener {
	t := &tightener{moe: j.facts.MoE(), levels: j.levels}
	c := j.facts.Cluster
	var pins []framework.Pin
	for _, r := range j.rules {
		if r.Pin != nil {
			pins = append(pins, *r.Pin)
		}
	}
	lo, hi := framework.PinnedGPUs(pins)
	t.least, t.most = lo, min(hi, int64(c.GPUs()))
	room := int64(c.Domain(t.levels - 1))
	for l := range t.levels {
		inside := int64(c.Domain(l))
		t.inner = append(t.inner, min(inside, int64(c.GPUs())))
		t.outer = append(t.outer, room/inside)
	}
	for d := range plan.NumDims {
		t.degrees[d] = j.domains.Values[d]
	}
	return t
}

// tighten narrows the box without losing a plan; false means it holds none.
func (t *tightener) tighten(b *plan.Box) bool {
	last := t.levels - 1
	dense, expert := plan.DenseDims[:], plan.ExpertDims[:]
	lo, hi := products(b, dense, last, t.most)
	if t.moe {
		elo, ehi := products(b, expert, last, t.most)
		lo, hi = max(lo, elo), min(hi, ehi)
	}
	lo = max(lo, t.least)
	if lo > hi || !t.fit(b, dense, last, lo, hi) || t.moe && !t.fit(b, expert, last, lo, hi) {
		return false
	}
	for d := range plan.NumDims {
		if !t.snap(b, d) {
			return false
		}
	}
	for l := last - 1; l >= 0; l-- {
		if !t.level(b, l, ceilDiv(lo, t.outer[l])) {
			return false
		}
	}
	return true
}

// level narrows the cumulative factors of a level, of which need GPUs or more
// are used in each domain.
func (t *tightener) level(b *plan.Box, l int, need int64) bool {
	for d := range plan.NumDims {
		r, above := &b[plan.At(d, l)], b[plan.At(d, l+1)]
		r.Hi = min(r.Hi, above.Hi)
		r.Lo = max(r.Lo, int32(ceilDiv(int64(b[d].Lo), t.outer[l])))
	}
	lo, hi := products(b, plan.DenseDims[:], l, t.inner[l])
	if t.moe {
		elo, ehi := products(b, plan.ExpertDims[:], l, t.inner[l])
		lo, hi = max(lo, elo), min(hi, ehi)
	}
	lo = max(lo, need)
	return lo <= hi && t.fit(b, plan.DenseDims[:], l, lo, hi) && (!t.moe || t.fit(b, plan.ExpertDims[:], l, lo, hi))
}

// products are the least and the largest product of a grid's factors in a
// domain of the level, the latter at most most.
func products(b *plan.Box, dims []plan.Dim, l int, most int64) (lo, hi int64) {
	lo, hi = 1, 1
	for _, d := range dims {
		r := b[plan.At(d, l)]
		lo *= int64(r.Lo)
		hi = min(most, hi*int64(r.Hi))
	}
	return lo, hi
}

// fit narrows the factors of a grid so that their product can lie between lo
// and hi.
func (t *tightener) fit(b *plan.Box, dims []plan.Dim, l int, lo, hi int64) bool {
	least := int64(1)
	for _, d := range dims {
		least *= int64(b[plan.At(d, l)].Lo)
	}
	if least > hi {
		return false
	}
	for _, d := range dims {
		r := &b[plan.At(d, l)]
		r.Hi = int32(min(int64(r.Hi), hi/(least/int64(r.Lo))))
	}
	for _, d := range dims {
		r := &b[plan.At(d, l)]
		others := int64(1)
		for _, o := range dims {
			if o != d && others < lo {
				others *= int64(b[plan.At(o, l)].Hi)
			}
		}
		if r.Lo = max(r.Lo, int32(ceilDiv(lo, others))); r.Lo > r.Hi {
			return false
		}
	}
	return true
}

// snap moves the ends of a degree inwards to values it can take, and repeats
// them on the levels that stand for it.
func (t *tightener) snap(b *plan.Box, d plan.Dim) bool {
	r, values := b[plan.At(d, t.levels-1)], t.degrees[d]
	i, _ := slices.BinarySearch(values, r.Lo)
	k, found := slices.BinarySearch(values, r.Hi)
	if !found {
		k--
	}
	if i > k {
		return false
	}
	r = plan.Range{Lo: values[i], Hi: values[k]}
	for l := t.levels - 1; l < plan.MaxLevels; l++ {
		b[plan.At(d, l)] = r
	}
	return true
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
