package measured

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestNetworksAreReadFromTheirWords(t *testing.T) {
	for _, c := range []struct {
		text    string
		perNode int
		gbps    float64 // effective, per GPU
		nics    int
	}{
		{"NVLink3 600GB/s; 1x HDR IB 200Gb/s class", 8, 23.5 / 8, 1},
		{"4x100Gb RoCE", 8, 4 * 12.0 / 8, 4},
		{"1600Gbps node-node (RoCE)", 8, 23.5, 8},
		{"800 Gb/s per node (repository config)", 8, 12, 8},
		{"NVLink; 400Gb/s RDMA per GPU", 8, 48.5, 8},
		{"partition (4x OPA 100Gb/s per node, from memory)", 8, 4 * 12.0 / 8, 4},
		{"8x HDR200 per DGX A100", 8, 23.5, 8},
		{"8 x NDR 400", 4, 97, 8},
	} {
		n, ok := networkOf(c.text, c.perNode)
		if !ok || math.Abs(float64(n.perGPU)/1e9-c.gbps) > 1e-9 || n.nics != c.nics {
			t.Errorf("%q: %t, %v, %d NICs; want %g GB/s, %d", c.text, ok, n.perGPU, n.nics, c.gbps, c.nics)
		}
	}
	for _, text := range []string{"", "NVLink", "NVLink 600GB/s", "2 nodes x 4 GPUs", "fast"} {
		if n, ok := networkOf(text, 8); ok {
			t.Errorf("%q gives %v", text, n)
		}
	}
}

// setupOf is the setup of the edited row.
func setupOf(t testing.TB, cells ...string) *setup {
	t.Helper()
	tab, err := readTable("runs.csv", []byte(edit(t, cells...)))
	if err != nil {
		t.Fatal(err)
	}
	return &split(tab)[0].setup
}

func lookedUp(t testing.TB) *lookup {
	t.Helper()
	profiles, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return newLookup(profiles)
}

func TestTheClusterIsTheRowsOwn(t *testing.T) {
	for _, c := range []struct {
		cells  string
		levels []int
		nic    float64 // GB/s
	}{
		{"gpus=64", []int{8, 8}, 23.5},
		{"gpus=64|network=1x HDR200", []int{8, 8}, 23.5 / 8},
		{"gpus=64|gpus_per_node=4", []int{4, 16}, 23.5},
		{"gpus=2|gpus_per_node=1", []int{1, 2}, 23.5},
		{"gpus=12", []int{8, 2}, 23.5}, // whole boxes, not all used
		{"gpus=296", []int{8, 37}, 23.5},
		{"gpu=GB200|gpus=128|gpus_per_node=4", []int{72, 2}, 48.5},
		{"gpu=A100|gpu_mem_gib=40|gpus=8", []int{8}, 0},
		{"gpu=H100-96GB(HBM2e,500W)|gpus=64|network=NVLink; 400Gb/s RDMA per GPU", []int{8, 8}, 48.5},
	} {
		t.Run(c.cells, func(t *testing.T) {
			var d defaults
			m, skip := machineOf(setupOf(t, strings.Split(c.cells, "|")...), &d)
			if skip != nil {
				t.Fatal(skip)
			}
			var sizes []int
			for _, l := range m.Levels {
				sizes = append(sizes, l.Size)
			}
			if !slices.Equal(sizes, c.levels) {
				t.Errorf("levels %v, want %v", sizes, c.levels)
			}
			if last := m.Levels[len(m.Levels)-1]; c.nic > 0 && math.Abs(float64(last.Bandwidth)/1e9/c.nic-1) > 1e-9 {
				t.Errorf("network %v, want %g GB/s", last.Bandwidth, c.nic)
			}
		})
	}
}

func TestModelsAreFoundByAnySpellingAndOverridden(t *testing.T) {
	for _, c := range []struct {
		cells, name         string
		layers, kv, vocab   int
		billions, tolerance float64
	}{
		{"model=LLAMA3_70B", "llama-3-70b", 80, 8, 128256, 70.55, 0.01},
		{"model=meta-llama/Meta-Llama-3-8B", "llama-3-8b", 32, 8, 128256, 8.03, 0.01},
		{"model=llama3-405b cut to 4 layers", "llama-3.1-405b", 4, 8, 128256, 16.96, 0.05},
		{"model=Llama 3 70B (reduced to 12 layers)", "llama-3-70b", 12, 8, 128256, 12.37, 0.05},
		{"model=Llama 3 70B SFT", "llama-3-70b", 80, 8, 128256, 70.55, 0.01},
		{"model=Llama 2|params_b=13", "llama-2-13b", 40, 40, 32000, 13.02, 0.01},
		{"model=Grok1-314B|layers=8", "grok-1", 8, 8, 131072, 40.165, 0.01},
		{"model=InternLM-7B", "internlm-7b", 32, 32, 103168, 7.32, 0.01},
		{"model=GPT3-5B", "gpt3-5b", 24, 32, 51200, 5.05, 0.01},
		{"model=GPT-5B|vocab=50304", "gpt3-5b", 24, 32, 50304, 5.05, 0.01},
		{"model=nvidia/nemotron-3-8b-base-4k", "nemotron-8b", 32, 32, 256000, 8.54, 0.01},
		{"model=Llama-7B", "llama-2-7b", 32, 32, 32000, 6.74, 0.01},
		{"model=Moonlight 16B (1 dense + 26 MLA+MoE layers)", "moonlight-16b-a3b", 27, 16, 163840, 15.96, 0.01},
		{"model=LLAMA3_8B|vocab=32000", "llama-3-8b", 32, 8, 32000, 7.24, 0.01},
		// Shapes alone: three matrices of a Llama, two of a GPT, with a tied head.
		{"model=LLaMA-13B|layers=40|hidden=5120|heads=40|ffn=13824", "LLaMA-13B", 40, 40, 32000, 13.02, 0.01},
		{"model=Llama-like-1B|layers=16|hidden=2048|heads=32|kv_heads=32|ffn=8192|vocab=131072", "Llama-like-1B", 16, 32, 131072, 1.34, 0.01},
		{"model=GPT-1.3B|layers=24|hidden=2048|heads=16|ffn=8192", "GPT-1.3B", 24, 16, 51200, 1.32, 0.01},
		{"model=ours|params_b=1.3|layers=24|hidden=2048|heads=16|ffn=8192", "ours", 24, 16, 51200, 1.32, 0.01},
		{"model=|layers=32|hidden=4096|heads=32", "unnamed", 32, 32, 32000, 6.74, 0.01},
		{"model=GPT-181B|layers=72|hidden=14336|vocab=250000", "GPT-181B", 72, 112, 250000, 181, 1},
	} {
		t.Run(c.cells, func(t *testing.T) {
			var d defaults
			m, skip := modelOf(lookedUp(t), setupOf(t, strings.Split(c.cells, "|")...), &d)
			if skip != nil {
				t.Fatal(skip)
			}
			if m.Name != c.name || m.Layers != c.layers || m.KVHeads != c.kv || m.Vocab != c.vocab {
				t.Errorf("%s, %d layers, %d kv heads, vocabulary %d", m.Name, m.Layers, m.KVHeads, m.Vocab)
			}
			if got := float64(m.Total()) / 1e9; math.Abs(got-c.billions) > c.tolerance {
				t.Errorf("%.3f billion parameters, want %g", got, c.billions)
			}
		})
	}
}

func TestPlansAreFilledFromTheRowTheProfileAndTheFramework(t *testing.T) {
	const big = "gpus=64|model=llama-3-70b|tp=4|pp=4|"
	for _, c := range []struct{ name, cells, profile, plan string }{
		{"megatron's own defaults", big + "framework=Megatron-Core", "megatron", "sp=on,zero=1,recompute=none,layers=20*4"},
		{"what the row says", big + "framework=NeMo/Megatron-Core 24.07|sp=0|zero_stage=0|recompute=full|vpp=5", "megatron", "vpp=5,dp_shard=1,dp_replicate=4,micro-batch=1,sp=off,zero=0,recompute=full,layers=4*20"},
		{"a service's defaults", big + "framework=Megatron-LM 2021", "megatron-2022", "dp_shard=1,dp_replicate=4,micro-batch=1,sp=off,zero=0,recompute=full"},
		{"a kernel's profile", big + "framework=AA-Scaling (Megatron-LM derived)|kernel=torch", "aa-scaling-torch", "sp=off,zero=1"},
		{"another kernel's", big + "framework=AA-Scaling (Megatron-LM derived)|kernel=fa2+rms", "aa-scaling-fa2-rms", "sp=off,zero=1"},
		{"sp without tp", "tp=1|framework=nanotron v0.5", "nanotron", "sp=off"},
		{"an unknown framework that splits", big + "framework=homegrown", "megatron", "sp=on"},
		{"an unknown framework that shards", "tp=1|framework=homegrown", "fsdp", "zero=3"},
		{"one GPU shares with nobody", "gpus=1|tp=1|zero_stage=3", "fsdp", "dp_shard=1,dp_replicate=1,micro-batch=1,sp=off,zero=0"},
		{"full sharding", "tp=1|fsdp=FULL_SHARD|framework=Composer/llm-foundry FSDP", "llm-foundry", "dp_shard=8,dp_replicate=1,micro-batch=1,sp=off,zero=3"},
		{"hybrid sharding", "tp=1|fsdp=4", "fsdp", "dp_shard=4,dp_replicate=2"},
		{"torchtitan's selective", "tp=1|framework=torchtitan 2024-12|recompute=selective", "torchtitan", "recompute=ops"},
		{"Megatron's selective", big + "framework=Megatron-LM 2022|recompute=selective", "megatron-2022", "recompute=selective"},
		{"gradient checkpointing", "tp=1|recompute=gradient_checkpointing", "fsdp", "recompute=full"},
		{"experts", "gpu=h100|gpus=64|model=mixtral-8x7b|tp=1|ep=8|framework=Megatron-Core", "megatron", "ep=8,etp=1,edp=8"},
		{"experts whose ranks would not divide those of a stage", "gpu=h100|gpus=8|model=moonlight-16b|tp=2|ep=8|framework=Megatron-Bridge", "megatron", "ep=8,etp=1"},
		{"a strategy of FSDP beside a lower ZeRO stage", "tp=1|fsdp=True|zero_stage=1", "fsdp", "zero=3"},
		{"a group of ranks beside a ZeRO stage", "tp=1|fsdp=4|zero_stage=1", "fsdp", "dp_shard=4,dp_replicate=2,micro-batch=1,sp=off,zero=1"},
		{"a layer split that is not even", "gpus=60|gpus_per_node=4|model=llama-2-7b|tp=2|pp=5|dp=6|global_batch=60|framework=Megatron-Core", "megatron", "layers=6+7*3+5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := validate(t, edit(t, append(strings.Split(c.cells, "|"), "step_time_s=", "oom=0")...)).Lines[0]
			if l.Reason != "" || l.Profile != c.profile || !strings.Contains(l.Plan, c.plan) {
				t.Errorf("%s %s\nprofile %s, plan %s\nwant %s, %s", l.Reason, l.Detail, l.Profile, l.Plan, c.profile, c.plan)
			}
		})
	}
}

func TestWhatAPublishedRecipeSetsIsFilled(t *testing.T) {
	titan := []string{"gpu=H100-96GB(HBM2e,500W)", "model=Llama-3.1-8B", "framework=torchtitan 2024-12", "tp=1", "micro_batch=2", "seq_len=", "global_batch=", "tokens_per_s_per_gpu=6000", "step_time_s="}
	for _, c := range []struct {
		name    string
		cells   []string
		seconds float64 // of a step of the batch that is filled; 0: the row is skipped
		plan    string
	}{
		{"torchtitan's Llama 3 8B", titan, 2 * 8192 / 6000.0, "recompute=ops"},
		{"what the row gives stays", append(titan, "seq_len=4096", "global_batch=64", "recompute=full"), 64 * 4096 / (8 * 6000.0), "recompute=full"},
		{"a local batch that a pipeline divides again", append(titan, "pp=2", "tp=1"), 0, "global_batch is not given"},
		{"a model without a recipe", append(titan, "model=llama-2-7b"), 0, "seq_len is not given"},
		{"InternEvo's InternLM", append(titan, "model=InternLM-7B", "framework=InternEvo", "micro_batch=1", "recompute=full"), 4 * 2048 / 6000.0, "recompute=full"},
		{"another framework", append(titan, "framework=torchtune"), 0, "seq_len is not given"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validate(t, edit(t, c.cells...))
			l := r.Lines[0]
			if math.Abs(l.Seconds-c.seconds) > 1e-9 || !strings.Contains(l.Plan+l.Detail, c.plan) {
				t.Errorf("%s %s: %g s, %s; want %g s, %s", l.Reason, l.Detail, l.Seconds, l.Plan, c.seconds, c.plan)
			}
			filled := slices.ContainsFunc(r.Defaults, func(d DefaultCount) bool { return d.Column == "seq_len" })
			if want := c.seconds > 0 && !strings.Contains(c.name, "stays"); filled != want {
				t.Errorf("seq_len is counted as filled: %t, want %t", filled, want)
			}
		})
	}
}

func TestWhatIsFilledIsCounted(t *testing.T) {
	r := validate(t, edit(t))
	var got []string
	for _, d := range r.Defaults {
		if d.Count != 1 {
			t.Errorf("%s is counted %d times", d.Column, d.Count)
		}
		got = append(got, d.Column)
	}
	want := "kv_heads ffn vocab gpus_per_node network precision sp vpp cp dp zero_stage recompute flash_attn"
	if strings.Join(got, " ") != want || r.GenericProfile != 1 {
		t.Errorf("%s, generic profile %d; want %s", strings.Join(got, " "), r.GenericProfile, want)
	}
	given := []string{"kv_heads=32", "ffn=11008", "vocab=32000", "gpus_per_node=8", "network=8x HDR200", "precision=bf16", "sp=1", "vpp=1", "cp=1",
		"dp=4", "zero_stage=1", "recompute=none", "flash_attn=2", "framework=Megatron-Core"}
	r = validate(t, edit(t, given...))
	if len(r.Defaults) != 0 || r.GenericProfile != 0 || r.Scored != 1 {
		t.Errorf("%v, generic profile %d, scored %d", r.Defaults, r.GenericProfile, r.Scored)
	}
}

func TestTimesComeFromWhatIsPrinted(t *testing.T) {
	for _, c := range []struct {
		name, cells string
		want        float64
	}{
		{"seconds", "step_time_s=7.5|tokens_per_s_per_gpu=4000", 7.5},
		{"tokens", "step_time_s=|tokens_per_s_per_gpu=4000", 64 * 4096 / (4000 * 8.0)},
		{"FLOP/s of an unknown count", "step_time_s=|tflops_per_gpu=150", 0},
		// Narayanan et al., table 1: 1.7B on 32 GPUs at 137 TFLOP/s, by their equation 3.
		{"FLOP/s of a known count", "step_time_s=|tflops_per_gpu=137|framework=Megatron-LM 2021|model=GPT-1.7B|layers=24|hidden=2304|heads=24|ffn=9216|gpus=32|seq_len=2048|global_batch=512|tp=1|micro_batch=16",
			96 * 512 * 2048 * 24 * 2304 * 2304 * (1 + 2048/(6*2304.0) + 51200/(16*24*2304.0)) / (137e12 * 32)},
		{"that count of a gated model", "step_time_s=|tflops_per_gpu=137|framework=Megatron-LM 2021", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := validate(t, edit(t, strings.Split(c.cells, "|")...)).Lines[0]
			if l.Reason != "" || math.Abs(l.Seconds-c.want) > 1e-9*c.want {
				t.Errorf("%s %s: %g s, want %g", l.Reason, l.Detail, l.Seconds, c.want)
			}
		})
	}
}

func TestMemoryIsComparedAsItWasRead(t *testing.T) {
	var last float64
	for _, kind := range []string{"allocated", "reserved", "nvidia-smi"} {
		l := validate(t, edit(t, "peak_mem_gib=60", "mem_kind="+kind)).Lines[0]
		if l.Bytes != 60*gib || l.Expected <= last || l.MemoryKind != kind {
			t.Errorf("%s: %+v", kind, l)
		}
		last = l.Expected
	}
	r := validate(t, edit(t, "peak_mem_gib=60"))
	if l := r.Lines[0]; l.MemoryKind != "reserved" || r.Defaults[len(r.Defaults)-1] != (DefaultCount{"mem_kind", 1}) {
		t.Errorf("%+v, %v", l, r.Defaults)
	}
}

func TestAMemoryTableHasOneReadingARow(t *testing.T) {
	const head = "id,model,gpu,gpus,seq_len,micro_batch,tp,pp,quantity,value\n"
	for _, c := range []struct {
		cells         string
		outcome, kind string
		reason        Reason
	}{
		{"a,llama-2-7b,a100,8,4096,1,2,1,peak_gib,31", "ran", "allocated", ""},
		{"a,llama-2-7b,a100,8,4096,1,,,reserved_gib,31", "ran", "reserved", ""},
		{"a,llama-2-7b,a100,8,4096,1,2,2,oom,1", "oom", "", ""},
		{"a,llama-2-7b,a100,8,4096,1,2,1,oom,0", "ran", "", ""},
		{"a,llama-2-7b,a100,8,4096,1,2,1,fits,1", "ran", "", ""},
		{"a,llama-2-7b,a100,8,4096,1,2,1,fits,0", "oom", "", ""},
		{"a,llama-2-7b,a100,8,4096,1,2,1,kv_tokens,1000", "", "", NoOutcome},
		{"a,llama-2-7b,a100,8,4096,1,2,1,peak_gib,", "", "", NoOutcome},
		{"a,llama-2-7b,a100,8,4096,1,2,1,peak_gib,31000", "", "", Contradiction},
	} {
		r := validate(t, head+c.cells+"\n")
		l := r.Lines[0]
		if r.Kind != Memory || l.Reason != c.reason || l.Outcome != c.outcome || l.MemoryKind != c.kind {
			t.Errorf("%s: %s, %+v", c.cells, r.Kind, l)
		}
	}
}

func TestFlashAttentionIsTheRowsToSay(t *testing.T) {
	predicted := func(flash string) Line {
		l := validate(t, edit(t, "framework=Megatron-DeepSpeed", "flash_attn="+flash, "recompute=none", "peak_mem_gib=60", "mem_kind=allocated")).Lines[0]
		if l.Reason != "" || l.Profile != "megatron-deepspeed" {
			t.Fatalf("%+v", l)
		}
		return l
	}
	with, without, silent := predicted("2"), predicted("no"), predicted("")
	if with.Expected >= without.Expected || with.Predicted >= without.Predicted {
		t.Errorf("flash attention takes %g bytes and %g s, without it %g and %g", with.Expected, with.Predicted, without.Expected, without.Predicted)
	}
	if silent.Expected != without.Expected || silent.Predicted != without.Predicted {
		t.Error("the profile's own attention is not the default")
	}
	fused := validate(t, edit(t, "framework=Megatron-Core")).Lines[0]
	unfused := validate(t, edit(t, "framework=Megatron-Core", "flash_attn=no")).Lines[0]
	if unfused.Profile != "megatron" || unfused.Predicted <= 1.1*fused.Predicted {
		t.Errorf("%s: %g s unfused, %g s fused", unfused.Profile, unfused.Predicted, fused.Predicted)
	}
}

func TestShapesThatAreNoModelAreRefused(t *testing.T) {
	for _, c := range []struct{ cells, want string }{
		{"model=ours|layers=2|hidden=100", "hidden 100 is no multiple of a usual head"},
		{"model=ours|layers=2|hidden=100|heads=7", "hidden 100 is no multiple of 7 heads"},
		{"model=ours|layers=1000000000|hidden=64|heads=1", "the shape is that of no model"},
	} {
		l := validate(t, edit(t, strings.Split(c.cells, "|")...)).Lines[0]
		if l.Reason != NoModel || !strings.Contains(l.Detail, c.want) {
			t.Errorf("%s: %s: %s", c.cells, l.Reason, l.Detail)
		}
	}
}

func TestExpertsOfAnUnnamedModel(t *testing.T) {
	var d defaults
	m, skip := modelOf(lookedUp(t), setupOf(t, "model=ours", "layers=48", "hidden=2048", "heads=32", "kv_heads=4", "vocab=151936",
		"experts=128", "topk=8", "moe_ffn=768"), &d)
	if skip != nil {
		t.Fatal(skip)
	}
	// 48 layers of 128 experts of 3 x 2048 x 768, and little else.
	if n := float64(m.Total()) / 1e9; m.Experts != 128 || m.TopK != 8 || m.FFN != 0 || math.Abs(n-30.2) > 0.5 {
		t.Errorf("%+v: %.2f billion parameters", m, n)
	}
}

func TestAPanicOfAWorkerIsTheCallers(t *testing.T) {
	defer func() {
		if r := recover(); r != "broken" {
			t.Errorf("recovered %v", r)
		}
	}()
	done := make(chan string, 10)
	parallel(t.Context(), []string{"a", "b", "c"}, func(item string) {
		if item == "b" {
			panic("broken")
		}
		done <- item
	})
	t.Error("no panic")
}

func TestRanksThatDoNotLineUpWithLeafGroupsArePlacedOnOneNetwork(t *testing.T) {
	// 42 boxes are two leaf groups of 21, which 14 data-parallel boxes a stage do not divide.
	l := validate(t, edit(t, "gpus=336", "model=gpt3-175b", "framework=Megatron-LM", "tp=8", "pp=3", "dp=14", "global_batch=14", "step_time_s=", "oom=0")).Lines[0]
	if l.Reason != "" || !strings.Contains(l.Plan, "placement=tp:8/1;dp_shard:1/14;pp:1/3") {
		t.Errorf("%s %s: %s", l.Reason, l.Detail, l.Plan)
	}
}
