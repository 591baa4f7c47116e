package loops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/search/loops"
)

// problem is a small model on a cluster of the given level sizes, under
// Megatron's rules and pins.
func problem(t testing.TB, moe bool, sizes []int, pins string) *loops.Problem {
	t.Helper()
	a100, err := cluster.Find("a100:8")
	if err != nil {
		t.Fatal(err)
	}
	c := *a100
	c.Levels = nil
	for l, n := range sizes {
		level := a100.Levels[0]
		level.Name, level.Size = fmt.Sprintf("level%d", l), n
		c.Levels = append(c.Levels, level)
	}
	m := &models.Model{
		Name: "small", Layers: 12, Hidden: 1536, Heads: 12, KVHeads: 4, HeadDim: 128, FFN: 4096, Vocab: 32000,
		GatedMLP: true, NormsPerLayer: 2,
	}
	if moe {
		m.Experts, m.TopK, m.MoEFFN, m.MoEEvery = 4, 2, 1024, 1
	}
	m.SetDefaults()
	return withPins(t, &framework.Facts{Model: m, Cluster: &c, Workload: plan.Workload{
		GlobalBatch: 12, SeqLen: 2048, Precision: plan.BF16, LoadFactor: 1,
	}}, pins)
}

func withPins(t testing.TB, f *framework.Facts, text string) *loops.Problem {
	t.Helper()
	pins, err := framework.ParsePins(text)
	if err != nil {
		t.Fatal(err)
	}
	fw := megatron.New()
	prof, err := profile.Find(fw.Profile())
	if err != nil {
		t.Fatal(err)
	}
	price, err := cost.New(f.Model, f.Cluster, f.Workload, prof)
	if err != nil {
		t.Fatal(err)
	}
	return &loops.Problem{
		Facts: f, Domains: framework.NewDomains(f, fw, pins), Rules: framework.Rules(f, fw, pins),
		StageRules: fw.StageRules(), Forms: fw.Forms(), Price: price,
	}
}

// stated drops the rules that others entail.
func stated(p *loops.Problem) *loops.Problem {
	q := *p
	q.Rules = slices.DeleteFunc(slices.Clone(p.Rules), func(r framework.Rule) bool { return r.Implied })
	return &q
}

var cases = []struct {
	name  string
	moe   bool
	sizes []int
	pins  string
}{
	{"one level", false, []int{8}, "vpp<=2"},
	{"sizes with a factor 3", false, []int{4, 3}, "vpp<=2"},
	{"three levels", false, []int{2, 2, 3}, "vpp=1"},
	{"a level of one", false, []int{4, 1, 2}, "vpp=1"},
	{"experts", true, []int{4, 3}, "vpp=1,micro-batch<=2"},
	{"experts on three levels", true, []int{2, 3, 2}, "vpp=1,micro-batch=1"},
	{"a pinned placement", false, []int{4, 2}, "tp in nvlink,vpp=1"},
	{"a pinned number of GPUs", true, []int{6, 2}, "gpus=12,vpp=1"},
	{"pins that no plan keeps", false, []int{4}, "tp=5"},
}

func TestCountEqualsTheNumberOfPointsVisited(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := problem(t, c.moe, c.sizes, c.pins)
			for _, q := range []*loops.Problem{p, stated(p)} {
				visited := 0.0
				seen := map[plan.Point]bool{}
				loops.New(q).Visit(func(p *plan.Point) bool {
					visited++
					seen[*p] = true
					return true
				})
				if float64(len(seen)) != visited {
					t.Errorf("%v points visited, %d different", visited, len(seen))
				}
				if n := loops.New(q).Count(); n != visited {
					t.Errorf("counted %v, visited %v", n, visited)
				}
			}
		})
	}
}

func TestEveryPointVisitedKeepsAllRulesAndFitsTheLevels(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := problem(t, c.moe, c.sizes, c.pins)
			loops.New(stated(p)).Visit(func(pt *plan.Point) bool {
				if broken := framework.Broken(p.Facts, p.Rules, pt); len(broken) > 0 {
					t.Fatalf("%v breaks %s", pt, broken[0].ID)
				}
				return true
			})
		})
	}
}

func TestBoundedLoopsFindWhatPlainLoopsFind(t *testing.T) {
	ctx := context.Background()
	for _, c := range cases {
		for _, q := range []loops.Query{{Top: 1}, {Top: 7}, {Top: 3, Runs: true}} {
			t.Run(fmt.Sprintf("%s, top %d", c.name, q.Top), func(t *testing.T) {
				e := loops.New(stated(problem(t, c.moe, c.sizes, c.pins)))
				want, got := e.Plain(ctx, q), e.Bounded(ctx, q)
				if !want.Done || !got.Done || !slices.Equal(got.Best, want.Best) {
					t.Fatalf("bounded %v, plain %v", got.Best, want.Best)
				}
				if got.Seen > want.Seen {
					t.Errorf("bounded loops priced %v plans of %v", got.Seen, want.Seen)
				}
				if len(want.Best) == 0 && e.Count() > 0 {
					t.Error("no plan fits; the case tests nothing")
				}
			})
		}
	}
}

// The order of the loops is a matter of speed.
func TestBoundedLoopsFindTheSameInAnyOrder(t *testing.T) {
	ctx := context.Background()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := stated(problem(t, c.moe, c.sizes, c.pins))
			want := loops.New(p).Bounded(ctx, loops.Query{Top: 5})
			for _, c := range rand.New(rand.NewPCG(1, 5)).Perm(plan.NumCoords) {
				p.First = append(p.First, plan.Coord(c))
			}
			if got := loops.New(p).Bounded(ctx, loops.Query{Top: 5}); !slices.Equal(got.Best, want.Best) {
				t.Fatalf("in the order %v the best are %v, want %v", p.First, got.Best, want.Best)
			}
		})
	}
}

// Sorting every plan and taking the first of each class is the ranking.
func TestPlainLoopsRankLikeSorting(t *testing.T) {
	p := stated(problem(t, true, []int{4, 3}, "vpp=1,micro-batch<=2"))
	e := loops.New(p)
	var list []loops.Found
	e.Visit(func(pt *plan.Point) bool {
		stages, err := p.Price.Split(pt, p.Forms)
		if err != nil {
			return true
		}
		f := loops.Found{Point: *pt, Plan: pt.Plan(2)}
		f.Plan.Options.Stages = stages
		if f.Figures = p.Price.Price(&f.Plan); f.Verdict == cost.Fits {
			list = append(list, f)
		}
		return true
	})
	slices.SortFunc(list, func(a, b loops.Found) int {
		if a.Before(&b) {
			return -1
		}
		return 1
	})
	type class [plan.NumOptions]int32
	seen := map[class]bool{}
	var want []loops.Found
	for _, f := range list {
		if c := class(f.Point[:len(class{})]); !seen[c] && len(want) < 50 {
			seen[c] = true
			want = append(want, f)
		}
	}
	if got := e.Plain(context.Background(), loops.Query{Top: 50}); !slices.Equal(got.Best, want) {
		t.Errorf("%d plans, want %d", len(got.Best), len(want))
	}
}

func TestLoopsStopWithTheContext(t *testing.T) {
	e := loops.New(stated(problem(t, true, []int{4, 3}, "")))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a := e.Plain(ctx, loops.Query{}); a.Done || a.Seen > 2000 {
		t.Errorf("plain loops went on to %v plans", a.Seen)
	}
	if a := e.Bounded(ctx, loops.Query{}); a.Done || a.Seen > 0 {
		t.Errorf("bounded loops went on to %v plans", a.Seen)
	}
}

// More plans than could be visited in a test: options and placements are
// counted without.
func TestCountOfALargeProblem(t *testing.T) {
	m, err := models.Find("gpt3-175b")
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Find("a100:1024")
	if err != nil {
		t.Fatal(err)
	}
	f := &framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{GlobalBatch: 1536, SeqLen: 2048, Precision: plan.BF16, LoadFactor: 1}}
	if n := loops.New(stated(withPins(t, f, ""))).Count(); n < 1e7 || n > 1e10 {
		t.Errorf("counted %v plans", n)
	}
}
