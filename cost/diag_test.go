package cost

import (
	"fmt"
	"testing"

	"meshplan/models"
	"meshplan/plan"
)

func TestDiag(t *testing.T) {
	for _, x := range []struct {
		s    int
		text string
	}{
		{1, "tp=4,cp=4,pp=32,vpp=4,dp_shard=32,dp_replicate=1,micro-batch=1,sp=on,zero=1,recompute=none,placement=tp:4/1/1;cp:1/4/1;dp_shard:2/8/2;pp:1/1/32"},
		{1, "tp=8,cp=1,pp=16,vpp=4,dp_shard=128,dp_replicate=1,micro-batch=1,sp=on,zero=1,recompute=none,placement=tp:8/1/1;dp_shard:1/32/4;pp:1/1/16"},
		{1, "tp=8,cp=1,pp=16,vpp=1,dp_shard=128,dp_replicate=1,micro-batch=1,sp=on,zero=1,recompute=none,placement=tp:8/1/1;dp_shard:1/32/4;pp:1/1/16"},
		{2, "tp=8,cp=1,pp=4,vpp=8,dp_shard=32,dp_replicate=1,micro-batch=2,sp=on,zero=1,recompute=none,placement=tp:8/1/1;dp_shard:1/32/1;pp:1/1/4"},
		{3, "tp=1,cp=1,pp=16,vpp=1,dp_shard=128,dp_replicate=1,ep=64,etp=1,edp=2,micro-batch=1,sp=off,zero=1,recompute=full,placement=dp_shard:8/16/1;ep:8/8/1;edp:1/2/1;pp:1/2/8"},
	} {
		m := subjects[x.s].price(t)
		pp, err := plan.Parse(x.text)
		if err != nil {
			t.Fatal(err)
		}
		p := pp.Plan
		p.Placement.Levels = int8(len(m.cluster.Levels))
		pt := p.Point()
		st, err := m.Split(&pt, plan.AllForms())
		if err != nil {
			t.Fatal(err)
		}
		p.Options.Stages = st
		f := m.Price(&p)
		b := pt.Box()
		g := m.Bound(&b)
		v := m.look(&b)
		tt := m.totals(&v)
		j := m.slots(&v)
		fmt.Println(x.text, st)
		fmt.Printf(" price %.4f bound %.4f ratio %.4f peak %.2f/%.2f\n", f.Step, g.Step, g.Step/f.Step, float64(g.Peak)/1e9, float64(f.Peak)/1e9)
		fmt.Printf(" mean %.4f slow %.4f split %.4f layers %.4f head %.4f\n", m.meanSpan(&v, &tt, &j), m.slowSpan(&v, &tt, &j), m.splitSpan(&v, &j), tt.layers.sum(), tt.head.sum())
		e := m.Explain(&p)
		var show func(tm Term, in string)
		show = func(tm Term, in string) {
			fmt.Printf("%s%-40s %.4f %s\n", in, tm.Name, tm.Value, tm.Note)
			for _, u := range tm.Terms {
				show(u, in+"  ")
			}
		}
		show(e.Time, "   ")
		_ = models.MoE
	}
}
