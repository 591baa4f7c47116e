package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/search/loops"
	"meshplan/units"
)

// parts are up to most numbers of GPUs that the problem's cluster can have.
func parts(r *rand.Rand, p *Problem, most int) []*cluster.Cluster {
	var list []*cluster.Cluster
	whole := p.Facts.Cluster
	for n := 1; n <= whole.GPUs(); n++ {
		if c, err := whole.Part(n); err == nil {
			list = append(list, c)
		}
	}
	for len(list) > most {
		i := r.IntN(len(list))
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// bestByLoops is the best plan that fits and uses all GPUs of a cluster, by
// nested loops; nil when there is none.
func bestByLoops(t *testing.T, p *Problem, on *cluster.Cluster) *loops.Found {
	t.Helper()
	q := *p
	q.Facts.Cluster = on
	q.Pins = append(slices.Clone(p.Pins), exactly(on.GPUs()))
	j, err := newJob(&q)
	if err != nil {
		t.Fatal(err)
	}
	a := loopsOf(t, j, without).Plain(context.Background(), loops.Query{Top: 1})
	if len(a.Best) == 0 {
		return nil
	}
	return &a.Best[0]
}

// sizedByLoops is a random problem of sizes with the best plan of each candidate by
// loops. Tests share it.
func sizedByLoops(t *testing.T, seed uint64) *looped {
	t.Helper()
	if l, ok := sizedBefore.Load(seed); ok {
		return l.(*looped)
	}
	p, _ := real(t, seed+70_000)
	l := &looped{problem: p, candidates: parts(rand.New(rand.NewPCG(seed, 2)), p, 5)}
	for _, c := range l.candidates {
		l.best = append(l.best, bestByLoops(t, p, c))
	}
	sizedBefore.Store(seed, l)
	return l
}

// looped is a problem of sizes and its answer by loops, nil where there is none.
type looped struct {
	problem    *Problem
	candidates []*cluster.Cluster
	best       []*loops.Found
}

var sizedBefore sync.Map // a *looped by seed

// wanted is a goal for the tests: none, the step of some candidate's best plan,
// or a little more or less.
func wanted(r *rand.Rand, p *Problem, best []*loops.Found) *Goal {
	b := best[r.IntN(len(best))]
	if b == nil || r.IntN(4) == 0 {
		return nil
	}
	return StepGoal(&p.Facts.Workload, b.Step*units.Seconds(pick(r, 1, 1, 1-1e-3, 1+1e-3)))
}

func mustSize(t testing.TB, q *Sizing) *SizingResult {
	t.Helper()
	r, err := Smallest(context.Background(), q, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sizings is the number of random problems of sizes, and of fronts over them.
const sizings = 500

func TestSmallestIsWhatLoopsOverEveryCandidateFind(t *testing.T) {
	var found, none, later, slow, gaps atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, sizings, func(t *testing.T, seed uint64) {
			l := sizedByLoops(t, seed)
			best, r := l.best, rand.New(rand.NewPCG(seed, 3))
			q := &Sizing{Problem: l.problem, Candidates: l.candidates, All: seed%2 == 0, Goal: wanted(r, l.problem, l.best)}
			first := slices.IndexFunc(best, func(b *loops.Found) bool { return b != nil && q.Goal.met(float64(b.Step)) })
			got := mustSize(t, q)
			if first < 0 {
				none.Add(1)
				if got.GPUs != nil || got.Status != Infeasible || len(got.Candidates) != len(best) {
					t.Fatalf("seed %d: %s, want none", seed, got.Status)
				}
			} else {
				found.Add(1)
				if got.GPUs == nil || got.Status != Optimal || *got.GPUs != q.Candidates[first].GPUs() || got.Plan.Text != best[first].Plan.String() {
					t.Fatalf("seed %d: %s with %+v, want %s", seed, got.Status, got.GPUs, best[first].Plan.String())
				}
				if first > 0 {
					later.Add(1)
				}
				if slices.Contains(best[first:], nil) {
					gaps.Add(1)
				}
			}
			for i := range got.Candidates {
				checkCandidate(t, seed, q.Goal, &got.Candidates[i], best[i])
				if got.Candidates[i].Verdict == TooSlow {
					slow.Add(1)
				}
			}
			if looked := len(got.Candidates); looked+len(got.NotLookedAt) != len(best) || !q.All && first >= 0 && looked != first+1 || q.All && looked != len(best) {
				t.Fatalf("seed %d: looked at %d of %d, the answer is the %dth", seed, looked, len(best), first)
			}
		})
	})
	if !testing.Short() && (found.Load() < 60 || none.Load() < 10 || later.Load() < 40 || slow.Load() < 40 || gaps.Load() < 10) {
		t.Errorf("the problems are one-sided: %d found, %d of them behind others, %d with gaps behind; %d none; %d too slow",
			found.Load(), later.Load(), gaps.Load(), none.Load(), slow.Load())
	}
}

// checkCandidate compares a candidate with the best plan that fits, by loops.
func checkCandidate(t *testing.T, seed uint64, goal *Goal, c *Candidate, best *loops.Found) {
	t.Helper()
	var ok bool
	switch c.Verdict {
	case Meets:
		ok = best != nil && goal.met(float64(best.Step)) && c.Text == ""
	case TooSlow:
		ok = best != nil && !goal.met(float64(best.Step)) && strings.HasPrefix(c.Text, "fits, but the best step takes ")
	case OnlyBorderline:
		ok = best == nil && c.Best.Verdict == "borderline" && c.Text != ""
	case NoPlan:
		ok = best == nil && c.Best == nil && len(c.Reasons) > 0 && c.Text != ""
	}
	if ok && best != nil {
		ok = c.Best.Text == best.Plan.String() && c.Best.StepSeconds == float64(best.Step) && c.Best.GPUs == int64(c.GPUs)
	}
	if !ok {
		t.Fatalf("seed %d: %d GPUs: %s, %q, best by loops %+v", seed, c.GPUs, c.Verdict, c.Text, best)
	}
}

func TestALimitOnTheStepKeepsTheBestWithinIt(t *testing.T) {
	inParts(t, 120, func(t *testing.T, seed uint64) {
		draw := small
		if seed%2 == 0 {
			draw = real // where bounds of single plans may be below their prices
		}
		p, e := draw(t, seed+80_000)
		j, s := mustSession(t, p)
		list := everything(t, j, e)
		for _, group := range []memoryGroup{fits, runs} {
			all := ranked(list, len(list), group)
			for _, i := range []int{0, len(all) / 3, len(all) - 1} {
				if i < 0 || i >= len(all) {
					continue
				}
				limit := units.Seconds(all[i].first / 1e9)
				want := ranked(slices.DeleteFunc(slices.Clone(list), func(l leaf) bool { return l.first > all[i].first }), p.Top, group)
				out, err := s.walk(context.Background(), query{top: p.Top, memory: group, within: limit, shared: true})
				if err != nil || !out.done || !sameLeaves(out.held, want) {
					t.Fatalf("seed %d: within %v the walk found %v, want %v; %v", seed, limit, texts(out.held), texts(want), err)
				}
				if out.bound > all[i].first+1 {
					t.Fatalf("seed %d: bound %v is above the limit %v", seed, out.bound, limit)
				}
			}
			if len(all) > 0 {
				limit := units.Seconds((all[0].first - 1) / 1e9)
				out, err := s.walk(context.Background(), query{top: 1, memory: group, within: limit})
				if err != nil || !out.done || len(out.held) > 0 {
					t.Fatalf("seed %d: a plan within %v, the best takes %v; %v", seed, limit, all[0].figures.Step, err)
				}
			}
		}
	})
}

func TestMoreMemoryOrALooserGoalNeverNeedsMoreGPUs(t *testing.T) {
	problems := uint64(40)
	if testing.Short() {
		problems = 5
	}
	answer := func(q *Sizing) int {
		r := mustSize(t, q)
		if r.GPUs == nil {
			return 1 << 30
		}
		return *r.GPUs
	}
	found := 0
	for seed := range problems {
		p, _ := real(t, seed+90_000)
		r := rand.New(rand.NewPCG(seed, 3))
		q := &Sizing{Problem: p, Candidates: parts(r, p, 8)}
		any := answer(q)
		if any < 1<<30 {
			found++
			q.Goal = StepGoal(&p.Facts.Workload, units.Seconds(mustSize(t, q).Plan.StepSeconds*pick(r, 0.4, 0.7, 1)))
		}
		base := answer(q)
		if any > base {
			t.Errorf("seed %d: %d GPUs without a goal, %d with one", seed, any, base)
		}
		more := *q
		more.Candidates = nil
		for _, c := range q.Candidates {
			larger, _ := whatIf(t, &Problem{Facts: framework.Facts{Cluster: c}}, "hbm=+25%")
			more.Candidates = append(more.Candidates, larger.Facts.Cluster)
		}
		if got := answer(&more); got > base {
			t.Errorf("seed %d: %d GPUs with a quarter more memory, %d without", seed, got, base)
		}
		if q.Goal != nil {
			loose := *q
			loose.Goal = StepGoal(&p.Facts.Workload, units.Seconds(q.Goal.StepSeconds*1.3))
			if got := answer(&loose); got > base {
				t.Errorf("seed %d: %d GPUs with a looser goal, %d without", seed, got, base)
			}
		}
	}
	if found < int(problems)/2 {
		t.Errorf("only %d of %d problems have an answer", found, problems)
	}
}

// sized is the 70B job on candidates of H100s.
func sized(t testing.TB, most, counts int) *Sizing {
	t.Helper()
	p := instance{model: "llama-3.1-70b", cluster: "h100:8", batch: 1024, seq: 8192}.problem(t)
	k := found(cluster.LoadKind("h100"))
	k.Most = most
	q := &Sizing{Problem: p}
	for _, n := range k.Counts(counts) {
		q.Candidates = append(q.Candidates, found(k.Cluster(n)))
	}
	return q
}

func TestASizingIsTheSameAtAnyNumberOfJobs(t *testing.T) {
	var texts []string
	for _, jobs := range []int{1, 2, 5} {
		q := sized(t, 64, 64)
		q.Problem.Jobs, q.All, q.Price = jobs, true, 2.5
		var b strings.Builder
		if err := mustSize(t, q).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Error("the answers differ")
	}
}

func TestNamesOfTheSizingJSON(t *testing.T) {
	q := sized(t, 32, 64)
	q.Goal, q.Price, q.All = BudgetGoal(&q.Problem.Facts.Workload, 3650, 1e12), 2, true
	var text strings.Builder
	if err := mustSize(t, q).WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"format_version", "status", "goal", "step_seconds", "tokens_per_day", "days", "tokens", "steps", "text", "gpus", "cheapest_gpus",
		"usd_per_gpu_hour", "candidates", "cluster", "verdict", "bound_seconds", "best", "usd_per_step", "usd_in_all", "reasons",
		"not_looked_at", "plan", "warnings",
	} {
		if !strings.Contains(text.String(), `"`+name+`":`) {
			t.Errorf("the JSON has no %q", name)
		}
	}
	for _, null := range []string{`"candidates": null`, `"not_looked_at": null`, `"reasons": null`, `"numbers": null`, `"warnings": null`} {
		if strings.Contains(text.String(), null) {
			t.Errorf("the JSON holds %s", null)
		}
	}
}

func TestGoals(t *testing.T) {
	w := &plan.Workload{GlobalBatch: 100, SeqLen: 10}
	for name, c := range map[string]struct {
		goal *Goal
		step float64
		text string
	}{
		"a step time":              {StepGoal(w, 20), 20, "a step of at most 20.00 s"},
		"tokens a day":             {RateGoal(w, 4.32e6), 20, "4.32e+06 tokens a day, a step of at most 20.00 s"},
		"a training, in steps":     {BudgetGoal(w, 2, 8640e3), 20, "8.64e+06 tokens within 2 days, 8,640 steps of at most 20.00 s"},
		"a step of less than 1 ns": {BudgetGoal(w, 1e-9, 3840e6), 2.25e-11, "3.84e+09 tokens within 1e-09 days, 3,840,000 steps of at most 0.0225 ns"},
		"the last step is part":    {BudgetGoal(w, 1, 1001), 43200, "1001 tokens within 1 day, 2 steps of at most 43200 s"},
	} {
		if c.goal.StepSeconds != c.step || c.goal.Text != c.text || !c.goal.met(c.step) || c.goal.met(c.step+1e-6) {
			t.Errorf("%s: %+v", name, c.goal)
		}
	}
}

func TestTheCheapestNeedsEveryCandidateAndAPrice(t *testing.T) {
	q := sized(t, 128, 64)
	q.Goal, q.Price, q.Steps = StepGoal(&q.Problem.Facts.Workload, 200), 2, 10
	if r := mustSize(t, q); r.CheapestGPUs != nil || *r.GPUs != 40 || len(r.NotLookedAt) == 0 {
		t.Errorf("cheapest %v of %d candidates", r.CheapestGPUs, len(r.Candidates))
	}
	q.All = true
	r := mustSize(t, q)
	best := slices.IndexFunc(r.Candidates, func(c Candidate) bool { return c.GPUs == *r.CheapestGPUs })
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Best == nil {
			continue
		}
		if want := 2 * float64(c.GPUs) * c.Best.StepSeconds / 3600; *c.USDPerStep != want || *c.USDInAll != 10*want {
			t.Errorf("%d GPUs: %v a step, want %v", c.GPUs, *c.USDPerStep, want)
		}
		if c.Verdict == Meets && *c.USDPerStep < *r.Candidates[best].USDPerStep {
			t.Errorf("%d GPUs cost less than %d", c.GPUs, *r.CheapestGPUs)
		}
	}
	q.Price = 0
	if r := mustSize(t, q); r.CheapestGPUs != nil || r.USDPerGPUHour != nil || r.Candidates[0].USDPerStep != nil {
		t.Error("a cost without a price")
	}
}

func TestASizingThatIsStoppedSaysWhatIsDecided(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Smallest(ctx, sized(t, 64, 64), Limits{})
	if err != nil || r.Status != Unknown || r.GPUs != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range r.Candidates {
		if c.Verdict != Undecided || c.Text == "" {
			t.Errorf("%d GPUs: %s", c.GPUs, c.Verdict)
		}
	}
}

// TestASizingThatIsStoppedLaterKeepsItsAnswer stops between the decision and the
// search for the best plans.
func TestASizingThatIsStoppedLaterKeepsItsAnswer(t *testing.T) {
	q := sized(t, 64, 64)
	q.Goal = StepGoal(&q.Problem.Facts.Workload, 200)
	ctx, cancel := context.WithCancel(context.Background())
	var list []*candidate
	for i := range q.Candidates {
		c := q.candidate(i)
		if list = append(list, c); c.decide(ctx, q.Goal, Limits{}) != nil || c.verdict == Meets {
			break
		}
	}
	cancel()
	if err := settleAll(ctx, q, list, Limits{}); err != nil {
		t.Fatal(err)
	}
	r := q.result(list, len(list))
	last := &r.Candidates[len(list)-1]
	if r.Status != Feasible || *r.GPUs != 40 || last.Best.StepSeconds > 200 || last.Status != Feasible {
		t.Errorf("%s, %+v", r.Status, last)
	}
	for i := range r.Candidates[:len(list)-1] {
		if c := &r.Candidates[i]; c.Verdict == Undecided || c.Verdict == Meets || c.Text == "" {
			t.Errorf("%d GPUs: %s, %q", c.GPUs, c.Verdict, c.Text)
		}
	}
}

func TestAPinToALevelThatASmallClusterLacksIsAReason(t *testing.T) {
	q := sized(t, 32, 64)
	q.Problem.Facts.Model = found(models.Find("llama-3.1-8b"))
	q.Problem.Profile = found(profile.Find("megatron"))
	q.Problem.Pins, _ = framework.ParsePins("dp in leaf")
	r := mustSize(t, q)
	if r.GPUs == nil || *r.GPUs != 16 || !strings.Contains(r.Candidates[0].Text, `no level "leaf"`) {
		t.Errorf("%v GPUs, %+v", r.GPUs, r.Candidates[0])
	}
}

// BenchmarkSizing is the 70B job on up to 64 numbers of GPUs: the smallest on
// which it fits, the smallest with a step that takes hundreds of GPUs, and every
// candidate optimised; and the fronts of GPUs. The loops
// optimise every candidate.
func BenchmarkSizing(b *testing.B) {
	for _, c := range []struct {
		name string
		most int
		step units.Seconds
		all  bool
	}{
		{"fits", 16384, 0, false},
		{"step20s", 512, 20, false},
		{"64-candidates-to-608", 608, 0, true},
		{"all-to-16384", 16384, 0, true},
	} {
		q := sized(b, c.most, 64)
		q.All, q.Problem.Jobs = c.all, runtime.GOMAXPROCS(0)
		if c.step > 0 {
			q.Goal = StepGoal(&q.Problem.Facts.Workload, c.step)
		}
		bench(b, c.name+"/two", func(b *testing.B) {
			b.ReportMetric(float64(len(mustSize(b, q).Candidates)), "candidates")
		})
		if !c.all || testing.Short() && c.most > 1000 {
			continue
		}
		bench(b, c.name+"/front", func(b *testing.B) {
			b.ReportMetric(float64(len(mustScale(b, context.Background(), q, GPUsAxis).Points)), "points")
		})
		bench(b, c.name+"/loops", func(b *testing.B) {
			for i := range q.Candidates {
				one := q.candidate(i)
				rivals(b, &one.problem).Bounded(context.Background(), loops.Query{})
			}
			b.ReportMetric(float64(len(q.Candidates)), "candidates")
		})
	}
}

// A walk that stops at the first plan looks at the usual pipelines before all others,
// and at those as well.
func TestTheFirstPlanMayHaveAnyPipeline(t *testing.T) {
	for _, pp := range []int32{3, 4, 5, 10} { // of 24 layers, on domains of 6 GPUs
		pin := fmt.Sprintf("pp=%d", pp)
		t.Run(pin, func(t *testing.T) {
			p := toy(t, pin)
			p.Facts.Cluster = shape([]int{6, 2})
			out, err := found(newSession(p)).walk(context.Background(), query{top: 1, memory: runs, first: true})
			if err != nil || len(out.held) != 1 || out.held[0].point[plan.PP] != pp {
				t.Errorf("found %v, error %v", out.held, err)
			}
		})
	}
}
