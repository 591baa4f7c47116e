package any_test

import (
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/any"
	"meshplan/models"
	"meshplan/plan"
)

func TestFillLeavesExpertsWhole(t *testing.T) {
	f := &framework.Facts{
		Model:    &models.Model{Layers: 61, Heads: 64, KVHeads: 8, Experts: 64, TopK: 8, MoEFFN: 2048},
		Cluster:  &cluster.Cluster{Levels: []cluster.Level{{Name: "nvlink", Size: 8}, {Name: "leaf", Size: 4}}},
		Workload: plan.Workload{GlobalBatch: 64, SeqLen: 4096},
	}
	part, err := plan.Parse("tp=4,pp=4,ep=8")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := any.New().Fill(f, part)
	if err != nil {
		t.Fatal(err)
	}
	want := "tp=4,cp=1,pp=4,vpp=1,dp_shard=2,dp_replicate=1,ep=8,etp=1,edp=1,micro-batch=1,sp=on,zero=1,recompute=none," +
		"layers=15+16*2+14,placement=tp:4/1;dp_shard:2/1;pp:1/4;ep:8/1"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	point := p.Point()
	for _, r := range framework.Broken(f, framework.Rules(f, any.New(), nil), &point) {
		t.Errorf("%s: %s", r.ID, r.Text(f, &point))
	}
	if w := any.New().PlacementWarning(f, &p); w != "" {
		t.Error(w)
	}
}
