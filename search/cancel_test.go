package search

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"meshplan/units"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A walk may be stopped at any box. Whatever it says then must hold.
func TestStoppedSearchGivesABoundBelowTheOptimum(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, e := small(t, seed+30_000)
		j, _ := mustSession(t, p)
		list := everything(t, j, e)
		best, _ := byGroup(list, 1)
		if len(best) == 0 {
			return
		}
		any := ranked(list, 1, runs)
		for _, boxes := range []int{1, 10, 40, 150, 700} {
			ctx, cancel := context.WithCancel(context.Background())
			stopAfter(t, p, boxes, cancel)
			r, err := Best(ctx, p, Limits{})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			checkStopped(t, seed, r, &best[0], &any[0])
			checkBounds(t, seed, p, boxes, list)
		}
	})
}

// checkBounds stops a walk with both contests: neither's bound is above its
// optimum.
func checkBounds(t *testing.T, seed uint64, p *Problem, boxes int, list []leaf) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stopAfter(t, p, boxes, cancel)
	_, s := mustSession(t, p)
	out, err := s.walk(ctx, query{top: s.Top, memory: runs, safe: true, shared: true})
	if err != nil {
		t.Fatal(err)
	}
	for group, a := range map[memoryGroup]answer{runs: out.answer, fits: out.safe} {
		if best := ranked(list, 1, group); len(best) > 0 && a.bound > best[0].first {
			t.Fatalf("seed %d, %d boxes, group %d: bound %v, optimum %v", seed, boxes, group, a.bound, best[0].first)
		}
	}
}

// stopAfter calls stop at the given number of boxes.
func stopAfter(t *testing.T, p *Problem, boxes int, stop func()) {
	t.Helper()
	price, err := p.price()
	if err != nil {
		t.Fatal(err)
	}
	f := *price.(*fake)
	var seen atomic.Int64
	f.before = func() {
		if seen.Add(1) == int64(boxes) {
			stop()
		}
	}
	p.newPricer = func(on *Problem) (pricer, error) { return f.of(on), nil }
}

// checkStopped compares with the best plan, and the best that is not refused.
func checkStopped(t *testing.T, seed uint64, r *Result, best, any *leaf) {
	t.Helper()
	const ns = 1e-9 // bounds are of rounded times
	optimum, least := float64(best.figures.Step), float64(any.figures.Step)
	if len(r.Plans) > 0 && r.Plans[0].Memory.Verdict != best.figures.Verdict.String() {
		t.Fatalf("seed %d: the best plan %s, the optimum %v", seed, r.Plans[0].Memory.Verdict, best.figures.Verdict)
	}
	if b := r.Borderline; b != nil {
		step := b.Plan.StepSeconds
		if b.Status != r.Status || b.BoundSeconds > least+ns || step < least || step >= r.Plans[0].StepSeconds || b.Gap != 1-b.BoundSeconds/step {
			t.Fatalf("seed %d: borderline %v, bound %v, gap %v; the optimum is %v", seed, step, b.BoundSeconds, b.Gap, least)
		}
	}
	switch r.Status {
	case Optimal:
		if r.Plans[0].StepSeconds != optimum {
			t.Fatalf("seed %d: optimal %v, want %v", seed, r.Plans[0].StepSeconds, optimum)
		}
	case Feasible:
		step := r.Plans[0].StepSeconds
		if *r.BoundSeconds > optimum+ns || step < optimum || *r.Gap != 1-*r.BoundSeconds/step || *r.Gap < 0 {
			t.Fatalf("seed %d: step %v, bound %v, gap %v; the optimum is %v", seed, step, *r.BoundSeconds, *r.Gap, optimum)
		}
	case Unknown:
		if len(r.Plans) != 0 || r.Gap != nil || *r.BoundSeconds > optimum+ns {
			t.Fatalf("seed %d: unknown with %d plans and bound %v; the optimum is %v", seed, len(r.Plans), *r.BoundSeconds, optimum)
		}
	default:
		t.Fatalf("seed %d: status %s", seed, r.Status)
	}
}

func TestTimeLimitStopsTheSearch(t *testing.T) {
	p := toy(t, "")
	p.Forced = true
	r := mustBest(t, p, time.Nanosecond)
	if r.Status != Unknown || len(r.Plans) != 0 {
		t.Errorf("status %s with %d plans, want unknown without", r.Status, len(r.Plans))
	}
	if err := r.WriteJSON(new(bytes.Buffer)); err != nil {
		t.Error(err)
	}
}

func TestResultIsTheSameBytesAtAnyNumberOfJobs(t *testing.T) {
	for _, test := range []struct {
		pins   string
		usable units.Bytes
	}{{"gpus=16", 100}, {"gpus=16,tp=8,pp=1", 100}, {"gpus=16", withFasterBorderline}} {
		var first []byte
		for run := range 10 {
			p := usable(toy(t, test.pins), test.usable)
			p.Forced, p.Top, p.Jobs = true, 5, run%2+1
			var b bytes.Buffer
			if err := mustBest(t, p, 0).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b.Bytes()
			}
			if !bytes.Equal(first, b.Bytes()) {
				t.Fatalf("run %d of %v differs:\n%s\n%s", run, test, first, b.Bytes())
			}
		}
	}
}

func TestProblemThatCannotBePricedIsAnError(t *testing.T) {
	p := toy(t, "")
	broken := errors.New("no such recipe")
	p.newPricer = func(*Problem) (pricer, error) { return nil, broken }
	if _, err := Best(context.Background(), p, Limits{}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
