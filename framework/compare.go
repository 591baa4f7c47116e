package framework

import (
	"fmt"

	"meshplan/plan"
)

// KVHeads: key/value heads are split by tp or, if there are fewer, replicated
// evenly: tp divides them or they divide tp. Multi-head latent attention has
// none.
func KVHeads(id string) Rule {
	holds := func(f *Facts, p *plan.Point) bool {
		kv, tp := int32(f.Model.KVHeads), p.Degree(plan.TP)
		return kv < 1 || f.Model.MLA() || kv%tp == 0 || tp%kv == 0
	}
	return Rule{
		ID: id, Reads: degreesOf([]plan.Dim{plan.TP}), Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			kv, tp := int32(f.Model.KVHeads), p.Degree(plan.TP)
			switch {
			case kv < 1 || f.Model.MLA():
				return "latent attention has no key/value heads to split"
			case holds(f, p):
				return fmt.Sprintf("%d key/value heads over tp %d", kv, tp)
			}
			ok := func(v int32) bool { return kv%v == 0 || v%kv == 0 }
			below, above := tp-1, tp+1
			for !ok(below) {
				below--
			}
			for !ok(above) {
				above++
			}
			return fmt.Sprintf("%d key/value heads neither divisible by tp %d nor a divisor of it; %s",
				kv, tp, nearest(int64(below), int64(above)))
		},
	}
}

// SPNeedsTP: sequence parallelism is defined along with tensor parallelism.
func SPNeedsTP(id string) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.TP), plan.SP},
		Holds: func(_ *Facts, p *plan.Point) bool { return p[plan.SP] == 0 || p.Degree(plan.TP) > 1 },
		Text: func(_ *Facts, p *plan.Point) string {
			return fmt.Sprintf("sp %s with tp %d; sp needs tp above 1", onOff(p), p.Degree(plan.TP))
		},
	}
}

func onOff(p *plan.Point) string {
	if p[plan.SP] == 1 {
		return "on"
	}
	return "off"
}

// MoENeedsSP: a framework that dispatches tokens from sequence slices refuses
// MoE with tp > 1 unless sp is on.
func MoENeedsSP(id string) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.TP), plan.SP},
		Holds: func(f *Facts, p *plan.Point) bool {
			return !f.MoE() || p.Degree(plan.TP) == 1 || p[plan.SP] == 1
		},
		Text: func(f *Facts, p *plan.Point) string {
			if !f.MoE() {
				return "the model has no experts"
			}
			return fmt.Sprintf("%d experts with tp %d and sp %s; tp above 1 needs sp on, or tp 1",
				f.Model.Experts, p.Degree(plan.TP), onOff(p))
		},
	}
}

// ExpertsNeedMoE: expert degrees above 1 need a model with routed experts.
func ExpertsNeedMoE(id string) Rule {
	return Rule{
		ID: id, Reads: degreesOf([]plan.Dim{plan.ETP, plan.EP}),
		Holds: func(f *Facts, p *plan.Point) bool {
			return f.MoE() || p.Degree(plan.EP) == 1 && p.Degree(plan.ETP) == 1
		},
		Text: func(f *Facts, p *plan.Point) string {
			return fmt.Sprintf("ep %d and etp %d on a model with %d experts; without experts both are 1",
				p.Degree(plan.EP), p.Degree(plan.ETP), f.Model.Experts)
		},
	}
}

// ChunksHoldLayers: every chunk of the pipeline holds a layer, save the first
// and last, which may hold the embedding or the head alone.
func ChunksHoldLayers(id string) Rule {
	most := func(f *Facts) int64 { return int64(f.Model.Layers + plan.MaxEmptyChunks) }
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.PP), plan.VPP},
		Holds: func(f *Facts, p *plan.Point) bool {
			return int64(p.Degree(plan.PP))*int64(p[plan.VPP]) <= most(f)
		},
		Text: func(f *Facts, p *plan.Point) string {
			pp, vpp := int64(p.Degree(plan.PP)), int64(p[plan.VPP])
			if pp*vpp <= most(f) {
				return fmt.Sprintf("%d layers, embedding and head for pp*vpp %d chunks", f.Model.Layers, pp*vpp)
			}
			return fmt.Sprintf("%d layers, embedding and head do not fill pp*vpp = %d*%d = %d chunks; at this pp, %s for vpp",
				f.Model.Layers, pp, vpp, pp*vpp, nearest(most(f)/pp, 0))
		},
	}
}

// InterleaveNeedsPipeline: vpp > 1 cuts the stages of a pipeline.
func InterleaveNeedsPipeline(id string) Rule {
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.PP), plan.VPP},
		Holds: func(_ *Facts, p *plan.Point) bool { return p[plan.VPP] == 1 || p.Degree(plan.PP) > 1 },
		Text: func(_ *Facts, p *plan.Point) string {
			return fmt.Sprintf("vpp %d with pp %d; vpp above 1 needs pp above 1", p[plan.VPP], p.Degree(plan.PP))
		},
	}
}
