package nanotron_test

import (
	"slices"
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/nanotron"
	"meshplan/models"
	"meshplan/plan"
)

func job(t *testing.T, model string) *framework.Facts {
	m, err := models.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	return &framework.Facts{
		Model:    m,
		Cluster:  &cluster.Cluster{Levels: []cluster.Level{{Name: "nvlink", Size: 8}, {Name: "leaf", Size: 4}}},
		Workload: plan.Workload{GlobalBatch: 64, SeqLen: 8192},
	}
}

func TestFillTakesNanotronsDefaultsAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		name, plan, want string
		sentences        []string
	}{
		{"a sharded optimizer, no sequence parallelism, its own balance", "tp=2,cp=1,pp=4,micro-batch=1,vpp=1,recompute=none",
			"tp=2,cp=1,pp=4,vpp=1,dp_shard=4,dp_replicate=1,micro-batch=1,sp=off,zero=1,recompute=none,layers=9*2+8+6,placement=tp:2/1;dp_shard:4/1;pp:1/4",
			[]string{
				"dp is not given: dp_shard 4, the rest of the 32 GPUs",
				"zero is not given: 1",
				"sp is not given: off",
				"placement is not given: nanotron's rank order pp-dp-cp-tp",
				"layers are not given: 9*2+8+6, nanotron's own split",
			}},
		{"a whole optimizer without data parallelism", "tp=2,cp=4,pp=4,dp=1,micro-batch=1,sp=on,vpp=1,recompute=full,layers=8*4",
			"tp=2,cp=4,pp=4,vpp=1,dp_shard=1,dp_replicate=1,micro-batch=1,sp=on,zero=0,recompute=full,layers=8*4,placement=tp:2/1;cp:4/1;pp:1/4",
			[]string{"zero is not given: 0", "placement is not given: nanotron's rank order pp-dp-cp-tp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			p, sentences, err := nanotron.New().Fill(job(t, "llama-3.1-8b"), part)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !slices.Equal(sentences, c.sentences) {
				t.Errorf("got  %q\nwant %q", sentences, c.sentences)
			}
		})
	}
}

// Worked out by hand from the shares of the whole cost. A layer of Llama-3.1-8B
// costs 4*4096*4096 + 3*14336*4096 = 243.3 M and its head 128256*4096 = 525.3 M,
// 2.16 layers; of four stages each has a share of 8.54 layers.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		name   string
		model  models.Model
		tp, pp int
		want   string
	}{
		{"one stage", models.Model{Layers: 32, Heads: 32, Hidden: 4096, FFN: 14336, Vocab: 128256}, 1, 1, "32"},
		{"four stages", models.Model{Layers: 32, Heads: 32, Hidden: 4096, FFN: 14336, Vocab: 128256}, 1, 4, "9*2+8+6"},
		{"a light head gives the first stages one more", models.Model{Layers: 8, Heads: 8, Hidden: 512, FFN: 2048, Vocab: 8}, 1, 4, "3+2*2+1"},
		{"a head as heavy as the layers has a stage of its own", models.Model{Layers: 4, Heads: 1, Hidden: 8, FFN: 8, Vocab: 200}, 1, 2, "4+0"},
		{"a vocabulary of one token", models.Model{Layers: 5, Heads: 1, Hidden: 8, FFN: 8, Vocab: 1}, 1, 2, "3+2"},
		{"the same, padded for tp 64", models.Model{Layers: 5, Heads: 1, Hidden: 8, FFN: 8, Vocab: 1}, 64, 2, "4+1"},
		{"a head so heavy that the last stage lacks it", models.Model{Layers: 6, Heads: 1, Hidden: 8, FFN: 8, Vocab: 280}, 1, 4, ""},
		{"more stages than layers", models.Model{Layers: 2, Heads: 1, Hidden: 8, FFN: 8, Vocab: 8}, 1, 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &framework.Facts{Model: &c.model}
			if got := plan.RunLength(nanotron.Balance(f, c.tp, c.pp, 1)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct{ name, plan, want string }{
		{"its own balance in its own order", "pp=4,layers=9*2+8+6,placement=dp_shard:8/1;pp:1/4", ""},
		{"other stages", "pp=4,layers=8*4,placement=dp_shard:8/1;pp:1/4",
			"nanotron balances the layers itself: it builds 9*2+8+6, this plan has 8*4"},
		{"another order", "pp=4,layers=8*4,placement=dp_shard:2/4;pp:4/1",
			"placement needs a custom rank map: nanotron's order pp-dp-cp-tp puts dp_shard 8/1 on nvlink/leaf, this plan 2/4"},
		{"no layers given", "placement=dp_shard:8/1;pp:1/4", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			if got := nanotron.New().PlacementWarning(job(t, "llama-3.1-8b"), &part.Plan); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
