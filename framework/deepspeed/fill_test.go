package deepspeed_test

import (
	"slices"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/deepspeed"
	"meshplan/models"
	"meshplan/plan"
)

func TestFillTakesDeepSpeedsDefaultsAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		name, plan, want string
		sentences        []string
	}{
		{"context parallelism is Ulysses", "cp=4",
			"tp=1,cp=4,pp=1,vpp=1,dp_shard=8,dp_replicate=1,micro-batch=1,sp=off,zero=1,recompute=none,cp-comm=a2a,layers=32,placement=cp:4/1;dp_shard:2/4",
			[]string{"zero is not given: 1", "sp is not given: off", "cp-comm is not given: a2a"}},
		{"a given communication is kept", "cp=4,cp-comm=p2p",
			"tp=1,cp=4,pp=1,vpp=1,dp_shard=8,dp_replicate=1,micro-batch=1,sp=off,zero=1,recompute=none,layers=32,placement=cp:4/1;dp_shard:2/4",
			[]string{"zero is not given: 1"}},
		{"the first stages hold the remainder", "tp=2,pp=5,dp=3,zero=1",
			"tp=2,cp=1,pp=5,vpp=1,dp_shard=3,dp_replicate=1,micro-batch=1,sp=off,zero=1,recompute=none,layers=7*2+6*3",
			[]string{"layers are not given: 7*2+6*3, DeepSpeed's own split",
				"placement is not given: DeepSpeed's rank order pipe-data-sequence-model"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := models.Load("llama-3.1-8b")
			if err != nil {
				t.Fatal(err)
			}
			levels := []cluster.Level{{Name: "nvlink", Size: 8}, {Name: "leaf", Size: 4}}
			if strings.Contains(c.plan, "pp=5") {
				levels = []cluster.Level{{Name: "nvlink", Size: 6}, {Name: "leaf", Size: 5}}
			}
			f := &framework.Facts{Model: m, Cluster: &cluster.Cluster{Levels: levels}, Workload: plan.Workload{GlobalBatch: 96, SeqLen: 8192}}
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			p, sentences, err := deepspeed.New().Fill(f, part)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.String(); !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			for _, s := range c.sentences {
				if !slices.Contains(sentences, s) {
					t.Errorf("%q is not among %q", s, sentences)
				}
			}
			if w := deepspeed.New().PlacementWarning(f, &p); w != "" {
				t.Error(w)
			}
		})
	}
}

func TestPartitionMethodsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		tied       bool
		want       string
	}{
		{"the layers alone", "pp=4,layers=8*4", false, "layers 8*4 by partition method type:transformer"},
		{"both ends of an untied model", "pp=2,layers=16*2", false, "layers 16*2 by partition method type:transformer"},
		{"embedding and head", "pp=17,layers=1+2*15+1", false, "layers 1+2*15+1 by partition method type:transformer|embedding|lmhead"},
		{"the tied embedding", "pp=17,layers=1+2*15+1", true, "layers 1+2*15+1 by partition method type:transformer|embedding"},
		{"the embedding alone", "pp=3,layers=10+11*2", false, "layers 10+11*2 by partition method type:transformer|embedding"},
		{"no method", "pp=3,layers=9+10+13", false,
			"layers 9+10+13 are not what a partition method gives; type:transformer gives 11*2+10; type:transformer|embedding|lmhead gives 11*2+10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &framework.Facts{Model: &models.Model{Layers: 32, TieEmbeddings: c.tied}}
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			r := deepspeed.Partitioned("DS-P2")
			if got := r.Text(f, &part.Plan); got != c.want || r.Holds(f, &part.Plan) == strings.Contains(got, "not what") {
				t.Errorf("holds %v: %s\nwant %s", r.Holds(f, &part.Plan), got, c.want)
			}
		})
	}
}
