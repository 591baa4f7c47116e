package search

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"meshplan/framework"
	"meshplan/plan"
)

func mustStudy(t testing.TB, p *Problem, l Limits) *SensitivityResult {
	t.Helper()
	r, err := Sensitivity(context.Background(), p, l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shortBest is the best plan of a problem by a search of its own; infeasible has
// none.
func shortBest(t *testing.T, p *Problem) *Outline {
	t.Helper()
	q := *p
	q.Top, q.Jobs, q.Forced = 1, 1, false
	r := mustBest(t, &q, 0)
	switch {
	case r.Status == Infeasible:
		return nil
	case r.Status != Optimal:
		t.Fatalf("status %s", r.Status)
	}
	return outlineOf(&r.Plans[0])
}

// samePlan reports whether the best plan of a job is alike another's and hardly faster
// there than that one.
func samePlan(t *testing.T, p *Problem, a, b *Outline) bool {
	t.Helper()
	if !alike(t, a, b) || a == nil {
		return a == b
	}
	_, s := mustSession(t, p)
	was := found(plan.Parse(b.Text)).Plan
	point := was.Point()
	l, ok, err := s.priced(&point)
	if err != nil {
		t.Fatal(err)
	}
	return !s.holds(&point) || !ok || l.figures.Verdict.String() != a.Verdict || float64(l.figures.Step) <= 1.001*a.StepSeconds
}

// alike reports whether two plans are of one class and verdict, by their text.
func alike(t *testing.T, a, b *Outline) bool {
	t.Helper()
	if a == nil || b == nil {
		return a == b
	}
	class := func(o *Outline) class {
		q, err := plan.Parse(o.Text)
		if err != nil {
			t.Fatal(err)
		}
		p := q.Plan.Point()
		return classOf(&p)
	}
	return class(a) == class(b) && a.Verdict == b.Verdict
}

// TestSensitivityIsWhatSearchesOfTheChangedJobsFind solves each changed job by Best,
// and both ends of each flip.
func TestSensitivityIsWhatSearchesOfTheChangedJobsFind(t *testing.T) {
	var solved, infeasible, impossible, others, flips, dear atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 30, func(t *testing.T, seed uint64) {
			p, _ := real(t, seed+110_000)
			r := mustStudy(t, p, Limits{})
			base := shortBest(t, p)
			if r.Status != Infeasible && r.Status != Optimal || (base == nil) != (r.Status == Infeasible) || base != nil && *r.Best != *base {
				t.Fatalf("seed %d: %s with %+v, the best is %+v", seed, r.Status, r.Best, base)
			}
			if base == nil {
				if len(r.Reasons) == 0 || len(r.Inputs) > 0 {
					t.Fatalf("seed %d: infeasible with %d reasons and %d inputs", seed, len(r.Reasons), len(r.Inputs))
				}
				return
			}
			j, _ := mustSession(t, p)
			shown := 0
			for _, in := range inputsOf(j) {
				if shown == len(r.Inputs) || r.Inputs[shown].Name != in.Name {
					wantNoCase(t, seed, in)
					continue
				}
				got := &r.Inputs[shown]
				shown++
				for k := range got.Cases {
					c := &got.Cases[k]
					q, err := in.at(factors[k])
					if err != nil || framework.CheckPins(&q.Facts, q.Pins) != nil {
						impossible.Add(1)
						if c.Impossible == "" || c.Best != nil {
							t.Fatalf("seed %d, %s times %g: %+v, want none", seed, got.Name, c.Factor, c)
						}
						continue
					}
					solved.Add(1)
					want := shortBest(t, q)
					if want == nil {
						infeasible.Add(1)
						if c.Status != Infeasible || c.Best != nil || len(c.Reasons) == 0 || !c.OtherPlan {
							t.Fatalf("seed %d, %s times %g: %+v, want infeasible", seed, got.Name, c.Factor, c)
						}
						continue
					}
					if c.Status != Optimal || *c.Best != *want || *c.StepChange != want.StepSeconds/base.StepSeconds-1 || c.OtherPlan == samePlan(t, q, want, base) {
						t.Fatalf("seed %d, %s times %g: %+v, %+v; want %+v", seed, got.Name, c.Factor, c, c.Best, want)
					}
					if c.OtherPlan {
						others.Add(1)
					}
					if k := c.KeepingCosts; k != nil && *k < -1e-9 {
						t.Fatalf("seed %d, %s times %g: keeping the plan saves %g", seed, got.Name, c.Factor, -*k)
					}
					if c.KeepingCosts != nil && *c.KeepingCosts > 1e-4 {
						dear.Add(1)
					}
				}
				flips.Add(int32(len(got.Flips)))
				checkFlips(t, seed, base, in, got)
			}
		})
	})
	if !testing.Short() && (solved.Load() < 500 || infeasible.Load() == 0 || impossible.Load() < 50 || others.Load() < 50 || flips.Load() < 50 || dear.Load() < 10) {
		t.Errorf("the problems are one-sided: %d cases, %d infeasible, %d impossible, %d with another plan, %d flips, %d in which keeping the plan costs",
			solved.Load(), infeasible.Load(), impossible.Load(), others.Load(), flips.Load(), dear.Load())
	}
}

// wantNoCase wants an input that cannot be changed.
func wantNoCase(t *testing.T, seed uint64, in *input) {
	t.Helper()
	for _, f := range factors {
		if q, err := in.at(f); err == nil && framework.CheckPins(&q.Facts, q.Pins) == nil {
			t.Fatalf("seed %d: nothing is said of %s", seed, in.Name)
		}
	}
}

// checkFlips solves both ends of each flip, and wants one on each side on which a
// case has another plan.
func checkFlips(t *testing.T, seed uint64, base *Outline, in *input, r *InputResult) {
	t.Helper()
	at := func(factor float64) (best *Outline, same bool) {
		q, err := in.at(factor)
		if err != nil {
			t.Fatal(err)
		}
		best = shortBest(t, q)
		return best, samePlan(t, q, best, base)
	}
	found := map[string]bool{}
	for i := range r.Flips {
		f := &r.Flips[i]
		found[f.Side] = true
		gap := math.Abs(math.Log(f.FlipsFactor / f.KeepsFactor))
		if f.Stopped || !in.Whole && gap > math.Log(1.01)+1e-9 || (f.Side == Less) != (f.FlipsFactor < f.KeepsFactor) || f.FlipsFactor < 0.5 || f.FlipsFactor > 2 {
			t.Fatalf("seed %d, %s: %+v", seed, r.Name, f)
		}
		keeps, kept := at(f.KeepsFactor)
		flips, unflipped := at(f.FlipsFactor)
		if !kept || *keeps != f.Keeps || unflipped || (flips == nil) != (f.Flips == nil) || flips != nil && *flips != *f.Flips {
			t.Fatalf("seed %d, %s: %+v\nfrom %+v\nto %+v", seed, r.Name, f, keeps, flips)
		}
	}
	for i := range r.Cases {
		if c := &r.Cases[i]; c.OtherPlan && !found[map[bool]string{true: Less, false: More}[c.Factor < 1]] {
			t.Fatalf("seed %d, %s times %g has another plan, but there is no flip", seed, r.Name, c.Factor)
		}
	}
}

func TestPlansKnownBeforehandDoNotChangeTheAnswer(t *testing.T) {
	var offered atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 90, func(t *testing.T, seed uint64) {
			draw := small
			if seed%2 == 0 {
				draw = real
			}
			p, e := draw(t, seed+120_000)
			j, s := mustSession(t, p)
			r := rand.New(rand.NewPCG(seed, 5))
			q := query{top: s.Top, memory: runs, safe: true, shared: true}
			want, err := s.walk(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			e.Visit(func(a *plan.Point) bool {
				if r.IntN(40) == 0 {
					broken := *a
					c := r.IntN(len(broken))
					broken[c] = pick(r, j.domains.Values[c]...)
					q.known = append(q.known, *a, broken)
					offered.Add(1)
				}
				return len(q.known) < 20
			})
			root := j.root()
			q.known = append(q.known, root.Least(), plan.Point{}) // of which most break a rule
			_, s = mustSession(t, p)
			got, err := s.walk(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]answer{{want.answer, got.answer}, {want.safe, got.safe}} {
				if len(pair[0].held) != len(pair[1].held) {
					t.Fatalf("seed %d: %d plans, with some known %d", seed, len(pair[0].held), len(pair[1].held))
				}
				for i := range pair[0].held {
					if pair[0].held[i] != pair[1].held[i] {
						t.Fatalf("seed %d: plan %d is %+v, with some known %+v", seed, i, pair[0].held[i], pair[1].held[i])
					}
				}
			}
		})
	})
	if !testing.Short() && offered.Load() < 300 {
		t.Errorf("only %d plans were known", offered.Load())
	}
}

func TestSensitivityIsTheSameBytesAtAnyNumberOfJobs(t *testing.T) {
	inParts(t, 6, func(t *testing.T, seed uint64) {
		p, _ := real(t, seed+130_000)
		var first []byte
		for _, p.Jobs = range []int{1, 2, 5} {
			var b bytes.Buffer
			if err := mustStudy(t, p, Limits{}).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b.Bytes()
			}
			if !bytes.Equal(first, b.Bytes()) {
				t.Fatalf("seed %d: %d jobs differ:\n%s\n%s", seed, p.Jobs, first, b.Bytes())
			}
		}
	})
}

// TestStoppedSensitivityHoldsWhatItSays stops at random moments. Whatever it says then
// must hold.
func TestStoppedSensitivityHoldsWhatItSays(t *testing.T) {
	inParts(t, 12, func(t *testing.T, seed uint64) {
		p, _ := real(t, seed+140_000)
		start := time.Now()
		whole := mustStudy(t, p, Limits{})
		took := time.Since(start)
		r := rand.New(rand.NewPCG(seed, 6))
		for range 6 {
			p.Jobs = pick(r, 1, 2)
			got := mustStudy(t, p, Limits{Time: time.Duration(r.Int64N(int64(took))) + 1})
			checkStoppedStudy(t, seed, got, whole)
		}
	})
}

// checkStoppedStudy compares with the whole study.
func checkStoppedStudy(t *testing.T, seed uint64, got, whole *SensitivityResult) {
	t.Helper()
	const ns = 1e-9 // bounds are of rounded times
	switch {
	case got.Status == whole.Status || got.Status == Unknown && got.Best == nil:
	case got.Status != Feasible || whole.Status != Optimal || got.TenPercent != nil || got.HalfOrDouble != nil:
		t.Fatalf("seed %d: %s, in the end %s", seed, got.Status, whole.Status)
	case len(got.Inputs) == 0 && (got.Best.StepSeconds < whole.Best.StepSeconds || *got.BoundSeconds > whole.Best.StepSeconds+ns):
		t.Fatalf("seed %d: %+v and no less than %g, in the end %+v", seed, got.Best, *got.BoundSeconds, whole.Best)
	}
	for i := range got.Inputs {
		for k, c := range got.Inputs[i].Cases {
			want := whole.Inputs[i].Cases[k]
			switch {
			case c.Status == Optimal && (want.Status != Optimal || *c.Best != *want.Best):
				t.Fatalf("seed %d, %s: %+v, in the end %+v", seed, got.Inputs[i].Name, c.Best, want.Best)
			case c.Status == Infeasible && want.Status != Infeasible:
				t.Fatalf("seed %d, %s: infeasible, in the end %+v", seed, got.Inputs[i].Name, want.Best)
			case c.Status == Feasible && c.Best.Verdict == want.Best.Verdict && (c.Best.StepSeconds < want.Best.StepSeconds || *c.BoundSeconds > want.Best.StepSeconds+ns):
				t.Fatalf("seed %d, %s: %+v and no less than %g, in the end %+v", seed, got.Inputs[i].Name, c.Best, *c.BoundSeconds, want.Best)
			}
		}
		for _, f := range got.Inputs[i].Flips {
			if !f.Stopped && f.Side != "" && len(whole.Inputs[i].Flips) == 0 {
				t.Fatalf("seed %d, %s: a flip that is none in the end: %+v", seed, got.Inputs[i].Name, f)
			}
		}
	}
}

func TestSensitivityOfAnInfeasibleJobIsItsReasons(t *testing.T) {
	p := instance{"", "llama-3.1-405b", "h100:8", 64, 4096}.problem(t)
	r := mustStudy(t, p, Limits{})
	if want := mustBest(t, p, 0); r.Status != Infeasible || len(r.Inputs) != 0 || len(r.Reasons) == 0 || r.Reasons[0].Text != want.Reasons[0].Text || r.Best != nil {
		t.Errorf("%s with %+v", r.Status, r.Reasons)
	}
}

func TestTheHeaviestInputIsThatOfTheLargestChange(t *testing.T) {
	by := func(name string, half, less, more, double float64) InputResult {
		r := InputResult{Name: name}
		for i, change := range []float64{half, less, more, double} {
			c := CaseResult{Factor: factors[i], Status: Optimal, StepChange: &change}
			switch {
			case math.IsNaN(change):
				c = CaseResult{Factor: factors[i], Impossible: "not a whole number"}
			case math.IsInf(change, 1):
				c = CaseResult{Factor: factors[i], Status: Infeasible}
			}
			r.Cases = append(r.Cases, c)
		}
		return r
	}
	none := math.NaN()
	for _, c := range []struct {
		name   string
		inputs []InputResult
		ten    Weight
		half   Weight
	}{
		{"the largest slowdown", []InputResult{by("a", 0.3, 0.1, -0.1, -0.2), by("b", 0.4, 0.09, -0.08, -0.1)}, Weight{Input: "a", Factor: 0.9}, Weight{Input: "b", Factor: 0.5}},
		{"the largest gain", []InputResult{by("a", 0.3, 0.1, -0.1, -0.2), by("b", 0.2, 0.09, -0.12, -0.4)}, Weight{Input: "b", Factor: 1.1}, Weight{Input: "b", Factor: 2}},
		{"nothing fits", []InputResult{by("a", 3, 0.1, -0.1, -0.2), by("b", inf, 0, 0, 0)}, Weight{Input: "a", Factor: 0.9}, Weight{Input: "b", Factor: 0.5}},
		{"what cannot be does not count", []InputResult{by("a", none, none, none, -0.2), by("b", 0.1, 0.01, 0, 0)}, Weight{Input: "b", Factor: 0.9}, Weight{Input: "a", Factor: 2}},
		{"the first of equals", []InputResult{by("a", 0.1, 0.1, 0, 0), by("b", 0.1, 0.1, 0, 0)}, Weight{Input: "a", Factor: 0.9}, Weight{Input: "a", Factor: 0.5}},
	} {
		ten, half := heaviest(c.inputs, 0.9, 1.1), heaviest(c.inputs, 0.5, 2)
		if ten.Input != c.ten.Input || ten.Factor != c.ten.Factor || half.Input != c.half.Input || half.Factor != c.half.Factor {
			t.Errorf("%s: %+v and %+v", c.name, ten, half)
		}
	}
}

func TestInputsOfAJobAreThoseThatMatterToIt(t *testing.T) {
	names := func(model, on, pins string) (list []string) {
		p := instance{"", model, on, 64, 4096}.problem(t)
		var err error
		if pins != "" {
			if p.Pins, err = framework.ParsePins(pins); err != nil {
				t.Fatal(err)
			}
		}
		j, _ := mustSession(t, p)
		for _, in := range inputsOf(j) {
			list = append(list, in.Name)
		}
		return list
	}
	for _, c := range []struct {
		name, model, on, pins, has, lacks string
	}{
		{"experts have a load", "mixtral-8x7b", "h100:16", "", "load-factor", "host-link"},
		{"dense models have none", "llama-3.1-8b", "h100:16", "", "nic", "load-factor"},
		{"one node has no network", "llama-3.1-8b", "h100:8", "", "nvlink", "nic"},
		{"the host matters where something may be kept there", "llama-3.1-8b", "h100:8", "optimizer-offload<=100", "host-memory", "oversubscription"},
	} {
		list := names(c.model, c.on, c.pins)
		if has, lacks := slices.Contains(list, c.has), slices.Contains(list, c.lacks); !has || lacks {
			t.Errorf("%s: %v", c.name, list)
		}
	}
}

// TestALoadFactorBelowBalanceIsNoJob: the input is changed, not the problem.
func TestALoadFactorBelowBalanceIsNoJob(t *testing.T) {
	p := instance{"", "mixtral-8x7b", "h100:16", 64, 4096}.problem(t)
	p.Facts.Workload.LoadFactor = 1.5
	in := loadFactor(p)
	if _, err := in.at(0.5); err == nil || err.Error() != "load-factor=0.75 is below 1, which is balanced" {
		t.Error(err)
	}
	q, err := in.at(2)
	if err != nil || q.Facts.Workload.LoadFactor != 3 || p.Facts.Workload.LoadFactor != 1.5 {
		t.Errorf("%v, %+v", err, q.Facts.Workload)
	}
}
