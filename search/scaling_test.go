package search

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/search/loops"
)

// onFront reports whether no other candidate's best plan is as fast and takes as
// little, by comparing with each.
func onFront(against Axis, q *Sizing, best []*loops.Found, i int) bool {
	takes := func(i int) float64 { return against.of(q.Candidates[i].GPUs(), roundNS(best[i].Step)) }
	for k, other := range best {
		if k != i && other != nil && roundNS(other.Step) <= roundNS(best[i].Step) && takes(k) <= takes(i) {
			return false
		}
	}
	return true
}

func mustScale(t testing.TB, ctx context.Context, q *Sizing, against Axis) *ScalingFront {
	t.Helper()
	f, err := Scaling(ctx, q, against, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestScalingFindsWhatLoopsOverEveryCandidateFind(t *testing.T) {
	var points, empty, behind, dearer, problems atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, sizings, func(t *testing.T, seed uint64) {
			l := sizedByLoops(t, seed)
			q, best := &Sizing{Problem: l.problem, Candidates: l.candidates, Price: 2, Steps: 10}, l.best
			counts := map[Axis]int{}
			for _, against := range []Axis{GPUsAxis, CostAxis} {
				f := mustScale(t, context.Background(), q, against)
				checkScaling(t, seed, q, f, best)
				counts[against] = len(f.Points)
				for _, c := range f.Candidates {
					if c.Verdict == BehindFront {
						behind.Add(1)
					}
				}
			}
			problems.Add(1)
			points.Add(int32(counts[GPUsAxis]))
			dearer.Add(int32(counts[GPUsAxis] - counts[CostAxis]))
			if counts[GPUsAxis] == 0 {
				empty.Add(1)
			}
		})
	})
	if n := problems.Load(); points.Load() < n || empty.Load() < n/20 || empty.Load() > n/2 || behind.Load() < n/2 || dearer.Load() < n/6 {
		t.Errorf("the problems are one-sided: %d problems, %d points of GPUs, %d of them not of the cost, %d candidates behind, %d without a point",
			n, points.Load(), dearer.Load(), behind.Load(), empty.Load())
	}
}

// checkScaling compares a front with the best plans by loops, as sets of plans.
func checkScaling(t *testing.T, seed uint64, q *Sizing, f *ScalingFront, best []*loops.Found) {
	t.Helper()
	var want, got []string
	for i, b := range best {
		verdict := f.Candidates[i].Verdict
		if b != nil && onFront(f.Against, q, best, i) {
			want = append(want, b.Plan.String())
		} else if verdict != BehindFront && (b != nil || verdict != NoneFits) {
			t.Fatalf("seed %d: %d GPUs are %s, and by loops not on the front", seed, f.Candidates[i].GPUs, verdict)
		}
	}
	for i := range f.Points {
		p := &f.Points[i]
		got = append(got, p.Text)
		if i > 0 && (p.StepSeconds <= f.Points[i-1].StepSeconds || p.GPUs >= f.Points[i-1].GPUs || f.Against == CostAxis && *p.USDPerStep >= *f.Points[i-1].USDPerStep) {
			t.Fatalf("seed %d: point %d does not take less than the one before", seed, i)
		}
		step := 2 * float64(p.GPUs) * p.StepSeconds / 3600
		tokens := step / perStep(&q.Problem.Facts.Workload) * 1e9
		if !p.Proven || p.Gap != 0 || *p.USDPerStep != step || *p.USDInAll != 10*step || *p.USDPerBillionTokens != tokens {
			t.Fatalf("seed %d: point %d is %+v", seed, i, p)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("seed %d: the front against %s differs (-want +got): %s", seed, f.Against, diff)
	}
	status := Optimal
	if len(want) == 0 {
		status = Infeasible
	}
	if f.Status != status || !f.Complete || (f.Text == "") != (status == Optimal) {
		t.Fatalf("seed %d: status %s, complete: %v, %q", seed, f.Status, f.Complete, f.Text)
	}
}

func TestAScalingIsTheSameAtAnyNumberOfJobs(t *testing.T) {
	for _, against := range []Axis{GPUsAxis, CostAxis} {
		var texts []string
		for _, jobs := range []int{1, 2, 5} {
			q := sized(t, 128, 64)
			q.Problem.Jobs, q.Price = jobs, 2.5
			var b strings.Builder
			if err := mustScale(t, context.Background(), q, against).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, b.String())
		}
		if texts[0] != texts[1] || texts[0] != texts[2] {
			t.Errorf("against %s the answers differ", against)
		}
	}
}

func TestNamesOfTheScalingJSON(t *testing.T) {
	q := sized(t, 48, 64)
	q.Price, q.Steps = 2, 10
	var text strings.Builder
	if err := mustScale(t, context.Background(), q, CostAxis).WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"format_version", "against", "status", "complete", "usd_per_gpu_hour", "points", "gpus", "step_seconds", "cluster", "usd_per_step",
		"usd_per_billion_tokens", "usd_in_all", "proven", "gap", "knee", "candidates", "verdict", "bound_seconds", "text", "reasons", "warnings",
	} {
		if !strings.Contains(text.String(), `"`+name+`":`) {
			t.Errorf("the JSON has no %q", name)
		}
	}
	for _, null := range []string{`"points": null`, `"candidates": null`, `"reasons": null`, `"warnings": null`} {
		if strings.Contains(text.String(), null) {
			t.Errorf("the JSON holds %s", null)
		}
	}
}

func TestAScalingThatIsStoppedAtOnceKnowsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := mustScale(t, ctx, sized(t, 64, 64), GPUsAxis)
	if f.Status != Unknown || f.Complete || len(f.Points) > 0 {
		t.Fatalf("%+v", f)
	}
	for _, c := range f.Candidates {
		if c.Verdict != Undecided || c.BoundSeconds != nil {
			t.Errorf("%d GPUs: %+v", c.GPUs, c)
		}
	}
}
