package deepspeed_test

import (
	"testing"

	"meshplan/framework/deepspeed"
	"meshplan/framework/frameworktest"
	"meshplan/models"
)

var gpt2 = models.Model{Name: "gpt2-345m", Layers: 24, Heads: 16, KVHeads: 16, Hidden: 1024, FFN: 4096, Vocab: 50257, TieEmbeddings: true}

func TestLaunchesThatDeepSpeedRuns(t *testing.T) {
	frameworktest.Check(t, deepspeed.New(), []frameworktest.Launch{
		{Name: "BLOOM, with the tied embedding counted at both ends", Model: "bloom-176b", GPUs: 384, Batch: 2048, Seq: 2048,
			Plan: "tp=4,pp=12,dp=8,micro-batch=2,zero=1,recompute=full,layers=5+6*10+5"},
		{Name: "BLOOM by its layers alone", Model: "bloom-176b", GPUs: 384, Batch: 2048, Seq: 2048,
			Plan: "tp=4,pp=12,dp=8,micro-batch=2,zero=1,recompute=full"},
		{Name: "ZeRO 3", Model: "llama-3.1-70b", GPUs: 64, Batch: 64, Seq: 4096, Plan: "zero=3,recompute=full"},
		{Name: "ZeRO 2 with AutoTP", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "zero=2,tp=4"},
		{Name: "AutoTP over heads that tp does not divide", Model: "qwen2.5-7b", GPUs: 16, Batch: 8, Seq: 4096, Plan: "zero=1,tp=8"},
		{Name: "fewer micro-batches than stages", Model: "llama-3.1-8b", GPUs: 8, Batch: 2, Seq: 4096, Plan: "pp=8,zero=0"},
		{Name: "Ulysses, key/value heads split", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 32768, Plan: "cp=8,zero=3"},
		{Name: "Ulysses, key/value heads replicated", Model: "llama-3.1-8b", GPUs: 32, Batch: 8, Seq: 32768, Plan: "cp=32,zero=3"},
		{Name: "experts over a stage", Model: "mixtral-8x7b", GPUs: 16, Batch: 16, Seq: 4096, Plan: "ep=8,zero=2"},
		{Name: "experts sharded by ZeRO 3", Model: "mixtral-8x7b", GPUs: 16, Batch: 16, Seq: 4096, Plan: "ep=1,zero=3"},
		{Name: "MiCS", Model: "llama-3.1-8b", GPUs: 16, Batch: 16, Seq: 4096, Plan: "dp_shard=8,dp_replicate=2,zero=3"},
		{Name: "plain data parallelism", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "zero=0"},
		{Name: "ZeRO-Offload", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "zero=2,optimizer-offload=100"},
		{Name: "a part of ZeRO 3's optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "zero=3,optimizer-offload=30"},
		{Name: "checkpoints in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "recompute=full,activation-offload=100"},
	})
}

// The first seven are refusals that users of DeepSpeed, Megatron-DeepSpeed and
// OpenRLHF reported. Where a report gives no degrees, they are ours.
func TestWhatDeepSpeedRefuses(t *testing.T) {
	uly := models.Model{Name: "llama-30b", Layers: 60, Heads: 48, KVHeads: 48, Hidden: 6144, FFN: 16384, Vocab: 32000}
	frameworktest.Check(t, deepspeed.New(), []frameworktest.Launch{
		{Name: "pp 2 with ZeRO 2", Shape: gpt2, GPUs: 4, Batch: 32, Seq: 1024, Plan: "pp=2,dp_shard=2,zero=2,micro-batch=4", Refused: "DS-P1"},
		{Name: "pp 2 with ZeRO 3", Shape: gpt2, GPUs: 4, Batch: 32, Seq: 1024, Plan: "pp=2,dp_shard=2,zero=3,micro-batch=4", Refused: "DS-P1"},
		{Name: "a pipeline module with ZeRO 2", Shape: gpt2, GPUs: 4, Batch: 2, Seq: 1024, Plan: "pp=2,zero=2,micro-batch=1", Refused: "DS-P1"},
		{Name: "3D parallelism with ZeRO 2", Shape: gpt2, GPUs: 8, Batch: 8, Seq: 1024, Plan: "tp=2,pp=2,dp_shard=2,zero=2", Refused: "DS-P1"},
		{Name: "a batch of 256 over 7 ranks", Shape: gpt2, GPUs: 7, Batch: 256, Seq: 1024, Plan: "dp=7,micro-batch=2", Refused: "DS-B1"},
		{Name: "48 heads over 64 Ulysses ranks", Shape: uly, GPUs: 64, Batch: 1, Seq: 8192, Plan: "cp=64", Refused: "DS-U1"},
		{Name: "ZeRO 3 over the one rank beside tp 4", Shape: gpt2, GPUs: 4, Batch: 32, Seq: 1024, Plan: "tp=4,pp=1,dp=1,zero=3,micro-batch=4", Refused: "zero"},

		{Name: "tokens that Ulysses does not divide", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4100, Plan: "cp=8", Refused: "DS-U1-tokens"},
		{Name: "a ring", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=8,cp-comm=p2p", Refused: "DS-U1-comm"},
		{Name: "Ulysses beside tp", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=2,tp=2", Refused: "DS-U1-alone"},
		{Name: "Ulysses in a pipeline", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "cp=2,pp=2", Refused: "DS-U1-alone"},
		{Name: "a pipeline over heads that tp does not divide", Model: "qwen2.5-7b", GPUs: 16, Batch: 8, Seq: 4096,
			Plan: "tp=8,pp=2", Refused: "DS-T1-heads DS-T1-kv-heads"},
		{Name: "sp over key/value heads that tp does not divide", Model: "qwen2.5-7b", GPUs: 7, Batch: 8, Seq: 4095,
			Plan: "tp=7,sp=on", Refused: "DS-T1-kv-heads DS-T1-width"},
		{Name: "interleaving", Model: "llama-3.1-8b", GPUs: 2, Batch: 8, Seq: 4096, Plan: "pp=2,vpp=2,layers=8*4", Refused: "vpp"},
		{Name: "GPipe", Model: "llama-3.1-8b", GPUs: 2, Batch: 8, Seq: 4096, Plan: "pp=2,schedule=gpipe", Refused: "schedule"},
		{Name: "a list of layers", Model: "llama-3.1-8b", GPUs: 4, Batch: 8, Seq: 4096, Plan: "pp=4,layers=7+9*2+7", Refused: "DS-P2"},
		{Name: "the last stage light by two, of a tied model", Shape: gpt2, GPUs: 4, Batch: 8, Seq: 1024,
			Plan: "pp=2,layers=13+11", Refused: "DS-P2"},
		{Name: "experts under ZeRO 3", Model: "mixtral-8x7b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "ep=8,zero=3", Refused: "DS-E1-zero"},
		{Name: "ep that does not divide the experts", Model: "mixtral-8x7b", GPUs: 6, Batch: 6, Seq: 4096, Plan: "ep=3", Refused: "DS-E1"},
		{Name: "experts split by columns", Model: "mixtral-8x7b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=2,etp=2,ep=4", Refused: "DS-E2"},
		{Name: "copies of ZeRO 1's shards", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "dp_shard=4,dp_replicate=2,zero=1", Refused: "mics"},
		{Name: "MiCS beside tp", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=2,dp_shard=2,dp_replicate=2,zero=3", Refused: "mics"},
		{Name: "a part of ZeRO 2's optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "zero=2,optimizer-offload=50", Refused: "DS-O1"},
		{Name: "a replicated optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "zero=0,optimizer-offload=100", Refused: "DS-O1"},
		{Name: "activations in host memory without checkpointing", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096,
			Plan: "activation-offload=100", Refused: "activation-offload"},
		{Name: "recompute of the attention core", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "recompute=selective", Refused: "recompute"},
	})
}
