package loops

import (
	"slices"

	"meshplan/plan"
)

// vector holds a factor for each level.
type vector [plan.MaxLevels]int32

// placements counts the placements of given degrees without visiting them. The
// number depends on the degrees of either grid as a multiset only: for every
// vector r of ranks per level that the dense dimensions other than pp use, it
// is (ways of the dense ones to use r) x (ways of the expert ones to use r) x
// (ways of pp that still fit each level).
type placements struct {
	*Enumerator
	complete bool // the domains hold every way to place a degree
	grids    map[[4]int32]map[vector]float64
	totals   map[totalKey]float64
	ways     map[int32][]vector
}

type totalKey struct {
	dense  [4]int32
	expert [4]int32
	pp     int32
}

func newPlacements(e *Enumerator) *placements {
	p := &placements{Enumerator: e, complete: true}
	p.grids = map[[4]int32]map[vector]float64{}
	p.totals = map[totalKey]float64{}
	p.ways = map[int32][]vector{}
	for d := plan.Dim(0); d < plan.NumDims; d++ {
		p.complete = p.complete && p.holdsFactors(d)
	}
	return p
}

// holdsFactors reports whether the dimension's domains hold every way to place
// each of its degrees.
func (p *placements) holdsFactors(d plan.Dim) bool {
	for _, n := range p.Domains.Values[d] {
		for _, w := range p.factors(n) {
			at := int32(1)
			for l := 0; l < p.levels-1; l++ {
				at *= w[l]
				if _, found := slices.BinarySearch(p.Domains.Values[plan.At(d, l)], at); !found {
					return false
				}
			}
		}
	}
	return true
}

// count is the number of placements of the point's degrees.
func (p *placements) count(pt *plan.Point) float64 {
	k := totalKey{pp: pt[plan.PP]}
	k.dense = [4]int32{pt[plan.TP], pt[plan.CP], pt[plan.DPShard], pt[plan.DPReplicate]}
	slices.Sort(k.dense[:])
	if p.moe {
		k.expert = [4]int32{1, pt[plan.ETP], pt[plan.EP], pt[plan.EDP]}
		slices.Sort(k.expert[:])
	}
	if n, ok := p.totals[k]; ok {
		return n
	}
	dense, total := p.grid(k.dense), 0.0
	for r, n := range dense {
		if p.moe {
			n *= p.grid(k.expert)[r]
		}
		if n > 0 {
			total += n * p.fitting(k.pp, r)
		}
	}
	p.totals[k] = total
	return total
}

// fitting is the number of ways to place pp beside r.
func (p *placements) fitting(pp int32, r vector) float64 {
	n := 0.0
	for _, w := range p.factors(pp) {
		if _, ok := p.times(w, r); ok {
			n++
		}
	}
	return n
}

// grid maps each vector of ranks per level to the number of ways in which the
// degrees, in rising order, use exactly it.
func (p *placements) grid(degrees [4]int32) map[vector]float64 {
	if g, ok := p.grids[degrees]; ok {
		return g
	}
	g := map[vector]float64{}
	last := 0
	for degrees[last] == 1 && last < 3 {
		last++
	}
	rest := degrees
	rest[last] = 1
	if rest == degrees { // all 1
		g[ones()] = 1
	} else {
		for r, n := range p.grid(rest) {
			for _, w := range p.factors(degrees[last]) {
				if v, ok := p.times(w, r); ok {
					g[v] += n
				}
			}
		}
	}
	p.grids[degrees] = g
	return g
}

// factors lists the ways to write n as a product of one factor a level.
func (p *placements) factors(n int32) []vector {
	if list, ok := p.ways[n]; ok {
		return list
	}
	list := p.spread(nil, ones(), n, 0)
	p.ways[n] = list
	return list
}

func (p *placements) spread(list []vector, v vector, n int32, level int) []vector {
	if level == p.levels-1 {
		v[level] = n
		if int64(n) <= p.sizes[level] {
			list = append(list, v)
		}
		return list
	}
	for f := int32(1); f <= n && int64(f) <= p.sizes[level]; f++ {
		if n%f == 0 {
			v[level] = f
			list = p.spread(list, v, n/f, level+1)
		}
	}
	return list
}

// times multiplies level by level; false means a level is too small.
func (p *placements) times(a, b vector) (vector, bool) {
	for l := range p.levels {
		if a[l] *= b[l]; int64(a[l]) > p.sizes[l] {
			return a, false
		}
	}
	return a, true
}

func ones() vector {
	var v vector
	for l := range v {
		v[l] = 1
	}
	return v
}
