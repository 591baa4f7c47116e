package search

import (
	"context"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
)

// named is a problem of the catalogue.
type named struct {
	name, model, cluster string
	batch, seq           int64
}

var acceptance = []named{
	{"GPT3-1024", "gpt3-175b", "a100:1024", 1536, 2048},
	{"Megatron1T-4096", "megatron-1t", "a100:4096", 4096, 2048},
	{"Llama405B-16384", "llama-3.1-405b", "h100:16384", 2048, 8192},
	{"DeepSeekV3-2048", "deepseek-v3", "h800:2048", 15360, 4096},
}

func (n named) problem(t testing.TB) *Problem {
	t.Helper()
	m, err := models.Find(n.model)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Find(n.cluster)
	if err != nil {
		t.Fatal(err)
	}
	fw := megatron.New()
	prof, err := profile.Find(fw.Profile())
	if err != nil {
		t.Fatal(err)
	}
	return &Problem{
		Facts: framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{
			GlobalBatch: n.batch, SeqLen: n.seq, Precision: plan.BF16, LoadFactor: 1,
		}},
		Framework: fw, Profile: prof, Top: 1, Jobs: 1,
	}
}

func BenchmarkProof(b *testing.B) {
	for _, n := range acceptance {
		b.Run(n.name, func(b *testing.B) {
			p := n.problem(b)
			for b.Loop() {
				r, err := Best(context.Background(), p, Limits{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Stats.Bounds), "bounds/op")
				b.ReportMetric(float64(r.Stats.Priced), "priced/op")
				if len(r.Plans) > 0 {
					b.Log(r.Status, r.Plans[0].Text, r.Plans[0].StepSeconds, r.Plans[0].MFU)
				} else {
					b.Log(r.Status, r.Reasons)
				}
			}
		})
	}
}
