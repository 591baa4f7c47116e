package cost

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
)

// publishedRun is a step time of Megatron-LM on DGX A100 80 GB, sequences of
// 2,048 tokens, vocabulary 51,200.
type publishedRun struct {
	name                     string
	layers, hidden, heads    int
	gpus                     int
	batch                    int64
	d                        degrees
	seconds, teraflopsPerGPU float64
}

// Korthikanti et al. (arXiv 2205.05198) tables 3 and 5: step time with full
// recompute, and with selective recompute and sequence parallelism. Narayanan
// et al. (arXiv 2104.04473) table 1: TFLOP/s a GPU with full recompute;
// interleaving as in the paper's published launch script.
var publishedRuns = []publishedRun{
	{"22B full", 48, 6144, 64, 8, 4, degrees{tp: 8, pp: 1, mb: 4, recompute: plan.RecomputeFull}, 1.42, 0},
	{"22B selective", 48, 6144, 64, 8, 4, degrees{tp: 8, pp: 1, mb: 4, sp: true, recompute: plan.RecomputeSelective}, 1.10, 0},
	{"175B full", 96, 12288, 96, 64, 64, degrees{tp: 8, pp: 8, vpp: 3, mb: 1, recompute: plan.RecomputeFull}, 18.13, 0},
	{"175B selective", 96, 12288, 96, 64, 64, degrees{tp: 8, pp: 8, vpp: 3, mb: 1, sp: true, recompute: plan.RecomputeSelective}, 13.75, 0},
	{"530B full", 105, 20480, 128, 280, 280, degrees{tp: 8, pp: 35, vpp: 3, mb: 1, recompute: plan.RecomputeFull}, 49.05, 0},
	{"530B selective", 105, 20480, 128, 280, 280, degrees{tp: 8, pp: 35, vpp: 3, mb: 1, sp: true, recompute: plan.RecomputeSelective}, 37.83, 0},
	{"1T full", 128, 25600, 160, 512, 512, degrees{tp: 8, pp: 64, mb: 1, recompute: plan.RecomputeFull}, 94.42, 0},
	{"1T selective", 128, 25600, 160, 512, 512, degrees{tp: 8, pp: 64, mb: 1, sp: true, recompute: plan.RecomputeSelective}, 71.49, 0},
	{"1.7B", 24, 2304, 24, 32, 512, degrees{tp: 1, pp: 1, dp: 32, mb: 16, recompute: plan.RecomputeFull}, 0, 137},
	{"3.6B", 30, 3072, 32, 64, 512, degrees{tp: 2, pp: 1, dp: 32, mb: 16, recompute: plan.RecomputeFull}, 0, 138},
	{"7.5B", 36, 4096, 32, 128, 512, degrees{tp: 4, pp: 1, dp: 32, mb: 16, recompute: plan.RecomputeFull}, 0, 142},
	{"18B", 40, 6144, 48, 256, 1024, degrees{tp: 8, pp: 1, dp: 32, mb: 8, recompute: plan.RecomputeFull}, 0, 135},
	{"39B", 48, 8192, 64, 512, 1536, degrees{tp: 8, pp: 2, dp: 32, mb: 4, recompute: plan.RecomputeFull}, 0, 138},
	{"76B", 60, 10240, 80, 1024, 1792, degrees{tp: 8, pp: 4, vpp: 3, dp: 32, mb: 2, recompute: plan.RecomputeFull}, 0, 140},
	{"145B", 80, 12288, 96, 1536, 2304, degrees{tp: 8, pp: 8, vpp: 2, dp: 24, mb: 2, recompute: plan.RecomputeFull}, 0, 148},
	{"310B", 96, 16384, 128, 1920, 2160, degrees{tp: 8, pp: 16, vpp: 2, dp: 15, mb: 1, recompute: plan.RecomputeFull}, 0, 155},
	{"530B", 105, 20480, 128, 2520, 2520, degrees{tp: 8, pp: 35, vpp: 3, dp: 9, mb: 1, recompute: plan.RecomputeFull}, 0, 163},
	{"1T", 128, 25600, 160, 3072, 3072, degrees{tp: 8, pp: 64, dp: 6, mb: 1, recompute: plan.RecomputeFull}, 0, 163},
}

// measured is the run's step time; a printed rate counts the operations of
// the paper's formula.
func (r publishedRun) measured() float64 {
	if r.seconds > 0 {
		return r.seconds
	}
	flops := float64(models.MegatronFLOPs(int(r.batch), 2048, r.layers, r.hidden, 51200))
	return flops / (r.teraflopsPerGPU * 1e12 * float64(r.gpus))
}

var update = flag.Bool("update", false, "rewrite the figures in docs/accuracy.md")

func TestStepTimesOf2021And2022WithoutFittedConstants(t *testing.T) {
	sum := 0.0
	var table strings.Builder
	table.WriteString("| run | GPUs | measured s | predicted s | error |\n|---|---|---|---|---|\n")
	for _, r := range publishedRuns {
		e := r.explain(t)
		miss := float64(e.Step)/r.measured() - 1
		sum += math.Abs(miss)
		fmt.Fprintf(&table, "| %s | %d | %.2f | %.2f | %+.1f %% |\n", r.name, r.gpus, r.measured(), float64(e.Step), 100*miss)
		if math.Abs(miss) > 0.20 {
			t.Errorf("%s: %.2f s predicted, %.2f s measured", r.name, float64(e.Step), r.measured())
			logTerms(t, e.Time, "    ")
		}
	}
	p, err := profile.Find("megatron-2022")
	if err != nil {
		t.Fatal(err)
	}
	if list := p.Unfitted().Parameters(); len(list) == 0 || slices.ContainsFunc(list, func(q profile.Parameter) bool { return q.Value != q.Prior }) {
		t.Errorf("constants that were fitted: %+v", list)
	}
	mape := sum / float64(len(publishedRuns))
	fmt.Fprintf(&table, "\nMean absolute error %.1f %% over %d runs.\n", 100*mape, len(publishedRuns))
	t.Log("\n" + table.String())
	if mape > 0.12 {
		t.Errorf("mean absolute error %.1f %%, want at most 12 %%", 100*mape)
	}
	onPage(t, "step times", table.String())
}

// explain prices the run with the profile of its time, which is fitted to runs
// such as this, as it was before any was seen.
func (r publishedRun) explain(t *testing.T) Estimate {
	t.Helper()
	o := *find(t, "gpt3-175b")
	o.Layers, o.Hidden, o.Heads, o.KVHeads = r.layers, r.hidden, r.heads, r.heads
	o.HeadDim, o.FFN, o.Vocab = r.hidden/r.heads, 4*r.hidden, 51200
	m := priced(t, &o, "a100", r.gpus, "megatron-2022", "", r.batch, 2048)
	p := r.d.place(m.cluster)
	even(t, m, &p)
	return m.Explain(&p)
}

// onPage holds that the page shows the figures, or writes them there.
func onPage(t *testing.T, name, want string) {
	t.Helper()
	const page = "../docs/accuracy.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(text), begin)
	shown, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no block %q", page, name)
	}
	if shown == want {
		return
	}
	if !*update {
		t.Errorf("%s is out of date; go test ./cost -update rewrites it", page)
		return
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func logTerms(t *testing.T, x Term, in string) {
	t.Helper()
	t.Logf("%s%-40s %9.4f %s", in, x.Name, x.Value, x.Note)
	for _, y := range x.Terms {
		logTerms(t, y, in+"  ")
	}
}
