package measured

import (
	"meshplan/cost/profile"
	"testing"
)

func BenchmarkCalibrate(b *testing.B) {
	p, err := profile.Find("megatron")
	if err != nil {
		b.Fatal(err)
	}
	files, _ := profile.Catalogue()
	for _, f := range files {
		if f.Name == "megatron" {
			p = f
		}
	}
	t, err := loadTable("/tmp/mp/sets/vendor.csv")
	if err != nil {
		b.Fatal(err)
	}
	list, _ := catalogue()
	at := list.put(p)
	rows, _ := t.score(b.Context(), list)
	var of []scored
	for i := range rows {
		if s := &rows[i]; s.skip == nil && s.prediction.job.of.member.file == at {
			of = append(of, *s)
		}
	}
	l := &learner{list: list, at: at, rows: of}
	l.begin()
	b.ResetTimer()
	for b.Loop() {
		if _, err := l.learn(b.Context(), "", nil); err != nil {
			b.Fatal(err)
		}
	}
}
