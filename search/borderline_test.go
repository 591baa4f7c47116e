package search

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// withFasterBorderline is a usable memory at which the toy on 16 GPUs has a
// borderline plan that saves a tenth of the step, and withHardlyFaster one at
// which it saves less than a percent.
const (
	withFasterBorderline = 45
	withHardlyFaster     = 40
)

func TestAFasterBorderlinePlanStandsBesideTheBestPlanThatFits(t *testing.T) {
	p := usable(toy(t, "gpus=16"), withFasterBorderline)
	p.Top = 3
	r := mustBest(t, p, 0)
	b := r.Borderline
	if r.Status != Optimal || r.Plans[0].Memory.Verdict != cost.Fits.String() || b == nil {
		t.Fatalf("%s, best plan %s, borderline %v", r.Status, r.Plans[0].Memory.Verdict, b)
	}
	if b.Plan.Memory.Verdict != cost.Borderline.String() || b.SavedSeconds != r.Plans[0].StepSeconds-b.Plan.StepSeconds {
		t.Errorf("%s plan saves %v s: %v after %v", b.Plan.Memory.Verdict, b.SavedSeconds, b.Plan.StepSeconds, r.Plans[0].StepSeconds)
	}
	if b.FreeBytes != 2 || b.MarginBytes != 4.5 {
		t.Errorf("%v B free of a margin of %v B, want 2 of 4.5", b.FreeBytes, b.MarginBytes)
	}
	for _, part := range []string{"leaves 2.000 B of 45.00 B free", "leaves 4.500 B for errors", "short run first", "is proven"} {
		if !strings.Contains(b.Text, part) {
			t.Errorf("the sentence does not say %q: %s", part, b.Text)
		}
	}
	if len(r.Fastest) != 3 || r.Fastest[0].Text != b.Plan.Text {
		t.Errorf("the fastest of %d plans is %s, not the borderline plan", len(r.Fastest), r.Fastest[0].Text)
	}
}

// refusing lets plans exceed the usable memory by a share before they are refused.
func refusing(p *Problem, share float64) *Problem {
	price, _ := p.price()
	f := *price.(*fake)
	f.refuse = share
	p.newPricer = func(on *Problem) (pricer, error) { return f.of(on), nil }
	return p
}

// What is shown are shares of the usable memory, not of the limit of what is
// refused.
func TestABorderlinePlanBeyondTheUsableMemorySaysByHowMuch(t *testing.T) {
	const own = withFasterBorderline - 2 // what the faster plan takes
	p := refusing(usable(toy(t, "gpus=16"), own-1), 0.06)
	b := mustBest(t, p, 0).Borderline
	if b == nil || b.FreeBytes != -1 || b.MarginBytes != 0.1*(own-1) {
		t.Fatalf("borderline plan %+v, want one that takes 1 B too much where others leave %g B", b, 0.1*(own-1))
	}
	for _, part := range []string{"takes 1.000 B more than the 42.00 B usable", "leaves 4.200 B for errors", "no borderline plan is faster is proven"} {
		if !strings.Contains(b.Text, part) {
			t.Errorf("the sentence does not say %q: %s", part, b.Text)
		}
	}
}

func TestWhereOnlyPlansBeyondTheUsableMemoryAreLeftTheWarningSaysSo(t *testing.T) {
	const pins = "gpus=16,tp=8,pp=2,recompute=none,vpp=1,micro-batch=1,sp=on"
	within := mustBest(t, usable(toy(t, pins), 43), 0)
	if len(within.Plans) == 0 || strings.Contains(within.Warnings[0], "more than there are") {
		t.Fatalf("%d plans: %s", len(within.Plans), within.Warnings)
	}
	peak := units.Bytes(within.Plans[0].Memory.PeakReservedBytes)
	beyond := mustBest(t, refusing(usable(toy(t, pins), peak-1), 0.06), 0)
	if len(beyond.Plans) == 0 {
		t.Fatalf("%s: %v", beyond.Status, beyond.Reasons)
	}
	for _, part := range []string{"no plan leaves 10 % of the usable memory free", "1.000 B more than there are"} {
		if !strings.Contains(beyond.Warnings[0], part) {
			t.Errorf("the warning does not say %q: %s", part, beyond.Warnings[0])
		}
	}
	if r := mustBest(t, usable(toy(t, pins), peak-1), 0); r.Status != Infeasible {
		t.Errorf("without a margin the plan is %s, want infeasible", r.Status)
	}
}

func TestThatABorderlinePlanSavesLittleIsSaid(t *testing.T) {
	b := mustBest(t, usable(toy(t, "gpus=16"), withHardlyFaster), 0).Borderline
	if b == nil || !strings.Contains(b.Text, "so little saved") || strings.Contains(b.Text, "short run") {
		t.Errorf("borderline plan: %+v", b)
	}
}

func TestWithoutAFasterBorderlinePlanNothingStandsBesideTheBest(t *testing.T) {
	for name, p := range map[string]*Problem{
		"memory for all plans":      usable(toy(t, "gpus=16"), 1e6),
		"only borderline plans":     usable(toy(t, "gpus=16,tp=8,pp=2,recompute=none,vpp=1,micro-batch=1,sp=on"), 43),
		"no plan":                   toy(t, "tp=5"),
		"memory for no plan at all": usable(toy(t, "gpus=16"), 1),
	} {
		t.Run(name, func(t *testing.T) {
			p.Top = 2
			r := mustBest(t, p, 0)
			if r.Borderline != nil {
				t.Fatalf("borderline %s", r.Borderline.Plan.Text)
			}
			var plans, fastest []string
			for i := range r.Plans {
				plans = append(plans, r.Plans[i].Text)
			}
			for i := range r.Fastest {
				fastest = append(fastest, r.Fastest[i].Text)
			}
			if diff := cmp.Diff(plans, fastest); diff != "" {
				t.Errorf("the best plans are not the fastest: %s", diff)
			}
		})
	}
}

func TestExplainGivesTheBorderlinePlanAgain(t *testing.T) {
	p := usable(toy(t, "gpus=16"), withFasterBorderline)
	b := mustBest(t, p, 0).Borderline
	parsed, err := plan.Parse(b.Plan.Text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), p, parsed.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.Plan, e.PlanResult); diff != "" {
		t.Error(diff)
	}
}

// A search may be stopped before it knows a borderline plan, or after.
func TestAStoppedSearchDoesNotCallItsBorderlinePlanProven(t *testing.T) {
	beside, alone := 0, 0
	for boxes := 1; boxes < 1000; boxes += 3 {
		p := usable(toy(t, "gpus=16"), withFasterBorderline)
		ctx, cancel := context.WithCancel(context.Background())
		stopAfter(t, p, boxes, cancel)
		r, err := Best(ctx, p, Limits{})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Status != Feasible:
		case r.Borderline != nil:
			beside++
			if r.Borderline.Status != Feasible || !strings.Contains(r.Borderline.Text, "not proven") {
				t.Fatalf("after %d boxes the borderline plan is %s: %s", boxes, r.Borderline.Status, r.Borderline.Text)
			}
		default:
			alone++
			if !strings.Contains(r.Warnings[0], "no borderline plan is faster is not proven") {
				t.Fatalf("after %d boxes: %s", boxes, r.Warnings[0])
			}
		}
	}
	if beside == 0 || alone == 0 {
		t.Errorf("stopped %d times with a borderline plan beside the best and %d times without", beside, alone)
	}
}

// The plans of an answer are of one kind, at any moment: those that fit, or borderline
// ones where none does.
func TestPlansOfAnAnswerAreOfOneKind(t *testing.T) {
	for _, c := range []struct {
		name, pins string
		usable     units.Bytes
		want       cost.Verdict
	}{
		{"where plans fit", "gpus=16", withFasterBorderline, cost.Fits},
		{"where none does", "gpus=16,tp=8,pp=2,recompute=none,vpp=1,micro-batch=1,sp=on", 43, cost.Borderline},
	} {
		t.Run(c.name, func(t *testing.T) {
			listed := 0
			for boxes := 1; boxes < 1000; boxes += 3 {
				p := usable(toy(t, c.pins), c.usable)
				p.Top = 5
				ctx, cancel := context.WithCancel(context.Background())
				stopAfter(t, p, boxes, cancel)
				r, err := Best(ctx, p, Limits{})
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				for i := range r.Plans {
					listed++
					if got := r.Plans[i].Memory.Verdict; got != c.want.String() {
						t.Fatalf("stopped after %d boxes, plan %d of %d %s", boxes, i+1, len(r.Plans), got)
					}
				}
			}
			if listed == 0 {
				t.Error("no plan was listed")
			}
		})
	}
}
