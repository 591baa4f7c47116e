package solver

import (
	"context"
	"fmt"
	"testing"
)

// grid is a session of the size of a real planning problem: dims degrees over
// levels that hold the given numbers of ranks, innermost first; cumulative
// factors divide each other upwards and their products over the dims are at
// most the level's. order is outermost first.
func grid(dims int, sizes ...int32) (s *Session, order []Int) {
	s = New()
	cum := make([][]Int, len(sizes))
	for l := len(sizes) - 1; l >= 0; l-- {
		var powers []Int
		for d := range dims {
			var vals []int32
			for v := int32(1); v <= sizes[l]; v *= 2 {
				vals = append(vals, v)
			}
			x := s.Int(fmt.Sprintf("d%d@%d", d, l), vals)
			cum[l] = append(cum[l], x)
			powers = append(powers, logarithm(s, x))
			if l < len(sizes)-1 {
				s.Allow(s.Group("divides"), []Int{x, cum[l+1][d]}, func(v []int32) bool { return v[1]%v[0] == 0 })
			}
		}
		top := int32(0)
		for v := sizes[l]; v > 1; v /= 2 {
			top++
		}
		s.Sum(Hard, s.Int("level", upto(0, top)), powers...)
		order = append(order, cum[l]...)
	}
	for i := range 4 {
		order = append(order, s.Int(fmt.Sprintf("option%d", i), upto(0, int32(i))))
	}
	return s, order
}

func logarithm(s *Session, x Int) Int {
	n := int32(len(x.Values()))
	e := s.Int("log "+x.Name(), upto(0, n-1))
	s.Allow(Hard, []Int{x, e}, func(v []int32) bool { return v[0] == 1<<v[1] })
	return e
}

func upto(lo, hi int32) []int32 {
	var vals []int32
	for v := lo; v <= hi; v++ {
		vals = append(vals, v)
	}
	return vals
}

func all(s *Session) []Group {
	var on []Group
	for _, g := range s.groups {
		on = append(on, Group{g})
	}
	return on
}

// tourist reads every interval at every node, as a cost bound would, and stops
// nowhere.
type tourist struct {
	xs     []Int
	leaves int
}

func (t *tourist) Bound(n *Node) (int64, bool) {
	b := int64(0)
	for _, x := range t.xs {
		lo, hi := n.Interval(x)
		b += int64(lo) + int64(hi)
	}
	return b, true
}
func (t *tourist) Less(a, b int64) bool { return a < b }
func (t *tourist) Cut(int64) bool       { return false }
func (t *tourist) Leaf(*Node) error     { t.leaves++; return nil }

func BenchmarkWalk(b *testing.B) {
	spaces := [][]int32{3: {8, 128, 1024}, 4: {8, 32, 128}}
	for dims := 3; dims <= 4; dims++ {
		sizes := spaces[dims]
		b.Run(fmt.Sprintf("%d dims", dims), func(b *testing.B) {
			s, order := grid(dims, sizes...)
			on := all(s)
			b.ReportAllocs()
			leaves, nodes := 0, s.Stats().Nodes
			for b.Loop() {
				t := &tourist{xs: order}
				if err := Walk(context.Background(), s, on, nil, order, t); err != nil {
					b.Fatal(err)
				}
				leaves = t.leaves
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(leaves), "leaves")
			b.ReportMetric(float64(leaves)*float64(b.N)/seconds, "leaves/s")
			b.ReportMetric(seconds*1e9/float64(s.Stats().Nodes-nodes), "ns/node")
		})
	}
}

func BenchmarkFirstModel(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s, _ := grid(4, 8, 256, 4096)
		if status, _, err := s.Solve(context.Background(), Budget{}, all(s)...); status != Sat || err != nil {
			b.Fatal(status, err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for b.Loop() {
		grid(4, 8, 256, 4096)
	}
}

func BenchmarkCore(b *testing.B) {
	s, order := grid(4, 8, 256, 4096)
	big, small := s.Group("big"), s.Group("small")
	s.Clause(big, s.Ge(order[0], 1024))
	s.Clause(big, s.Ge(order[1], 4))
	s.Clause(small, s.Ge(order[2], 2))
	on := all(s)
	for b.Loop() {
		core, err := s.Core(context.Background(), Budget{}, on...)
		if err != nil || len(core) != 2 {
			b.Fatal(core, err)
		}
	}
}
