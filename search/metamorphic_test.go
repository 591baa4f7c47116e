package search

import (
	"context"
	"math"
	"testing"

	"meshplan/cluster"
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

// changed is the problem on a changed copy of its cluster.
func changed(p *Problem, change func(*cluster.Cluster)) *Problem {
	q := *p
	c, gpu := *p.Facts.Cluster, *p.Facts.Cluster.GPU
	c.Levels = append([]cluster.Level(nil), c.Levels...)
	c.GPU = &gpu
	change(&c)
	q.Facts.Cluster = &c
	return &q
}

func TestMoreOfAResourceNeverMakesTheBestPlanSlower(t *testing.T) {
	feasible, problems := 0, uint64(40)
	if testing.Short() {
		problems = 5
	}
	for seed := uint64(1); seed <= problems; seed++ {
		p, _ := real(t, seed)
		p.Top = 1
		base := fastest(t, p)
		if !math.IsInf(base, 1) {
			feasible++
		}
		for name, change := range map[string]func(*cluster.Cluster){
			"a quarter more memory": func(c *cluster.Cluster) { c.GPU.Runtime += c.GPU.Runtime / 4 },
			"links twice as fast": func(c *cluster.Cluster) {
				for l := range c.Levels {
					c.Levels[l].Bandwidth *= 2
				}
			},
			"half the latency": func(c *cluster.Cluster) {
				for l := range c.Levels {
					c.Levels[l].Latency /= 2
				}
			},
			"more host memory": func(c *cluster.Cluster) { c.HostMemory += units.Bytes(1e12) },
		} {
			if got := fastest(t, changed(p, change)); got > base*(1+1e-9) {
				t.Errorf("seed %d, %s: the best plan takes %g s, without it %g s", seed, name, got, base)
			}
		}
	}
	if feasible < int(problems)/2 {
		t.Errorf("only %d of %d problems have a plan", feasible, problems)
	}
}

func TestAPinNeverMakesTheBestPlanFaster(t *testing.T) {
	problems := uint64(40)
	if testing.Short() {
		problems = 5
	}
	for seed := uint64(1); seed <= problems; seed++ {
		p, _ := real(t, seed)
		p.Top = 1
		base := fastest(t, p)
		for _, text := range []string{"tp<=2", "recompute=full", "zero=0", "pp=1", "dp<=4", "micro-batch=1"} {
			pins, err := framework.ParsePins(text)
			if err != nil {
				t.Fatal(err)
			}
			q := *p
			q.Pins = append(append([]framework.Pin(nil), p.Pins...), pins...)
			if framework.CheckPins(&q.Facts, q.Pins) != nil {
				continue
			}
			if got := fastest(t, &q); got < base*(1-1e-9) {
				t.Errorf("seed %d: with %s the best plan takes %g s, without it %g s", seed, text, got, base)
			}
		}
	}
}
