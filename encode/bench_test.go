package encode_test

import (
	"testing"

	"meshplan/cluster"
	"meshplan/encode"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
)

func BenchmarkNew(b *testing.B) {
	for _, c := range []struct {
		model, cluster string
		batch, seq     int64
	}{
		{"llama-3.1-70b", "h100:256", 1024, 8192},
		{"llama-3.1-405b", "h100:16384", 2048, 8192},
		{"deepseek-v3", "h800:2048", 15360, 4096},
	} {
		b.Run(c.model+" on "+c.cluster, func(b *testing.B) {
			f := &framework.Facts{Workload: plan.Workload{GlobalBatch: c.batch, SeqLen: c.seq}}
			var err error
			if f.Model, err = models.Find(c.model); err != nil {
				b.Fatal(err)
			}
			if f.Cluster, err = cluster.Find(c.cluster); err != nil {
				b.Fatal(err)
			}
			rules := framework.Rules(f, megatron.New(), nil)
			var s *encode.Space
			for b.Loop() {
				if s, err = encode.New(f, rules, framework.NewDomains(f, megatron.New(), nil)); err != nil {
					b.Fatal(err)
				}
			}
			stats := s.Session().Stats()
			b.ReportMetric(float64(stats.Vars), "vars")
			b.ReportMetric(float64(stats.Clauses), "clauses")
			b.ReportMetric(float64(len(s.Leftover())), "leftover")
			b.ReportMetric(s.RawCombinations(), "raw")
		})
	}
}
