// Package solver decides finite problems over small integers: named groups of
// rules that can be switched per question, nogoods added while solving,
// unsatisfiable cores, and a bounded depth-first walk over all solutions.
//
// It wraps one SAT engine and is the only package that knows it. It knows
// nothing of what the integers mean:
//
//	s := solver.New()
//	x := s.Int("x", []int32{1, 2, 4, 8})
//	y := s.Int("y", []int32{1, 3, 9})
//	small := s.Group("x*y <= 12")
//	s.Allow(small, []solver.Int{x, y}, func(v []int32) bool { return v[0]*v[1] <= 12 })
//	status, m, err := s.SolveUnder(ctx, solver.Budget{}, []solver.Lit{s.Ge(x, 4)}, small)
//	fmt.Println(status, m.Value(x), m.Value(y), err)
//
// A Session is not safe for concurrent use; Clone gives each goroutine its
// own. Misuse by the calling program (a literal of another session, a clause
// added during a walk) panics with the prefix "solver:".
package solver
