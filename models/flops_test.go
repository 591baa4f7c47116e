package models

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
)

func must(t testing.TB, name string) *Model {
	t.Helper()
	m, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

func TestFLOPsOfADenseModelAreCloseToSixTimesItsParameters(t *testing.T) {
	for _, m := range All() {
		if m.Experts > 0 || m.TieEmbeddings {
			continue
		}
		n := float64(m.Total() - m.Embedding()) // the lookup is free
		got := float64(m.FLOPsPerToken(0))
		if !near(got, 6*n, 0.001) {
			t.Errorf("%s: %.6g FLOPs per token, 6N is %.6g", m.Name, got, 6*n)
		}
		if long := float64(m.FLOPsPerToken(4096)); long < got || long > 1.25*got {
			t.Errorf("%s: attention over 4096 tokens takes %.3g of the rest", m.Name, long/got-1)
		}
	}
}

func TestFLOPsOfAnMoEModelAreCloseToSixTimesItsActiveParameters(t *testing.T) {
	for _, name := range []string{"deepseek-v3", "qwen3-30b-a3b", "mixtral-8x7b", "gpt-oss-120b", "llama-4-maverick"} {
		m := must(t, name)
		n := float64(m.Active() - m.Embedding())
		if got := float64(m.FLOPsPerToken(0)); !near(got, 6*n, 0.002) {
			t.Errorf("%s: %.6g FLOPs per token, 6 x active is %.6g", name, got, 6*n)
		}
	}
}

func TestMegatronFormulaIsFullRecomputeWithoutTheCausalHalf(t *testing.T) {
	for _, name := range []string{"gpt3-175b", "megatron-530b", "megatron-1t"} {
		m := must(t, name)
		const batch, seq = 7, 2048
		tokens := float64(batch * seq)
		causal := float64(m.HardwareFLOPsPerToken(seq, plan.RecomputeFull))
		// The other half of the attention core: 4 passes of 2 s h a layer.
		other := 4 * 2 * float64(seq) * float64(m.Hidden) * float64(m.Layers)
		want := float64(MegatronFLOPs(batch, seq, m.Layers, m.Hidden, m.Vocab))
		if got := tokens * (causal + other); !near(got, want, 1e-9) {
			t.Errorf("%s: %.9g, formula %.9g", name, got, want)
		}
	}
}

func TestMegatronFormulaGivesThePublishedRate(t *testing.T) {
	// SC21 table 1: 1T parameters, batch 3072, 3072 GPUs; "163 TFLOP/s".
	m := must(t, "megatron-1t")
	perGPU := float64(MegatronFLOPs(3072, 2048, m.Layers, m.Hidden, m.Vocab)) / 3072
	if step := perGPU / 163e12; step < 95 || step > 110 {
		t.Errorf("step of %.1f s at the published rate, want about 102 s", step)
	}
}

func TestRecomputeAddsTheWorkItRepeats(t *testing.T) {
	m := must(t, "llama-3-8b")
	none := m.HardwareFLOPsPerToken(8192, plan.RecomputeNone)
	some := m.HardwareFLOPsPerToken(8192, plan.RecomputeSelective)
	full := m.HardwareFLOPsPerToken(8192, plan.RecomputeFull)
	if none != m.FLOPsPerToken(8192) {
		t.Error("without recompute, hardware FLOPs differ from model FLOPs")
	}
	core := 2.0 * 32 * 256 * 4096 * 32 // 2 x heads x (qk + v) x seq/2, 32 layers
	if got := float64(some - none); !near(got, core, 1e-9) {
		t.Errorf("selective recompute adds %.6g, want %.6g", got, core)
	}
	if got, want := float64(full-none), float64(none)/3-float64(m.HeadFLOPs()); !near(got, want, 1e-9) {
		t.Errorf("full recompute adds %.6g, want one forward pass without the head, %.6g", got, want)
	}
}

func TestMeanContextIsTheMeanOverTheTokensOfASequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.IntRange(1, 3000).Draw(t, "seq")
		window := rapid.IntRange(0, 4000).Draw(t, "window")
		sum := 0
		for i := range seq {
			seen := i + 1
			if window > 0 {
				seen = min(seen, window)
			}
			sum += seen
		}
		// Counting the diagonal half, a token sees half a token less.
		want := float64(sum) / float64(seq)
		if got := MeanContext(seq, window); math.Abs(got-want) > 0.5+1e-9 {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}

func TestWindowsFollowThePattern(t *testing.T) {
	for _, c := range []struct {
		pattern Pattern
		window  int
		want    []int
	}{
		{PatternFull, 0, []int{0, 0, 0, 0, 0, 0}},
		{PatternSliding, 9, []int{9, 9, 9, 9, 9, 9}},
		{"1:1", 9, []int{9, 0, 9, 0, 9, 0}},
		{"3:1", 9, []int{9, 9, 9, 0, 9, 9}},
	} {
		m := &Model{Layers: 6, Window: c.window, AttnPattern: c.pattern}
		for i, w := range m.Windows() {
			if w != c.want[i] {
				t.Errorf("%s: windows %v, want %v", c.pattern, m.Windows(), c.want)
				break
			}
		}
	}
}

func TestKindsFollowLeadingDenseLayersAndThePeriod(t *testing.T) {
	v3 := must(t, "deepseek-v3").Kinds()
	if v3[2] != Dense || v3[3] != MoE || v3[60] != MoE || len(v3) != 61 {
		t.Error("DeepSeek-V3 has three dense layers, then 58 MoE layers")
	}
	maverick := must(t, "llama-4-maverick")
	if k := maverick.Kinds(); k[0] != Dense || k[1] != MoE || maverick.Count()[MoE] != 24 {
		t.Error("every second layer of Llama 4 Maverick is MoE, from layer 1")
	}
	if n := must(t, "llama-3-8b").Count(); n[Dense] != 32 || n[MoE] != 0 {
		t.Error("a dense model has dense layers only")
	}
}
