package search

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/cost"
	"meshplan/search/loops"
	"meshplan/units"
)

// frontProblems is the number of random problems, half of them at real prices.
const frontProblems = 500

// stepsOf is a plan's memory in begun steps of the resolution.
func stepsOf(l *leaf, resolution float64) float64 {
	return math.Ceil(float64(l.figures.Peak) / resolution)
}

// frontOf is the front of all plans, by comparing each with each.
func frontOf(list []leaf, resolution float64) []leaf {
	var front []leaf
	list = slices.DeleteFunc(slices.Clone(list), func(l leaf) bool { return l.figures.Verdict == cost.DoesNotFit })
	for i := range list {
		l := &list[i]
		steps := stepsOf(l, resolution)
		if !slices.ContainsFunc(list, func(o leaf) bool {
			other := stepsOf(&o, resolution)
			if o.first == l.first && other == steps {
				return o.compare(&l.key) < 0
			}
			return o.first <= l.first && other <= steps
		}) {
			front = append(front, *l)
		}
	}
	slices.SortFunc(front, func(a, b leaf) int { return a.compare(&b.key) })
	return front
}

func mustPareto(t testing.TB, p *Problem, l FrontLimits) *Front {
	t.Helper()
	f, err := Pareto(context.Background(), p, l)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func pointTexts(f *Front) []string {
	list := []string{}
	for i := range f.Points {
		list = append(list, f.Points[i].Text)
	}
	return list
}

func TestParetoFindsWhatComparingAllPlansFinds(t *testing.T) {
	var points, empty, problems atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, frontProblems, func(t *testing.T, seed uint64) {
			p, e := tiny(t, seed)
			resolution := []float64{1, 4, 12}[seed%3]
			if seed%2 == 1 {
				p, e = real(t, seed)
				resolution *= float64(units.GiB) / 20
			}
			j, err := newJob(p)
			if err != nil {
				t.Fatal(err)
			}
			list := everything(t, j, e)
			want := frontOf(list, math.Round(resolution))
			f := mustPareto(t, p, FrontLimits{Resolution: units.Bytes(resolution)})
			checkFront(t, seed, f, want)
			problems.Add(1)
			points.Add(int32(len(want)))
			if len(want) == 0 {
				empty.Add(1)
			}
		})
	})
	if n := problems.Load(); points.Load() < 3*n || empty.Load() < 3 || empty.Load() > n/3 {
		t.Errorf("the problems are one-sided: %d problems, %d points, %d without any", n, points.Load(), empty.Load())
	}
}

// frontByLoops is the front by bounded loops that search again within less memory
// than the last point takes; done is false when the context stopped them.
func frontByLoops(ctx context.Context, e *loops.Enumerator, resolution float64) (front []loops.Found, done bool) {
	q := loops.Query{Runs: true}
	for {
		a := e.Bounded(ctx, q)
		if !a.Done || len(a.Best) == 0 {
			return front, a.Done
		}
		front = append(front, a.Best[0])
		q.Most = units.Bytes((math.Ceil(float64(a.Best[0].Peak)/resolution) - 1) * resolution)
		if q.Most <= 0 {
			return front, true
		}
	}
}

func TestLoopsWithinLessAndLessMemoryFindTheFront(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		draw, resolution := tiny, units.Bytes(7)
		if seed%2 == 1 {
			draw, resolution = real, units.GiB/2
		}
		p, e := draw(t, seed+5_000)
		front, done := frontByLoops(context.Background(), e, float64(resolution))
		f := mustPareto(t, p, FrontLimits{Resolution: resolution})
		var want []string
		for i := range front {
			want = append(want, front[i].Plan.String())
		}
		if diff := cmp.Diff(want, pointTexts(f)); !done || diff != "" && len(want)+len(f.Points) > 0 {
			t.Fatalf("seed %d: the front differs (-loops +walk): %s", seed, diff)
		}
	})
}

// checkFront compares a front with the one that is right.
func checkFront(t *testing.T, seed uint64, f *Front, want []leaf) {
	t.Helper()
	if diff := cmp.Diff(texts(want), pointTexts(f)); diff != "" && len(want)+len(f.Points) > 0 {
		t.Fatalf("seed %d: the front differs (-want +got): %s", seed, diff)
	}
	if len(want) == 0 {
		if f.Status != Infeasible || len(f.Reasons) == 0 {
			t.Fatalf("seed %d: status %s with %d reasons, want infeasible with some", seed, f.Status, len(f.Reasons))
		}
		return
	}
	if f.Status != Optimal || !f.Complete || f.Proven() != len(want) {
		t.Fatalf("seed %d: status %s, %d of %d points proven", seed, f.Status, f.Proven(), len(want))
	}
	for i := range want {
		p, l := &f.Points[i], &want[i].figures
		if p.StepSeconds != float64(l.Step) || p.PeakReservedBytes != float64(l.Peak) || p.Verdict != l.Verdict.String() {
			t.Fatalf("seed %d: point %d has %v s and %v B, want %v and %v", seed, i, p.StepSeconds, p.PeakReservedBytes, l.Step, l.Peak)
		}
		if i > 0 && (p.StepSeconds < f.Points[i-1].StepSeconds || p.PeakReservedBytes >= f.Points[i-1].PeakReservedBytes) {
			t.Fatalf("seed %d: point %d does not need less memory than the one before", seed, i)
		}
	}
}

func TestTheFrontBeginsWithTheFastestPlan(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, _ := real(t, seed)
		f, r := mustPareto(t, p, FrontLimits{}), mustBest(t, p, 0)
		if len(f.Points) == 0 || len(r.Fastest) == 0 {
			if len(f.Points) != len(r.Fastest) || f.Status != r.Status || cmp.Diff(f.Reasons, r.Reasons) != "" {
				t.Fatalf("seed %d: the front is %s, the best plan %s", seed, f.Status, r.Status)
			}
			return
		}
		if diff := cmp.Diff(r.Fastest[0], f.Points[0].Outline); diff != "" {
			t.Fatalf("seed %d: the first point is not the fastest plan: %s", seed, diff)
		}
	})
}

// Plans within the old limit are on the front whatever lies above it. The layers of
// a plan depend on what fits, so that at real prices the plans are not the same.
func TestMoreMemoryNeverRemovesPointsOfTheFront(t *testing.T) {
	inParts(t, 100, func(t *testing.T, seed uint64) {
		p, _ := small(t, seed)
		r := FrontLimits{Resolution: 1}
		before, after := mustPareto(t, p, r), mustPareto(t, usable(p, 700), r)
		for i := range before.Points {
			if !slices.Contains(pointTexts(after), before.Points[i].Text) {
				t.Fatalf("seed %d: with more memory %s is not on the front", seed, before.Points[i].Text)
			}
		}
	})
}

func TestTheFrontDoesNotDependOnTheJobs(t *testing.T) {
	inParts(t, 40, func(t *testing.T, seed uint64) {
		p, _ := real(t, seed)
		q := *p
		p.Jobs, q.Jobs = 1, 3
		one, three := mustPareto(t, p, FrontLimits{}), mustPareto(t, &q, FrontLimits{})
		one.Stats, three.Stats = Stats{}, Stats{}
		if diff := cmp.Diff(one, three); diff != "" {
			t.Fatalf("seed %d: three jobs give another front: %s", seed, diff)
		}
	})
}

func TestAFrontOfSomePointsIsTheFastEndOfTheWhole(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, _ := small(t, seed)
		all := mustPareto(t, p, FrontLimits{Resolution: 5})
		whole := pointTexts(all)
		for n := 1; n < len(whole); n += 2 {
			f := mustPareto(t, p, FrontLimits{Resolution: 5, Points: n})
			if diff := cmp.Diff(whole[:n], pointTexts(f)); diff != "" || f.Status != Optimal || f.Complete {
				t.Fatalf("seed %d, %d points: %s, complete: %v: %s", seed, n, f.Status, f.Complete, diff)
			}
			if b := *f.ProvenBelowSeconds; b <= f.Points[n-1].StepSeconds || b > all.Points[n].StepSeconds+1e-9 {
				t.Fatalf("seed %d: %d points of up to %v s, and the front is proven below %v s", seed, n, f.Points[n-1].StepSeconds, b)
			}
		}
	})
}

// Wherever the search is stopped, what it calls proven is on the front, and nothing
// faster is missing.
func TestAStoppedFrontProvesItsFastEnd(t *testing.T) {
	some, none := 0, 0
	whole := mustPareto(t, usable(toy(t, "gpus=16"), withFasterBorderline), FrontLimits{Resolution: 1})
	for boxes := 1; boxes < 6000; boxes += 151 {
		p := usable(toy(t, "gpus=16"), withFasterBorderline)
		ctx, cancel := context.WithCancel(context.Background())
		stopAfter(t, p, boxes, cancel)
		f, err := Pareto(ctx, p, FrontLimits{Resolution: 1})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if f.Complete {
			continue
		}
		n := f.Proven()
		if n > 0 && n < len(f.Points) {
			some++
		} else if n == 0 {
			none++
		}
		if f.Status == Optimal || n > len(whole.Points) || !slices.Equal(pointTexts(f)[:n], pointTexts(whole)[:n]) {
			t.Fatalf("after %d boxes %s, of %v the first %d are proven, of %v", boxes, f.Status, pointTexts(f), n, pointTexts(whole))
		}
		for i := n; i < len(whole.Points); i++ {
			if b := f.ProvenBelowSeconds; b != nil && whole.Points[i].StepSeconds < *b {
				t.Fatalf("after %d boxes the front is proven below %v s, but a point of %v s is missing", boxes, *b, whole.Points[i].StepSeconds)
			}
		}
		for _, x := range f.Points[n:] {
			if x.Gap < 0 || x.Gap >= 1 {
				t.Fatalf("after %d boxes a gap is %v", boxes, x.Gap)
			}
		}
	}
	if some == 0 || none == 0 {
		t.Errorf("stopped %d times with a part proven and %d times with none", some, none)
	}
}

func TestTheKneeIsFurthestFromTheChord(t *testing.T) {
	for name, c := range map[string]struct {
		points [][2]float64 // memory, time
		want   int
	}{
		"a corner":                      {[][2]float64{{64, 1}, {8, 1.5}, {4, 8}}, 1},
		"the sharper of two":            {[][2]float64{{64, 1}, {32, 1.1}, {8, 1.2}, {4, 8}}, 2},
		"a straight line":               {[][2]float64{{4, 1}, {2, 2}, {1, 4}}, -1},
		"bent away from the lower left": {[][2]float64{{4, 1}, {3.9, 3}, {1, 4}}, -1},
		"two points":                    {[][2]float64{{4, 1}, {2, 2}}, -1},
		"no point":                      {nil, -1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := knee(len(c.points), func(i int) (x, y float64) { return c.points[i][0], c.points[i][1] }); got != c.want {
				t.Errorf("the knee is point %d, want %d", got, c.want)
			}
		})
	}
}
