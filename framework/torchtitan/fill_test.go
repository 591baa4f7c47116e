package torchtitan_test

import (
	"slices"
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/torchtitan"
	"meshplan/models"
	"meshplan/plan"
)

func job(t *testing.T, model string, sizes ...int) *framework.Facts {
	m, err := models.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster.Cluster{}
	for i, n := range sizes {
		c.Levels = append(c.Levels, cluster.Level{Name: []string{"nvlink", "leaf"}[i], Size: n})
	}
	return &framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{GlobalBatch: 256, SeqLen: 8192}}
}

func TestFillTakesTorchtitansDefaultsAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		name, model, plan, want string
		sentences               []string
	}{
		{"weights are resharded after the forward", "llama-3.1-8b", "tp=2,cp=1,pp=1,vpp=1,micro-batch=1,recompute=none",
			"tp=2,cp=1,pp=1,vpp=1,dp_shard=32,dp_replicate=1,micro-batch=1,sp=on,zero=3,recompute=none,layers=32,placement=tp:2/1;dp_shard:4/8",
			[]string{
				"dp is not given: dp_shard 32, the rest of the 64 GPUs",
				"zero is not given: 3",
				"sp is not given: on, since tp is 2",
				"placement is not given: torchtitan's rank order pp-dp_replicate-dp_shard-cp-tp",
				"layers are not given: 32, torchtitan's own split",
			}},
		{"but not in a pipeline, whose first stages hold the remainder", "llama-3.1-70b", "tp=8,cp=1,pp=4,vpp=1,sp=on,micro-batch=1,recompute=full",
			"tp=8,cp=1,pp=4,vpp=1,dp_shard=2,dp_replicate=1,micro-batch=1,sp=on,zero=2,recompute=full,layers=20+21+20+19,placement=tp:8/1;dp_shard:1/2;pp:1/4",
			[]string{
				"dp is not given: dp_shard 2, the rest of the 64 GPUs",
				"zero is not given: 2",
				"placement is not given: torchtitan's rank order pp-dp_replicate-dp_shard-cp-tp",
				"layers are not given: 20+21+20+19, torchtitan's own split",
			}},
		{"zero 0 replicates", "llama-3.1-8b", "zero=0,tp=1,cp=1,pp=1,vpp=1,sp=off,micro-batch=1,recompute=ops,layers=32",
			"tp=1,cp=1,pp=1,vpp=1,dp_shard=1,dp_replicate=64,micro-batch=1,sp=off,zero=0,recompute=ops,layers=32,placement=dp_replicate:8/8",
			[]string{
				"dp is not given: dp_replicate 64, the rest of the 64 GPUs",
				"placement is not given: torchtitan's rank order pp-dp_replicate-dp_shard-cp-tp",
			}},
		{"experts are whole", "qwen3-30b-a3b", "tp=2,cp=2,pp=1,vpp=1,ep=16,sp=on,zero=3,micro-batch=1,recompute=none,dp_shard=8,dp_replicate=2",
			"tp=2,cp=2,pp=1,vpp=1,dp_shard=8,dp_replicate=2,ep=16,etp=1,edp=4,micro-batch=1,sp=on,zero=3,recompute=none,layers=48,placement=tp:2/1;cp:2/1;dp_shard:2/4;dp_replicate:1/2;ep:8/2;edp:1/4",
			[]string{
				"etp is not given: 1",
				"placement is not given: torchtitan's rank order pp-dp_replicate-dp_shard-cp-tp",
				"layers are not given: 48, torchtitan's own split",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := job(t, c.model, 8, 8)
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			p, sentences, err := torchtitan.New().Fill(f, part)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !slices.Equal(sentences, c.sentences) {
				t.Errorf("got  %q\nwant %q", sentences, c.sentences)
			}
			if w := torchtitan.New().PlacementWarning(f, &p); w != "" {
				t.Error(w)
			}
		})
	}
}

func TestPlacementsOutsideTheMesh(t *testing.T) {
	for _, c := range []struct{ name, plan, want string }{
		{"replicas outside shards", "placement=dp_shard:8/1;dp_replicate:1/8", ""},
		{"shards outside replicas", "placement=dp_shard:1/8;dp_replicate:8/1",
			"placement needs a custom rank map: torchtitan's order pp-dp_replicate-dp_shard-cp-tp puts dp_shard 8/1 on nvlink/leaf, this plan 1/8"},
		{"pipelines inside a node", "placement=dp_shard:1/8;pp:8/1",
			"placement needs a custom rank map: torchtitan's order pp-dp_replicate-dp_shard-cp-tp puts dp_shard 8/1 on nvlink/leaf, this plan 1/8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			if got := torchtitan.New().PlacementWarning(job(t, "llama-3.1-8b", 8, 8), &part.Plan); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
