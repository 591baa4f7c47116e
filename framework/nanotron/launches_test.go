package nanotron_test

import (
	"testing"

	"meshplan/framework/frameworktest"
	"meshplan/framework/nanotron"
	"meshplan/models"
)

// The first two are nanotron's examples/config_qwen.yaml and
// examples/doremi/configs/config_2.8b_llama.yaml.
func TestLaunchesThatNanotronRuns(t *testing.T) {
	qwen := models.Model{Name: "qwen", Layers: 36, Heads: 16, KVHeads: 4, Hidden: 2048, FFN: 11008, Vocab: 128256}
	llama := models.Model{Name: "llama-2.8b", Layers: 6, Heads: 32, KVHeads: 16, Hidden: 4096, FFN: 24576, Vocab: 50272}
	frameworktest.Check(t, nanotron.New(), []frameworktest.Launch{
		{Name: "the Qwen example", Shape: qwen, GPUs: 4, Batch: 6, Seq: 4096, Plan: "tp=2,sp=on,pp=1,cp=1,dp=2,zero=0,micro-batch=3"},
		{Name: "the DoReMi example", Shape: llama, GPUs: 16, Batch: 512, Seq: 1024, Plan: "tp=2,sp=on,pp=1,cp=1,dp=8,zero=0,micro-batch=64"},
		{Name: "a sharded optimizer in a pipeline", Model: "llama-3.1-8b", GPUs: 16, Batch: 64, Seq: 4096, Plan: "tp=2,pp=4,zero=1,recompute=full"},
		{Name: "1F1B with one micro-batch less than stages", Model: "llama-3.1-8b", GPUs: 8, Batch: 7, Seq: 4096, Plan: "pp=8"},
		{Name: "all forwards before all backwards, with one micro-batch", Model: "llama-3.1-8b", GPUs: 8, Batch: 1, Seq: 4096, Plan: "pp=8,schedule=gpipe"},
		{Name: "a ring of cp 4", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 32768, Plan: "cp=4,dp=2,zero=1"},
		{Name: "experts on every rank", Model: "qwen3-30b-a3b", GPUs: 4, Batch: 8, Seq: 4096, Plan: "tp=2,ep=1,etp=1"},
	})
}

// The first was reported by a user; the second is nanotron's
// examples/moe/config_llamoe.yaml.
func TestWhatNanotronRefuses(t *testing.T) {
	moe := models.Model{Name: "llamoe", Layers: 1, Heads: 8, KVHeads: 8, Hidden: 512, FFN: 2048, Vocab: 32000, Experts: 4, TopK: 1, MoEFFN: 2048}
	frameworktest.Check(t, nanotron.New(), []frameworktest.Launch{
		{Name: "8 stages and one micro-batch", Model: "llama-3.1-8b", GPUs: 8, Batch: 1, Seq: 4096, Plan: "pp=8", Refused: "NT-P1"},
		{Name: "the MoE example with ep 2", Shape: moe, GPUs: 2, Batch: 256, Seq: 4096, Plan: "tp=2,pp=1,ep=2,dp=1,zero=0,micro-batch=256", Refused: "NT-W2"},
		{Name: "tp that does not divide the heads", Model: "qwen2.5-7b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=8", Refused: "NT-H1 NT-H1-kv"},
		{Name: "tp above the key/value heads", Model: "llama-3.1-8b", GPUs: 16, Batch: 8, Seq: 4096, Plan: "tp=16", Refused: "NT-H1-kv"},
		{Name: "chunks of unequal size", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4100, Plan: "cp=8,dp=1", Refused: "NT-C1"},
		{Name: "keys and values gathered", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=2,dp=4,cp-comm=allgather", Refused: "cp-comm"},
		{Name: "sp over tokens that tp does not divide", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4100, Plan: "tp=8,sp=on", Refused: "sp-tokens"},
		{Name: "interleaving", Model: "llama-3.1-8b", GPUs: 2, Batch: 8, Seq: 4096, Plan: "pp=2,vpp=2", Refused: "vpp"},
		{Name: "sharded gradients", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "zero=2", Refused: "zero"},
		{Name: "copies of the optimizer's shards", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "dp_shard=4,dp_replicate=2,zero=1", Refused: "zero-ranks"},
		{Name: "the optimizer sharded over cp alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=8,dp=1,zero=1", Refused: "zero-ranks"},
		{Name: "experts split by columns", Model: "qwen3-30b-a3b", GPUs: 4, Batch: 8, Seq: 4096, Plan: "tp=2,etp=2", Refused: "etp"},
		{Name: "recompute of the attention core", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "recompute=selective", Refused: "recompute"},
		{Name: "the optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "optimizer-offload=100", Refused: "optimizer-offload"},
		{Name: "activations in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "activation-offload=100", Refused: "activation-offload"},
		{Name: "a batch that dp does not divide", Model: "llama-3.1-8b", GPUs: 8, Batch: 12, Seq: 4096, Plan: "dp=8", Refused: "batch"},
	})
}
