package cost_test

import (
	"math"
	"testing"

	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/any"
	"meshplan/models"
	"meshplan/plan"
)

// stateTerms are the terms of a stage that hold weights, gradients and
// optimizer state.
var stateTerms = []string{"weight matrices", "norms and biases", "routed experts", "embedding", "head", "final norm"}

// named adds up the stage's terms of these names.
func named(s cost.StageMemory, names ...string) float64 {
	sum := 0.0
	for _, term := range s.Terms {
		for _, name := range names {
			if term.Name == name {
				sum += term.Value
			}
		}
	}
	return sum
}

// anchor prices a plan of a catalogue model with a profile, of constants fitted to
// no run, and gives its first stage. No framework's rules are asked.
func anchor(t *testing.T, profileName, model, system string, gpus int, seq int64, text string) (cost.StageMemory, *profile.Profile) {
	t.Helper()
	p, err := profile.Find(profileName)
	if err != nil {
		t.Fatal(err)
	}
	p = p.Unfitted()
	o, err := models.Find(model)
	if err != nil {
		t.Fatal(err)
	}
	f := &framework.Facts{
		Model: o, Cluster: machineOf(t, system, gpus),
		Workload: plan.Workload{GlobalBatch: 1024, SeqLen: seq, Precision: plan.BF16, LoadFactor: 1},
	}
	return evaluate(t, text, f, any.New(), p, text).Stages[0], p
}

// within fails when got is further than tolerance, a share, from want.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got/want-1) > tolerance {
		t.Errorf("%s = %.4g, want %.4g within %g %%", what, got, want, 100*tolerance)
	}
}

// 70e9 parameters are 14.0, 15.75 and 17.5 GPUs of 80 GB at 16, 18 and 20
// bytes, before any activation.
func TestStateOfTheThreeMixedPrecisionRecipes(t *testing.T) {
	p, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		recipe      string
		bytes, gpus float64
	}{{"bf16-bf16grad", 16, 14}, {"bf16", 18, 15.75}, {"fp16", 20, 17.5}} {
		r, err := p.Recipe(c.recipe)
		if err != nil {
			t.Fatal(err)
		}
		if r.PerParameter() != c.bytes {
			t.Errorf("recipe %s has %g bytes a parameter, want %g", c.recipe, r.PerParameter(), c.bytes)
		}
		within(t, c.recipe+" in GPUs of 80 GB", float64(r.State(70e9, 1))/80e9, c.gpus, 1e-9)
	}
}

// Llama 3 70B fully sharded over 64 GPUs: 16 x 70.6e9 / 64 = 17.6 GB of state;
// two layers of 0.856e9 parameters are whole at a time: 3.4 GB of bf16 weights,
// and gradients.
func TestFullyShardedSeventyBOverSixtyFour(t *testing.T) {
	for _, fw := range []string{"fsdp", "torchtitan"} {
		t.Run(fw, func(t *testing.T) {
			s, p := anchor(t, fw, "llama-3-70b", "h100", 64, 2048, "dp_shard=64,zero=3,micro-batch=1,recompute=full")
			within(t, "state in GB", named(s, stateTerms...)/1e9, 17.64, 1e-3)
			c := &p.Memory
			if c.GatheredUnits.Value != 2 {
				t.Errorf("%g layers are whole at a time, want the one at work and the one prefetched", c.GatheredUnits.Value)
			}
			within(t, "two whole layers and their gradients", named(s, "gathered layers"), 2*0.8556e9*(2+c.UnitGradBytes.Value), 0.001)
		})
	}
}

// torchtitan's Llama 3.1 8B from 8 to 128 GPUs: 16 x 8.03e9 x (1/8 - 1/128) =
// 14.0 GiB less state; 82.4 - 67.0 = 15.4 GiB were measured.
func TestStateFromEightToOneHundredTwentyEightGPUs(t *testing.T) {
	const text = "zero=3,micro-batch=2,recompute=ops,dp_shard="
	few, _ := anchor(t, "torchtitan", "llama-3.1-8b", "h100-96gb", 8, 8192, text+"8")
	many, _ := anchor(t, "torchtitan", "llama-3.1-8b", "h100-96gb", 128, 8192, text+"128")
	within(t, "difference of state in GiB", (named(few, stateTerms...)-named(many, stateTerms...))/gib, 14.02, 1e-3)
	within(t, "difference of allocated memory in GiB", float64(few.Allocated-many.Allocated)/gib, 14.02, 1e-3)
}

// Hybrid sharding divides the state by the shard group only: 8 x 16 ranks hold
// as much a GPU as 8.
func TestHybridShardingDividesStateByTheShardGroup(t *testing.T) {
	const text = "zero=3,micro-batch=1,recompute=full,dp_shard="
	for _, fw := range []string{"fsdp", "torchtitan"} {
		t.Run(fw, func(t *testing.T) {
			one, _ := anchor(t, fw, "llama-3.1-8b", "h100", 8, 8192, text+"8")
			hybrid, _ := anchor(t, fw, "llama-3.1-8b", "h100", 128, 8192, text+"8,dp_replicate=16")
			full, _ := anchor(t, fw, "llama-3.1-8b", "h100", 128, 8192, text+"128")
			within(t, "hybrid state", named(hybrid, stateTerms...), named(one, stateTerms...), 1e-12)
			within(t, "16 times the fully sharded state", 16*named(full, stateTerms...), named(hybrid, stateTerms...), 1e-12)
		})
	}
}

// Context-parallel ranks share the state as the ranks of dp_shard do:
// torchtitan's FSDP x CP = 8 keeps its memory while the sequence doubles.
func TestContextParallelRanksShardTheState(t *testing.T) {
	plain, _ := anchor(t, "torchtitan", "llama-3.1-8b", "h100-96gb", 8, 32768, "zero=3,recompute=full,dp_shard=8")
	for _, c := range []struct {
		text string
		seq  int64
	}{{"dp_shard=4,cp=2", 65536}, {"dp_shard=2,cp=4", 131072}, {"dp_shard=1,cp=8", 262144}} {
		s, _ := anchor(t, "torchtitan", "llama-3.1-8b", "h100-96gb", 8, c.seq, "zero=3,recompute=full,"+c.text)
		within(t, c.text+" state", named(s, stateTerms...), named(plain, stateTerms...), 1e-12)
		within(t, c.text+" allocated", float64(s.Allocated), float64(plain.Allocated), 1e-9)
	}
}

// Offloading x percent of the optimizer takes x percent of its bytes off the
// GPU and nothing else.
func TestOffloadTakesItsShareOfTheOptimizer(t *testing.T) {
	const text = "tp=8,dp_shard=8,zero=1,micro-batch=1,recompute=full,optimizer-offload="
	none, p := anchor(t, "megatron", "llama-3-70b", "h100", 64, 4096, text+"0")
	r, err := p.Recipe("")
	if err != nil {
		t.Fatal(err)
	}
	quarter, _ := anchor(t, "megatron", "llama-3-70b", "h100", 64, 4096, text+"25")
	all, _ := anchor(t, "megatron", "llama-3-70b", "h100", 64, 4096, text+"100")
	gone := named(none, "weight matrices") - named(all, "weight matrices")
	within(t, "optimizer bytes of the matrices", gone, named(none, "weight matrices")*(r.Optimizer/8)/(r.Weight+r.Grad+r.Optimizer/8), 1e-9)
	within(t, "a quarter of them", named(none, "weight matrices")-named(quarter, "weight matrices"), gone/4, 1e-9)
	for _, s := range []cost.StageMemory{quarter, all} {
		within(t, "allocated less state", float64(s.Allocated)-named(s, stateTerms...), float64(none.Allocated)-named(none, stateTerms...), 1e-9)
	}
}
