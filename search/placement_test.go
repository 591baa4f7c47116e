package search

import (
	"context"
	"testing"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/framework"
	anyframework "meshplan/framework/any"
	"meshplan/plan"
)

// anyProblem is an instance without a framework's own rules.
func anyProblem(t testing.TB, n instance) *Problem {
	t.Helper()
	p := n.problem(t)
	p.Framework = anyframework.New()
	return p
}

func solved(t testing.TB, p *Problem) (*Result, plan.Plan) {
	t.Helper()
	r, err := Best(context.Background(), p, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != Optimal {
		t.Fatalf("status %s: %v", r.Status, r.Reasons)
	}
	parsed, err := plan.Parse(r.Plans[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	return r, parsed.Plan
}

// placements lists every placement of the plan's degrees on the cluster.
func placements(c *cluster.Cluster, p plan.Plan, visit func(plan.Plan)) {
	dims := plan.DenseDims
	var place func(i int, q plan.Plan)
	var spread func(d plan.Dim, level int, left int32, q plan.Plan, i int)
	place = func(i int, q plan.Plan) {
		if i == len(dims) {
			visit(q)
			return
		}
		spread(dims[i], 0, p.Placement.Degree(dims[i]), q, i)
	}
	spread = func(d plan.Dim, level int, left int32, q plan.Plan, i int) {
		if level == len(c.Levels) {
			if left == 1 {
				place(i+1, q)
			}
			return
		}
		for f := int32(1); f <= left; f++ {
			if left%f == 0 {
				r := q
				r.Placement.Factor[d][level] = f
				if int(r.Placement.Used(level)) <= c.Levels[level].Size {
					spread(d, level+1, left/f, r, i)
				}
			}
		}
	}
	blank := p
	blank.Placement.Factor = [plan.NumDims][plan.MaxLevels]int32{}
	place(0, blank)
}

func TestTensorParallelGroupLiesInsideTheNVLinkDomain(t *testing.T) {
	p := anyProblem(t, instance{"70B", "llama-3.1-70b", "h100:256", 1024, 8192})
	r, best := solved(t, p)
	tp := best.Placement.Degree(plan.TP)
	if tp < 2 || best.Placement.Factor[plan.TP][0] != tp {
		t.Errorf("tp %d has a factor of %d in the NVLink domain", tp, best.Placement.Factor[plan.TP][0])
	}
	price, err := cost.New(p.Facts.Model, p.Facts.Cluster, p.Facts.Workload, p.Profile)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	placements(p.Facts.Cluster, best, func(q plan.Plan) {
		tried++
		q.Options.Stages = plan.Stages{}
		pt := q.Point()
		stages, err := price.Split(&pt, p.Framework.Forms())
		if err != nil {
			t.Fatal(err)
		}
		q.Options.Stages = stages
		if f := price.Price(&q); f.Verdict == cost.Fits && roundNS(f.Step) < roundNS(price.Price(&best).Step) {
			t.Errorf("%s takes %v, the optimum %v", q, f.Step, price.Price(&best).Step)
		}
	})
	if tried < 5 {
		t.Errorf("only %d placements of %s", tried, r.Plans[0].Text)
	}
}

// swapped is a cluster of 8-GPU boxes on slow links under a network of fast
// ones.
func swapped(t testing.TB, name string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c.Collectives, c.NVLS, c.NVLSRanks = "", 0, 0
	c.Levels[0].Bandwidth, c.Levels[1].Bandwidth = 20e9, 400e9
	c.Levels[0].Latency, c.Levels[1].Latency = 4e-6, 2e-6
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTensorParallelGroupMovesOutToAFasterNetwork(t *testing.T) {
	p := anyProblem(t, instance{"70B", "llama-3.1-70b", "h100:256", 1024, 8192})
	pins, err := framework.ParsePins("tp=8")
	if err != nil {
		t.Fatal(err)
	}
	p.Pins = pins
	if _, best := solved(t, p); best.Placement.Factor[plan.TP][0] != 8 {
		t.Errorf("on NVLink boxes tp 8 has a factor of %d inside", best.Placement.Factor[plan.TP][0])
	}
	p.Facts.Cluster = swapped(t, "h100:256")
	if r, best := solved(t, p); best.Placement.Factor[plan.TP][0] != 1 {
		t.Errorf("with a faster outer network tp 8 still has a factor of %d inside: %s", best.Placement.Factor[plan.TP][0], r.Plans[0].Text)
	}
}

func TestPipelinesNeedNotDivideTheLayers(t *testing.T) {
	for _, c := range []struct {
		n   instance
		pin string
	}{
		{instance{"126 layers", "llama-3.1-405b", "h100:16384", 2048, 8192}, "pp=16"},
		{instance{"61 layers", "deepseek-v3", "h800:2048", 15360, 4096}, "pp=8"},
		{instance{"94 layers", "qwen3-235b-a22b", "h100:256", 1024, 4096}, "pp=8"},
		{instance{"ep that does not divide dp", "qwen3-235b-a22b", "h100:96", 96, 4096}, "dp=6,ep=4,tp=4,pp=4"},
	} {
		t.Run(c.n.name, func(t *testing.T) {
			p := c.n.problem(t)
			pins, err := framework.ParsePins(c.pin)
			if err != nil {
				t.Fatal(err)
			}
			p.Pins = pins
			r, best := solved(t, p)
			t.Log(r.Plans[0].Text)
			layers, err := best.Options.Stages.Layers()
			if err != nil {
				t.Fatal(err)
			}
			total := int32(0)
			for _, n := range layers {
				total += n
			}
			if int(total) != p.Facts.Model.Layers {
				t.Errorf("the stages hold %d of %d layers", total, p.Facts.Model.Layers)
			}
		})
	}
}
