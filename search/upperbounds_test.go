package search

import (
	"context"
	"sync/atomic"
	"testing"

	"meshplan/cluster"
)

// numbersOf asks for some numbers of GPUs of an irregular cluster.
func numbersOf(p *Problem) *Sizing {
	q := &Sizing{Problem: p}
	for n := 2; n <= p.Facts.Cluster.GPUs(); n += 2 {
		q.Candidates, q.Used = append(q.Candidates, p.Facts.Cluster), append(q.Used, n)
	}
	return q
}

// bestAligned is the best plan that uses each domain alike, priced as it lies; nil when
// there is none.
func bestAligned(t *testing.T, p *Problem) *leaf {
	t.Helper()
	_, s := mustSession(t, p)
	if out := found(s.walk(context.Background(), query{top: 1, memory: fits})); len(out.held) > 0 {
		return &out.held[0]
	}
	return nil
}

// Of a number of GPUs on which an aligned plan meets the goal nothing is said to be
// proven that says it is not enough, although the bound of its step is above the goal.
func TestUpperBoundsDoNotProveThatANumberOfGPUsIsNotEnough(t *testing.T) {
	var above atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 40, func(t *testing.T, seed uint64) {
			p, _ := realIrregular(t, seed)
			if p.Facts.Cluster.Merged() == nil {
				return
			}
			best := bestAligned(t, p)
			if best == nil {
				return
			}
			n, step := int(best.plan.Placement.GPUs()), best.figures.Step
			q := &Sizing{Problem: p, Candidates: []*cluster.Cluster{p.Facts.Cluster}, Used: []int{n}, Goal: StepGoal(&p.Facts.Workload, step)}
			r := mustSize(t, q)
			if r.Status == Optimal || !r.UpperBounds.Finished() {
				t.Fatalf("seed %d: %s, finished %v", seed, r.Status, r.UpperBounds.Finished())
			}
			c := &r.Candidates[0]
			if c.Verdict != Meets && c.Verdict != NotMet || c.Status == Optimal {
				t.Fatalf("seed %d: %d GPUs: %s, %s; an aligned plan takes %v", seed, c.GPUs, c.Verdict, c.Status, step)
			}
			if c.Verdict == NotMet {
				above.Add(1)
			}
		})
	})
	if !testing.Short() && above.Load() < 3 {
		t.Errorf("only %d upper bounds are above the step of an aligned plan", above.Load())
	}
}

// No verb claims that a step time is proven where it is an upper bound; what it shows
// is what it would show.
func TestNoStepTimeIsProvenOnIrregularClusters(t *testing.T) {
	var points, fronts atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 30, func(t *testing.T, seed uint64) {
			p, _ := smallIrregular(t, seed+300)
			if p.Facts.Cluster.Merged() == nil {
				return
			}
			f := mustPareto(t, p, FrontLimits{})
			if f.Status == Optimal || f.Complete && len(f.Points) > 0 || f.Proven() > 0 || f.ProvenBelowSeconds != nil || !f.UpperBounds.Finished() {
				t.Fatalf("seed %d: front %s, complete %v, %d proven", seed, f.Status, f.Complete, f.Proven())
			}
			points.Add(int32(len(f.Points)))
			s := mustScale(t, context.Background(), numbersOf(p), GPUsAxis)
			if s.Status == Optimal || s.Complete && len(s.Points) > 0 || s.Proven() > 0 || !s.UpperBounds.Finished() {
				t.Fatalf("seed %d: scaling %s, complete %v, %d proven", seed, s.Status, s.Complete, s.Proven())
			}
			for _, c := range s.Candidates {
				if c.Verdict == BehindFront || c.Verdict == Undecided || c.BoundSeconds != nil {
					t.Fatalf("seed %d: %d GPUs are %s", seed, c.GPUs, c.Verdict)
				}
			}
			fronts.Add(int32(len(s.Points)))
			r := mustStudy(t, p, Limits{})
			if r.Status == Optimal || r.BoundSeconds != nil || !r.UpperBounds.Finished() {
				t.Fatalf("seed %d: sensitivity %s", seed, r.Status)
			}
			for _, in := range r.Inputs {
				for _, c := range in.Cases {
					if c.Status == Optimal || c.BoundSeconds != nil || c.Stopped {
						t.Fatalf("seed %d: %s %v: %s, stopped %v", seed, in.Name, c.Factor, c.Status, c.Stopped)
					}
				}
			}
		})
	})
	if !testing.Short() && (points.Load() < 10 || fronts.Load() < 10) {
		t.Errorf("%d points against memory, %d against GPUs", points.Load(), fronts.Load())
	}
}
