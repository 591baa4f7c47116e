package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/search/loops"
)

// instance is a problem of the catalogues.
type instance struct {
	name, model, cluster string
	batch, seq           int64
}

func (n instance) String() string {
	return fmt.Sprintf("%s on %s, batch %d, seq %d", n.model, n.cluster, n.batch, n.seq)
}

// named are the problems that the documents speak of.
var named = []instance{
	{"GPT3-1024", "gpt3-175b", "a100:1024", 1536, 2048},
	{"Megatron1T-4096", "megatron-1t", "a100:4096", 4096, 2048},
	{"Llama405B-16384", "llama-3.1-405b", "h100:16384", 2048, 8192},
	{"DeepSeekV3-2048", "deepseek-v3", "h800:2048", 15360, 4096},
}

// problem is the instance under Megatron's rules and profile.
func (n instance) problem(t testing.TB) *Problem {
	t.Helper()
	m, err := models.Find(n.model)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Find(n.cluster)
	if err != nil {
		t.Fatal(err)
	}
	fw := megatron.New()
	prof, err := profile.Find(fw.Profile())
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{
		Facts: framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{
			GlobalBatch: n.batch, SeqLen: n.seq, Precision: plan.DefaultPrecision, LoadFactor: plan.DefaultLoadFactor,
		}},
		Framework: fw, Profile: prof, Top: 1, Jobs: 1,
	}
}

// drawnFrom are the models of the drawn problems, which stay as they are when the
// catalogue grows.
var drawnFrom = []string{
	"bloom-176b", "dbrx", "deepseek-r1", "deepseek-v2", "deepseek-v2-lite", "deepseek-v3", "falcon-180b",
	"gemma-2-27b", "gemma-2-2b", "gemma-2-9b", "gemma-3-12b", "gemma-3-27b", "glm-4.5", "glm-4.5-air",
	"gpt-neox-20b", "gpt-oss-120b", "gpt-oss-20b", "gpt3-175b", "grok-1", "kimi-k2", "llama-2-13b", "llama-2-70b",
	"llama-2-7b", "llama-3-70b", "llama-3-8b", "llama-3.1-405b", "llama-3.1-70b", "llama-3.1-8b", "llama-3.2-1b",
	"llama-3.2-3b", "llama-3.3-70b", "llama-4-maverick", "llama-4-scout", "megatron-145b", "megatron-1t",
	"megatron-22b", "megatron-310b", "megatron-530b", "minimax-m2.5", "mistral-7b-v0.1", "mistral-large-2407",
	"mixtral-8x22b", "mixtral-8x7b", "nemotron-4-15b", "nemotron-4-340b", "opt-175b", "opt-66b", "phi-3-mini",
	"phi-4", "qwen2.5-14b", "qwen2.5-32b", "qwen2.5-72b", "qwen2.5-7b", "qwen3-235b-a22b", "qwen3-30b-a3b",
	"qwen3-32b", "qwen3-8b", "qwen3-coder-480b-a35b",
}

// drawn are problems of catalogue models and clusters, fixed by the seed.
func drawn(seed uint64, n int) []instance {
	r := rand.New(rand.NewPCG(seed, 7))
	list := make([]instance, n)
	for i := range list {
		system := pick(r, "a100", "h100", "h800", "h200", "b200", "mi300x", "gb200-nvl72", "a100-40gb")
		gpus := 8 * pick(r, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256, 320, 512, 1024, 2048)
		if system == "gb200-nvl72" {
			gpus = 72 * pick(r, 1, 2, 4, 6, 8, 16, 32, 64)
		}
		list[i] = instance{
			model: pick(r, drawnFrom...), cluster: fmt.Sprintf("%s:%d", system, gpus),
			batch: pick[int64](r, 256, 512, 768, 1024, 1536, 1920, 2048, 4096, 15360), seq: pick[int64](r, 2048, 4096, 8192, 32768),
		}
		list[i].name = fmt.Sprintf("%d", i)
	}
	return list
}

func mustBest(t testing.TB, p *Problem, limit time.Duration) *Result {
	t.Helper()
	r, err := Best(context.Background(), p, Limits{Time: limit})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkProof is the proven optimum of the named problems.
func BenchmarkProof(b *testing.B) {
	for _, n := range named {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			for b.Loop() {
				r := mustBest(b, p, 0)
				reportWork(b, r)
			}
		})
	}
}

func reportWork(b *testing.B, r *Result) {
	b.ReportMetric(float64(r.Stats.Bounds), "bounds/op")
	b.ReportMetric(float64(r.Stats.Priced), "priced/op")
	if len(r.Plans) > 0 {
		b.ReportMetric(r.Plans[0].StepSeconds, "step-s")
	}
}

// BenchmarkForced adds what forced each degree, and BenchmarkTop20 asks for
// twenty classes.
func BenchmarkForced(b *testing.B) {
	for _, n := range named {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			p.Forced, p.Jobs = true, 2
			for b.Loop() {
				reportWork(b, mustBest(b, p, 0))
			}
		})
	}
}

func BenchmarkTop20(b *testing.B) {
	for _, n := range named {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			p.Top = 20
			for b.Loop() {
				reportWork(b, mustBest(b, p, 0))
			}
		})
	}
}

// BenchmarkInfeasible explains why a model does not fit on 8 GPUs.
func BenchmarkInfeasible(b *testing.B) {
	p := instance{model: "gpt3-175b", cluster: "a100:8", batch: 1536, seq: 2048}.problem(b)
	for b.Loop() {
		if r := mustBest(b, p, 0); r.Status != Infeasible {
			b.Fatal(r.Status)
		}
	}
}

// BenchmarkRandom proves 100 fixed problems and reports the distribution of
// the times, with as many walkers as there are processors. Each is stopped after
// ten seconds and then counts as unproven.
func BenchmarkRandom(b *testing.B) {
	const limit = 10 * time.Second
	for b.Loop() {
		var times []time.Duration
		unproven, infeasible := 0, 0
		count := 100
		if testing.Short() {
			count = 10
		}
		for _, n := range drawn(1, count) {
			p := n.problem(b)
			p.Jobs = runtime.GOMAXPROCS(0)
			r := mustBest(b, p, limit)
			times = append(times, time.Duration(r.Stats.Seconds*1e9))
			switch r.Status {
			case Infeasible:
				infeasible++
			case Feasible, Unknown:
				unproven++
				b.Logf("unproven: %v", n)
			}
		}
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2].Seconds()*1e3, "p50-ms")
		b.ReportMetric(times[len(times)*9/10].Seconds()*1e3, "p90-ms")
		b.ReportMetric(times[len(times)-1].Seconds()*1e3, "max-ms")
		b.ReportMetric(float64(unproven), "unproven")
		b.ReportMetric(float64(infeasible), "infeasible")
	}
}

// rivals are the loops over the same space and rules, without those that the
// space entails.
func rivals(b *testing.B, p *Problem) *loops.Enumerator {
	j, err := newJob(p)
	if err != nil {
		b.Fatal(err)
	}
	return loopsOf(b, j, without)
}

// BenchmarkGrowth is one model on 64 to 131,072 GPUs, by the proof and by the
// loops with the same bound.
func BenchmarkGrowth(b *testing.B) {
	for gpus := 64; gpus <= 131072; gpus *= 2 {
		n := instance{model: "llama-3.1-70b", cluster: fmt.Sprintf("h100:%d", gpus), batch: 131072, seq: 8192}
		b.Run(fmt.Sprintf("proof/%d", gpus), func(b *testing.B) {
			p := n.problem(b)
			for b.Loop() {
				reportWork(b, mustBest(b, p, 0))
			}
		})
		b.Run(fmt.Sprintf("loops/%d", gpus), func(b *testing.B) {
			p := n.problem(b)
			for b.Loop() {
				reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{}))
			}
		})
	}
}

func reportLoops(b *testing.B, a loops.Answer) {
	b.ReportMetric(a.Nodes, "bounds/op")
	b.ReportMetric(a.Seen, "priced/op")
	if len(a.Best) > 0 {
		b.ReportMetric(float64(a.Best[0].Step), "step-s")
	}
}

// BenchmarkLoopsBounded is the rival of the proof: loops with its bound.
func BenchmarkLoopsBounded(b *testing.B) {
	for _, n := range named {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			for b.Loop() {
				reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{}))
			}
		})
	}
}

// BenchmarkLoopsPlain prices every plan. It is stopped after a minute; the
// time of all plans is extrapolated from their exact number.
func BenchmarkLoopsPlain(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a minute a problem")
	}
	for _, n := range named {
		b.Run(n.name, func(b *testing.B) {
			e := rivals(b, n.problem(b))
			plans := e.Count()
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				start := time.Now()
				a := e.Plain(ctx, loops.Query{})
				cancel()
				b.ReportMetric(plans, "plans")
				b.ReportMetric(a.Seen, "priced/op")
				b.ReportMetric(time.Since(start).Seconds()*plans/a.Seen, "extrapolated-s")
			}
		})
	}
}

// BenchmarkPareto is the proven front of memory against step time.
func BenchmarkPareto(b *testing.B) {
	for _, n := range []instance{
		{"Llama70B-256", "llama-3.1-70b", "h100:256", 1024, 8192},
		{"GPT3-1024", "gpt3-175b", "h100:1024", 1536, 2048},
	} {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			for b.Loop() {
				f := mustPareto(b, p, FrontLimits{})
				b.ReportMetric(float64(f.Stats.Bounds), "bounds/op")
				b.ReportMetric(float64(f.Stats.Priced), "priced/op")
				b.ReportMetric(float64(len(f.Points)), "points")
			}
		})
	}
}
