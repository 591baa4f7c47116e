package solver

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// problem is a random formula together with what it means: the oracle of the
// property tests is enumeration of the product of the domains.
type problem struct {
	s      *Session
	xs     []Int
	groups []Group
	rules  [][]func([]int32) bool // by group, Hard last
}

// points lists the points that satisfy the hard rules and those of the groups
// on, in lexicographic order.
func (p *problem) points(on []Group) [][]int32 {
	active := slices.Clone(p.rules[len(p.groups)])
	for i, g := range p.groups {
		if slices.Contains(on, g) {
			active = append(active, p.rules[i]...)
		}
	}
	var out [][]int32
	at := make([]int32, len(p.xs))
	var fill func(i int)
	fill = func(i int) {
		if i == len(p.xs) {
			for _, holds := range active {
				if !holds(at) {
					return
				}
			}
			out = append(out, slices.Clone(at))
			return
		}
		for _, v := range p.xs[i].Values() {
			at[i] = v
			fill(i + 1)
		}
	}
	fill(0)
	return out
}

func genValues(t *rapid.T, label string) []int32 {
	vals := rapid.SliceOfNDistinct(rapid.Int32Range(-4, 9), 1, 6, rapid.ID[int32]).Draw(t, label)
	slices.Sort(vals)
	return vals
}

func genInts(t *rapid.T, s *Session, least, most int) []Int {
	n := rapid.IntRange(least, most).Draw(t, "ints")
	xs := make([]Int, n)
	for i := range xs {
		xs[i] = s.Int(fmt.Sprintf("x%d", i), genValues(t, "values"))
	}
	return xs
}

// genProblem draws integers, groups and rules of every kind.
func genProblem(t *rapid.T) *problem {
	s := New()
	p := &problem{s: s, xs: genInts(t, s, 2, 4)}
	for i := range rapid.IntRange(0, 3).Draw(t, "groups") {
		p.groups = append(p.groups, s.Group(fmt.Sprintf("g%d", i)))
	}
	p.rules = make([][]func([]int32) bool, len(p.groups)+1)
	for range rapid.IntRange(1, 6).Draw(t, "rules") {
		p.addRule(t)
	}
	return p
}

// addRule draws one rule into the formula and its meaning into the oracle.
func (p *problem) addRule(t *rapid.T) {
	at := rapid.IntRange(0, len(p.groups)).Draw(t, "group")
	g := Hard
	if at < len(p.groups) {
		g = p.groups[at]
	}
	kind := rapid.SampledFrom([]string{"box", "allow", "table", "sum", "clause"}).Draw(t, "kind")
	var holds func([]int32) bool
	switch kind {
	case "box":
		holds = p.addBox(t, g)
	case "allow":
		holds = p.addAllow(t, g)
	case "table":
		holds = p.addTable(t, g)
	case "sum":
		holds = p.addSum(t, g)
	case "clause":
		holds = p.addClause(t, g)
	}
	p.rules[at] = append(p.rules[at], holds)
}

func (p *problem) columns(t *rapid.T) []int {
	return rapid.SliceOfNDistinct(rapid.IntRange(0, len(p.xs)-1), 1, len(p.xs), rapid.ID[int]).Draw(t, "columns")
}

func (p *problem) pick(cols []int) []Int {
	xs := make([]Int, len(cols))
	for i, c := range cols {
		xs[i] = p.xs[c]
	}
	return xs
}

func (p *problem) addBox(t *rapid.T, g Group) func([]int32) bool {
	cols := p.columns(t)
	var box []Span
	for _, c := range cols {
		lo := rapid.Int32Range(-5, 10).Draw(t, "lo")
		box = append(box, Span{p.xs[c], lo, lo + rapid.Int32Range(-1, 8).Draw(t, "width")})
	}
	p.s.Exclude(g, box)
	return func(v []int32) bool {
		for i, c := range cols {
			if v[c] < box[i].Lo || v[c] > box[i].Hi {
				return true
			}
		}
		return false
	}
}

func (p *problem) addAllow(t *rapid.T, g Group) func([]int32) bool {
	cols := p.columns(t)
	a, b := rapid.Int32Range(-3, 3).Draw(t, "a"), rapid.Int32Range(-3, 3).Draw(t, "b")
	modulus := rapid.Int32Range(2, 4).Draw(t, "modulus")
	cap := rapid.Int32Range(-10, 40).Draw(t, "cap")
	ok := func(v []int32) bool {
		product, sum := int32(1), int32(0)
		for i, x := range v {
			product *= x
			sum += x * []int32{a, b, 1, -1}[i%4]
		}
		return product <= cap && sum%modulus != 0
	}
	p.s.Allow(g, p.pick(cols), ok)
	return func(v []int32) bool {
		u := make([]int32, len(cols))
		for i, c := range cols {
			u[i] = v[c]
		}
		return ok(u)
	}
}

func (p *problem) addTable(t *rapid.T, g Group) func([]int32) bool {
	cols := p.columns(t)
	tuples := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(-4, 9), len(cols), len(cols)), 0, 12).Draw(t, "tuples")
	for range rapid.IntRange(0, 12).Draw(t, "inside") {
		tuple := make([]int32, len(cols))
		for i, c := range cols {
			tuple[i] = rapid.SampledFrom(p.xs[c].Values()).Draw(t, "value")
		}
		tuples = append(tuples, tuple)
	}
	p.s.Table(g, p.pick(cols), tuples)
	return func(v []int32) bool {
		return slices.ContainsFunc(tuples, func(tuple []int32) bool {
			for i, c := range cols {
				if tuple[i] != v[c] {
					return false
				}
			}
			return true
		})
	}
}

func (p *problem) addSum(t *rapid.T, g Group) func([]int32) bool {
	total := rapid.IntRange(0, len(p.xs)-1).Draw(t, "total")
	cols := p.columns(t)
	if rapid.Bool().Draw(t, "none") {
		cols = cols[:0]
	}
	p.s.Sum(g, p.xs[total], p.pick(cols)...)
	return func(v []int32) bool {
		sum := int32(0)
		for _, c := range cols {
			sum += v[c]
		}
		return v[total] == sum
	}
}

func (p *problem) addClause(t *rapid.T, g Group) func([]int32) bool {
	var lits []Lit
	var parts []func([]int32) bool
	for range rapid.IntRange(0, 4).Draw(t, "lits") {
		c := rapid.IntRange(0, len(p.xs)-1).Draw(t, "column")
		w := rapid.Int32Range(-5, 10).Draw(t, "value")
		var l Lit
		var f func([]int32) bool
		switch rapid.IntRange(0, 2).Draw(t, "op") {
		case 0:
			l, f = p.s.Ge(p.xs[c], w), func(v []int32) bool { return v[c] >= w }
		case 1:
			l, f = p.s.Le(p.xs[c], w), func(v []int32) bool { return v[c] <= w }
		default:
			l, f = p.s.Eq(p.xs[c], w), func(v []int32) bool { return v[c] == w }
		}
		if rapid.Bool().Draw(t, "negated") {
			inner := f
			l, f = l.Not(), func(v []int32) bool { return !inner(v) }
		}
		lits, parts = append(lits, l), append(parts, f)
	}
	p.s.Clause(g, lits...)
	return func(v []int32) bool {
		return slices.ContainsFunc(parts, func(f func([]int32) bool) bool { return f(v) })
	}
}

func (p *problem) subset(t *rapid.T) []Group {
	var on []Group
	for _, g := range p.groups {
		if rapid.Bool().Draw(t, "on") {
			on = append(on, g)
		}
	}
	return on
}

func (p *problem) read(m Model) []int32 {
	v := make([]int32, len(p.xs))
	for i, x := range p.xs {
		v[i] = m.Value(x)
	}
	return v
}

func TestSolveAgreesWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		for range 4 {
			on := p.subset(t)
			want := p.points(on)
			status, m, err := p.s.Solve(context.Background(), Budget{}, on...)
			if err != nil || (status == Sat) != (len(want) > 0) || status == Unknown {
				t.Fatalf("status %v, error %v; enumeration finds %d points", status, err, len(want))
			}
			if status == Sat && !slices.ContainsFunc(want, func(v []int32) bool { return slices.Equal(v, p.read(m)) }) {
				t.Fatalf("model %v is not a solution", p.read(m))
			}
			p.addRule(t)
		}
	})
}

func TestLiteralsMeanWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New()
		x := s.Int("x", genValues(t, "values"))
		w := rapid.Int32Range(-6, 11).Draw(t, "w")
		ge, le, eq := s.Ge(x, w), s.Le(x, w), s.Eq(x, w)
		for _, v := range x.Values() {
			status, m, err := s.SolveUnder(context.Background(), Budget{}, []Lit{s.Eq(x, v)})
			if status != Sat || err != nil {
				t.Fatalf("%d: %v, %v", v, status, err)
			}
			if m.Value(x) != v || m.True(ge) != (v >= w) || m.True(le) != (v <= w) || m.True(eq) != (v == w) {
				t.Fatalf("x = %d, w = %d: value %d, ge %v, le %v, eq %v", v, w, m.Value(x), m.True(ge), m.True(le), m.True(eq))
			}
		}
	})
}

func TestAnIntegerOfOneValueCostsNothing(t *testing.T) {
	s := New()
	before := s.Stats()
	x := s.Int("x", []int32{7})
	if s.Ge(x, 7) != True || s.Le(x, 6) != False || s.Eq(x, 7) != True || s.Eq(x, 8) != False {
		t.Error("its literals are not constant")
	}
	if s.Stats() != before {
		t.Errorf("%+v became %+v", before, s.Stats())
	}
}
