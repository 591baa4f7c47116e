package cost

import (
	"math/rand/v2"
	"testing"

	"meshplan/plan"
)

// samples are boxes of rising size round random points.
func samples(b *testing.B, m *Model, n int) (boxes []plan.Box, plans []plan.Plan) {
	r := rand.New(rand.NewPCG(1, 2))
	for len(boxes) < n {
		pt, ok := randomPoint(r, m)
		usual(m, &pt)
		if !ok {
			continue
		}
		st, err := m.Split(&pt, plan.AllForms())
		if err != nil {
			continue
		}
		q := pt.Plan(len(m.cluster.Levels))
		q.Options.Stages = st
		plans = append(plans, q)
		box := randomBox(r, m, &pt)
		lo, hi := box.Least(), pt
		for c := range hi {
			hi[c] = box[c].Hi
		}
		usual(m, &lo)
		usual(m, &hi)
		for c := range box {
			box[c] = plan.Range{Lo: lo[c], Hi: hi[c]}
		}
		boxes = append(boxes, box)
	}
	return boxes, plans
}

// usual gives a point the options that a job searches without pins: rare ones
// stay at their default, and a profile without FSDP has no ZeRO stage above 1.
func usual(m *Model, pt *plan.Point) {
	for c := range plan.Coord(plan.NumOptions) {
		if c.Rare() {
			pt[c] = 0
		}
	}
	if !m.profile.Time.GatherEach {
		pt[plan.Zero] = min(pt[plan.Zero], plan.ZeroOptimizer)
	}
}

func BenchmarkBound(b *testing.B) {
	for _, s := range []subject{subjects[2], subjects[3], subjectCalled(b, "MoE on 256 H100 by FSDP2")} {
		b.Run(s.model+" "+s.profile, func(b *testing.B) {
			m := s.price(b)
			boxes, _ := samples(b, m, 256)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Bound(&boxes[i%len(boxes)])
			}
		})
	}
}

// BenchmarkPrice prices dense plans whose pipeline x micro-batches is at most
// 1,024, with their layer split given.
func BenchmarkPrice(b *testing.B) {
	m := subjects[2].price(b)
	_, all := samples(b, m, 2000)
	var plans []plan.Plan
	for _, p := range all {
		micro := m.workload.GlobalBatch / int64(p.DP()*p.Options.MicroBatch)
		if int64(p.Placement.Degree(plan.PP))*micro <= 1024 {
			plans = append(plans, p)
		}
	}
	m.tabulated() // as in a search, whose bounds come first
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Price(&plans[i%len(plans)])
	}
}

func BenchmarkSplit(b *testing.B) {
	m := subjects[2].price(b)
	_, plans := samples(b, m, 256)
	forms := plan.AllForms()
	for i := 0; b.Loop(); i++ {
		pt := plans[i%len(plans)].Point()
		if _, err := m.Split(&pt, forms); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSplitChunks splits 128 layers over 16 ranks of two chunks.
func BenchmarkSplitChunks(b *testing.B) {
	for _, name := range []string{"megatron-1t", "deepseek-v3", "llama-4-maverick"} {
		b.Run(name, func(b *testing.B) {
			o := *find(b, name)
			o.Layers = 128
			m := priced(b, &o, "h100", 1024, "megatron", "", 1024, 4096)
			p := degrees{tp: 8, pp: 16, vpp: 2, dp: 8, ep: 8, mb: 1, sp: true, zero: 1}.place(m.cluster)
			pt := p.Point()
			for b.Loop() {
				if _, err := m.Split(&pt, plan.AllForms()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		subjects[3].price(b)
	}
}
