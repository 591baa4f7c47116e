package framework_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/plan"
)

// What a framework lists to be searched is nothing that a rule on that value
// alone refuses, and neither is what it leaves at its default.
func TestSearchedValuesAreValid(t *testing.T) {
	optional := []plan.Coord{plan.Coord(plan.PP), plan.Coord(plan.ETP), plan.Coord(plan.EP), plan.VPP, plan.SP,
		plan.Zero, plan.RecomputeC, plan.CPCommC, plan.ScheduleC, plan.OptOffload, plan.ActOffload}
	for _, fw := range all.List() {
		f := facts(12, 8, 8)
		d := framework.NewDomains(f, fw, nil)
		for _, c := range optional {
			for _, r := range fw.Rules() {
				if len(r.Reads) != 1 || r.Reads[0] != c {
					continue
				}
				for _, v := range d.Values[c] {
					var p plan.Point
					if p[c] = v; !r.Holds(f, &p) {
						t.Errorf("%s is searched, but %s: %s", c, r.ID, r.Text(f, &p))
					}
				}
			}
		}
	}
}

// Whatever a framework fills is complete, lies on the cluster, is split as the
// framework can, and is placed as it would.
func TestWhatFrameworksFillIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fw := rapid.SampledFrom(all.List()).Draw(t, "framework")
		f := facts(rapid.SampledFrom([]int{0, 12}).Draw(t, "experts"),
			rapid.SampledFrom([]int{6, 8}).Draw(t, "nvlink"), rapid.IntRange(1, 8).Draw(t, "leaf"))
		f.Model.Layers = rapid.IntRange(1, 130).Draw(t, "layers")
		f.Model.Hidden, f.Model.Vocab = 5120, 32000
		text := ""
		for _, key := range []string{"tp", "cp", "pp", "dp", "dp_replicate", "vpp", "zero"} {
			if rapid.Bool().Draw(t, key) {
				text += fmt.Sprintf("%s=%d,", key, rapid.SampledFrom([]int{1, 2, 3, 4, 8}).Draw(t, "value"))
			}
		}
		part, err := plan.Parse(text)
		if err != nil {
			return
		}
		p, _, err := fw.Fill(f, part)
		if err != nil {
			return
		}
		point := p.Point()
		for _, r := range framework.Shared()[2:] {
			if !r.Holds(f, &point) {
				t.Fatalf("%s: %s filled to %s: %s", fw.Name(), text, p, r.Text(f, &point))
			}
		}
		for _, r := range fw.StageRules() {
			if !r.Holds(f, &p) {
				t.Fatalf("%s: %s filled to %s: %s", fw.Name(), text, p, r.Text(f, &p))
			}
		}
		if w := fw.PlacementWarning(f, &p); w != "" {
			t.Fatalf("%s: %s filled to %s: %s", fw.Name(), text, p, w)
		}
		if again, err := plan.Parse(p.String()); err != nil || again.Plan != p {
			t.Fatalf("%s does not read back: %v", p, err)
		}
	})
}

func TestFillKeepsAGivenSchedule(t *testing.T) {
	f := facts(0, 8)
	for _, fw := range all.List() {
		for s := plan.GPipe; s < plan.NumSchedules; s++ {
			part, err := plan.Parse("pp=2,schedule=" + s.String())
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := fw.Fill(f, part)
			if err != nil || p.Options.Schedule != s || p.Options.VPP != max(1, s.Chunks()) {
				t.Errorf("%s: schedule %s of %d chunks, not %s: %v", fw.Name(), p.Options.Schedule, p.Options.VPP, s, err)
			}
		}
	}
}

func TestRemainderGoesToTheFirstChunks(t *testing.T) {
	for _, c := range []struct {
		layers, chunks, first, last int
		want                        string
	}{
		{32, 1, 1, 1, "32"},
		{32, 4, 0, 0, "8*4"},
		{126, 8, 1, 1, "15+16*6+15"},
		{80, 4, 1, 1, "20+21+20+19"},
		{61, 4, 0, 0, "16+15*3"},
		{70, 12, 1, 1, "5+6*10+5"},
		{30, 4, 0, 1, "8*3+6"},
		{6, 8, 1, 1, "0+1*6+0"},
		{6, 9, 1, 1, ""},
		{6, 7, 0, 0, ""},
		{6, 4, 2, 0, "0+2*3"},
		{6, 4, 3, 0, ""},
	} {
		if got := plan.RunLength(framework.RemainderFirst(c.layers, c.chunks, c.first, c.last)); got != c.want {
			t.Errorf("%d layers over %d, ends %d and %d: got %q, want %q", c.layers, c.chunks, c.first, c.last, got, c.want)
		}
	}
}

func TestSentencesOfRulesThatFrameworksShare(t *testing.T) {
	for _, c := range []struct {
		id, plan string
		experts  int
		want     string
	}{
		{"torchtitan/TT-H2", "tp=8", 0, "4 key/value heads, none of them replicated, not divisible by tp 8; nearest 4"},
		{"torchtitan/TT-S1", "tp=8,sp=on", 0, "4092 tokens of a micro-batch not divisible by tp 8; nearest 6, 11"},
		{"torchtitan/TT-S1", "cp=4,mbs=3", 0, "12276 tokens of a micro-batch not divisible by 2*cp 8; nearest 6, 9"},
		{"torchtitan/TT-S1", "tp=4,cp=2,sp=on", 0, "4092 tokens of a micro-batch not divisible by tp*2*cp 16; nearest 12, 22"},
		{"torchtitan/TT-P2", "pp=64", 0, "61 layers, embedding and head do not fill pp*vpp = 64*1 = 64 chunks; at this pp, no value is valid for vpp"},
		{"torchtitan/TT-P3", "pp=8,dp=24", 0, "4 micro-batches with vpp 1 and pp 8; one chunk a rank needs at least pp of them, so pp at most 4"},
		{"torchtitan/TT-P1-zero-bubble", "pp=2,vpp=1,schedule=zb-h1", 0, "schedule zb-h1 with vpp 1; InterleavedZeroBubble runs two stages a rank or more"},
		{"torchtitan/TT-P5-fills", "pp=8,dp=24,schedule=dualpipev", 0,
			"schedule dualpipev with 4 micro-batches and pp 8; dualpipe and dualpipev need 2*pp micro-batches or more, dualpipe an even number"},
		{"torchtitan/schedule", "pp=2,schedule=dualpipe", 0,
			"schedule dualpipe: PyTorch has DualPipe as one half of it, DualPipeV; valid 1f1b, gpipe, zb-h1, zb-v, dualpipev"},
		{"megatron/schedule", "pp=2,schedule=zb-v", 0, "schedule zb-v: its schedules are 1F1B and interleaved; valid 1f1b"},
		{"deepspeed/schedule", "pp=2,schedule=zb-h1", 0, "schedule zb-h1: its pipeline schedule is 1F1B; valid 1f1b"},
		{"fsdp/schedule", "schedule=dualpipe", 0, "schedule dualpipe: there are no pipelines; valid 1f1b"},
		{"nanotron/schedule", "pp=2,schedule=zb-h1", 0, "schedule zb-h1: its pipeline engines are 1f1b and afab, which is gpipe; valid 1f1b, gpipe"},
		{"any/schedule-pp", "pp=3,schedule=dualpipe", 0,
			"schedule dualpipe with pp 3; zb-h1, zb-v and dualpipev need pp above 1, dualpipe an even pp"},
		{"any/interleave-rounds", "pp=5,vpp=2,dp=3", 0,
			"32 micro-batches with vpp 2 and pp 5; interleaved chunks run rounds of pp micro-batches, so pp must divide them"},
		{"torchtitan/TT-P4", "pp=10,vpp=2,dp=3", 0, "32 micro-batches with vpp 2 and pp 10 are not divisible by their 3 rounds; nearest 30, 33"},
		{"torchtitan/TT-E1", "tp=2,dp_shard=4,dp_replicate=2,ep=16", 12, "8 ranks of tp*cp*dp_shard not divisible by ep 16; nearest 8"},
		{"torchtitan/TT-E3", "tp=4,ep=2", 12, "ep 2 with tp 4; a model with experts needs ep of at least tp: ep 4 or tp 2"},
		{"torchtitan/TT-E3-etp", "etp=2", 12, "etp 2: experts are not split by columns; valid 1"},
		{"torchtitan/fsdp", "cp=2,zero=0", 0, "zero 0 with cp 2; cp above 1 brings FSDP over dp_shard*cp: zero 2 or 3, or cp 1"},
		{"torchtitan/optimizer-offload", "zero=3,optimizer-offload=50", 0, "optimizer-offload 50 with zero 3; valid 0, 100"},
		{"fsdp/optimizer-offload", "zero=0,dp_replicate=2,optimizer-offload=100", 0, "optimizer-offload 100 with zero 0; above 0 it needs zero 2 or above"},
		{"fsdp/ACC-N1", "pp=4", 0, "pp 4: there are no pipelines; valid 1"},
		{"fsdp/ACC-W2", "tp=2,dp_replicate=4,zero=0", 0, "dp_replicate 4 and dp_shard 1 with tp 2 and cp 1; beside tp or cp dp_replicate needs dp_shard above 1"},
		{"deepspeed/DS-P1", "pp=2,zero=2", 0, "zero 2 with pp 2; a pipeline needs zero 1 or below"},
		{"deepspeed/DS-T1-heads", "tp=16,pp=2", 0, "40 heads not divisible by tp 16; nearest 10, 20"},
		{"deepspeed/DS-O1", "zero=2,dp_shard=2,optimizer-offload=50", 0, "optimizer-offload 50 with zero 2; a part of it needs zero 3, else valid 0, 100"},
		{"deepspeed/DS-U1", "cp=16,cp-comm=a2a", 0, "40 heads, 4 key/value heads over tp*cp = 1*16 with cp-comm a2a; a2a gives each rank its own heads, so tp*cp must divide them"},
		{"megatron/MLM-C4", "tp=2,cp=16,cp-comm=a2a+p2p,placement=tp:2/1;cp:8/2", 0,
			"40 heads, 4 key/value heads over tp 2 and 8 ranks of cp 16 in nvlink with cp-comm a2a+p2p; a2a+p2p gives each rank in nvlink its own heads, so tp times cp there must divide them"},
		{"deepspeed/DS-U1-tokens", "cp=8", 0, "4092 tokens of a sequence not divisible by cp 8; nearest 6, 11"},
		{"deepspeed/DS-U1-comm", "cp=2", 0, "cp 2 with cp-comm p2p; its context parallelism is Ulysses: cp-comm a2a"},
		{"deepspeed/DS-U1-comm", "cp-comm=a2a", 0, "cp 1 with cp-comm a2a; with cp 1 leave cp-comm at p2p"},
		{"deepspeed/DS-U1-comm", "cp-comm=a2a+p2p", 0, "cp 1 with cp-comm a2a+p2p; with cp 1 leave cp-comm at p2p"},
		{"deepspeed/DS-U1-alone", "cp=2,tp=2", 0, "cp 2 with tp 2 and pp 1; cp above 1 needs tp 1 and pp 1"},
		{"deepspeed/DS-E1-zero", "ep=4,zero=3", 12, "zero 3 with ep 4; ep above 1 needs zero 2 or below"},
		{"deepspeed/mics", "tp=2,dp_shard=2,dp_replicate=2,zero=3", 0,
			"dp_replicate 2 with zero 3, tp 2 and cp 1; copies of the shards are MiCS, which needs zero 3, tp 1 and cp 1; else dp_replicate 1"},
		{"deepspeed/activation-offload", "activation-offload=100", 0, "activation-offload 100 with recompute none; valid 0, or 100 with recompute full"},
		{"nanotron/NT-P1", "pp=8,dp=24", 0, "4 micro-batches with schedule 1f1b and pp 8; 1f1b needs at least pp - 1 of them, so pp at most 5"},
		{"nanotron/NT-W2", "ep=4", 12, "ep 4: its rank matrix has no room for ep beside tp*cp*dp*pp; valid 1"},
		{"nanotron/zero-ranks", "cp=8,zero=1", 0,
			"zero 1 with dp_shard 1 and dp_replicate 1; the optimizer is shared by all of dp: dp_replicate 1 and dp_shard above 1, or zero 0"},
	} {
		t.Run(c.id+" on "+c.plan, func(t *testing.T) {
			var rules []framework.Rule
			for _, fw := range all.List() {
				rules = append(rules, fw.Rules()...)
			}
			checkSentence(t, rules, facts(c.experts, 8, 8), c.id, c.plan, c.want)
		})
	}
}

// A rule answers differently for another global batch only if it says that it
// reads the batch.
func TestRulesSayThatTheyReadTheBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := facts(12, 8, 4)
		d := framework.NewDomains(f, all.List()[len(all.List())-1], nil)
		var p plan.Point
		for c, values := range d.Values {
			p[c] = rapid.SampledFrom(values).Draw(t, "value")
		}
		other := *f
		other.Workload.GlobalBatch = rapid.Int64Range(1, 500).Draw(t, "batch")
		for _, fw := range all.List() {
			for _, r := range framework.Rules(f, fw, nil) {
				if !r.Batch && r.Holds(f, &p) != r.Holds(&other, &p) {
					t.Fatalf("%s reads the batch", r.ID)
				}
			}
		}
	})
}
