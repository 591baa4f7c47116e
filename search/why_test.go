package search

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// mostVisited is how many plans of a changed problem the loops look at, and
// mostLooped on how many GPUs.
const (
	mostVisited = 3_000
	mostLooped  = 32
)

// anyFits asks the loops whether the problem has a plan that fits. It is not known
// where the plans are too many.
func anyFits(t *testing.T, p *Problem) (fits, known bool) {
	t.Helper()
	if p.Facts.Cluster.GPUs() > mostLooped {
		return false, false
	}
	j, err := newJob(p)
	if err != nil {
		t.Fatal(err)
	}
	price, left := found(j.Problem.price()), mostVisited
	loopsOf(t, j, without).Visit(func(p *plan.Point) bool {
		q := p.Plan(j.levels)
		if left--; left == 0 {
			return false
		}
		var err error
		if q.Options.Stages, err = price.Split(p, j.forms); err != nil {
			return true
		}
		for i := range j.stageRules {
			if !j.stageRules[i].Holds(j.facts, &q) {
				return true
			}
		}
		fits = price.Price(&q).Verdict == cost.Fits
		return !fits
	})
	return fits, left > 0
}

// hard are small problems at real prices of which about half have no plan that
// fits.
func hard(t *testing.T, seed uint64) *Problem {
	t.Helper()
	p, _ := real(t, seed)
	gpu := *p.Facts.Cluster.GPU
	gpu.Label, gpu.Runtime = units.Bytes(4+seed%40)*units.GiB, units.Bytes(4+seed%40)*units.GiB
	on := *p.Facts.Cluster
	on.GPU, on.Name = &gpu, "hard"
	p.Facts.Cluster = &on
	return p
}

// Every change offered restores a plan that fits, and none smaller of its kind
// does, as loops over the changed problems say.
func TestChangesHelpAndNoSmallerOnesDo(t *testing.T) {
	var feasible, helped, smaller atomic.Int32
	t.Run("random problems", func(t *testing.T) { changesOfRandomProblems(t, &feasible, &helped, &smaller) })
	if t.Logf("%d problems with a plan, %d changes, %d smaller ones", feasible.Load(), helped.Load(), smaller.Load()); !testing.Short() &&
		(feasible.Load() < 10 || helped.Load() < 40 || smaller.Load() < 50) {
		t.Errorf("the problems are one-sided: %d with a plan, %d changes, %d smaller ones", feasible.Load(), helped.Load(), smaller.Load())
	}
}

func changesOfRandomProblems(t *testing.T, feasible, helped, tried *atomic.Int32) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p := hard(t, seed+70_000)
		r := found(Why(context.Background(), p, Limits{}))
		if fits, known := anyFits(t, p); known && fits != (r.Feasible && !r.Borderline) {
			t.Fatalf("seed %d: feasible %v, borderline %v; loops find a plan that fits: %v", seed, r.Feasible, r.Borderline, fits)
		}
		if r.Status != Infeasible && !r.Borderline {
			feasible.Add(1)
			return
		}
		_, s := mustSession(t, p)
		changes := found(s.helping(context.Background(), r.Reasons))
		if len(changes) != len(r.Changes) {
			t.Fatalf("seed %d: %d changes, then %d", seed, len(r.Changes), len(changes))
		}
		for _, c := range changes {
			fits, known := anyFits(t, &c.problem)
			if known && !fits {
				t.Errorf("seed %d: nothing fits with %s", seed, c.Setting)
			}
			if known {
				helped.Add(1)
			}
			for _, smaller := range smallerThan(p, c) {
				fits, known := anyFits(t, smaller)
				if fits {
					t.Errorf("seed %d: %s is not the smallest %s", seed, c.Setting, c.Kind)
				}
				if known {
					tried.Add(1)
				}
			}
		}
	})
}

// smallerThan are the smaller changes of the kind of a change, made anew.
func smallerThan(p *Problem, c *change) (list []*Problem) {
	add := func(change func(*Problem)) {
		q := *p
		q.Pins = slices.Clone(p.Pins)
		change(&q)
		list = append(list, &q)
	}
	switch c.Kind {
	case ChangeBatch:
		own, other := p.Facts.Workload.GlobalBatch, c.problem.Facts.Workload.GlobalBatch
		for n := min(own, other) + 1; n < max(own, other); n++ {
			add(func(q *Problem) { q.Facts.Workload.GlobalBatch = n })
		}
	case ChangeMemory:
		add(func(q *Problem) {
			on, gpu := *p.Facts.Cluster, *p.Facts.Cluster.GPU
			gpu.Runtime = c.problem.Facts.Cluster.GPU.Runtime - units.GiB
			on.GPU = &gpu
			q.Facts.Cluster = &on
		})
	case ChangeGPUs:
		on, last := *p.Facts.Cluster, len(p.Facts.Cluster.Levels)-1
		for n := on.Levels[last].Size + 1; n < c.problem.Facts.Cluster.Levels[last].Size; n++ {
			add(func(q *Problem) {
				smaller := on
				smaller.Levels = slices.Clone(on.Levels)
				smaller.Levels[last].Size = n
				q.Facts.Cluster = &smaller
			})
		}
	case ChangePin:
		for i, pin := range p.Pins {
			to := c.problem.Pins[i].Value
			if to == pin.Value {
				continue
			}
			for v := min(to, pin.Value) + 1; v < max(to, pin.Value); v++ {
				add(func(q *Problem) { q.Pins[i] = pin.With(v) })
			}
		}
	case ChangeOption:
		if len(c.problem.Pins) != len(p.Pins)+1 {
			break // two options
		}
		pin := c.problem.Pins[len(p.Pins)]
		for v := int32(0); v < pin.Value; v++ {
			if pin.Coord != plan.OptOffload && pin.Coord != plan.ActOffload || v%25 == 0 {
				add(func(q *Problem) { q.Pins = append(q.Pins, pin.With(v)) })
			}
		}
	}
	return list
}

// What a job with pins loses is the best plan under them against the best without,
// and the terms add up to both.
func TestWhatPinsCost(t *testing.T) {
	inParts(t, 30, func(t *testing.T, seed uint64) {
		p, _ := real(t, seed+80_000)
		r := found(Why(context.Background(), p, Limits{}))
		if r.Against == nil {
			return
		}
		free := *p
		free.Pins, free.Top, free.Jobs = nil, 1, 1
		best := mustBest(t, &free, 0)
		if best.Plans[0].StepSeconds != r.Against.Plan.StepSeconds || best.Plans[0].Text != r.Against.Plan.Text {
			t.Fatalf("seed %d: %s, want %s", seed, r.Against.Plan.Text, best.Plans[0].Text)
		}
		if b := r.Against.BoundSeconds; r.Against.Status != Optimal || b == nil || *b != r.Against.Plan.StepSeconds {
			t.Fatalf("seed %d: %s, and no plan without the pins takes less than %v s", seed, r.Against.Status, b)
		}
		var pinned, without float64
		for _, term := range r.Against.Terms {
			pinned, without = pinned+term.PinnedSeconds, without+term.FreeSeconds
		}
		if !near(pinned, r.Plan.StepSeconds) || !near(without, best.Plans[0].StepSeconds) {
			t.Fatalf("seed %d: the terms are %v and %v s of %v and %v", seed, pinned, without, r.Plan.StepSeconds, best.Plans[0].StepSeconds)
		}
		for _, c := range r.Changes {
			if c.Factor == nil || *c.Factor > worth {
				t.Errorf("seed %d: %s is not worth it: %v", seed, c.Setting, c.Factor)
			}
		}
	})
}

func near(a, b float64) bool { return max(a-b, b-a) <= 1e-9*max(a, b) }

func TestChanges(t *testing.T) {
	tests := []struct {
		name string
		p    *Problem
		want []string // kind and setting
	}{
		{"a pin that a rule forbids moves to the nearest values or goes", toy(t, "tp=5"), []string{"pin tp=4", "pin tp=8", "drop tp=5"}},
		{"an upper limit rises as little as it must", usable(toy(t, "tp<=2,pp<=2,sp=off"), 45),
			[]string{"pin tp<=8", "drop tp<=2", "pin pp<=8", "drop pp<=2"}},
		{"two pins that are too much each shrink", toy(t, "tp=8,pp=4"), []string{"pin tp=4", "drop tp=8", "pin pp=2", "drop pp=4"}},
		{"the nearest batches are offered where a rule on it is a reason", toy(t, "dp=3"),
			[]string{"pin dp=2", "pin dp=4", "drop dp=3", "batch global_batch=15", "batch global_batch=18"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := found(Why(context.Background(), test.p, Limits{}))
			var got []string
			for _, c := range r.Changes {
				got = append(got, c.Kind+" "+c.Setting)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(test.want))
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// The work of a search counts that of the changes which did not help too. The box of
// the whole space, which each walk bounds first, is in no count.
func TestTheWorkOfChangesThatDoNotHelpIsCounted(t *testing.T) {
	p := usable(toy(t, "tp<=2,pp<=2"), 4)
	var seen atomic.Int64
	price := found(p.price())
	f := *price.(*fake)
	f.before = func() { seen.Add(1) }
	p.newPricer = func(on *Problem) (pricer, error) { return f.of(on), nil }
	for name, ask := range map[string]func() Stats{
		"why":  func() Stats { return found(Why(context.Background(), p, Limits{})).Stats },
		"plan": func() Stats { return found(Best(context.Background(), p, Limits{})).Stats },
	} {
		seen.Store(0)
		if counted := ask().Bounds; counted < seen.Load()*7/10 || seen.Load() == 0 {
			t.Errorf("%s: %d boxes are counted, %d were bounded", name, counted, seen.Load())
		}
	}
}
