package encode

import (
	"fmt"

	"meshplan/plan"
	"meshplan/solver"
)

// grids states that on every level the factors of the dense grid, and of the
// expert grid of a model with experts, multiply to the same number of
// sub-domains used, which is at most the level's size. A product of factors is
// a sum of exponents for each prime, so divisibility needs no clause.
func (s *Space) grids() {
	g := grid{Space: s, primes: s.primesOf(degrees()), degree: map[power]solver.Int{}}
	for d := range plan.NumDims {
		g.dimension(d)
	}
	for l, level := range s.facts.Cluster.Levels {
		g.level(l, level.Size)
	}
	s.exponents = g.degree
}

// grid holds the exponents while they are stated.
type grid struct {
	*Space
	primes []int32
	factor [plan.NumDims][plan.MaxLevels][]solver.Int // exponent of each prime in the factor on a level
	degree map[power]solver.Int
}

// power names the exponent of a prime in a coordinate's value.
type power struct {
	coord plan.Coord
	prime int32
}

// dimension states the exponents of a dimension's factors and channels their
// running sums to the cumulative factors.
func (g *grid) dimension(d plan.Dim) {
	below := make([]solver.Int, len(g.primes)) // exponents of the cumulative factor one level down
	for l := range g.levels {
		value := g.ints[plan.At(d, l)]
		for i, p := range g.primes {
			most := min(log(p, int32(g.facts.Cluster.Levels[l].Size)), mostExponent(p, value.Values()))
			e := g.exponent(fmt.Sprintf("%s:%d^%d", d, l, p), most)
			sum := e
			if l > 0 {
				sum = g.exponent(fmt.Sprintf("%s@%d^%d", d, l, p), mostExponent(p, value.Values()))
				g.session.Sum(solver.Hard, sum, below[i], e)
			}
			g.channel(value, sum, p)
			g.factor[d][l] = append(g.factor[d][l], e)
			below[i] = sum
			g.degree[power{plan.Coord(d), p}] = sum // the last is the degree's
		}
	}
}

// level states that both grids use the same number of sub-domains.
func (g *grid) level(l, size int) {
	used := g.session.Int(fmt.Sprintf("used@%d", l), smooth(size, g.primes))
	g.used = append(g.used, used)
	for i, p := range g.primes {
		total := g.exponent(fmt.Sprintf("used:%d^%d", l, p), log(p, int32(size)))
		g.channel(used, total, p)
		g.sum(total, plan.DenseDims[:], l, i)
		if g.facts.MoE() {
			g.sum(total, plan.ExpertDims[:], l, i)
		}
	}
}

func (g *grid) sum(total solver.Int, dims []plan.Dim, l, prime int) {
	parts := make([]solver.Int, len(dims))
	for i, d := range dims {
		parts[i] = g.factor[d][l][prime]
	}
	g.session.Sum(solver.Hard, total, parts...)
}

func (s *Space) exponent(name string, most int32) solver.Int {
	values := make([]int32, most+1)
	for i := range values {
		values[i] = int32(i)
	}
	return s.session.Int(name, values)
}

// channel states that e is the exponent of the prime in x.
func (s *Space) channel(x, e solver.Int, p int32) {
	s.session.Allow(solver.Hard, []solver.Int{x, e}, func(v []int32) bool { return exponentOf(int64(p), int64(v[0])) == v[1] })
}
