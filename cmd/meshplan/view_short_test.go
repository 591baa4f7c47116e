package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/search"
)

func TestDomainsAreListedAndLongOnesElided(t *testing.T) {
	long := make([]int32, 16)
	for i := range long {
		long[i] = int32(i + 1)
	}
	for _, tc := range []struct {
		name string
		in   []int32
		want string
	}{
		{"tp", []int32{1, 2, 4, 1024}, "1 2 4 1,024"},
		{"vpp", long, "1 2 3 4 5 6 ... 15 16 (16 values)"},
		{"pp", long[:9], "1 2 3 4 5 6 7 8 9"},
		{"sp", []int32{0, 1}, "off on"},
		{"recompute", []int32{0, 4}, "none full"},
	} {
		if got := values(tc.name, tc.in); got != tc.want {
			t.Errorf("%s %v prints %q, want %q", tc.name, tc.in, got, tc.want)
		}
	}
}

func TestRuleIdsShareTheirPrefix(t *testing.T) {
	for _, tc := range []struct {
		ids  string
		want string
	}{
		{"zero", "1: zero"},
		{"zero grid/levels grid/experts", "3: zero, grid/levels experts"},
		{"zero megatron/MLM-B1 megatron/MLM-C1 megatron/MLM-H6-expert pin/tp=8 pin/pp<=4",
			"6: zero, megatron/MLM-B1 C1 H6-expert, pin/tp=8 pp<=4"},
		{"any/heads any/kv-heads", "2: any/heads kv-heads"},
	} {
		if got := ruleList(strings.Fields(tc.ids)); got != tc.want {
			t.Errorf("%s prints %q, want %q", tc.ids, got, tc.want)
		}
	}
	many := strings.Fields(strings.Repeat("pin/micro-batch<=16 ", 40))
	list := ruleList(many)
	if lines := wrap(list, pageWidth-spaceLabel); len(lines) > 2 || !strings.Contains(list, " more") {
		t.Errorf("%d lines: %q", len(lines), list)
	}
}

func TestTheFastestPlansShowWhatDiffers(t *testing.T) {
	a := search.Outline{Degrees: search.Degrees{TP: 8, DP: 4, DPShard: 4, DPReplicate: 1},
		Options: search.OptionsResult{SP: true, MicroBatch: 1, ZeroStage: 1, Recompute: "none"}}
	b, c := a, a
	b.Options.MicroBatch = 2
	c.Options.SP = false
	shared, own := differences([]search.Outline{a, b, c})
	if want := "TP8 DP4, zero 1, dp_shard 4, recompute none"; shared != want {
		t.Errorf("shared %q, want %q", shared, want)
	}
	want := []string{"micro-batch 1, sp on", "micro-batch 2, sp on", "micro-batch 1, sp off"}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Error(diff)
	}
}

func TestShardsOfTheOptimizerAreNamed(t *testing.T) {
	for _, tc := range []struct {
		zero                 int8
		cp, shard, replicate int32
		want                 string
	}{
		{0, 1, 1, 8, "ZeRO stage 0, nothing sharded, dp_replicate 8"},
		{1, 1, 8, 1, "ZeRO stage 1, optimizer state over dp_shard 8, dp_replicate 1"},
		{1, 2, 4, 1, "ZeRO stage 1, optimizer state over dp_shard 4 x cp 2, dp_replicate 1"},
		{1, 2, 1, 2, "ZeRO stage 1, optimizer state over cp 2, dp_replicate 2"},
	} {
		p := search.PlanResult{Degrees: search.Degrees{CP: tc.cp, DPShard: tc.shard, DPReplicate: tc.replicate},
			Options: search.OptionsResult{ZeroStage: tc.zero}}
		if got := dataParallel(&p); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

func TestIdleGPUsAreSaid(t *testing.T) {
	s := subject{gpus: 72}
	for gpus, want := range map[int64]string{72: "tokens/s/GPU", 64: "tokens/s per used GPU"} {
		if got := perGPU(&s, &search.PlanResult{GPUs: gpus}); got != want {
			t.Errorf("%d of 72: %q, want %q", gpus, got, want)
		}
	}
}

func TestABorderlinePlanShowsWhatItsOptionsChange(t *testing.T) {
	a := search.PlanResult{Degrees: search.Degrees{TP: 8, DP: 4, DPShard: 4, DPReplicate: 1},
		Options: search.OptionsResult{SP: true, MicroBatch: 1, ZeroStage: 1, Recompute: "selective"}}
	b := a
	b.Degrees.TP, b.Options.MicroBatch, b.Options.Recompute = 4, 2, "none"
	want := "micro-batch 2 instead of micro-batch 1; recompute none instead of recompute selective"
	if got := changes(&b, &a); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := changes(&a, &a); got != "" {
		t.Errorf("a plan differs from itself by %q", got)
	}
}

func TestABorderlinePlanLeavesNoNegativeMemory(t *testing.T) {
	for bytes, want := range map[float64]string{3 << 30: "3.0 GiB left", -10.5 * (1 << 30): "10.5 GiB too much"} {
		if got := left(&search.Borderline{FreeBytes: bytes}); got != want {
			t.Errorf("%g bytes: %q, want %q", bytes, got, want)
		}
	}
}

func TestWhatABorderlinePlanSavesIsNeverNothing(t *testing.T) {
	for fraction, want := range map[float64]string{0.0182: "1.8 %", 0.0004: "less than 0.1 %"} {
		if got := saved(&search.Borderline{SavedFraction: fraction}); got != want {
			t.Errorf("%v prints %q, want %q", fraction, got, want)
		}
	}
}
