package search

import (
	"math"

	"meshplan/cost"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/units"
)

// fake is a small price model with an exact bound: both come from the same
// arithmetic over boxes. Its times are rounded down to coarse steps, so that
// many plans tie.
type fake struct {
	facts  *framework.Facts
	gpus   float64
	grain  float64 // seconds; 0 for none
	usable units.Bytes
	refuse float64
	before func() // called at each Bound
}

// of is a copy of the model for a problem on the same or another cluster.
func (f fake) of(p *Problem) *fake {
	f.facts, f.gpus = &p.Facts, float64(p.Facts.Cluster.GPUs())
	return &f
}

func (f *fake) Margin() float64       { return 0.1 }
func (f *fake) RefuseMargin() float64 { return f.refuse }

func (f *fake) Split(p *plan.Point, forms []plan.SplitForm) (plan.Stages, error) {
	pp, vpp := p.Degree(plan.PP), p[plan.VPP]
	for _, form := range forms {
		if layers, ok := form.Default(f.facts.Model.Layers, int(pp), int(vpp)); ok {
			return plan.Stages{Form: form, Text: plan.RunLength(layers)}, nil
		}
	}
	return plan.Stages{}, &cost.NoForm{PP: pp, VPP: vpp}
}

func (f *fake) Price(p *plan.Plan) cost.Figures {
	pt := p.Point()
	box := pt.Box()
	b := f.Bound(&box)
	v := cost.DoesNotFit
	switch {
	case b.Peak <= fits.limit(b.Usable, marginsOf(f)):
		v = cost.Fits
	case b.Peak <= runs.limit(b.Usable, marginsOf(f)):
		v = cost.Borderline
	}
	return cost.Figures{Step: b.Step, Peak: b.Peak, Usable: b.Usable, Verdict: v}
}

func (f *fake) Explain(p *plan.Plan) cost.Estimate {
	e := cost.Estimate{Figures: f.Price(p)}
	e.Allocated = e.Peak
	e.Time = cost.Term{Name: "step", Value: float64(e.Step)}
	e.Stages = []cost.StageMemory{{Layers: f.facts.Model.Layers, Allocated: e.Peak, Reserved: e.Peak,
		Terms: []cost.Term{{Name: "everything", Value: float64(e.Peak)}}}}
	return e
}

func (f *fake) Assumptions(...*plan.Plan) []string { return nil }

func (f *fake) Timetable(*plan.Plan) (cost.Timetable, bool) { return cost.Timetable{}, false }

func (f *fake) Bound(b *plan.Box) cost.Bound {
	if f.before != nil {
		f.before()
	}
	return cost.Bound{Step: f.step(b), Peak: f.peak(b), Usable: f.usable}
}

// most is the largest product of the dimensions in the box.
func (f *fake) most(b *plan.Box, dims ...plan.Dim) float64 {
	n := 1.0
	for _, d := range dims {
		n *= float64(b[d].Hi)
	}
	return min(n, f.gpus)
}

func (f *fake) step(b *plan.Box) units.Seconds {
	compute := 64 / f.most(b, plan.TP, plan.CP, plan.DPShard, plan.DPReplicate, plan.PP)
	compute *= 1 + 0.15*float64(b[plan.RecomputeC].Lo)
	compute *= 1 + 0.3/float64(b[plan.MicroBatch].Hi)
	micro := float64(f.facts.Workload.GlobalBatch) /
		(float64(b[plan.DPShard].Lo) * float64(b[plan.DPReplicate].Lo) * float64(b[plan.MicroBatch].Lo))
	compute *= 1 + (float64(b[plan.PP].Lo)-1)/(micro*float64(b[plan.VPP].Hi))
	t := compute
	for d, weight := range [...]float64{plan.TP: 0.5, plan.CP: 0.3, plan.DPShard: 0.2, plan.DPReplicate: 0.15,
		plan.PP: 0.1, plan.ETP: 0.4, plan.EP: 0.25, plan.EDP: 0.12} {
		degree := b[d]
		t += weight * (1 - 1/float64(degree.Lo))
		for l := range f.facts.Cluster.Levels {
			out := float64(degree.Lo) / float64(b[plan.At(plan.Dim(d), l)].Hi)
			t += weight * 0.2 * float64(l+1) * max(0, 1-1/out)
		}
	}
	if b[plan.TP].Lo > 1 && b[plan.SP].Hi == 0 {
		t += 0.3
	}
	t += 0.02 * float64(b[plan.VPP].Lo)
	order := math.Inf(1)
	for s := b[plan.ScheduleC].Lo; s <= b[plan.ScheduleC].Hi; s++ {
		order = min(order, [...]float64{0.2, 0.3, 0.1, 0.15, 0.05, 0.12}[s])
	}
	t += order * (1 - 1/float64(b[plan.PP].Lo))
	if f.grain > 0 {
		t = math.Floor(t/f.grain+1) * f.grain
	}
	return units.Seconds(t)
}

func (f *fake) peak(b *plan.Box) units.Bytes {
	weights := 200 / f.most(b, plan.TP, plan.PP)
	if f.facts.MoE() {
		weights = 60/f.most(b, plan.TP, plan.PP) + 140/f.most(b, plan.ETP, plan.EP, plan.PP)
	}
	state := 300 / f.most(b, plan.TP, plan.PP, plan.DPShard, plan.CP)
	kept := [...]float64{1, 0.6, 0.5, 0.3, 0.15}[b[plan.RecomputeC].Hi]
	inFlight := 1 + 1/float64(b[plan.VPP].Hi)
	acts := 40 * kept * inFlight * float64(b[plan.MicroBatch].Lo) / f.most(b, plan.TP, plan.CP)
	if b[plan.SP].Hi == 0 {
		acts *= 1.5
	}
	return units.Bytes(math.Floor(weights + state + acts))
}
