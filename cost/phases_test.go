package cost

import (
	"math"
	"testing"

	"meshplan/plan"
)

// explained prices one sharded plan of a model on A100s, with the number of
// micro-batches given.
func explained(t *testing.T, name, recipe string, shard, mb int32, micro, seq int64) (*Model, StageMemory) {
	t.Helper()
	gpus := max(8, int(shard))
	m := priced(t, find(t, name), "a100", gpus, "fsdp", recipe, int64(shard)*int64(mb)*micro, seq)
	d := degrees{dp: shard, pp: 1, mb: mb, zero: 3, recompute: plan.RecomputeFull}
	if shard == 1 {
		d.zero = 0
	}
	p := d.place(m.cluster)
	e := m.Explain(&p)
	st := e.Stages[0]
	sum := 0.0
	for _, x := range st.Terms {
		sum += x.Value
	}
	if math.Abs(sum/float64(st.Allocated)-1) > 1e-12 {
		t.Errorf("%s over %d: terms add up to %g of %g", name, shard, sum, float64(st.Allocated))
	}
	return m, st
}

// fms-acceleration's full fine-tunings of Mistral 7B on one A100: 67.46 GiB in
// pure bf16, which is 8 bytes of state a parameter and 2 of the foreach
// optimizer's temporary; two sharded FP32 copies of Llama 3 8B, 74.80 GiB.
func TestStepPeaksWithItsTemporaries(t *testing.T) {
	for _, c := range []struct {
		model, recipe   string
		shard           int32
		bytes, measured float64
	}{
		{"mistral-7b-v0.1", "pure-bf16", 1, 10, 67.46},
		{"mistral-7b-v0.1", "pure-bf16", 2, 10, 33.74},
		{"llama-3-8b", "fp32-master", 2, 20, 74.80},
	} {
		m, st := explained(t, c.model, c.recipe, c.shard, 1, 1, 4096)
		if st.When != "in the optimizer's step" {
			t.Errorf("%s over %d peaks %s", c.model, c.shard, st.When)
		}
		want := c.bytes * float64(m.model.Total()) / float64(c.shard)
		if got := float64(st.Allocated); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s over %d: %g bytes, want %g a parameter = %g", c.model, c.shard, got, c.bytes, want)
		}
		if got := float64(st.Allocated) / (1 << 30); math.Abs(got/c.measured-1) > 0.001 {
			t.Errorf("%s over %d: %.2f GiB, measured %.2f", c.model, c.shard, got, c.measured)
		}
	}
}

// At the loss of a step's only backward no gradient exists: a second micro-batch
// adds the gradients of the shard, 4 bytes a parameter, and nothing else.
func TestOneMicroBatchHasNoGradientsAtTheLoss(t *testing.T) {
	m, one := explained(t, "llama-3-8b", "fp32-master", 4, 8, 1, 4096)
	_, two := explained(t, "llama-3-8b", "fp32-master", 4, 8, 2, 4096)
	if one.When != "at the loss" || two.When != "at the loss" {
		t.Fatalf("peaks %s and %s", one.When, two.When)
	}
	want := 4 * float64(m.model.Total()) / 4
	if got := float64(two.Allocated - one.Allocated); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("the second micro-batch adds %g bytes, want the gradients' %g", got, want)
	}
}

// Of the logits and what a layer needs in backward the larger counts, not both.
func TestLogitsAndALayersBackwardAreNotThereTogether(t *testing.T) {
	_, small := explained(t, "mistral-7b-v0.1", "fp32-master", 64, 4, 2, 4096)
	_, large := explained(t, "llama-3-8b", "fp32-master", 64, 4, 2, 4096)
	if small.When != "in a layer's backward" || term(small, "head activations") != 0 || term(small, "backward buffers") == 0 {
		t.Errorf("32,000 words: %s, %+v", small.When, small.Terms)
	}
	if large.When != "at the loss" || term(large, "head activations") == 0 || term(large, "backward buffers") != 0 {
		t.Errorf("128,256 words: %s, %+v", large.When, large.Terms)
	}
}

// A fused optimizer has no temporaries: what rounding leaves of the sum was once
// listed as some, and could be negative.
func TestAStepWithoutTemporariesListsNone(t *testing.T) {
	m := priced(t, find(t, "llama-4-maverick"), "mi325x", 8, "torchtitan", "", 4, 4096)
	part, err := plan.Parse("tp=4,pp=2,zero=0,micro-batch=4,recompute=full,optimizer-offload=37,placement=tp:4;pp:2;edp:4")
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range m.Explain(&part.Plan).Stages {
		if st.When != "in the optimizer's step" {
			t.Fatalf("stage %d peaks %s", st.Stage, st.When)
		}
		sum := 0.0
		for _, x := range st.Terms {
			sum += x.Value
			if x.Name == "optimizer temporaries" || x.Value < 0 {
				t.Errorf("stage %d: %+v", st.Stage, x)
			}
		}
		if math.Abs(sum/float64(st.Allocated)-1) > 1e-12 {
			t.Errorf("stage %d: terms add up to %g of %g", st.Stage, sum, float64(st.Allocated))
		}
	}
}
