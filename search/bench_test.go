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

// large are spaces of 1e9 valid plans and more; BenchmarkProof counts them.
var large = []instance{
	{"Llama70B-131072", "llama-3.1-70b", "h100:131072", 131072, 8192},
	{"Llama405B-9216-NVL72", "llama-3.1-405b", "gb200-nvl72:9216", 2048, 8192},
	{"Mixtral8x22B-512", "mixtral-8x22b", "h100:512", 1024, 4096},
	{"DeepSeekV3-16384", "deepseek-v3", "h800:16384", 15360, 4096},
}

// spaces are the named problems and the large ones, of which a short run takes one.
func spaces() []instance {
	if testing.Short() {
		return append(slices.Clone(named), large[0])
	}
	return append(slices.Clone(named), large...)
}

// bench runs a question as a benchmark until it has run long enough.
func bench(b *testing.B, name string, ask func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			ask(b)
		}
	})
}

// BenchmarkProof is the proven optimum by the walk, by two walkers and by its rival,
// loops with the same bound; and the number of valid plans, which the loops count.
func BenchmarkProof(b *testing.B) {
	for _, n := range spaces() {
		p := n.problem(b)
		bench(b, n.name+"/walk", func(b *testing.B) { reportWork(b, mustBest(b, p, 0)) })
		bench(b, n.name+"/two", func(b *testing.B) {
			two := *p
			two.Jobs = 2
			reportWork(b, mustBest(b, &two, 0))
		})
		bench(b, n.name+"/loops", func(b *testing.B) {
			reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{}))
		})
		if !testing.Short() { // some take minutes
			bench(b, n.name+"/count", func(b *testing.B) { b.ReportMetric(rivals(b, p).Count(), "plans") })
		}
	}
}

// BenchmarkChunks proves the best plan of 128 layers over 16 stages of two chunks,
// the layers of each chunk among its choices: equal layers, dense ones before MoE,
// and both in turn.
func BenchmarkChunks(b *testing.B) {
	for _, n := range []instance{
		{"one kind", "megatron-1t", "a100:4096", 4096, 2048},
		{"dense before MoE", "deepseek-v3", "h800:2048", 15360, 4096},
		{"in turn", "llama-4-maverick", "h100:1024", 1024, 4096},
	} {
		p := n.problem(b)
		deep := *p.Facts.Model
		deep.Layers = 128
		p.Facts.Model = &deep
		p.Pins = found(framework.ParsePins("pp=16,vpp=2"))
		bench(b, n.name+"/walk", func(b *testing.B) { reportWork(b, mustBest(b, p, 0)) })
		bench(b, n.name+"/two", func(b *testing.B) {
			two := *p
			two.Jobs = 2
			reportWork(b, mustBest(b, &two, 0))
		})
		bench(b, n.name+"/loops", func(b *testing.B) {
			reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{}))
		})
	}
}

func reportWork(b *testing.B, r *Result) {
	b.ReportMetric(float64(r.Stats.Bounds), "bounds")
	b.ReportMetric(float64(r.Stats.Priced), "priced")
	if len(r.Plans) > 0 {
		b.ReportMetric(r.Plans[0].StepSeconds, "step-s")
	}
}

func reportLoops(b *testing.B, a loops.Answer) {
	b.ReportMetric(a.Nodes, "bounds")
	b.ReportMetric(a.Seen, "priced")
	if len(a.Best) > 0 {
		b.ReportMetric(float64(a.Best[0].Step), "step-s")
	}
}

// rivals are the loops over the same space and rules, without those that the
// space entails.
func rivals(b testing.TB, p *Problem) *loops.Enumerator {
	j, err := newJob(p)
	if err != nil {
		b.Fatal(err)
	}
	return loopsOf(b, j, without)
}

// BenchmarkFirst is the time to the first plan that fits, from the problem on.
func BenchmarkFirst(b *testing.B) {
	for _, n := range spaces() {
		p := n.problem(b)
		p.Jobs = 2
		bench(b, n.name+"/walk", func(b *testing.B) {
			s := found(newSession(p))
			out, err := s.walk(context.Background(), query{top: 1, memory: fits, first: true})
			if err != nil || len(out.held) != 1 {
				b.Fatal(out, err)
			}
			b.ReportMetric(float64(s.stats.Bounds), "bounds")
		})
		bench(b, n.name+"/loops", func(b *testing.B) {
			reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{First: true}))
		})
	}
}

// BenchmarkForced adds what forced each degree, and BenchmarkTop20 asks for
// twenty classes.
func BenchmarkForced(b *testing.B) {
	for _, n := range named {
		p := n.problem(b)
		p.Forced, p.Jobs = true, 2
		bench(b, n.name+"/two", func(b *testing.B) { reportWork(b, mustBest(b, p, 0)) })
	}
}

func BenchmarkTop20(b *testing.B) {
	for _, n := range named {
		p := n.problem(b)
		p.Top = 20
		bench(b, n.name+"/walk", func(b *testing.B) { reportWork(b, mustBest(b, p, 0)) })
		bench(b, n.name+"/loops", func(b *testing.B) {
			reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{Top: 20}))
		})
	}
}

// BenchmarkDeepPipeline pins 16 stages of 2 chunks for 128 layers.
func BenchmarkDeepPipeline(b *testing.B) {
	p := named[1].problem(b)
	p.Pins = found(framework.ParsePins("pp=16,vpp=2"))
	bench(b, named[1].name+"-pp16-vpp2/walk", func(b *testing.B) { reportWork(b, mustBest(b, p, 0)) })
	bench(b, named[1].name+"-pp16-vpp2/loops", func(b *testing.B) {
		reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{}))
	})
}

// impossible are jobs that cannot run.
var impossible = []struct {
	instance
	pins string
}{
	{instance{"GPT3-on-8-A100", "gpt3-175b", "a100:8", 1536, 2048}, ""},
	{instance{"Llama405B-on-64", "llama-3.1-405b", "h100:64", 2048, 8192}, ""},
	{instance{"Llama70B-on-7", "llama-3.1-70b", "h100:7", 1024, 8192}, ""},
	{instance{"DeepSeekV3-on-8", "deepseek-v3", "h100:8", 15360, 4096}, ""},
	{instance{"Mixtral8x22B-ep16", "mixtral-8x22b", "h100:64", 1024, 4096}, "ep=16"},
	{instance{"Llama70B-four-pins", "llama-3.1-70b", "h100:32", 32, 8192}, "tp=4,pp=1,micro-batch=2,sp=on"},
}

// BenchmarkReasons proves that a job cannot run and says why; then also which pins
// would do with another value, and which one or two given up; then all changes.
// Loops can only find out that it cannot.
func BenchmarkReasons(b *testing.B) {
	for _, n := range impossible {
		p := n.problem(b)
		p.Pins = found(framework.ParsePins(n.pins))
		for _, pins := range []bool{false, true} {
			bench(b, n.name+map[bool]string{false: "/reasons", true: "/pins"}[pins], func(b *testing.B) {
				s := found(newSession(p))
				r := found(s.best(context.Background(), Limits{}))
				if r.Status != Infeasible {
					b.Fatal(r.Status)
				}
				if pins {
					changes := found(s.ask(context.Background(), append(s.pinRemedies(), s.pairs()...)))
					b.ReportMetric(float64(len(changes)), "changes")
				}
			})
		}
		bench(b, n.name+"/changes", func(b *testing.B) {
			b.ReportMetric(float64(len(mustBest(b, p, 0).Changes)), "changes")
		})
		bench(b, n.name+"/loops", func(b *testing.B) {
			a := rivals(b, p).Bounded(context.Background(), loops.Query{Runs: true})
			if reportLoops(b, a); len(a.Best) > 0 {
				b.Fatal("feasible")
			}
		})
	}
}

// BenchmarkRandom proves 100 fixed problems and reports the distribution of
// the times, with as many walkers as there are processors. Each is stopped after
// ten seconds and then counts as unproven.
func BenchmarkRandom(b *testing.B) {
	const limit = 10 * time.Second
	bench(b, "Hundred/two", func(b *testing.B) {
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
	})
}

// BenchmarkGrowth is one model on 64 to 131,072 GPUs, by the proof and by the
// loops with the same bound.
func BenchmarkGrowth(b *testing.B) {
	factor := 2
	if testing.Short() {
		factor = 32
	}
	for gpus := 64; gpus <= 131072; gpus *= factor {
		grow(b, fmt.Sprint(gpus), instance{model: "llama-3.1-70b", cluster: fmt.Sprintf("h100:%d", gpus), batch: 131072, seq: 8192}.problem(b))
	}
}

// BenchmarkLevels is one model on 4,096 GPUs whose network has one to four levels.
func BenchmarkLevels(b *testing.B) {
	for _, sizes := range [][]int{{4096}, {8, 512}, {8, 32, 16}, {8, 8, 8, 8}} {
		p := instance{model: "llama-3.1-70b", cluster: "h100:4096", batch: 4096, seq: 8192}.problem(b)
		c := *p.Facts.Cluster
		c.Levels = nil
		for l, size := range sizes {
			level := p.Facts.Cluster.Levels[min(l, 1)]
			level.Name, level.Size = fmt.Sprintf("level%d", l), size
			level.Oversubscription = float64(max(1, l))
			c.Levels = append(c.Levels, level)
		}
		p.Facts.Cluster = &c
		grow(b, fmt.Sprint(len(sizes)), p)
	}
}

// grow is a problem of a series.
func grow(b *testing.B, name string, p *Problem) {
	bench(b, name+"/walk", func(b *testing.B) { reportWork(b, mustBest(b, p, 0)) })
	bench(b, name+"/loops", func(b *testing.B) {
		reportLoops(b, rivals(b, p).Bounded(context.Background(), loops.Query{}))
	})
}

// BenchmarkLoopsPlain prices every plan. It is stopped after a minute; the
// time of all plans is extrapolated from their exact number.
func BenchmarkLoopsPlain(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a minute a problem")
	}
	for _, n := range named {
		e := rivals(b, n.problem(b))
		plans := e.Count()
		bench(b, n.name+"/plain", func(b *testing.B) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			start := time.Now()
			a := e.Plain(ctx, loops.Query{})
			cancel()
			b.ReportMetric(plans, "plans")
			b.ReportMetric(a.Seen, "priced")
			b.ReportMetric(time.Since(start).Seconds()*plans/a.Seen, "extrapolated-s")
		})
	}
}

// BenchmarkPareto is the proven front of memory against step time, by the walk and by
// loops that search again within less memory. The last is stopped after ten seconds.
func BenchmarkPareto(b *testing.B) {
	for _, n := range []instance{
		{"Llama70B-256", "llama-3.1-70b", "h100:256", 1024, 8192},
		{"GPT3-1024", "gpt3-175b", "h100:1024", 1536, 2048},
		{"Mixtral8x22B-512", "mixtral-8x22b", "h100:512", 1024, 4096},
		{"DeepSeekV3-2048", "deepseek-v3", "h100:2048", 15360, 4096},
	} {
		p := n.problem(b)
		p.Jobs = 2
		stop := 10 * time.Second
		if testing.Short() {
			stop = 100 * time.Millisecond
		}
		bench(b, n.name+"/two", func(b *testing.B) {
			f := mustPareto(b, p, FrontLimits{Limits: Limits{Time: stop}})
			b.ReportMetric(float64(f.Stats.Bounds), "bounds")
			b.ReportMetric(float64(len(f.Points)), "points")
			b.ReportMetric(float64(f.Proven()), "proven")
		})
		bench(b, n.name+"/loops", func(b *testing.B) {
			ctx, cancel := context.WithTimeout(context.Background(), 6*stop)
			defer cancel()
			front, done := frontByLoops(ctx, rivals(b, p), float64(DefaultResolution))
			b.ReportMetric(float64(len(front)), "points")
			if b.ReportMetric(float64(len(front)), "proven"); !done {
				b.ReportMetric(1, "stopped")
			}
		})
	}
}

// BenchmarkSensitivity is all inputs of a job changed by all factors, and the flips.
func BenchmarkSensitivity(b *testing.B) {
	studied := []instance{
		{"Llama70B-256", "llama-3.1-70b", "h100:256", 1024, 8192},
		{"Mixtral-64", "mixtral-8x22b", "h100:64", 256, 4096},
	}
	if !testing.Short() { // the last takes most of a minute
		studied = append(studied, named...)
	}
	for _, n := range studied {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			p.Jobs = runtime.GOMAXPROCS(0)
			for b.Loop() {
				r := mustStudy(b, p, Limits{})
				flips := 0
				for i := range r.Inputs {
					flips += len(r.Inputs[i].Flips)
				}
				b.ReportMetric(float64(r.Stats.Bounds), "bounds/op")
				b.ReportMetric(float64(flips), "flips")
			}
		})
	}
}
