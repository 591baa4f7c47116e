package cost

import (
	"math/rand/v2"
	"testing"

	"meshplan/cluster"
	"meshplan/plan"
	"meshplan/units"
)

// slowLinks are resources of small clusters on which communication is most of a
// step.
var slowLinks = []string{"", "nic=5GB/s", "nic=2GB/s,nvlink=0.1x", "nic-latency=10x,nvlink-latency=10x", "flops=10x,hbm-bandwidth=10x"}

// with is a price model of the job on its cluster with other resources, nil where
// the cluster has none such.
func with(t *testing.T, m *Model, text string) *Model {
	t.Helper()
	changes, err := cluster.ParseChanges(text)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(g *cluster.GPU) units.FLOPsPerSecond { return Rate(g, m.precision) }
	c, _, err := m.cluster.With(rate, changes...)
	if err != nil {
		return nil
	}
	n, err := New(m.model, c, m.workload, m.profile)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNoPlanIsSlowerOnAFasterCluster(t *testing.T) {
	many := 100
	if testing.Short() {
		many = 10
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(43, uint64(len(s.name))))
			faster := 0
			for _, slow := range slowLinks {
				m := s.price(t)
				if r.IntN(2) == 0 {
					m = under(t, m, oddProfile(r, m.profile))
				}
				if slow != "" {
					if m = with(t, m, slow); m == nil {
						t.Fatal(slow)
					}
				}
				var plans []plan.Plan
				for range many {
					_, q := randomPlan(r, m)
					plans = append(plans, q)
				}
				for _, text := range []string{"nic=+10%", "nic=2x", "nvlink=+10%", "nvlink=2x", "nic-latency=0.5x", "nvlink-latency=0.5x", "flops=+10%", "hbm-bandwidth=+10%", "host-link=2x"} {
					n := with(t, m, text)
					if n == nil {
						continue
					}
					for i := range plans {
						before, f := m.Price(&plans[i]), n.Price(&plans[i])
						if float64(f.Step) > float64(before.Step)*(1+1e-12) {
							t.Errorf("%q then %s: %v, before %v, %g more:\n%s", slow, text, f.Step, before.Step, float64(f.Step/before.Step)-1, plans[i].String())
							break
						}
						if f.Step < before.Step {
							faster++
						}
					}
				}
			}
			if faster < 10*many {
				t.Errorf("only %d prices fell", faster)
			}
		})
	}
}

// However slow NVLink is, half of it takes twice as long where it is all that matters.
func TestNVLinkMattersHoweverSlow(t *testing.T) {
	m := subjectCalled(t, "dense 70B on 256 H100").price(t)
	q := degrees{tp: 8, pp: 1, dp: 32, mb: 1, zero: 1}.place(m.cluster)
	step := func(text string) float64 { return float64(with(t, m, text).Price(&q).Step) }
	for _, speeds := range [][2]string{{"nvlink=200MB/s", "nvlink=100MB/s"}, {"nvlink=1MB/s", "nvlink=0.5MB/s"}, {"nvlink=2kB/s", "nvlink=1kB/s"}} {
		if ratio := step(speeds[1]) / step(speeds[0]); ratio < 1.8 || ratio > 2.01 {
			t.Errorf("with %s a step takes %g times as long as with %s", speeds[1], ratio, speeds[0])
		}
	}
}
