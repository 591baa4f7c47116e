package cost

import (
	"math"
	"slices"
	"strings"
	"testing"

	"meshplan/models"
	"meshplan/plan"
)

// Bytes a token and layer of Llama-3 70B (h 8192, 64 heads and 8 key-value heads
// of 128, ffn 28672) on one GPU, counted by hand from the tensors' shapes.
func TestKeptBytesOfEachKindOfRecompute(t *testing.T) {
	const h, kv, ffn, heads = 8192, 1024, 28672, 64
	m := priced(t, find(t, "llama-3-70b"), "h100", 8, "megatron", "", 8, 8192)
	b := new(plan.Point).Box()
	b[plan.TP], b[plan.CP], b[plan.EP] = plan.Range{Lo: 1, Hi: 1}, plan.Range{Lo: 1, Hi: 1}, plan.Range{Lo: 1, Hi: 1}
	v := m.look(&b)
	none := 2*4*h + 2*(h+2*kv+h) + 4*heads + 2*3*ffn
	for r, want := range map[plan.Recompute]int{
		plan.RecomputeNone:      none,
		plan.RecomputeSelective: none - 4*heads,
		// The input, wq, wv, attention and its statistics, w1, w2.
		plan.RecomputeOps:  2*h + 2*h + 2*kv + 2*h + 4*heads + 2*ffn + 2*h,
		plan.RecomputeMLP:  none - 2*3*ffn,
		plan.RecomputeFull: 2 * h,
	} {
		if got := m.keepsOf(models.Dense, r).of(&v, &divided{1, 1, 1}); got != float64(want) {
			t.Errorf("recompute %s keeps %g bytes, want %d", r, got, want)
		}
	}
	if none != 274688 {
		t.Errorf("no recompute keeps %d bytes, want 274688", none)
	}
}

// The GEMMs that torchtitan's policy names for its own models.
func TestEveryOtherGEMMIsMadeAgain(t *testing.T) {
	for _, c := range []struct {
		model string
		kind  models.Kind
		want  [][2]float64 // columns and rows
	}{
		{"llama-3-70b", models.Dense, [][2]float64{{1024, 8192}, {8192, 8192}, {28672, 8192}}},                 // wk, wo, w3
		{"gpt3-175b", models.Dense, [][2]float64{{12288, 12288}, {12288, 12288}, {12288, 49152}}},              // wk, wo, w2
		{"deepseek-v3", models.Dense, [][2]float64{{24576, 1536}, {32768, 512}, {18432, 7168}, {7168, 18432}}}, // wq_b, wkv_b, w1, w2
		{"mixtral-8x7b", models.MoE, [][2]float64{{1024, 4096}, {4096, 4096}, {8, 4096}}},                      // wk, wo, router
	} {
		m := priced(t, find(t, c.model), "h100", 8, "megatron", "", 8, 4096)
		got := m.remadeLinears(c.kind, 1)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.model, got, c.want)
			continue
		}
		for i := range got {
			if got[i].n != c.want[i][0] || got[i].k != c.want[i][1] {
				t.Errorf("%s: GEMM %d is %v, want %v", c.model, i, got[i], c.want[i])
			}
		}
	}
}

// atKind is the estimate of a plan of one pipeline stage under each kind of
// recompute.
func atKind(t *testing.T, model string, d degrees) (by [plan.NumRecompute]Estimate) {
	m := priced(t, find(t, model), "h100", 64, "megatron", "", 64, 8192)
	for r := range by {
		d.recompute = plan.Recompute(r)
		p := d.place(m.cluster)
		by[r] = m.Explain(&p)
	}
	return by
}

func TestRecomputeTradesMemoryForTime(t *testing.T) {
	dense := degrees{tp: 8, pp: 1, dp: 8, mb: 1, sp: true, zero: 1}
	moe := degrees{tp: 2, pp: 1, dp: 32, ep: 8, etp: 1, mb: 1, sp: true, zero: 1}
	for _, c := range []struct {
		model string
		d     degrees
		order []plan.Recompute // by rising time and falling memory
	}{
		{"llama-3-70b", dense, []plan.Recompute{plan.RecomputeNone, plan.RecomputeSelective, plan.RecomputeOps, plan.RecomputeFull}},
		{"llama-3-70b", dense, []plan.Recompute{plan.RecomputeNone, plan.RecomputeMLP, plan.RecomputeFull}},
		{"mixtral-8x7b", moe, []plan.Recompute{plan.RecomputeNone, plan.RecomputeMLP, plan.RecomputeFull}},
	} {
		by := atKind(t, c.model, c.d)
		for i := 1; i < len(c.order); i++ {
			a, b := &by[c.order[i-1]], &by[c.order[i]]
			if b.Step <= a.Step || term(b.Stages[0], "layer activations") >= term(a.Stages[0], "layer activations") {
				t.Errorf("%s: %s takes %v and keeps %g, %s %v and %g", c.model,
					c.order[i-1], a.Step, term(a.Stages[0], "layer activations"), c.order[i], b.Step, term(b.Stages[0], "layer activations"))
			}
		}
		none, full := by[plan.RecomputeNone], by[plan.RecomputeFull]
		for _, r := range []plan.Recompute{plan.RecomputeOps, plan.RecomputeMLP} {
			e := by[r]
			t.Logf("%s %s: %+.1f %% of the step, %.1f of %.1f GiB kept", c.model, r, 100*float64(e.Step/none.Step-1),
				term(e.Stages[0], "layer activations")/(1<<30), term(none.Stages[0], "layer activations")/(1<<30))
			if e.HFU <= e.MFU || e.HFU >= full.HFU*float64(full.Step/e.Step) {
				t.Errorf("%s %s: HFU %.3f against MFU %.3f and %.3f in full", c.model, r, e.HFU, e.MFU, full.HFU)
			}
			if small, all := term(e.Stages[0], "backward buffers"), term(full.Stages[0], "backward buffers"); small >= all {
				t.Errorf("%s %s: backward buffers %g, in full %g", c.model, r, small, all)
			}
		}
	}
}

// The transfers' term is what the others leave of the slowest rank's time, so
// that without a pipeline it has to vanish.
func TestTermsOfEveryRecomputeAddUp(t *testing.T) {
	for model, d := range map[string]degrees{
		"llama-3-70b":  {tp: 4, cp: 2, pp: 1, dp: 8, mb: 1, sp: true, zero: 1},
		"mixtral-8x7b": {tp: 2, cp: 2, pp: 1, dp: 16, ep: 4, etp: 2, mb: 1, zero: 1},
	} {
		by := atKind(t, model, d)
		for r := range by {
			work := by[r].Time.Terms[0].Terms[0]
			sum := 0.0
			for _, x := range work.Terms {
				sum += x.Value
				if x.Name == "stage-to-stage transfers" && x.Value > 1e-9 {
					t.Errorf("%s, %s: %g s of transfers without a pipeline", model, plan.Recompute(r), x.Value)
				}
			}
			if math.Abs(sum/work.Value-1) > 1e-9 {
				t.Errorf("%s, %s: terms add up to %g, want %g", model, plan.Recompute(r), sum, work.Value)
			}
		}
	}
}

func TestSelectiveRecomputeIsPointlessUnderFlashAttention(t *testing.T) {
	by := atKind(t, "llama-3-70b", degrees{tp: 8, pp: 1, dp: 8, mb: 1, sp: true, zero: 1})
	none, selective := &by[plan.RecomputeNone], &by[plan.RecomputeSelective]
	saved := float64(none.Stages[0].Allocated - selective.Stages[0].Allocated)
	if want := 80.0 * 8192 / 8 * 4 * 64; math.Abs(saved-want) > 1 || saved > 0.001*float64(none.Allocated) {
		t.Errorf("saves %g bytes, want the statistics' %g", saved, want)
	}
	if len(none.Warnings) != 0 || len(selective.Warnings) != 1 || !strings.Contains(selective.Warnings[0], "per layer and micro-batch it saves 0.25 MiB and costs ") {
		t.Errorf("warnings %q, %q", none.Warnings, selective.Warnings)
	}
	t.Log(selective.Warnings)
	o := find(t, "gpt3-175b")
	old := priced(t, o, "a100", 64, "megatron-2022", "", 64, 2048)
	p := degrees{tp: 8, pp: 8, mb: 1, sp: true, recompute: plan.RecomputeSelective}.place(old.cluster)
	if e := old.Explain(&p); len(e.Warnings) != 0 {
		t.Errorf("without flash attention: %q", e.Warnings)
	}
}

// Layers that recompute spares keep what they keep without it, and repeat
// nothing.
func TestLayersThatRecomputeSparesKeepTheirActivations(t *testing.T) {
	m := priced(t, find(t, "llama-3-70b"), "h100", 256, "megatron", "", 1024, 8192)
	d := degrees{tp: 8, pp: 4, dp: 8, mb: 1, sp: true, zero: 1}
	at := func(r plan.Recompute, spare int8) (kept, again, hfu float64) {
		p := d.place(m.cluster)
		p.Options.Recompute, p.Options.RecomputeSpare = r, spare
		e := m.Explain(&p)
		var slowest Term
		for _, x := range e.Time.Terms[0].Terms {
			if x.Name == "slowest rank" {
				slowest = x
			}
		}
		for _, x := range slowest.Terms {
			if x.Name == "recompute" {
				again = x.Value
			}
		}
		return term(e.Stages[0], "layer activations"), again, e.HFU * float64(e.Step)
	}
	none, _, fewest := at(plan.RecomputeNone, 0)
	full, whole, most := at(plan.RecomputeFull, 0)
	for _, spare := range []int8{25, 50, 75} {
		share := float64(spare) / 100
		kept, again, flops := at(plan.RecomputeFull, spare)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"activations", kept, full*(1-share) + none*share},
			{"repeated time", again, whole * (1 - share)},
			{"operations", flops, most*(1-share) + fewest*share},
		} {
			if math.Abs(c.got/c.want-1) > 1e-9 {
				t.Errorf("%d %% spared: %s %g, want %g", spare, c.what, c.got, c.want)
			}
		}
	}
}

// Early stages hold more micro-batches, so that they recompute more of their
// layers; none recomputes more than it must.
func TestEachStageRecomputesAsFewLayersAsItsMemoryAllows(t *testing.T) {
	m := priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 64, 32768)
	p := degrees{tp: 8, pp: 4, dp: 2, mb: 1, sp: true, zero: 1, recompute: plan.RecomputeFull}.place(m.cluster)
	p.Options.Stages = plan.Stages{Text: "20*4"}
	with := func(spare int8, numbers string) Estimate {
		q := p
		q.Options.RecomputeSpare, q.Options.Stages.Recompute = spare, numbers
		return m.Explain(&q)
	}
	all, own := with(0, ""), with(plan.SpareFitting, "")
	numbers, err := plan.ParseRunLength(own.Recomputed)
	if err != nil || len(numbers) != 4 {
		t.Fatalf("%q: %v", own.Recomputed, err)
	}
	if own.Verdict != Fits || own.Step >= all.Step || numbers[0] == 0 || numbers[0] == 20 || numbers[3] != 0 || !slices.IsSortedFunc(numbers, func(a, b int) int { return b - a }) {
		t.Fatalf("%v in %v with %v, every layer %v", own.Verdict, own.Step, numbers, all.Step)
	}
	if again := with(plan.SpareFitting, own.Recomputed); again.Figures != own.Figures {
		t.Errorf("the numbers themselves %+v, chosen %+v", again.Figures, own.Figures)
	}
	for r, n := range numbers {
		if n == 0 {
			continue
		}
		fewer := slices.Clone(numbers)
		fewer[r]--
		if e := with(plan.SpareFitting, plan.RunLength(fewer)); e.Verdict == Fits {
			t.Errorf("%v fits too", fewer)
		}
	}
	if full := with(plan.SpareFitting, "20*4"); full.Figures != all.Figures || full.HFU != all.HFU {
		t.Errorf("every layer by number %+v, by kind %+v", full.Figures, all.Figures)
	}
	p.Options.Recompute = plan.RecomputeNone
	none := with(0, "")
	p.Options.Recompute = plan.RecomputeFull
	if e := with(plan.SpareFitting, "0*4"); e.Step != none.Step || e.HFU != none.HFU || e.Peak < none.Peak {
		t.Errorf("no layer by number %+v, by kind %+v", e.Figures, none.Figures)
	}
}

// What each stage recomputes is a term of its memory and of the slowest one's time.
func TestTermsOfRecomputedStagesAddUp(t *testing.T) {
	m := priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 64, 32768)
	p := degrees{tp: 8, pp: 4, vpp: 5, dp: 2, mb: 1, sp: true, zero: 1, recompute: plan.RecomputeFull}.place(m.cluster)
	p.Options.RecomputeSpare, p.Options.Stages = plan.SpareFitting, plan.Stages{Text: "4*20", Recompute: "14+9+6+2"}
	e := m.Explain(&p)
	addsUp(t, "a plan by stage", e.Time)
	for _, s := range e.Stages {
		sum := 0.0
		for _, x := range s.Terms {
			sum += x.Value
		}
		if math.Abs(sum/float64(s.Allocated)-1) > 1e-12 {
			t.Errorf("stage %d: terms %g of %v", s.Stage, sum, s.Allocated)
		}
	}
	work := e.Time.Terms[0].Terms[0]
	for _, x := range work.Terms {
		if x.Name == "recompute" && x.Note != "14 of 20 layers" || x.Name == "stage-to-stage transfers" && x.Value > work.Value/20 {
			t.Errorf("%s %g: %s", x.Name, x.Value, x.Note)
		}
	}
}
