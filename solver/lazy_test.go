package solver

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLazyFindsWhatIsAcceptedOrProvesThereIsNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		on := p.subset(t)
		nogoods := p.s.Group("nogoods")
		cap := rapid.Int32Range(-20, 20).Draw(t, "cap")
		weight := func(v []int32) int32 {
			sum := int32(0)
			for _, x := range v {
				sum += x
			}
			return sum
		}
		accepted := slices.DeleteFunc(p.points(on), func(v []int32) bool { return weight(v) > cap })
		propose := func(m Model) bool {
			v := p.read(m)
			if weight(v) <= cap {
				return true
			}
			p.s.Exclude(nogoods, widen(p.xs, v, cap))
			return false
		}
		status, m, err := p.s.Lazy(context.Background(), Budget{}, append(on, nogoods), propose)
		if err != nil || (status == Sat) != (len(accepted) > 0) || status == Unknown {
			t.Fatalf("status %v, error %v; enumeration accepts %d", status, err, len(accepted))
		}
		if status == Sat && !slices.ContainsFunc(accepted, func(v []int32) bool { return slices.Equal(v, p.read(m)) }) {
			t.Fatalf("accepted %v", p.read(m))
		}
	})
}

// widen is the box of points at or above v: all of them weigh too much.
func widen(xs []Int, v []int32, cap int32) []Span {
	var box []Span
	for i, x := range xs {
		vals := x.Values()
		box = append(box, Span{x, v[i], vals[len(vals)-1]})
	}
	return box
}

func TestARefusedModelMustBeExcluded(t *testing.T) {
	s := New()
	x := s.Int("x", []int32{1, 2})
	off := s.Group("off")
	mustPanic(t, func() {
		s.Lazy(context.Background(), Budget{}, nil, func(m Model) bool {
			s.Exclude(off, []Span{{x, m.Value(x), m.Value(x)}})
			return false
		})
	})
}

func TestLazyStopsAtItsBudget(t *testing.T) {
	s := New()
	x := s.Int("x", []int32{1, 2, 3, 4, 5, 6})
	proposals := 0
	status, _, err := s.Lazy(context.Background(), Budget{Solves: 3}, nil, func(m Model) bool {
		proposals++
		s.Exclude(Hard, []Span{{x, m.Value(x), m.Value(x)}})
		return false
	})
	if status != Unknown || err != nil || proposals != 3 {
		t.Errorf("status %v, error %v after %d proposals", status, err, proposals)
	}
}

func TestAModelOutlivesLaterClauses(t *testing.T) {
	s := New()
	x := s.Int("x", []int32{1, 2, 3})
	_, m, _ := s.Solve(context.Background(), Budget{})
	v := m.Value(x)
	s.Exclude(Hard, []Span{{x, v, v}})
	s.Solve(context.Background(), Budget{})
	if m.Value(x) != v {
		t.Errorf("value %d became %d", v, m.Value(x))
	}
}
