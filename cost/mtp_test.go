package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/plan"
)

// predicting is the job with multi-token-prediction layers.
func predicting(t testing.TB, m *Model, n int) *Model {
	t.Helper()
	c := *m
	c.workload.MTP = n
	p, err := c.With(m.profile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A module of DeepSeek-V3 is a layer with experts, a projection and three norms;
// the last stage holds it beside a copy of the embedding.
func TestMultiTokenPredictionIsALoadOfTheLastStage(t *testing.T) {
	m := priced(t, find(t, "deepseek-v3"), "h100", 512, "megatron", "", 512, 4096)
	one := predicting(t, m, 1)
	p := degrees{tp: 1, pp: 16, dp: 32, ep: 32, mb: 1, zero: 1, recompute: plan.RecomputeFull}.place(m.cluster)
	pt := p.Point()
	plain, err := m.Split(&pt, plan.AllForms())
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := one.Split(&pt, plan.AllForms())
	if err != nil {
		t.Fatal(err)
	}
	before, _ := plain.Layers()
	after, _ := loaded.Layers()
	if before[15] != after[15]+1 {
		t.Errorf("the last stage holds %d of %s layers, %d of %s without", after[15], loaded.Text, before[15], plain.Text)
	}
	p.Options.Stages = plain
	without, with := m.Explain(&p), one.Explain(&p)
	for r := range 15 {
		if without.Stages[r].Allocated != with.Stages[r].Allocated {
			t.Errorf("stage %d: %v, %v without", r, with.Stages[r].Allocated, without.Stages[r].Allocated)
		}
	}
	o := m.model
	module := o.Layer(m.lastKind())
	experts := float64(module.Experts) / 32
	dense := float64(o.MTP()) - float64(module.Experts) + float64(o.Embedding())
	// 6 bytes and 12 of the optimizer, over 32 ranks; the experts have no others.
	want := dense*(6+12/32.0) + experts*18 + 2*4096*float64(o.Hidden)
	if got := term(with.Stages[15], "multi-token prediction"); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("%g bytes on the last stage, want %g", got, want)
	}
	if extra := float64(with.Stages[15].Allocated - without.Stages[15].Allocated); extra < want {
		t.Errorf("the last stage grows by %g, its state by %g", extra, want)
	}
	b := pt.Box()
	v := m.look(&b)
	head, layer := m.headPass(&v, slot), m.layerPass(&v, m.lastKind(), slot)
	got := one.headPass(&v, slot)
	project := one.gemmTime(4096, float64(o.Hidden), 2*float64(o.Hidden))
	if want := 2*head.fwd + layer.fwd + project; math.Abs(got.fwd/want-1) > 1e-9 {
		t.Errorf("%g s forward, want %g", got.fwd, want)
	}
	addsUp(t, "a plan with multi-token prediction", with.Time)
	if with.MFU*float64(with.Step) <= without.MFU*float64(without.Step) {
		t.Errorf("its FLOPs are not counted: MFU %g of %v, %g of %v without", with.MFU, with.Step, without.MFU, without.Step)
	}
}

func TestNoPlanOfABoxIsBelowItsBoundWithMultiTokenPrediction(t *testing.T) {
	for i, s := range []subject{subjects[0], subjects[3], subjectCalled(t, "MoE on 256 H100 by FSDP2")} {
		noneBelow(t, predicting(t, s.price(t), 1+i), rand.New(rand.NewPCG(31, uint64(i))), 100)
	}
}
