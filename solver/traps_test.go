package solver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests of this file hold that known defects of the engine do not reach
// the session's users.

// pigeons is the unsatisfiable formula that puts n+1 pigeons into n holes, one
// a hole, guarded by the group.
func pigeons(s *Session, g Group, n int) {
	in := make([][]Lit, n+1)
	for p := range in {
		for h := range n {
			in[p] = append(in[p], s.Bool(fmt.Sprintf("pigeon %d in hole %d", p, h)))
		}
		s.Clause(g, in[p]...)
	}
	for h := range n {
		for p := range in {
			for q := range p {
				s.Clause(g, in[p][h].Not(), in[q][h].Not())
			}
		}
	}
}

func solve(t *testing.T, s *Session, want Status, on ...Group) Model {
	t.Helper()
	status, m, err := s.Solve(context.Background(), Budget{}, on...)
	if err != nil || status != want {
		t.Fatalf("status %v, error %v; want %v", status, err, want)
	}
	return m
}

func TestAFormulaFoundUnsatisfiableCanBeAskedAgain(t *testing.T) {
	s := New()
	a, b, c, d := s.Bool("a"), s.Bool("b"), s.Bool("c"), s.Bool("d")
	s.Clause(Hard, a.Not(), b)
	s.Clause(Hard, a.Not(), b.Not())
	s.Clause(Hard, a)
	s.Clause(Hard, c, d)
	solve(t, s, Unsat)
	solve(t, s, Unsat)
	s.Clause(Hard, a, d)
	solve(t, s, Unsat)
	if err := Walk(context.Background(), s, nil, nil, nil, &collector{}); err != nil {
		t.Error(err)
	}
}

func TestARefutationUnderAssumptionsMayHideAnUnsatisfiableFormula(t *testing.T) {
	build := func() (*Session, Lit, Group) {
		s := New()
		a, b, c := s.Bool("a"), s.Bool("b"), s.Bool("c")
		g := s.Group("g")
		s.Clause(Hard, a.Not(), b)
		s.Clause(Hard, a.Not(), b.Not())
		s.Clause(Hard, a, c)
		s.Clause(Hard, a, c.Not())
		return s, a, g
	}
	t.Run("asked by solve", func(t *testing.T) {
		s, a, g := build()
		for _, l := range []Lit{a, a.Not(), a} {
			if status, _, err := s.SolveUnder(context.Background(), Budget{}, []Lit{l}, g); status != Unsat || err != nil {
				t.Fatal(status, err)
			}
		}
		solve(t, s, Unsat)
	})
	t.Run("asked by walks", func(t *testing.T) {
		s, a, g := build()
		x := s.Int("x", []int32{1, 2})
		for _, l := range []Lit{a, a.Not(), a} {
			c := &collector{p: &problem{s: s, xs: []Int{x}}}
			if err := Walk(context.Background(), s, []Group{g}, []Lit{l}, []Int{x}, c); err != nil || len(c.leaves) > 0 {
				t.Fatal(c.leaves, err)
			}
		}
		c := &collector{p: &problem{s: s, xs: []Int{x}}}
		if err := Walk(context.Background(), s, nil, nil, []Int{x}, c); err != nil || len(c.leaves) > 0 {
			t.Fatal(c.leaves, err)
		}
		solve(t, s, Unsat)
	})
}

func TestATimeLimitDoesNotLinger(t *testing.T) {
	s := New()
	g := s.Group("pigeons")
	pigeons(s, g, 7)
	status, _, err := s.Solve(context.Background(), Budget{Time: time.Millisecond}, g)
	if status != Unknown || err != nil {
		t.Skipf("the formula was decided within a millisecond: %v, %v", status, err)
	}
	solve(t, s, Unsat, g)
	solve(t, s, Sat)
}

func TestACloneSearchesAsItsOriginalWould(t *testing.T) {
	build := func() (*Session, Group) {
		s := New()
		g := s.Group("pigeons")
		pigeons(s, g, 6)
		random3SAT(s, 60, 240, 1)
		return s, g
	}
	s, g := build()
	clone := s.Clone()
	fresh, freshG := build()
	solve(t, s, Unsat, g)
	solve(t, clone, Unsat, g)
	solve(t, fresh, Unsat, freshG)
	m, n := solve(t, clone, Sat), solve(t, fresh, Sat)
	if !slices.Equal(m.values, n.values) {
		t.Error("the clone's model is not that of a session built anew")
	}
	s.Reset()
	solve(t, s, Unsat, g)
	if r := solve(t, s, Sat); !slices.Equal(r.values, n.values) {
		t.Error("after Reset the model is not that of a session built anew")
	}
}

func random3SAT(s *Session, vars, clauses int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	var lits []Lit
	for i := range vars {
		lits = append(lits, s.Bool(fmt.Sprintf("v%d", i)))
	}
	for range clauses {
		var clause []Lit
		for _, i := range rng.Perm(vars)[:3] {
			l := lits[i]
			if rng.IntN(2) == 0 {
				l = l.Not()
			}
			clause = append(clause, l)
		}
		s.Clause(Hard, clause...)
	}
}

func TestACloneIsIndependent(t *testing.T) {
	s := New()
	x := s.Int("x", []int32{1, 2, 3})
	g := s.Group("g")
	s.Clause(g, s.Ge(x, 2))
	solve(t, s, Sat, g)
	c := s.Clone()
	h := c.Group("only the clone's")
	c.Clause(h, c.Eq(x, 2).Not())
	c.Clause(Hard, c.Le(x, 2))
	solve(t, c, Unsat, g, h)
	y := s.Int("only the original's", []int32{1, 2, 3})
	s.Clause(Hard, s.Eq(x, 3), s.Eq(y, 2))
	s.Clause(Hard, s.Ge(x, 3))
	if v := solve(t, s, Sat, g).Value(x); v != 3 {
		t.Errorf("x = %d", v)
	}
	if v := solve(t, c, Sat, g).Value(x); v != 2 {
		t.Errorf("the clone's x = %d", v)
	}
	mustPanic(t, func() { s.Solve(context.Background(), Budget{}, h) })
	mustPanic(t, func() { c.Ge(y, 1) })
}

// TestGroupsSurviveRetirementAndLearning runs random scripts of groups made,
// switched and retired against enumeration of the assignments.
func TestGroupsSurviveRetirementAndLearning(t *testing.T) {
	const vars = 10
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := New()
		var lits []Lit
		for i := range vars {
			lits = append(lits, s.Bool(fmt.Sprint("v", i)))
		}
		var groups []Group
		meaning := map[Group][][]int{}
		for range 40 {
			switch op := rng.IntN(10); {
			case op < 5:
				g := s.Group("rule")
				for range 1 + rng.IntN(4) {
					var clause []Lit
					var ints []int
					for _, i := range rng.Perm(vars)[:1+rng.IntN(3)] {
						sign := 1 - 2*rng.IntN(2)
						clause = append(clause, lits[i]*Lit(sign))
						ints = append(ints, (i+1)*sign)
					}
					s.Clause(g, clause...)
					meaning[g] = append(meaning[g], ints)
				}
				groups = append(groups, g)
			case op == 5 && len(groups) > 0:
				i := rng.IntN(len(groups))
				s.Retire(groups[i])
				groups = slices.Delete(groups, i, i+1)
			default:
				var on []Group
				for _, g := range groups {
					if rng.IntN(2) == 0 {
						on = append(on, g)
					}
				}
				want := Unsat
				if holdTogether(on, meaning, vars) {
					want = Sat
				}
				solve(t, s, want, on...)
			}
		}
	}
}

func holdTogether(on []Group, meaning map[Group][][]int, vars int) bool {
	for bits := range 1 << vars {
		ok := true
		for _, g := range on {
			for _, clause := range meaning[g] {
				ok = ok && slices.ContainsFunc(clause, func(l int) bool { return bits>>(max(l, -l)-1)&1 == 1 == (l > 0) })
			}
		}
		if ok {
			return true
		}
	}
	return false
}

func TestARetiredGroupCannotBeUsed(t *testing.T) {
	s := New()
	g := s.Group("g")
	s.Clause(g)
	solve(t, s, Unsat, g)
	s.Retire(g)
	solve(t, s, Sat)
	mustPanic(t, func() { s.Solve(context.Background(), Budget{}, g) })
	mustPanic(t, func() { s.Clause(g, True); s.Clause(g, False) })
	mustPanic(t, func() { s.Retire(Hard) })
}

func TestAModelIsReadBeforeAnythingElseIsAsked(t *testing.T) {
	s := New()
	a, b := s.Bool("a"), s.Bool("b")
	s.Clause(Hard, a, b)
	m := solve(t, s, Sat)
	was := [2]bool{m.True(a), m.True(b)}
	late := s.Bool("made after the model")
	s.Clause(Hard, a.Not(), b.Not())
	if m.True(a) != was[0] || m.True(b) != was[1] || m.True(a) == m.True(a.Not()) {
		t.Error("the model changed with the session")
	}
	if m.True(late) || m.True(late.Not()) {
		t.Error("a literal made after the model is true in it")
	}
}

func TestDIMACSHoldsWhatWasAddedAndNothingLearnt(t *testing.T) {
	s := New()
	g := s.Group("pigeons")
	x := s.Int("x", []int32{1, 4, 8})
	s.Clause(Hard, s.Eq(x, 4), s.Ge(x, 8))
	pigeons(s, g, 5)
	var before, after bytes.Buffer
	if err := s.DIMACS(&before, g); err != nil {
		t.Fatal(err)
	}
	solve(t, s, Unsat, g)
	solve(t, s, Sat)
	if err := s.DIMACS(&after, g); err != nil {
		t.Fatal(err)
	}
	if before.String() != after.String() {
		t.Error("the export changed by solving")
	}
	var vars, declared, written int
	for line := range strings.Lines(after.String()) {
		if n, _ := fmt.Sscanf(line, "p cnf %d %d", &vars, &declared); n != 2 && !strings.HasPrefix(line, "c ") {
			written++
		}
	}
	if vars != s.Stats().Vars || declared != written || written != s.Stats().Clauses+1 {
		t.Errorf("%d variables and %d clauses declared, %d written; session has %+v", vars, declared, written, s.Stats())
	}
	for _, want := range []string{" x>=4\n", " x>=8\n", " x=4\n", " group pigeons\n", " pigeon 0 in hole 4\n"} {
		if !strings.Contains(after.String(), want) {
			t.Errorf("no name %q in the comments", want)
		}
	}
}

func TestAWalkKnowsWhatIsFixedForGood(t *testing.T) {
	s := New()
	x, y := s.Int("x", []int32{1, 2, 3}), s.Int("y", []int32{1, 2, 3})
	s.Clause(Hard, s.Eq(x, 2))
	s.Clause(Hard, s.Ge(x, 3), s.Ge(y, 2))
	solve(t, s, Sat)
	c := &collector{p: &problem{s: s, xs: []Int{x, y}}}
	if err := Walk(context.Background(), s, nil, nil, c.p.xs, c); err != nil {
		t.Fatal(err)
	}
	if want := [][]int32{{2, 2}, {2, 3}}; !slices.EqualFunc(c.leaves, want, slices.Equal[[]int32]) {
		t.Errorf("visited %v, want %v", c.leaves, want)
	}
}

func TestACancelledQuestionLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	s := New()
	g := s.Group("pigeons")
	pigeons(s, g, 10)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	status, _, err := s.Solve(ctx, Budget{}, g)
	if status != Unknown || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("status %v, error %v", status, err)
	}
	solve(t, s, Sat)
	x := s.Int("x", []int32{1, 2})
	s.Clause(Hard, s.Ge(x, 2))
	if v := solve(t, s, Sat).Value(x); v != 2 {
		t.Errorf("x = %d", v)
	}
	if status, _, err := s.SolveUnder(context.Background(), Budget{}, []Lit{s.Le(x, 1)}); status != Unsat || err != nil {
		t.Errorf("status %v, error %v", status, err)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines became %d", before, after)
	}
}
