package megatron_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
)

func job(layers, experts int, sizes ...int) *framework.Facts {
	c := &cluster.Cluster{}
	for i, n := range sizes {
		c.Levels = append(c.Levels, cluster.Level{Name: []string{"nvlink", "leaf", "spine"}[i], Size: n})
	}
	m := &models.Model{Name: "model", Layers: layers, Heads: 64, KVHeads: 8, FFN: 28672}
	if experts > 0 {
		m.Experts, m.TopK, m.MoEFFN = experts, 8, 2048
	}
	return &framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{GlobalBatch: 1024, SeqLen: 8192}}
}

func TestFillTakesMegatronsDefaultsAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		facts      *framework.Facts
		want       string
		sentences  []string
	}{
		{"a dense plan", "tp=8,pp=4", job(80, 0, 8, 32),
			"tp=8,cp=1,pp=4,vpp=1,dp_shard=8,dp_replicate=1,micro-batch=1,sp=on,zero=1,recompute=none,layers=20*4,placement=tp:8/1;dp_shard:1/8;pp:1/4",
			[]string{
				"cp is not given: 1",
				"dp is not given: dp_shard 8, the rest of the 256 GPUs",
				"zero is not given: 1",
				"vpp is not given: 1",
				"micro-batch is not given: 1",
				"sp is not given: on, since tp is 8",
				"recompute is not given: none",
				"placement is not given: Megatron's rank order tp-cp-ep-dp-pp",
				"layers are not given: 20*4",
			}},
		{"zero 0 replicates", "zero=0,tp=2,pp=1,cp=1,vpp=1,micro-batch=4,sp=off,recompute=full,layers=80", job(80, 0, 8, 2),
			"tp=2,cp=1,pp=1,vpp=1,dp_shard=1,dp_replicate=8,micro-batch=4,sp=off,zero=0,recompute=full,layers=80,placement=tp:2/1;dp_replicate:4/2",
			[]string{
				"dp is not given: dp_replicate 8, the rest of the 16 GPUs",
				"placement is not given: Megatron's rank order tp-cp-ep-dp-pp",
			}},
		{"a given dp uses fewer GPUs, evenly", "tp=8,cp=1,dp=8,pp=2,vpp=1,micro-batch=1,recompute=none", job(80, 0, 72, 4),
			"tp=8,cp=1,pp=2,vpp=1,dp_shard=8,dp_replicate=1,micro-batch=1,sp=on,zero=1,recompute=none,layers=40*2,placement=tp:8/1;dp_shard:8/1;pp:1/2",
			[]string{
				"zero is not given: 1",
				"sp is not given: on, since tp is 8",
				"placement is not given: Megatron's rank order tp-cp-ep-dp-pp",
				"layers are not given: 40*2",
			}},
		{"experts take tp's etp and the rest as edp", "tp=2,cp=1,pp=2,vpp=1,ep=4,micro-batch=1,sp=on,recompute=none,zero=1", job(94, 128, 8, 4),
			"tp=2,cp=1,pp=2,vpp=1,dp_shard=8,dp_replicate=1,ep=4,etp=2,edp=2,micro-batch=1,sp=on,zero=1,recompute=none,layers=47*2,placement=tp:2/1;dp_shard:4/2;pp:1/2;etp:2/1;ep:4/1;edp:1/2",
			[]string{
				"dp is not given: dp_shard 8, the rest of the 32 GPUs",
				"etp is not given: 2",
				"placement is not given: Megatron's rank order tp-cp-ep-dp-pp",
				"layers are not given: 47*2",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sentences := fill(t, c.facts, c.plan)
			if got := p.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !slices.Equal(sentences, c.sentences) {
				t.Errorf("got  %q\nwant %q", sentences, c.sentences)
			}
			if w := megatron.New().PlacementWarning(c.facts, &p); w != "" {
				t.Error(w)
			}
		})
	}
}

func fill(t *testing.T, f *framework.Facts, text string) (plan.Plan, []string) {
	part, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, sentences, err := megatron.New().Fill(f, part)
	if err != nil {
		t.Fatal(err)
	}
	return p, sentences
}

func TestFillNamesTheFlagsOfAnUnevenSplit(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		layers     int
		want       string
	}{
		{"both ends counted", "pp=16", 126,
			"126 layers do not divide over pp*vpp = 16*1; Megatron needs --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split"},
		{"the loss counted", "pp=2", 31,
			"31 layers do not divide over pp*vpp = 2*1; Megatron needs --account-for-loss-in-pipeline-split"},
		{"first and last stage", "pp=16", 61,
			"61 layers do not divide over pp*vpp = 16*1; Megatron needs --decoder-first-pipeline-num-layers 3 --decoder-last-pipeline-num-layers 2"},
		{"a layout", "pp=8,vpp=4", 61,
			"61 layers do not divide over pp*vpp = 8*4; Megatron needs --pipeline-model-parallel-layout 'Et|(t*2|)*29t|tL'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, sentences := fill(t, job(c.layers, 0, 8, 32), c.plan)
			if last := sentences[len(sentences)-1]; last != c.want {
				t.Errorf("got  %s\nwant %s", last, c.want)
			}
		})
	}
}

func TestFillErrorsSayWhatDoesNotAlign(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		facts      *framework.Facts
		want       string
	}{
		{"tp*cp*pp and the GPUs", "tp=8,pp=3", job(80, 0, 8, 32), "tp*cp*pp = 24 does not divide the 256 GPUs; nearest 16, 32"},
		{"a block across nodes", "tp=6,dp=4", job(80, 0, 8, 3), "blocks of 6 ranks (tp 6 times stride 1) do not line up with the 8 GPUs"},
		{"more GPUs than there are", "tp=8,dp=64", job(80, 0, 8, 32), "the plan needs 512 GPUs; the cluster has 256: nvlink 8 x leaf 32"},
		{"a number that no factors give", "dp=26", job(80, 0, 8, 8), "26 GPUs cannot be spread evenly"},
		{"etp*ep and the stage", "tp=2,pp=4,ep=8", job(80, 64, 8, 4), "etp*ep = 16 does not divide the 8 ranks of a pipeline stage; nearest 8"},
		{"a wrong edp", "tp=2,ep=2,edp=3", job(80, 64, 8), "edp=3: the 8 ranks of a pipeline stage over etp*ep = 4 leave edp 2"},
		{"experts of a dense model", "ep=8", job(80, 0, 8), "ep, etp and edp above 1 need a model with experts; model has none"},
		{"a placement of other levels", "placement=tp:8/1/1", job(80, 0, 8, 8), "placement has 3 levels; the cluster has 2: nvlink 8 x leaf 8"},
		{"more chunks than layers", "pp=8,vpp=8", job(61, 0, 8), "61 layers cannot be split over pp*vpp = 8*8 chunks; at most 63"},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err = megatron.New().Fill(c.facts, part); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want it to contain %q", err, c.want)
			}
		})
	}
}

// Whatever is filled is complete, lies on the cluster and is placed as the
// framework would.
func TestFilledPlansAreWellFormed(t *testing.T) {
	shared := framework.Shared()
	rapid.Check(t, func(t *rapid.T) {
		f := job(rapid.IntRange(1, 130).Draw(t, "layers"), rapid.SampledFrom([]int{0, 64}).Draw(t, "experts"),
			rapid.SampledFrom([]int{6, 8, 72}).Draw(t, "nvlink"), rapid.IntRange(1, 8).Draw(t, "leaf"), rapid.IntRange(1, 4).Draw(t, "spine"))
		text := ""
		for _, key := range []string{"tp", "cp", "pp", "dp", "ep", "etp", "vpp", "zero"} {
			if !f.MoE() && (key == "ep" || key == "etp") || rapid.Bool().Draw(t, key) {
				continue
			}
			text += key + "=" + rapid.SampledFrom([]string{"1", "2", "3", "4", "8"}).Draw(t, "value") + ","
		}
		part, err := plan.Parse(text)
		if err != nil {
			return
		}
		p, _, err := megatron.New().Fill(f, part)
		if err != nil {
			return
		}
		point := p.Point()
		for _, r := range shared[1:] {
			if !r.Holds(f, &point) {
				t.Fatalf("%s filled to %s: %s", text, p, r.Text(f, &point))
			}
		}
		for _, r := range megatron.New().StageRules() {
			if !r.Holds(f, &p) {
				t.Fatalf("%s filled to %s: %s", text, p, r.Text(f, &p))
			}
		}
		if w := megatron.New().PlacementWarning(f, &p); w != "" {
			t.Fatalf("%s filled to %s: %s", text, p, w)
		}
		if again, err := plan.Parse(p.String()); err != nil || again.Plan != p {
			t.Fatalf("%s does not read back: %v", p, err)
		}
	})
}

func TestPlacementWarnings(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		experts    int
		want       string
	}{
		{"the default order", "placement=tp:8/1/1;dp_shard:1/4/1;pp:1/1/2", 0, ""},
		{"pipelines inside data parallelism", "placement=tp:8/1/1;dp_shard:1/1/2;pp:1/4/1", 0,
			"placement needs Megatron's order tp-cp-ep-pp-dp: --use-tp-pp-dp-mapping"},
		{"the same with experts needs edp = dp", "placement=tp:8/1/1;dp_shard:1/1/2;pp:1/4/1;etp:1/1/1;ep:8/1/1;edp:1/1/2", 64,
			"placement needs Megatron's order tp-cp-ep-pp-dp: --use-tp-pp-dp-mapping"},
		{"expert groups that would cross pipelines", "placement=tp:8/1/1;dp_shard:1/1/2;pp:1/4/1;ep:8/1/2", 64,
			"placement needs a custom rank map: Megatron's order tp-cp-ep-dp-pp puts dp_shard 1/2/1 on nvlink/leaf/spine, this plan 1/1/2"},
		{"no order at all", "placement=tp:2/4/1;dp_shard:4/1/2", 0,
			"placement needs a custom rank map: Megatron's order tp-cp-ep-dp-pp puts tp 8/1/1 on nvlink/leaf/spine, this plan 2/4/1"},
		{"experts placed elsewhere", "placement=tp:8/1/1;dp_shard:1/4/2;ep:1/4/2;edp:8/1/1", 64,
			"placement needs a custom rank map: Megatron's order tp-cp-ep-dp-pp puts ep 8/1/1 on nvlink/leaf/spine, this plan 1/4/2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			if got := megatron.New().PlacementWarning(job(80, c.experts, 8, 4, 2), &part.Plan); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestLayoutStrings(t *testing.T) {
	for _, c := range []struct {
		chunks string
		mtp    int
		want   string
	}{
		{"80", 0, "Et*80L"},
		{"4*15+1", 1, "Et*4|(t*4|)*14tmL"},
		{"1+2*30+0", 1, "Et|(t*2|)*30mL"},
		{"2+4*2+2", 0, "Et*2|(t*4|)*2t*2L"},
		{"3+4+3", 0, "Et*3|t*4|t*3L"},
		{"0+1*6+0", 2, "E|(t|)*6m*2L"},
		{"2+4*3+3*2", 0, "Et*2|(t*4|)*3t*3|t*3L"},
	} {
		list, err := plan.ParseRunLength(c.chunks)
		if err != nil {
			t.Fatal(err)
		}
		layers := make([]int32, len(list))
		for i, n := range list {
			layers[i] = int32(n)
		}
		if got := megatron.Layout(layers, c.mtp); got != c.want {
			t.Errorf("%s: got %s, want %s", c.chunks, got, c.want)
		}
	}
}
