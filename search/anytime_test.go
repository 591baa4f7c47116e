package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"meshplan/cost"
	"meshplan/plan"
)

// moments is the number of random moments at which each kind of search is stopped.
const moments = 200

// metered is a price model that calls stop when it has been asked so often; all
// models of a search count together.
type metered struct {
	pricer
	asked *atomic.Int64
	at    int64
	stop  func()
}

func (m *metered) count() {
	if m.asked.Add(1) == m.at {
		m.stop()
	}
}

func (m *metered) Split(p *plan.Point, forms []plan.SplitForm) (plan.Stages, error) {
	m.count()
	return m.pricer.Split(p, forms)
}

func (m *metered) Price(p *plan.Plan) cost.Figures {
	m.count()
	return m.pricer.Price(p)
}

func (m *metered) Bound(b *plan.Box) cost.Bound {
	m.count()
	return m.pricer.Bound(b)
}

// meteredWithin is a metered model that bounds within a share of the memory.
type meteredWithin struct {
	metered
	inner within
}

func (m *meteredWithin) BoundWithin(b *plan.Box, share float64) cost.Bound {
	m.count()
	return m.inner.BoundWithin(b, share)
}

// meter is the problem with a price model that calls stop when it has been asked so
// often, and the count.
func meter(p *Problem, at int64, stop func()) (*Problem, *atomic.Int64) {
	q, asked := *p, &atomic.Int64{}
	q.newPricer = func(on *Problem) (pricer, error) {
		plain := *on
		plain.newPricer = p.newPricer
		inner, err := plain.price()
		if err != nil {
			return nil, err
		}
		m := metered{inner, asked, at, stop}
		if w, ok := inner.(within); ok {
			return &meteredWithin{m, w}, nil
		}
		return &m, nil
	}
	return &q, asked
}

// atRandomMoments stops a search of random problems after a random share of the
// questions to the price model that all of it takes. run is the search, check what is
// held of it when it was stopped; whole is the answer of the search that was not.
func atRandomMoments[A any](t *testing.T, moments int, seed uint64, run func(context.Context, *Problem) (A, error), check func(t *testing.T, p *Problem, stopped, whole A)) {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	for i := range uint64(shortened(moments)) {
		r := rand.New(rand.NewPCG(i, seed))
		p, _ := real(t, seed+i)
		p.Jobs = 1 + int(i/2%3)
		whole, asked := meter(p, -1, nil)
		want, err := run(context.Background(), whole)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		q, _ := meter(p, 1+r.Int64N(asked.Load()), cancel)
		got, err := run(ctx, q)
		cancel()
		if err != nil {
			t.Fatalf("moment %d: %v", i, err)
		}
		goleak.VerifyNone(t, leaks)
		if check(t, p, got, want); t.Failed() {
			t.Fatalf("moment %d", i)
		}
	}
}

// shortened is fewer under -short.
func shortened(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// checkValid holds that a plan keeps every rule of the problem and that a price model
// of its own gives it the figures shown. The plan is read from its text.
func checkValid(t *testing.T, p *Problem, text string, step, peak float64, verdict string) {
	t.Helper()
	read, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), p, read.Plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Rules {
		if !r.Holds {
			t.Errorf("%s breaks %s: %s", text, r.Rule, r.Text)
		}
	}
	if e.StepSeconds != step || e.Memory.PeakReservedBytes != peak || e.Memory.Verdict != verdict || verdict == cost.DoesNotFit.String() {
		t.Errorf("%s is shown with %v s, %v B, %s; it has %v s, %v B, %s", text, step, peak, verdict,
			e.StepSeconds, e.Memory.PeakReservedBytes, e.Memory.Verdict)
	}
	if peak > e.Memory.UsableBytes && verdict == cost.Fits.String() {
		t.Errorf("%s fits with %v of %v B", text, peak, e.Memory.UsableBytes)
	}
}

func checkOutline(t *testing.T, p *Problem, o *Outline) {
	t.Helper()
	checkValid(t, p, o.Text, o.StepSeconds, o.PeakReservedBytes, o.Verdict)
}

const ns = 1e-9 // bounds are of rounded times

func TestAPlanThatIsStoppedAtAnyMomentHolds(t *testing.T) {
	var seen statuses
	atRandomMoments(t, moments, 200_000, func(ctx context.Context, p *Problem) (*Result, error) { return Best(ctx, p, Limits{}) },
		func(t *testing.T, p *Problem, got, want *Result) {
			seen.note(got.Status)
			for i := range got.Plans {
				a := &got.Plans[i]
				checkValid(t, p, a.Text, a.StepSeconds, a.Memory.PeakReservedBytes, a.Memory.Verdict)
			}
			for i := range got.Fastest {
				checkOutline(t, p, &got.Fastest[i])
			}
			stopped := got.Status == Feasible || got.Status == Unknown
			switch {
			case !stopped && got.Status != want.Status:
				t.Errorf("%s, it is %s", got.Status, want.Status)
			case !stopped:
			case got.BoundSeconds == nil || (got.Status == Unknown) != (len(got.Plans) == 0):
				t.Errorf("%s with %d plans, bound %v", got.Status, len(got.Plans), got.BoundSeconds)
			case want.Status == Optimal && got.Status == Unknown && *got.BoundSeconds > want.Fastest[0].StepSeconds+ns:
				t.Errorf("the bound %v is above the fastest plan's %v", *got.BoundSeconds, want.Fastest[0].StepSeconds)
			case want.Status == Optimal && *got.BoundSeconds > want.Plans[0].StepSeconds+ns:
				t.Errorf("the bound %v is above the optimum %v", *got.BoundSeconds, want.Plans[0].StepSeconds)
			}
		})
	seen.check(t)
}

// statuses counts the answers of stopped searches.
type statuses struct{ proven, feasible, unknown int }

func (s *statuses) note(of Status) {
	switch of {
	case Feasible:
		s.feasible++
	case Unknown:
		s.unknown++
	default:
		s.proven++ // the answer was known, some of what stands beside it was not
	}
}

func (s *statuses) check(t *testing.T) {
	t.Helper()
	if t.Logf("%+v", *s); !testing.Short() && (s.feasible < moments/20 || s.unknown < moments/20) {
		t.Errorf("the moments are one-sided: %+v", *s)
	}
}

func TestASizingThatIsStoppedAtAnyMomentHolds(t *testing.T) {
	var seen statuses
	atRandomMoments(t, moments, 210_000,
		func(ctx context.Context, p *Problem) (*SizingResult, error) {
			return Smallest(ctx, &Sizing{Problem: p, Candidates: parts(rand.New(rand.NewPCG(5, 5)), p, 4), All: true}, Limits{})
		},
		func(t *testing.T, p *Problem, got, want *SizingResult) {
			seen.note(got.Status)
			if got.GPUs != nil && (want.GPUs == nil || *got.GPUs != *want.GPUs) {
				t.Errorf("%d GPUs, it is another number", *got.GPUs)
			}
			if (got.Status == Optimal || got.Status == Infeasible) && got.Status != want.Status {
				t.Errorf("%s, it is %s", got.Status, want.Status)
			}
			for i := range got.Candidates {
				c, w := &got.Candidates[i], &want.Candidates[i]
				if c.Best != nil {
					checkOutline(t, onAll(p, i), c.Best)
				}
				if c.BoundSeconds != nil && w.Best != nil && *c.BoundSeconds > w.Best.StepSeconds+ns {
					t.Errorf("%d GPUs: the bound %v is above the optimum %v", c.GPUs, *c.BoundSeconds, w.Best.StepSeconds)
				}
				decided := c.Verdict == Meets || c.Verdict == NoPlan || c.Verdict == OnlyBorderline
				if decided && c.Verdict != w.Verdict || c.Verdict == Misses && w.Verdict == Meets {
					t.Errorf("%d GPUs: %s, it is %s", c.GPUs, c.Verdict, w.Verdict)
				}
			}
		})
	seen.check(t)
}

// onAll is the problem on the i-th candidate of the tests above and below, used to its
// last GPU.
func onAll(p *Problem, i int) *Problem {
	q := *p
	q.Facts.Cluster = parts(rand.New(rand.NewPCG(5, 5)), p, 4)[i]
	q.Pins = append(q.Pins[:len(q.Pins):len(q.Pins)], exactly(q.Facts.Cluster.GPUs()))
	return &q
}

func TestAFrontThatIsStoppedAtAnyMomentHolds(t *testing.T) {
	var seen statuses
	atRandomMoments(t, moments, 220_000, func(ctx context.Context, p *Problem) (*Front, error) { return Pareto(ctx, p, FrontLimits{}) },
		func(t *testing.T, p *Problem, got, want *Front) {
			seen.note(got.Status)
			n := got.Proven()
			for i := range got.Points {
				x := &got.Points[i]
				checkOutline(t, p, &x.Outline)
				if i < n && x.Text != want.Points[i].Text {
					t.Errorf("point %d is proven, and it is another plan", i)
				}
				for k := range want.Points {
					if w := &want.Points[k]; math.Ceil(w.PeakReservedBytes/want.ResolutionBytes) <= math.Ceil(x.PeakReservedBytes/want.ResolutionBytes) &&
						w.StepSeconds < x.StepSeconds*(1-x.Gap)-ns {
						t.Errorf("point %d has a gap of %v, and a plan of as little memory takes %v s, not %v", i, x.Gap, w.StepSeconds, x.StepSeconds)
					}
				}
			}
			for i := n; i < len(want.Points); i++ {
				if b := got.ProvenBelowSeconds; b != nil && want.Points[i].StepSeconds < *b-ns {
					t.Errorf("the front is proven below %v s, and a point of %v s is missing", *b, want.Points[i].StepSeconds)
				}
			}
			if got.Complete && (n < len(want.Points) || got.Status != want.Status) {
				t.Errorf("complete and %s with %d points of %d", got.Status, n, len(want.Points))
			}
		})
	seen.check(t)
}

func TestAScalingThatIsStoppedAtAnyMomentHolds(t *testing.T) {
	var seen statuses
	atRandomMoments(t, moments, 230_000,
		func(ctx context.Context, p *Problem) (*ScalingFront, error) {
			against := GPUsAxis
			if p.Jobs == 2 {
				against = CostAxis
			}
			return Scaling(ctx, &Sizing{Problem: p, Candidates: parts(rand.New(rand.NewPCG(5, 5)), p, 4)}, against, Limits{})
		},
		func(t *testing.T, p *Problem, got, want *ScalingFront) {
			seen.note(got.Status)
			checkStoppedScaling(t, p, got, want)
		})
	seen.check(t)
}

func checkStoppedScaling(t *testing.T, p *Problem, got, want *ScalingFront) {
	t.Helper()
	of := func(x *ScalingPoint) float64 { return got.Against.of(int(x.GPUs), x.StepSeconds) }
	for i := range got.Points {
		x, found := &got.Points[i], false
		for k := range want.Candidates {
			if want.Candidates[k].GPUs == int(x.GPUs) {
				checkOutline(t, onAll(p, k), &x.Outline)
			}
		}
		for k := range want.Points {
			w := &want.Points[k]
			found = found || w.Text == x.Text
			if of(w) <= of(x) && w.StepSeconds < x.StepSeconds*(1-x.Gap)-ns {
				t.Errorf("%d GPUs have a gap of %v, and a plan that takes as little takes %v s, not %v", x.GPUs, x.Gap, w.StepSeconds, x.StepSeconds)
			}
		}
		if x.Proven && (x.Gap != 0 || !found) || x.Gap < 0 || x.Gap > 1 {
			t.Errorf("%d GPUs: proven: %v, gap %v, on the front: %v", x.GPUs, x.Proven, x.Gap, found)
		}
	}
	for i := range got.Candidates {
		c, w := &got.Candidates[i], &want.Candidates[i]
		if c.Verdict == NoneFits && w.Verdict == BehindFront && !got.Complete {
			// fewer GPUs were undecided, on which a plan fits; on these none does
			if r := mustBest(t, onAll(p, i), 0); len(r.Plans) > 0 && r.Plans[0].Memory.Verdict == cost.Fits.String() {
				t.Errorf("%d GPUs: %s fits", c.GPUs, r.Plans[0].Text)
			}
		} else if c.Verdict == BehindFront && w.Verdict == NoneFits && c.BoundSeconds != nil {
			continue // stopped before it was known that none fits; its bound was behind a plan
		} else if c.Verdict != Undecided && c.Verdict != OnFront && c.Verdict != w.Verdict {
			t.Errorf("%d GPUs: %s, it is %s", c.GPUs, c.Verdict, w.Verdict)
		}
		for k := range want.Points {
			if x := &want.Points[k]; c.BoundSeconds != nil && x.GPUs == int64(c.GPUs) && *c.BoundSeconds > x.StepSeconds+ns {
				t.Errorf("%d GPUs: the bound %v is above the optimum %v", c.GPUs, *c.BoundSeconds, x.StepSeconds)
			}
		}
	}
	if got.Complete && (got.Status != want.Status || len(got.Points) != len(want.Points)) {
		t.Errorf("complete and %s with %d points of %d", got.Status, len(got.Points), len(want.Points))
	}
}

func TestAWhyThatIsStoppedAtAnyMomentHolds(t *testing.T) {
	var done, stopped int
	atRandomMoments(t, moments/4, 600_000, func(ctx context.Context, p *Problem) (*WhyResult, error) { return Why(ctx, p, Limits{}) },
		func(t *testing.T, p *Problem, got, want *WhyResult) {
			if got.Explained() {
				done++
			} else {
				stopped++
			}
			switch {
			case got.Feasible && !want.Feasible, got.Status == Infeasible && (want.Status != Infeasible || len(got.Reasons) == 0):
				t.Errorf("feasible %v, %s with %d reasons; it is %v, %s", got.Feasible, got.Status, len(got.Reasons), want.Feasible, want.Status)
			case got.Status == Optimal && got.Plan.Text != want.Plan.Text:
				t.Errorf("%s, the best plan is %s", got.Plan.Text, want.Plan.Text)
			}
			if a := got.Plan; a != nil {
				checkValid(t, p, a.Text, a.StepSeconds, a.Memory.PeakReservedBytes, a.Memory.Verdict)
			}
			if got.Feasible && !got.Borderline {
				return // of faster batches the best may not have been reached
			}
			for i := range got.Changes {
				c := &got.Changes[i]
				k := slices.IndexFunc(want.Changes, func(w Change) bool { return w.Kind == c.Kind && w.Setting == c.Setting })
				if k < 0 {
					t.Errorf("%s %s is not among the changes", c.Kind, c.Setting)
				} else if best := want.Changes[k].Plan.StepSeconds; *c.BoundSeconds > best+ns || c.Plan.StepSeconds < best-ns {
					t.Errorf("%s: %v s, not below %v; the best is %v", c.Setting, c.Plan.StepSeconds, *c.BoundSeconds, best)
				}
			}
		})
	if t.Logf("%d done, %d stopped", done, stopped); !testing.Short() && stopped < moments/16 {
		t.Errorf("only %d were stopped", stopped)
	}
}

// While the usual pipelines are walked, the bound holds for the others too: here the
// fastest plan, of pp 7, is half as fast again as that of any usual pipeline.
func TestTheBoundHoldsForPipelinesNotWalkedYet(t *testing.T) {
	p := instance{"", "gpt3-175b", "h100:256", 7, 2048}.problem(t)
	best := mustBest(t, p, 0).Plans[0]
	if best.Degrees.PP != 7 {
		t.Fatalf("the best plan is %s", best.Text)
	}
	slower := 0
	for boxes := 20; ; boxes += boxes / 8 {
		s := found(newSession(p))
		out, err := s.walk(context.Background(), query{top: 1, memory: fits, boxes: boxes})
		if err != nil {
			t.Fatal(err)
		}
		if out.done {
			break
		}
		if out.bound > best.StepSeconds*1e9 {
			t.Errorf("after %d boxes the bound is %v ns, the best plan takes %v s", boxes, out.bound, best.StepSeconds)
		}
		if len(out.held) > 0 && out.held[0].first > 1.4e9*best.StepSeconds {
			slower++
		}
	}
	if slower < 5 {
		t.Errorf("only %d of the walks have been stopped among the usual pipelines", slower)
	}
}
