package torchtitan_test

import (
	"testing"

	"meshplan/framework/frameworktest"
	"meshplan/framework/torchtitan"
	"meshplan/models"
)

// Launches of torchtitan's H100 tables (benchmarks/llama3_h100_202412), of its
// job files and its tests. Where a source gives no world size, 64 GPUs are
// taken, and where it gives no global batch, one micro-batch a rank.
func TestLaunchesThatTorchtitanRuns(t *testing.T) {
	debug := models.Model{Name: "debugmodel", Layers: 6, Heads: 16, KVHeads: 16, Hidden: 256, FFN: 768, Vocab: 2048}
	frameworktest.Check(t, torchtitan.New(), []frameworktest.Launch{
		{Name: "8B over 8 GPUs, FSDP alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 16, Seq: 8192,
			Plan: "dp_shard=8,zero=3,micro-batch=2,recompute=ops"},
		{Name: "8B, 32k tokens", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 32768,
			Plan: "dp_shard=8,zero=3,micro-batch=1,recompute=full"},
		{Name: "8B, 64k tokens over cp 2", Model: "llama-3.1-8b", GPUs: 8, Batch: 4, Seq: 65536,
			Plan: "dp_shard=4,cp=2,zero=3,micro-batch=1,recompute=full"},
		{Name: "8B, 128k tokens over cp 4", Model: "llama-3.1-8b", GPUs: 8, Batch: 2, Seq: 131072,
			Plan: "dp_shard=2,cp=4,zero=3,micro-batch=1,recompute=full"},
		{Name: "8B over 128 GPUs", Model: "llama-3.1-8b", GPUs: 128, Batch: 256, Seq: 8192,
			Plan: "dp_shard=128,zero=3,micro-batch=2,recompute=ops"},
		{Name: "70B over 256 GPUs, tp 8", Model: "llama-3.1-70b", GPUs: 256, Batch: 512, Seq: 8192,
			Plan: "dp_shard=32,tp=8,sp=on,zero=3,micro-batch=16,recompute=full"},
		{Name: "405B over 512 GPUs, tp 8, pp 8 with 8 micro-batches", Model: "llama-3.1-405b", GPUs: 512, Batch: 64, Seq: 32768,
			Plan: "dp_shard=8,tp=8,sp=on,pp=8,vpp=1,zero=3,micro-batch=1,recompute=full"},
		{Name: "405B, 128k tokens over cp 4", Model: "llama-3.1-405b", GPUs: 512, Batch: 16, Seq: 131072,
			Plan: "dp_shard=2,cp=4,tp=8,sp=on,pp=8,vpp=1,zero=3,micro-batch=1,recompute=full"},
		{Name: "405B, 256k tokens, weights sharded over cp 8 alone", Model: "llama-3.1-405b", GPUs: 512, Batch: 8, Seq: 262144,
			Plan: "dp_shard=1,cp=8,tp=8,sp=on,pp=8,vpp=1,zero=3,micro-batch=1,recompute=full"},
		{Name: "the job file of 405B", Model: "llama-3.1-405b", GPUs: 64, Batch: 16, Seq: 8192,
			Plan: "tp=8,sp=on,pp=1,zero=3,micro-batch=2,recompute=full"},
		{Name: "the job file of 70B", Model: "llama-3.1-70b", GPUs: 64, Batch: 64, Seq: 8192,
			Plan: "tp=8,sp=on,pp=1,zero=3,micro-batch=8,recompute=full"},
		{Name: "the job file of DeepSeek-V3, experts sharded by FSDP", Model: "deepseek-v3", GPUs: 64, Batch: 256, Seq: 4096,
			Plan: "tp=1,pp=1,ep=1,etp=1,zero=3,micro-batch=4,recompute=ops"},
		{Name: "the job file of Llama 4, whose expert tensor parallelism is gone", Model: "llama-4-maverick", GPUs: 64, Batch: 64, Seq: 8192,
			Plan: "tp=8,pp=4,ep=1,etp=8,zero=3,micro-batch=1,recompute=full", Refused: "TT-E3 TT-E3-etp"},
		{Name: "the test of FSDP 2, tp 2 and pp 2", Shape: debug, GPUs: 8, Batch: 16, Seq: 2048,
			Plan: "dp_shard=2,tp=2,sp=on,pp=2,vpp=1,zero=3,micro-batch=1"},
	})
}

func TestWhatElseTorchtitanAccepts(t *testing.T) {
	frameworktest.Check(t, torchtitan.New(), []frameworktest.Launch{
		{Name: "hybrid sharding", Model: "llama-3.1-8b", GPUs: 16, Batch: 16, Seq: 8192, Plan: "dp_shard=8,dp_replicate=2,zero=3"},
		{Name: "replication alone, beside tp and pp", Model: "llama-3.1-8b", GPUs: 16, Batch: 64, Seq: 8192, Plan: "dp_replicate=4,tp=2,pp=2,zero=0"},
		{Name: "weights kept after the forward", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "dp_shard=8,zero=2"},
		{Name: "layers that do not divide", Model: "qwen3-235b-a22b", GPUs: 128, Batch: 128, Seq: 4096, Plan: "pp=8,dp_shard=16,ep=16"},
		{Name: "an odd list of layers", Model: "llama-3.1-8b", GPUs: 8, Batch: 64, Seq: 8192, Plan: "pp=4,dp_shard=2,layers=5+9+10+8"},
		{Name: "experts over tp, cp and dp_shard", Model: "deepseek-v3", GPUs: 128, Batch: 64, Seq: 4096, Plan: "tp=2,cp=2,dp_shard=32,ep=64"},
		{Name: "interleaving in equal rounds", Model: "llama-3.1-8b", GPUs: 4, Batch: 10, Seq: 8192, Plan: "pp=4,vpp=2,dp_shard=1"},
		{Name: "interleaving with fewer micro-batches than stages", Model: "llama-3.1-8b", GPUs: 4, Batch: 3, Seq: 8192, Plan: "pp=4,vpp=2,dp_shard=1"},
		{Name: "GPipe", Model: "llama-3.1-8b", GPUs: 4, Batch: 8, Seq: 8192, Plan: "pp=4,schedule=gpipe"},
		{Name: "zero-bubble over interleaved stages", Model: "llama-3.1-8b", GPUs: 4, Batch: 8, Seq: 8192, Plan: "pp=4,vpp=2,schedule=zb-h1"},
		{Name: "ZBV with fewer micro-batches than fill it, in no rounds", Model: "llama-3.1-8b", GPUs: 4, Batch: 5, Seq: 8192, Plan: "pp=4,schedule=zb-v"},
		{Name: "DualPipeV with as many micro-batches as stages", Model: "llama-3.1-8b", GPUs: 4, Batch: 8, Seq: 8192, Plan: "pp=4,schedule=dualpipev"},
		{Name: "keys and values gathered", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "cp=2,dp_shard=4,cp-comm=allgather"},
		{Name: "weights, gradients and optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "dp_shard=8,optimizer-offload=100"},
		{Name: "packed sequences that tp divides only together", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4098, Plan: "tp=4,dp_shard=2,micro-batch=2"},
	})
}

func TestWhatTorchtitanRefuses(t *testing.T) {
	frameworktest.Check(t, torchtitan.New(), []frameworktest.Launch{
		{Name: "1F1B with fewer micro-batches than stages", Model: "llama-3.1-8b", GPUs: 8, Batch: 4, Seq: 8192,
			Plan: "pp=8,vpp=1", Refused: "TT-P3"},
		{Name: "GPipe with fewer micro-batches than stages", Model: "llama-3.1-8b", GPUs: 8, Batch: 4, Seq: 8192,
			Plan: "pp=8,schedule=gpipe", Refused: "TT-P3"},
		{Name: "rounds of unequal size", Model: "llama-3.1-8b", GPUs: 4, Batch: 9, Seq: 8192, Plan: "pp=4,vpp=2,dp_shard=1", Refused: "TT-P4"},
		{Name: "zero-bubble of one stage a rank", Model: "llama-3.1-8b", GPUs: 4, Batch: 8, Seq: 8192, Plan: "pp=4,vpp=1,schedule=zb-h1",
			Refused: "TT-P1-zero-bubble"},
		{Name: "DualPipeV with fewer micro-batches than stages", Model: "llama-3.1-8b", GPUs: 4, Batch: 7, Seq: 8192, Plan: "pp=4,schedule=dualpipev",
			Refused: "TT-P5-fills"},
		{Name: "DualPipe with two copies of the parameters", Model: "llama-3.1-8b", GPUs: 4, Batch: 8, Seq: 8192, Plan: "pp=4,schedule=dualpipe",
			Refused: "schedule"},
		{Name: "a V without a pipeline", Model: "llama-3.1-8b", GPUs: 1, Batch: 8, Seq: 8192, Plan: "schedule=zb-v", Refused: "TT-P1 TT-P5"},
		{Name: "several stages a rank without a pipeline", Model: "llama-3.1-8b", GPUs: 1, Batch: 8, Seq: 8192, Plan: "vpp=2", Refused: "TT-P1"},
		{Name: "tied weights in a pipeline", Model: "llama-3.2-1b", GPUs: 2, Batch: 8, Seq: 8192, Plan: "pp=2,dp_shard=1", Refused: "TT-P6"},
		{Name: "tp above the key/value heads", Model: "llama-3.1-8b", GPUs: 16, Batch: 8, Seq: 8192, Plan: "tp=16", Refused: "TT-H2"},
		{Name: "tp that does not divide the heads", Model: "qwen2.5-7b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "tp=8", Refused: "TT-H1 TT-H2"},
		{Name: "ep across copies of the weights", Model: "qwen3-30b-a3b", GPUs: 16, Batch: 16, Seq: 4096,
			Plan: "dp_shard=8,dp_replicate=2,ep=16", Refused: "TT-E1"},
		{Name: "ep that does not divide the experts", Model: "qwen3-30b-a3b", GPUs: 6, Batch: 6, Seq: 4096, Plan: "ep=6", Refused: "TT-E2"},
		{Name: "ep below tp", Model: "qwen3-30b-a3b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=4,ep=2", Refused: "TT-E3"},
		{Name: "experts split by columns", Model: "qwen3-30b-a3b", GPUs: 8, Batch: 8, Seq: 4096, Plan: "tp=2,ep=4,etp=2", Refused: "TT-E3-etp"},
		{Name: "tokens that tp*2*cp does not divide", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 4104, Plan: "tp=4,cp=2", Refused: "TT-S1"},
		{Name: "a batch that dp does not divide", Model: "llama-3.1-8b", GPUs: 8, Batch: 12, Seq: 8192, Plan: "dp_shard=8", Refused: "TT-B1"},
		{Name: "fewer ranks than GPUs", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "dp_shard=4", Refused: "pin/gpus=8"},
		{Name: "the optimizer sharded alone", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "zero=1", Refused: "zero"},
		{Name: "replication over cp", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "cp=2,dp_replicate=4,zero=0", Refused: "fsdp"},
		{Name: "Ulysses", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "cp=2,cp-comm=a2a", Refused: "cp-comm"},
		{Name: "recompute of the attention core", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192, Plan: "recompute=selective", Refused: "recompute"},
		{Name: "a part of the optimizer in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192,
			Plan: "optimizer-offload=50", Refused: "optimizer-offload"},
		{Name: "activations in host memory", Model: "llama-3.1-8b", GPUs: 8, Batch: 8, Seq: 8192,
			Plan: "activation-offload=100", Refused: "activation-offload"},
	})
}
