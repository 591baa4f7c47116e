package torchtitan

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
)

// roundsDivide: the interleaved schedule runs max(1, M div pp) rounds of equally
// many micro-batches (ScheduleInterleaved1F1B and
// ScheduleInterleavedZeroBubble in PyTorch), M of them in all.
func roundsDivide(id string) framework.Rule {
	return framework.Rule{
		ID: id, Batch: true,
		Reads: []plan.Coord{plan.VPP, plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate),
			plan.MicroBatch, plan.ScheduleC},
		Holds: func(f *framework.Facts, p *plan.Point) bool {
			micro := f.MicroBatches(p)
			return !framework.InRounds(p) || micro%rounds(micro, p) == 0
		},
		Text: func(f *framework.Facts, p *plan.Point) string {
			micro := f.MicroBatches(p)
			switch {
			case p[plan.VPP] == 1:
				return "vpp is 1"
			case !framework.InRounds(p):
				return "the chunks of a V run in no rounds"
			case micro%rounds(micro, p) == 0:
				return fmt.Sprintf("%d micro-batches in %d equal rounds", micro, rounds(micro, p))
			}
			below, above := micro-1, micro+1
			for below%rounds(below, p) != 0 {
				below--
			}
			for above%rounds(above, p) != 0 {
				above++
			}
			return fmt.Sprintf("%d micro-batches with vpp %d and pp %d are not divisible by their %d rounds; nearest %d, %d",
				micro, p[plan.VPP], p.Degree(plan.PP), rounds(micro, p), below, above)
		},
	}
}

// zeroBubbleInterleaves: ScheduleInterleavedZeroBubble is one of the multi-stage
// schedules, which torchtitan builds with two stages a rank or more.
func zeroBubbleInterleaves(id string) framework.Rule {
	return framework.Stated{
		Reads: []plan.Coord{plan.VPP, plan.ScheduleC},
		Holds: func(_ *framework.Facts, p *plan.Point) bool {
			return p[plan.ScheduleC] != plan.ZBH1.Value() || p[plan.VPP] > 1
		},
		Given: func(_ *framework.Facts, p *plan.Point) string {
			return fmt.Sprintf("schedule %s with vpp %d", plan.ScheduleC.Format(p[plan.ScheduleC]), p[plan.VPP])
		},
		Needs: "InterleavedZeroBubble runs two stages a rank or more",
	}.Rule(id)
}

// rounds is the number of rounds of so many micro-batches.
func rounds(micro int64, p *plan.Point) int64 { return max(1, micro/int64(p.Degree(plan.PP))) }

// untiedPipeline: a pipeline cannot keep the embedding and the output head as
// one tensor.
func untiedPipeline(id string) framework.Rule {
	holds := func(f *framework.Facts, p *plan.Point) bool { return p.Degree(plan.PP) == 1 || !f.Model.TieEmbeddings }
	return framework.Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.PP)}, Holds: holds,
		Text: func(f *framework.Facts, p *plan.Point) string {
			pp := p.Degree(plan.PP)
			switch {
			case !f.Model.TieEmbeddings:
				return "the embedding and the head are tensors of their own"
			case holds(f, p):
				return "the embedding and the head are on one rank"
			}
			return fmt.Sprintf("pp %d with tied embedding and head; tied weights need pp 1", pp)
		},
	}
}
