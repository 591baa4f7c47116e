package fsdp_test

import (
	"slices"
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/frameworktest"
	"meshplan/framework/fsdp"
	"meshplan/models"
	"meshplan/plan"
)

// The first two are accelerate's examples/torch_native_parallelism, whose model
// and batch are ours.
func TestLaunchesThatAccelerateRuns(t *testing.T) {
	frameworktest.Check(t, fsdp.New(), []frameworktest.Launch{
		{Name: "cp 8 over 128000 tokens, weights sharded over cp alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 1, Seq: 128000,
			Plan: "cp=8,tp=1,dp_shard=1,zero=3,recompute=full"},
		{Name: "tp 2 in hybrid shards", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "tp=2,cp=1,dp_shard=2,dp_replicate=2,zero=3"},
		{Name: "full sharding by default", Model: "llama-3.1-70b", GPUs: 64, Batch: 64, Seq: 4096, Plan: "recompute=full"},
		{Name: "gradients and optimizer sharded, in copies", Model: "llama-3.1-8b", GPUs: 16, Batch: 16, Seq: 4096,
			Plan: "dp_shard=8,dp_replicate=2,zero=2"},
		{Name: "replication alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "dp=8,zero=0"},
		{Name: "tp alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=8,dp=1"},
		{Name: "tp and cp in shards", Model: "llama-3.1-8b", GPUs: 16, Batch: 8, Seq: 4096, Plan: "tp=2,cp=2,dp_shard=4,cp-comm=allgather"},
		{Name: "experts sharded like other weights", Model: "mixtral-8x7b", GPUs: 16, Batch: 16, Seq: 4096, Plan: "zero=3"},
		{Name: "weights, gradients and optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "optimizer-offload=100"},
		{Name: "activations in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "activation-offload=100,recompute=full"},
	})
}

func TestWhatFSDPRefuses(t *testing.T) {
	frameworktest.Check(t, fsdp.New(), []frameworktest.Launch{
		{Name: "dp_shard 4 on 8 processes", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "tp=1,cp=1,dp_shard=4", Refused: "pin/gpus=8"},
		{Name: "copies of tp without shards", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "tp=2,dp_replicate=4,zero=0", Refused: "ACC-W2"},
		{Name: "copies of cp without shards", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "cp=2,dp_replicate=4,zero=3", Refused: "ACC-W2"},
		{Name: "cp without FSDP", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=8,zero=0", Refused: "ACC-F1"},
		{Name: "FSDP over one rank", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=8,dp=1,zero=3", Refused: "zero"},
		{Name: "Ulysses without DeepSpeed", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=2,cp-comm=a2a", Refused: "ACC-C1"},
		{Name: "a pipeline", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "pp=2", Refused: "ACC-N1"},
		{Name: "an interleaved pipeline", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "pp=2,vpp=2", Refused: "ACC-N1 vpp"},
		{Name: "expert parallelism", Model: "mixtral-8x7b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "ep=8", Refused: "ep"},
		{Name: "expert tensor parallelism", Model: "mixtral-8x7b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=2,etp=2", Refused: "etp"},
		{Name: "sequence parallelism", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=2,sp=on", Refused: "sp"},
		{Name: "tp above the key/value heads", Model: "llama-3.1-8b", GPUs: 16, Batch: 8, Seq: 4096, Plan: "tp=16", Refused: "kv-heads"},
		{Name: "chunks of unequal size", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4100, Plan: "cp=8", Refused: "cp-tokens"},
		{Name: "the optimizer sharded alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "zero=1", Refused: "zero"},
		{Name: "recompute of the attention core", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "recompute=selective", Refused: "recompute"},
		{Name: "a part of the optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "optimizer-offload=50", Refused: "optimizer-offload"},
		{Name: "a replicated optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "optimizer-offload=100,zero=0", Refused: "optimizer-offload"},
		{Name: "a batch that dp does not divide", Model: "llama-3.1-8b", GPUs: 8, Batch: 12, Seq: 4096, Plan: "", Refused: "batch"},
	})
}

func TestFillTakesFullShardingAndPlainTensorParallelism(t *testing.T) {
	m, err := models.Load("llama-3.1-8b")
	if err != nil {
		t.Fatal(err)
	}
	f := &framework.Facts{
		Model:    m,
		Cluster:  &cluster.Cluster{Levels: []cluster.Level{{Name: "nvlink", Size: 8}, {Name: "leaf", Size: 4}}},
		Workload: plan.Workload{GlobalBatch: 64, SeqLen: 8192},
	}
	part, err := plan.Parse("tp=2,cp=2")
	if err != nil {
		t.Fatal(err)
	}
	p, sentences, err := fsdp.New().Fill(f, part)
	if err != nil {
		t.Fatal(err)
	}
	want := "tp=2,cp=2,pp=1,vpp=1,dp_shard=8,dp_replicate=1,micro-batch=1,sp=off,zero=3,recompute=none,layers=32,placement=tp:2/1;cp:2/1;dp_shard:2/4"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, s := range []string{"zero is not given: 3", "sp is not given: off",
		"placement is not given: FSDP's rank order dp_replicate-dp_shard-cp-tp"} {
		if !slices.Contains(sentences, s) {
			t.Errorf("%q is not among %q", s, sentences)
		}
	}
	if w := fsdp.New().PlacementWarning(f, &p); w != "" {
		t.Error(w)
	}
}
