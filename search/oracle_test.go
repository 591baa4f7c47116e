package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/search/loops"
	"meshplan/solver"
	"meshplan/units"
)

// everything prices every valid plan of the loops.
func everything(t testing.TB, j *job, e *loops.Enumerator) []leaf {
	t.Helper()
	price, err := j.Problem.price()
	if err != nil {
		t.Fatal(err)
	}
	var list []leaf
	e.Visit(func(p *plan.Point) bool {
		stages, err := price.Split(p, j.forms)
		if noForm := (*cost.NoForm)(nil); errors.As(err, &noForm) {
			return true
		} else if err != nil {
			t.Fatal(err)
		}
		l := leaf{plan: p.Plan(j.levels)}
		l.plan.Options.Stages = stages
		for _, r := range j.stageRules {
			if !r.Holds(j.facts, &l.plan) {
				return true
			}
		}
		l.figures = price.Price(&l.plan)
		l.key = key{roundNS(l.figures.Step), float64(l.figures.Peak), *p}
		list = append(list, l)
		return true
	})
	return list
}

// ranked is the best plan of each of the k best classes, by sorting all.
func ranked(list []leaf, k int, g memoryGroup) []leaf {
	list = slices.DeleteFunc(slices.Clone(list), func(l leaf) bool { return !g.accepts(l.figures.Verdict) })
	slices.SortFunc(list, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second), slices.Compare(a.point[:], b.point[:]))
	})
	seen := map[class]bool{}
	var best []leaf
	for _, l := range list {
		if c := classOf(&l.point); !seen[c] && len(best) < k {
			seen[c] = true
			best = append(best, l)
		}
	}
	return best
}

// byGroup is the answer of brute force: the best that fit, else the best that
// run.
func byGroup(list []leaf, k int) ([]leaf, memoryGroup) {
	if best := ranked(list, k, fits); len(best) > 0 {
		return best, fits
	}
	return ranked(list, k, runs), runs
}

func sameLeaves(a, b []leaf) bool {
	return slices.EqualFunc(a, b, func(x, y leaf) bool { return x.plan == y.plan && x.figures == y.figures && x.point == y.point })
}

// randomProblems is the number of random problems, tested in parts.
const randomProblems = 252

// inParts runs a test on every random problem, in parallel.
func inParts(t *testing.T, problems int, test func(t *testing.T, seed uint64)) {
	const parts = 6
	if testing.Short() { // the race detector takes ten times as long
		problems = max(parts, problems/16)
	}
	for part := range parts {
		t.Run(fmt.Sprintf("part%d", part), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < problems; seed += parts {
				test(t, uint64(seed))
			}
		})
	}
}

func TestWalkFindsWhatSortingAllPlansFinds(t *testing.T) {
	var optimal, infeasible, borderline atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, randomProblems, func(t *testing.T, seed uint64) {
			p, e := small(t, seed)
			r := checkBySorting(t, seed, p, e)
			if r.Status == Optimal {
				optimal.Add(1)
			} else {
				infeasible.Add(1)
			}
			if r.Borderline != nil {
				borderline.Add(1)
			}
		})
	})
	if n := optimal.Load() + infeasible.Load(); optimal.Load() < n/2 || infeasible.Load() < 5 || borderline.Load() < n/20 {
		t.Errorf("the problems are one-sided: %d optimal, %d infeasible, %d with a faster borderline plan",
			optimal.Load(), infeasible.Load(), borderline.Load())
	}
}

// realProblems is the number of random problems at real prices.
const realProblems = 252

func TestWalkFindsWhatSortingAllPlansFindsAtRealPrices(t *testing.T) {
	inParts(t, realProblems, func(t *testing.T, seed uint64) {
		p, e := real(t, seed)
		checkBySorting(t, seed, p, e)
	})
}

// checkBySorting compares the walk, the loops and the best plan with all plans
// listed and sorted, and gives the result of the search.
func checkBySorting(t *testing.T, seed uint64, p *Problem, e *loops.Enumerator) *Result {
	t.Helper()
	j, s := mustSession(t, p)
	list := everything(t, j, e)
	want, g := byGroup(list, p.Top)
	checkWalk(t, seed, s, list)
	any := ranked(list, p.Top, runs)
	checkLoops(t, seed, e, loops.Query{Top: p.Top, Runs: g == runs}, want)
	checkLoops(t, seed, e, loops.Query{Top: p.Top, Runs: true}, any)
	r, err := s.best(context.Background(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkBest(t, seed, r, want)
	checkFastest(t, seed, r, any)
	return r
}

// checkFastest compares with the best plans that are not refused: they are the
// fastest, and the first of them is the borderline plan if it is faster than the
// best that fits.
func checkFastest(t *testing.T, seed uint64, r *Result, any []leaf) {
	t.Helper()
	if len(r.Fastest) != len(any) {
		t.Fatalf("seed %d: %d fastest plans, want %d", seed, len(r.Fastest), len(any))
	}
	for i := range any {
		f, l := &r.Fastest[i], &any[i]
		if f.Text != l.plan.String() || f.Verdict != l.figures.Verdict.String() || f.StepSeconds != float64(l.figures.Step) {
			t.Fatalf("seed %d: place %d has %s, want %s", seed, i, f.Text, l.plan.String())
		}
	}
	faster := len(any) > 0 && any[0].figures.Verdict == cost.Borderline && r.Plans[0].Memory.Verdict == cost.Fits.String() &&
		any[0].first < roundNS(units.Seconds(r.Plans[0].StepSeconds))
	if faster != (r.Borderline != nil) {
		t.Fatalf("seed %d: a borderline plan is faster: %v, want %v", seed, r.Borderline != nil, faster)
	}
	if faster {
		b, f := r.Borderline, &any[0].figures
		if b.Plan.Text != any[0].plan.String() || b.Status != Optimal || b.BoundSeconds != float64(f.Step) || b.Gap != 0 {
			t.Fatalf("seed %d: borderline %s, %s, want %s", seed, b.Plan.Text, b.Status, any[0].plan.String())
		}
		if b.FreeBytes != float64(f.Usable-f.Peak) || b.FreeBytes >= b.MarginBytes || b.SavedFraction <= 0 {
			t.Fatalf("seed %d: %v of %v free, %v saved", seed, b.FreeBytes, b.MarginBytes, b.SavedFraction)
		}
	}
}

func checkWalk(t *testing.T, seed uint64, s *session, list []leaf) {
	t.Helper()
	for _, group := range []memoryGroup{fits, runs, unlimited} {
		out, err := s.walk(context.Background(), query{top: s.Top, memory: group})
		if err != nil {
			t.Fatal(err)
		}
		if best := ranked(list, s.Top, group); !out.done || !sameLeaves(out.held, best) {
			t.Fatalf("seed %d, group %d: walk found %v, want %v", seed, group, texts(out.held), texts(best))
		}
	}
	out, err := s.walk(context.Background(), query{top: s.Top, memory: runs, safe: true, shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if !out.done || !sameLeaves(out.held, ranked(list, s.Top, runs)) || !sameLeaves(out.safe.held, ranked(list, s.Top, fits)) {
		t.Fatalf("seed %d: asked together, the walk found %v and of those that fit %v", seed, texts(out.held), texts(out.safe.held))
	}
}

func checkLoops(t *testing.T, seed uint64, e *loops.Enumerator, q loops.Query, want []leaf) {
	t.Helper()
	ctx := context.Background()
	for name, got := range map[string]loops.Answer{"plain": e.Plain(ctx, q), "bounded": e.Bounded(ctx, q)} {
		if !got.Done || !slices.EqualFunc(got.Best, want, func(f loops.Found, l leaf) bool {
			return f.Plan == l.plan && f.Figures == l.figures && f.Point == l.point
		}) {
			t.Fatalf("seed %d: %s loops found %d plans, want %v", seed, name, len(got.Best), texts(want))
		}
	}
}

func checkBest(t *testing.T, seed uint64, r *Result, want []leaf) {
	t.Helper()
	if len(want) == 0 {
		if r.Status != Infeasible || len(r.Plans) != 0 || len(r.Reasons) == 0 || r.Gap != nil {
			t.Fatalf("seed %d: status %s with %d reasons, want infeasible with some", seed, r.Status, len(r.Reasons))
		}
		return
	}
	if r.Status != Optimal || *r.Gap != 0 || *r.BoundSeconds != float64(want[0].figures.Step) {
		t.Fatalf("seed %d: status %s", seed, r.Status)
	}
	for i := range want {
		if text := want[i].plan.String(); r.Plans[i].Text != text {
			t.Fatalf("seed %d: plan %d is %s, want %s", seed, i, r.Plans[i].Text, text)
		}
	}
}

func texts(list []leaf) []string {
	var s []string
	for i := range list {
		s = append(s, list[i].plan.String())
	}
	return s
}

func mustSession(t testing.TB, p *Problem) (*job, *session) {
	t.Helper()
	j, err := newJob(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := j.session()
	if err != nil {
		t.Fatal(err)
	}
	return j, s
}

// allPoints visits every leaf.
type allPoints struct {
	*session
	points []plan.Point
}

func (v *allPoints) Bound(*solver.Node) (int, bool) { return 0, true }
func (v *allPoints) Less(a, b int) bool             { return false }
func (v *allPoints) Cut(int) bool                   { return false }
func (v *allPoints) Leaf(n *solver.Node) error {
	b := v.space.Box(n)
	if p := b.Least(); v.broken(&p) == nil {
		v.points = append(v.points, p)
	}
	return nil
}

func TestWalkAndLoopsEnumerateTheSamePoints(t *testing.T) {
	inParts(t, randomProblems, func(t *testing.T, seed uint64) {
		p, e := small(t, seed+10_000)
		j, s := mustSession(t, p)
		if seed%3 == 0 {
			e = loopsOf(t, j, implied)
		}
		v := &allPoints{session: s}
		if err := solver.Walk(context.Background(), s.solver, s.groups, nil, s.order, v); err != nil {
			t.Fatal(err)
		}
		var want []plan.Point
		e.Visit(func(p *plan.Point) bool { want = append(want, *p); return true })
		byValue := func(a, b plan.Point) int { return a.Compare(&b) }
		slices.SortFunc(v.points, byValue)
		slices.SortFunc(want, byValue)
		if !slices.Equal(v.points, want) {
			t.Fatalf("seed %d: walk has %d points, loops %d", seed, len(v.points), len(want))
		}
		if n := e.Count(); n != float64(len(want)) {
			t.Fatalf("seed %d: counted %v, visited %d", seed, n, len(want))
		}
	})
}
