package solver_test

import (
	"context"
	"fmt"
	"os"

	"meshplan/solver"
)

func Example() {
	s := solver.New()
	x := s.Int("x", []int32{1, 2, 4, 8})
	y := s.Int("y", []int32{1, 3, 9})
	small := s.Group("x*y <= 12")
	s.Allow(small, []solver.Int{x, y}, func(v []int32) bool { return v[0]*v[1] <= 12 })
	large := s.Group("x >= 4 and y >= 9")
	s.Clause(large, s.Ge(x, 4))
	s.Clause(large, s.Ge(y, 9))

	ctx := context.Background()
	status, m, _ := s.SolveUnder(ctx, solver.Budget{}, []solver.Lit{s.Ge(x, 4), s.Ge(y, 2)}, small)
	fmt.Println(status, m.Value(x), m.Value(y))
	core, _ := s.Core(ctx, solver.Budget{}, small, large)
	for _, g := range core {
		fmt.Println("conflict:", g.Name())
	}
	// Output:
	// sat 4 3
	// conflict: x*y <= 12
	// conflict: x >= 4 and y >= 9
}

// products looks for the largest x*y, best first.
type products struct {
	x, y solver.Int
	best int32
}

func (p *products) Bound(n *solver.Node) (int32, bool) {
	_, x := n.Interval(p.x)
	_, y := n.Interval(p.y)
	return x * y, x*y > p.best
}
func (p *products) Less(a, b int32) bool { return a > b }
func (p *products) Cut(b int32) bool     { return b <= p.best }
func (p *products) Leaf(n *solver.Node) error {
	p.best, _ = p.Bound(n)
	return nil
}

func ExampleWalk() {
	s := solver.New()
	p := &products{x: s.Int("x", []int32{1, 2, 4, 8}), y: s.Int("y", []int32{1, 3, 9})}
	s.Exclude(solver.Hard, []solver.Span{{X: p.x, Lo: 4, Hi: 8}, {X: p.y, Lo: 3, Hi: 9}})
	err := solver.Walk(context.Background(), s, nil, nil, []solver.Int{p.x, p.y}, p)
	fmt.Println(p.best, err)
	// Output: 18 <nil>
}

func ExampleSession_DIMACS() {
	s := solver.New()
	x := s.Int("x", []int32{1, 2, 4})
	g := s.Group("at least 2")
	s.Clause(g, s.Ge(x, 2))
	s.DIMACS(os.Stdout, g)
	// Output:
	// c 1 (guard)
	// c 2 (spare)
	// c 3 x>=2
	// c 4 x>=4
	// c 5 group at least 2
	// p cnf 5 3
	// -4 3 0
	// 3 -5 0
	// 5 0
}
