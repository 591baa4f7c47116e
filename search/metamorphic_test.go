package search

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/framework"
	"meshplan/units"
)

// fastest is the proven least step time, infinite when nothing fits.
func fastest(t *testing.T, p *Problem) float64 {
	t.Helper()
	r, err := Best(context.Background(), p, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	switch r.Status {
	case Optimal:
		return r.Plans[0].StepSeconds
	case Infeasible:
		return math.Inf(1)
	}
	t.Fatalf("status %s", r.Status)
	return 0
}

// whatIf is the problem on its cluster with other resources; ok is false where the
// cluster has none such.
func whatIf(t *testing.T, p *Problem, text string) (q *Problem, ok bool) {
	t.Helper()
	changes, err := cluster.ParseChanges(text)
	if err != nil {
		t.Fatal(err)
	}
	copied := *p
	rate := func(g *cluster.GPU) units.FLOPsPerSecond { return cost.Rate(g, p.Facts.Workload.Precision) }
	if copied.Facts.Cluster, _, err = p.Facts.Cluster.With(rate, changes...); err != nil {
		return nil, false
	}
	return &copied, true
}

func TestMoreOfAResourceNeverMakesTheBestPlanSlower(t *testing.T) {
	var feasible, asked, faster atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 102, func(t *testing.T, seed uint64) {
			p, _ := real(t, seed)
			p.Top = 1
			base := fastest(t, p)
			if !math.IsInf(base, 1) {
				feasible.Add(1)
			}
			others := []string{"nvlink=2x", "nic=+10%", "nic-latency=0.5x,nvlink-latency=0.5x", "flops=+10%", "hbm-bandwidth=2x", "host-memory=2x", "host-link=2x", "nic=2x"}
			for _, text := range []string{"hbm=+25%", "nvlink=+10%,nic=+10%", others[seed%8]} {
				q, ok := whatIf(t, p, text)
				if !ok {
					continue
				}
				asked.Add(1)
				got := fastest(t, q)
				if got > base*(1+1e-9) {
					t.Errorf("seed %d, %s: the best plan takes %g s, without it %g s", seed, text, got, base)
				}
				if got < base*(1-1e-3) {
					faster.Add(1)
				}
			}
		})
	})
	if !testing.Short() && (feasible.Load() < 50 || asked.Load() < 250 || faster.Load() < 50) {
		t.Errorf("the problems are one-sided: %d have a plan, %d of %d changes gain", feasible.Load(), faster.Load(), asked.Load())
	}
}

func TestMergingDomainsNeverMakesTheBestPlanSlower(t *testing.T) {
	var feasible, faster atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 102, func(t *testing.T, seed uint64) {
			p, _ := real(t, seed+1000)
			p.Top = 1
			q, ok := whatIf(t, p, fmt.Sprint("domain=", p.Facts.Cluster.Domain(1)))
			if !ok {
				t.Fatalf("seed %d: %+v", seed, p.Facts.Cluster.Levels)
			}
			base, got := fastest(t, p), fastest(t, q)
			if got > base*(1+1e-9) {
				t.Errorf("seed %d: in domains of %d the best plan takes %g s, of %d %g s", seed, q.Facts.Cluster.Levels[0].Size, got, p.Facts.Cluster.Levels[0].Size, base)
			}
			if !math.IsInf(base, 1) {
				feasible.Add(1)
			}
			if got < base*(1-1e-3) {
				faster.Add(1)
			}
		})
	})
	if !testing.Short() && (feasible.Load() < 45 || faster.Load() < 15) {
		t.Errorf("the problems are one-sided: %d have a plan, %d gain", feasible.Load(), faster.Load())
	}
}

// What a pin allows is searched without it too.
func TestAPinNeverMakesTheBestPlanFaster(t *testing.T) {
	for _, c := range []struct {
		instance
		pins []string
	}{
		{instance{"15 nodes", "llama-3.1-8b", "h100:120", 64, 4096}, []string{"gpus=112", "pp=7", "gpus=96"}},
		{instance{"13 nodes", "llama-3.1-8b", "h100:104", 64, 4096}, []string{"gpus=96", "pp=3", "pp=5"}},
		{instance{"7 nodes", "llama-3.1-70b", "h100:56", 256, 4096}, []string{"gpus=48", "pp=3"}},
		{instance{"racks of 72", "mixtral-8x7b", "gb200-nvl72:144", 100, 4096}, []string{"gpus=140", "pp=5", "gpus=128"}},
		{instance{"31 nodes", "deepseek-v2-lite", "h100:248", 128, 4096}, []string{"gpus=224", "pp=7"}},
	} {
		p := c.problem(t)
		base := fastest(t, p)
		for _, pin := range c.pins {
			q := *p
			q.Pins = found(framework.ParsePins(pin))
			if got := fastest(t, &q); got < base*(1-1e-9) {
				t.Errorf("%s: the best plan takes %g s, %g s with %s", c.name, base, got, pin)
			}
		}
	}
}
