package measured

import (
	"fmt"
	"math"
	"testing"

	"meshplan/cost"
	"meshplan/plan"
)

// tried is a run of a hand-made sweep: its plan, the predicted and the measured
// time (0 = ran out of memory), and the verdict.
type tried struct {
	plan                string
	predicted, measured float64
	verdict             cost.Verdict
}

const (
	fits = cost.Fits
	edge = cost.Borderline
	no   = cost.DoesNotFit
)

// sweep makes the scored rows of a sweep.
func sweep(t *testing.T, name string, runs ...tried) []*scored {
	t.Helper()
	var rows []*scored
	for _, r := range runs {
		p, err := plan.Parse(r.plan)
		if err != nil {
			t.Fatal(err)
		}
		s := &scored{row: &row{source: "lab", sweep: name}, seconds: r.measured}
		s.prediction = prediction{plan: p.Plan, text: p.Plan.String(), seconds: r.predicted, verdict: r.verdict}
		s.ran, s.oom = r.measured > 0, r.measured == 0
		rows = append(rows, s)
	}
	return rows
}

func near(t *testing.T, what string, got Share, want float64) {
	t.Helper()
	if math.IsNaN(want) != got.None() || !got.None() && math.Abs(float64(got)-want) > 1e-12 {
		t.Errorf("%s %v, want %v", what, float64(got), want)
	}
}

func TestRegretIsTheThroughputThatThePickLoses(t *testing.T) {
	for _, c := range []struct {
		name                 string
		runs                 []tried
		regret, top3, either float64
		failed               int
	}{
		{"the best is picked", []tried{{"tp=1", 1, 10, fits}, {"tp=2", 2, 12, fits}, {"tp=4", 3, 16, fits}}, 0, 0, 0, 0},
		{"a slower one is picked", []tried{{"tp=1", 3, 10, fits}, {"tp=2", 2, 12.5, fits}, {"tp=4", 1, 20, fits}}, 0.5, 0, 0.5, 0},
		{"what is refused is not picked", []tried{{"tp=1", 1, 10, no}, {"tp=2", 2, 12.5, fits}, {"tp=4", 3, 20, fits}}, 0.2, 0.2, 0.2, 0},
		{"borderline comes after fits", []tried{{"tp=1", 1, 10, edge}, {"tp=2", 2, 12.5, fits}, {"tp=4", 3, 20, fits}}, 0.2, 0, 0, 0},
		{"borderline if nothing fits", []tried{{"tp=1", 1, 10, edge}, {"tp=2", 2, 12.5, edge}, {"tp=4", 3, 20, no}}, 0, 0, 0, 0},
		{"nothing to pick", []tried{{"tp=1", 1, 10, no}, {"tp=2", 2, 12.5, no}, {"tp=4", 3, 20, no}}, 1, 1, 1, 1},
		{"the pick ran out of memory", []tried{{"tp=8", 0.5, 0, fits}, {"tp=1", 1, 10, fits}, {"tp=2", 2, 12.5, fits}, {"tp=4", 3, 20, fits}}, 1, 0, 1, 1},
		{"the edge saves a pick that ran out", []tried{{"tp=8", 0.5, 0, fits}, {"tp=1", 1, 10, edge}, {"tp=2", 2, 12.5, edge}, {"tp=4", 3, 20, no}}, 1, 0, 0, 1},
		{"the best is fourth", []tried{{"tp=1", 1, 20, fits}, {"tp=2", 2, 16, fits}, {"tp=4", 3, 40, fits}, {"tp=8", 4, 10, fits}}, 0.5, 0.375, 0.5, 0},
		{"equal predictions go by the text", []tried{{"tp=4", 1, 10, fits}, {"tp=2", 1, 20, fits}, {"tp=8", 1, 40, fits}}, 0.5, 0, 0.5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rankingOf(sweep(t, "s", c.runs...))
			if r.Groups != 1 || r.FailedPicks != c.failed {
				t.Errorf("%d groups, %d failed picks, want 1 and %d", r.Groups, r.FailedPicks, c.failed)
			}
			near(t, "mean regret", r.MeanRegret, c.regret)
			near(t, "max regret", r.MaxRegret, c.regret)
			near(t, "top 3", r.Top3, c.top3)
			near(t, "safe or borderline", r.SafeOrEdge, c.either)
		})
	}
}

func TestASweepNeedsThreePlansThatRan(t *testing.T) {
	two := sweep(t, "s", tried{"tp=1", 1, 10, fits}, tried{"tp=1", 1, 11, fits}, tried{"tp=2", 2, 12, fits}, tried{"tp=4", 3, 0, fits})
	none := sweep(t, "", tried{"tp=1", 1, 10, fits}, tried{"tp=2", 2, 12, fits}, tried{"tp=4", 3, 16, fits})
	r := rankingOf(append(two, none...))
	if r.Groups != 0 || !r.MeanRegret.None() || !r.PairOrder.None() || !r.MaxRegret.None() {
		t.Errorf("%+v", r)
	}
}

func TestSweepsAreJudgedApart(t *testing.T) {
	a := sweep(t, "a", tried{"tp=1", 1, 10, fits}, tried{"tp=2", 2, 12, fits}, tried{"tp=4", 3, 16, fits})
	b := sweep(t, "b", tried{"tp=1", 3, 1, fits}, tried{"tp=2", 2, 2, fits}, tried{"tp=4", 1, 4, fits})
	r := rankingOf(append(a, b...))
	near(t, "mean regret", r.MeanRegret, 0.375)
	near(t, "max regret", r.MaxRegret, 0.75)
	near(t, "pair order", r.PairOrder, 0.5)
	if r.Groups != 2 {
		t.Errorf("%d groups", r.Groups)
	}
}

func TestRunsOfOnePlanAreMerged(t *testing.T) {
	rows := sweep(t, "s", tried{"tp=1", 1, 30, fits}, tried{"tp=1", 1, 10, fits}, tried{"tp=1", 1, 0, fits}, tried{"tp=1", 1, 12, fits},
		tried{"tp=2", 2, 14, fits}, tried{"tp=2", 2, 10, fits}, tried{"tp=4", 3, 0, fits})
	list := sweepOf(rows)
	if len(list) != 3 {
		t.Fatalf("%d candidates", len(list))
	}
	for i, want := range []struct {
		ran      bool
		measured float64
	}{{true, 12}, {true, 12}, {false, 0}} {
		if list[i].ran != want.ran || list[i].measured != want.measured {
			t.Errorf("candidate %d: ran %t in %g, want %+v", i, list[i].ran, list[i].measured, want)
		}
	}
}

func TestRunsThatWereNotTimedAreNoCandidates(t *testing.T) {
	rows := sweep(t, "s", tried{"tp=1", 1, 10, fits}, tried{"tp=2", 2, 12, fits})
	rows[1].seconds = 0
	if list := sweepOf(rows); len(list) != 1 {
		t.Errorf("%d candidates", len(list))
	}
}

func TestPairsCountWhenTheyAreApart(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b       tried
		right, all int
	}{
		{"in order", tried{"tp=1", 1, 10, fits}, tried{"tp=2", 2, 11, fits}, 1, 1},
		{"out of order", tried{"tp=1", 2, 10, fits}, tried{"tp=2", 1, 11, fits}, 0, 1},
		{"the same prediction", tried{"tp=1", 1, 10, fits}, tried{"tp=2", 1, 11, fits}, 0, 1},
		{"measured alike", tried{"tp=1", 2, 10, fits}, tried{"tp=2", 1, 10.3, fits}, 0, 0},
		{"just apart", tried{"tp=1", 1, 10, no}, tried{"tp=2", 2, 10.31, edge}, 1, 1},
		{"one ran out of memory", tried{"tp=1", 1, 10, fits}, tried{"tp=2", 2, 0, fits}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := group{candidates: sweepOf(sweep(t, "s", c.a, c.b))}
			if right, all := g.pairs(); right != c.right || all != c.all {
				t.Errorf("%d of %d, want %d of %d", right, all, c.right, c.all)
			}
		})
	}
}

func TestBaselinesPickByTheirRules(t *testing.T) {
	list := sweepOf(sweep(t, "s",
		tried{"tp=1,pp=1,micro-batch=1,recompute=full", 1, 10, fits},
		tried{"tp=4,pp=1,micro-batch=8", 2, 20, fits},
		tried{"tp=2,pp=2,micro-batch=8", 3, 30, fits},
		tried{"tp=4,pp=1,micro-batch=4", 4, 40, fits},
		tried{"tp=2,pp=2,micro-batch=4", 5, 50, fits},
		tried{"tp=16,pp=1,micro-batch=64", 6, 60, fits},
	))
	if got := leastModelParallel(list); got.measured != 50 {
		t.Errorf("least model parallel picks %s", got.text)
	}
	if got := largestMicroBatch(list); got.measured != 10 {
		t.Errorf("largest micro-batch picks %s", got.text)
	}
	if got := largestMicroBatch(list[1:]); got.measured != 30 {
		t.Errorf("largest micro-batch picks %s of the rest", got.text)
	}
	if got := largestMicroBatch(list[5:]); got.measured != 60 {
		t.Errorf("largest micro-batch picks %s of wide plans alone", got.text)
	}
	if leastModelParallel(nil) != nil || largestMicroBatch(nil) != nil {
		t.Error("a pick out of nothing")
	}
}

func TestBaselinesAreJudgedInTwoForms(t *testing.T) {
	// The least model parallel plan ran out of memory although we say that it fits.
	r := rankingOf(sweep(t, "s", tried{"tp=1", 4, 0, fits}, tried{"tp=2", 1, 10, fits}, tried{"tp=4", 2, 12.5, fits}, tried{"tp=8", 3, 20, no}))
	b := r.Baselines.LeastModelParallel
	near(t, "same verdict", b.SameVerdict.MeanRegret, 1)
	near(t, "told what ran", b.ToldWhatRan.MeanRegret, 0)
	if b.SameVerdict.FailedPicks != 1 || b.ToldWhatRan.FailedPicks != 0 {
		t.Errorf("%+v", b)
	}
	near(t, "our regret", r.MeanRegret, 0)
}

func TestErrorsAreFractions(t *testing.T) {
	e := errorsOf([]float64{-0.4, 0.1, 0.2, -0.3, 0.5})
	near(t, "mape", e.MAPE, 0.3)
	near(t, "median", e.Median, 0.3)
	near(t, "p90", e.P90, 0.46)
	near(t, "signed", e.Signed, 0.02)
	if e.N != 5 {
		t.Errorf("n %d", e.N)
	}
	one := errorsOf([]float64{-0.25})
	near(t, "p90 of one", one.P90, 0.25)
	if none := errorsOf(nil); none.N != 0 || !none.MAPE.None() || !none.Median.None() || !none.P90.None() || !none.Signed.None() {
		t.Errorf("errors of nothing: %+v", none)
	}
}

func TestFitCountsSourcesWithBothOutcomes(t *testing.T) {
	rows := sweep(t, "s",
		tried{"tp=1", 1, 1, fits}, tried{"tp=1", 1, 1, fits}, tried{"tp=1", 1, 1, edge}, tried{"tp=1", 1, 1, no},
		tried{"tp=1", 1, 0, no}, tried{"tp=1", 1, 0, edge}, tried{"tp=1", 1, 0, fits})
	only := sweep(t, "t", tried{"tp=1", 1, 1, no}, tried{"tp=1", 1, 1, fits})
	for _, s := range only {
		s.source = "another"
	}
	f := fitOf(append(rows, only...), func(s *scored) string { return s.source })
	near(t, "accuracy", f.Accuracy, 4.0/7)
	near(t, "false OOM", f.FalseOOM, 2.0/4)
	near(t, "false fit", f.FalseFit, 1.0/3)
	near(t, "borderline", f.Borderline, 2.0/7)
	if f.N != 7 || f.RanRefused != 2 {
		t.Errorf("n %d, refused %d", f.N, f.RanRefused)
	}
	f = fitOf(only, func(s *scored) string { return s.source })
	near(t, "accuracy of one outcome", f.Accuracy, math.NaN())
	if f.N != 0 || f.RanRefused != 1 {
		t.Errorf("n %d, refused %d", f.N, f.RanRefused)
	}
}

func TestShareIsNullWhereThereIsNone(t *testing.T) {
	for _, c := range []struct {
		s    Share
		want string
	}{{0.25, "0.25"}, {0, "0"}, {none, "null"}} {
		text, err := c.s.MarshalJSON()
		if err != nil || string(text) != c.want {
			t.Errorf("%v: %s, %v", float64(c.s), text, err)
		}
	}
	if got := fmt.Sprint(ratio(1, 4), ratio(1, 0).None()); got != "0.25 true" {
		t.Error(got)
	}
}
