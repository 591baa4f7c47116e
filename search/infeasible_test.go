package search

import (
	"context"
	"slices"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/solver"
	"meshplan/units"
)

// toy is a small fixed problem with pins.
func toy(t testing.TB, pins string) *Problem {
	t.Helper()
	p := &Problem{Facts: framework.Facts{Cluster: shape([]int{8, 2})}, Profile: testProfile}
	p.Facts.Model = dense(24, 8, 1)
	p.Facts.Workload = plan.Workload{GlobalBatch: 16, SeqLen: 2048, Precision: plan.BF16, LoadFactor: 1}
	p.Framework = testFramework
	p.Top = 1
	var err error
	if p.Pins, err = framework.ParsePins(pins); err != nil {
		t.Fatal(err)
	}
	f := fake{facts: &p.Facts, gpus: 16, usable: 100}
	p.newPricer = func(on *Problem) (pricer, error) { return f.of(on), nil }
	return p
}

func usable(p *Problem, b units.Bytes) *Problem {
	price, _ := p.price()
	f := *price.(*fake)
	f.usable = b
	p.newPricer = func(on *Problem) (pricer, error) { return f.of(on), nil }
	return p
}

func ids(reasons []Reason) []string {
	var list []string
	for _, r := range reasons {
		list = append(list, r.Rule)
	}
	return list
}

func TestReasons(t *testing.T) {
	tests := []struct {
		name   string
		p      *Problem
		want   []string
		phrase string // of some reason
	}{
		{"too little memory for any plan", usable(toy(t, ""), 10), []string{"memory"}, "10.00 B usable"},
		{"pins keep the plans that fit away", usable(toy(t, "tp<=2,pp<=2,sp=off"), 45), []string{"memory", "pin/tp<=2", "pin/pp<=2"}, "tp<=2 is pinned"},
		{"a pin that a rule forbids", toy(t, "tp=5"), []string{"megatron/MLM-H1", "pin/tp=5"}, "8 heads not divisible by tp 5"},
		{"a pin that the levels cannot hold", toy(t, "tp=32"), []string{"pin/tp=32", "grid"}, "tp 32 needs 32 GPUs, the cluster has 16"},
		{"pins that are too much together", toy(t, "tp=8,pp=4"), []string{"pin/tp=8", "pin/pp=4", "grid"}, "tp 8 x pp 4 need 32 GPUs, the cluster has 16"},
		{"pins that contradict each other on any cluster", toy(t, "dp=4,dp_shard=8"), []string{"pin/dp=4", "pin/dp_shard=8"}, "dp=4 is pinned"},
		{"a rule's sentence is about the pin alone", toy(t, "dp=3"), []string{"megatron/MLM-B1", "pin/dp=3"}, "not divisible by dp 3; nearest 2, 4"},
		{"a number of GPUs that no degrees give", toy(t, "gpus=11"), []string{"pin/gpus=11", "grid"}, "11 GPUs cannot be used"},
		{"a number of GPUs that only a pipeline could use", toy(t, "gpus=7,pp<=4"), []string{"pin/gpus=7", "pin/pp<=4", "grid"}, "7"},
		{"a GPU that holds no context", usable(toy(t, ""), -5), []string{"memory"}, "alone do not fit"},
		{"two pins against a rule", toy(t, "pp=1,vpp=4"), []string{"megatron/MLM-V1", "pin/pp=1", "pin/vpp=4"}, "vpp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := mustBest(t, test.p, 0)
			if got := ids(r.Reasons); r.Status != Infeasible || !slices.Equal(got, test.want) {
				t.Fatalf("%s because of %v, want %v", r.Status, got, test.want)
			}
			if !slices.ContainsFunc(r.Reasons, func(r Reason) bool { return strings.Contains(r.Text, test.phrase) }) {
				t.Errorf("no reason says %q: %+v", test.phrase, r.Reasons)
			}
		})
	}
}

// TestTheMemoryReasonIsAboutTheHostWhereThatIsTooSmall: the GPU's memory was
// once named, with a peak far beyond what any stage reserves.
func TestTheMemoryReasonIsAboutTheHostWhereThatIsTooSmall(t *testing.T) {
	p := toy(t, "optimizer-offload=100")
	p.newPricer = nil
	p.Profile = found(profile.Find("megatron"))
	p.Facts.Model = found(models.Find("llama-3.2-1b"))
	p.Facts.Cluster = found(cluster.Find("h100:8"))
	p.Facts.Cluster.HostMemory = 1 << 30
	r := mustBest(t, p, 0)
	if got := ids(r.Reasons); r.Status != Infeasible || !slices.Equal(got, []string{"memory", "pin/optimizer-offload=100"}) {
		t.Fatalf("%s because of %v", r.Status, got)
	}
	reason := r.Reasons[0]
	if !strings.HasSuffix(reason.Text, " to each node's host memory of 1.000 GiB") {
		t.Error(reason.Text)
	}
	// 1.24e9 parameters have 12 bytes of optimizer state each.
	if need := reason.Numbers["least_host_bytes"]; need < 12*1.2e9 || need > 2*12*1.3e9 || reason.Numbers["host_bytes"] != 1<<30 {
		t.Errorf("numbers %v", reason.Numbers)
	}
}

func TestMemoryReasonStatesTheLeastPeak(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, e := small(t, seed+40_000)
		usable(p, 30)
		j, s := mustSession(t, p)
		list := everything(t, j, e)
		if best, _ := byGroup(list, 1); len(best) > 0 || len(list) == 0 {
			return
		}
		least := list[0].figures.Peak
		for _, l := range list {
			least = min(least, l.figures.Peak)
		}
		r, err := s.best(context.Background(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Reasons[0]
		peak, bound := m.Numbers["least_peak_bytes"], m.Numbers["least_peak_bound_bytes"]
		if cut := bound > 0; m.Rule != memoryRule || !cut && peak != float64(least) || cut && (peak < float64(least) || bound > float64(least)) {
			t.Fatalf("seed %d: %+v, want a least peak of %v", seed, m, float64(least))
		}
	})
}

// A nogood may exclude plans that do not run, and no others.
func TestNogoodsExcludeNoPlanThatRuns(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, e := small(t, seed+50_000)
		j, s := mustSession(t, p)
		list := everything(t, j, e)
		x := newExplainer(s, runs)
		// Ask until no plan is left, as if each that runs were refused too.
		for range 40 {
			status, m, err := x.ask(context.Background(), x.groups)
			if err != nil {
				t.Fatal(err)
			}
			if status != solver.Sat {
				break
			}
			point := s.space.Point(m)
			s.space.Exclude(x.groups[0], point.Box())
		}
		g := append(slices.Clone(s.groups[1:]), x.groups[len(s.groups):]...)
		for _, l := range list {
			if l.figures.Verdict != cost.DoesNotFit && !allowed(t, s, g, &l.point) {
				t.Fatalf("seed %d: a nogood excludes %s, which runs", seed, l.plan.String())
			}
		}
	})
}

// allowed asks whether the groups have the point as a solution.
func allowed(t *testing.T, s *session, groups []solver.Group, p *plan.Point) bool {
	t.Helper()
	var at []solver.Lit
	for _, c := range s.space.Order() {
		at = append(at, s.solver.Eq(s.space.Int(c), p[c]))
	}
	status, _, err := s.solver.SolveUnder(context.Background(), solver.Budget{}, at, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return status == solver.Sat
}

// The reasons are a set of rules that allow no plan that runs, and each of
// them is needed.
func TestReasonsAreEnoughAndNeeded(t *testing.T) {
	inParts(t, 90, func(t *testing.T, seed uint64) {
		p, _ := small(t, seed+60_000)
		usable(p, units.Bytes(25+seed%40))
		j, s := mustSession(t, p)
		r, err := s.best(context.Background(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != Infeasible {
			return
		}
		named := ids(r.Reasons)
		rules := slices.DeleteFunc(slices.Clone(j.rules), func(r framework.Rule) bool {
			return !slices.Contains(named, r.ID) || strings.HasPrefix(r.ID, "grid/")
		})
		if runsUnder(t, p, rules) {
			t.Fatalf("seed %d: a plan runs under %v alone", seed, named)
		}
		for i, rule := range rules {
			if !runsUnder(t, p, slices.Delete(slices.Clone(rules), i, i+1)) {
				t.Fatalf("seed %d: nothing runs without %s either; reasons %v", seed, rule.ID, named)
			}
		}
	})
}

// runsUnder reports whether a plan runs under the rules alone.
func runsUnder(t *testing.T, p *Problem, rules []framework.Rule) bool {
	t.Helper()
	j, err := newJobOver(p, framework.WideDomains)
	if err != nil {
		t.Fatal(err)
	}
	j.rules = rules
	j.tight = newTightener(j) // by the pins that are left
	s, err := j.session()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.walk(context.Background(), query{top: 1, memory: runs, first: true})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.held) > 0
}
