package solver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, _ := recover().(string); !strings.HasPrefix(text, "solver: ") {
			t.Errorf("panic %q, want one that begins with %q", text, "solver: ")
		}
	}()
	f()
}

// genConflicts is a problem of several groups that often cannot hold together.
func genConflicts(t *rapid.T) *problem {
	s := New()
	p := &problem{s: s, xs: genInts(t, s, 2, 3)}
	for range rapid.IntRange(2, 8).Draw(t, "groups") {
		p.groups = append(p.groups, s.Group("same name"))
	}
	p.rules = make([][]func([]int32) bool, len(p.groups)+1)
	for range rapid.IntRange(4, 14).Draw(t, "rules") {
		p.addRule(t)
	}
	return p
}

func TestCoresAreUnsatisfiableAndIrreducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genConflicts(t)
		on := p.subset(t)
		core, err := p.s.Core(context.Background(), Budget{}, on...)
		if len(p.points(on)) > 0 {
			if !errors.Is(err, ErrSatisfiable) || core != nil {
				t.Fatalf("core %v, error %v of groups that hold together", core, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkCore(t, p, on, core)
		lazy, err := Minimise(on, func(g []Group) (bool, error) { return len(p.points(g)) == 0, nil })
		if err != nil {
			t.Fatal(err)
		}
		checkCore(t, p, on, lazy)
	})
}

func checkCore(t *rapid.T, p *problem, on, core []Group) {
	if !slices.IsSortedFunc(core, byCreation) || core == nil {
		t.Fatalf("core %v is not in order", core)
	}
	if n := len(p.points(core)); n > 0 {
		t.Fatalf("core has %d solutions", n)
	}
	for i, g := range core {
		if !slices.Contains(on, g) {
			t.Fatalf("core has a group that was not on")
		}
		if rest := slices.Delete(slices.Clone(core), i, i+1); len(p.points(rest)) == 0 {
			t.Fatalf("core needs no member %d of %d", i, len(core))
		}
	}
}

func TestCoreOfUnsatisfiableHardClausesIsEmpty(t *testing.T) {
	s := New()
	g := s.Group("g")
	x := s.Int("x", []int32{1, 2})
	s.Clause(Hard, s.Ge(x, 2))
	s.Clause(Hard, s.Le(x, 1))
	core, err := s.Core(context.Background(), Budget{}, g)
	if core == nil || len(core) != 0 || err != nil {
		t.Errorf("core %v, error %v", core, err)
	}
}

func TestGroupsOfOneFormulaAreToldApart(t *testing.T) {
	s := New()
	x := s.Int("x", []int32{1, 2})
	a, b, c := s.Group("rule"), s.Group("rule"), s.Group("other")
	s.Clause(a, s.Ge(x, 2))
	s.Clause(b, s.Ge(x, 2))
	s.Clause(c, s.Le(x, 1))
	core, err := s.Core(context.Background(), Budget{}, c, b, a)
	if err != nil || !slices.Equal(core, []Group{b, c}) {
		t.Errorf("core %v, error %v", core, err)
	}
}

func TestAnErrorOfTheCheckIsReturnedWithTheSmallestCoreKnown(t *testing.T) {
	s := New()
	groups := []Group{s.Group("a"), s.Group("b"), s.Group("c")}
	stop := errors.New("stop")
	calls := 0
	core, err := Minimise(groups, func(g []Group) (bool, error) {
		if calls++; calls == 3 {
			return false, stop
		}
		return true, nil
	})
	if err != stop || !slices.Equal(core, groups[1:]) {
		t.Errorf("core %v, error %v", core, err)
	}
	if core, err := Minimise(groups, func([]Group) (bool, error) { return true, stop }); core != nil || err != stop {
		t.Errorf("core %v, error %v", core, err)
	}
}

func TestCoreStopsAtItsBudget(t *testing.T) {
	s := New()
	x := s.Int("x", []int32{1, 2})
	a, b := s.Group("a"), s.Group("b")
	s.Clause(a, s.Ge(x, 2))
	s.Clause(b, s.Le(x, 1))
	core, err := s.Core(context.Background(), Budget{Solves: 2}, a, b)
	if !errors.Is(err, ErrUnknown) || !slices.Equal(core, []Group{a, b}) {
		t.Errorf("core %v, error %v", core, err)
	}
}
