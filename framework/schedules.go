package framework

import (
	"fmt"

	"meshplan/plan"
)

// scheduleOf is the schedule at a point.
func scheduleOf(p *plan.Point) plan.Schedule { return plan.ScheduleOf(p[plan.ScheduleC], p[plan.VPP]) }

// chunksOfSchedule: GPipe and DualPipe run one chunk of layers per rank, the
// other V-shaped schedules two.
func chunksOfSchedule(id string) Rule {
	holds := func(_ *Facts, p *plan.Point) bool {
		only := scheduleOf(p).Chunks()
		return only == 0 || p[plan.VPP] == only
	}
	return Rule{
		ID: id, Reads: []plan.Coord{plan.VPP, plan.ScheduleC}, Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			given := fmt.Sprintf("schedule %s with vpp %d", scheduleOf(p), p[plan.VPP])
			if holds(f, p) {
				return given
			}
			return given + fmt.Sprintf("; it runs %d a rank, so vpp %d", scheduleOf(p).Chunks(), scheduleOf(p).Chunks())
		},
	}
}

// SplitBackwardNeedsPipeline: schedules that cut the backward in two fill the
// bubble of a pipeline; DualPipe pairs its ranks.
func SplitBackwardNeedsPipeline(id string) Rule {
	return Stated{
		Reads: []plan.Coord{plan.Coord(plan.PP), plan.ScheduleC},
		Holds: func(_ *Facts, p *plan.Point) bool {
			s, pp := scheduleOf(p), p.Degree(plan.PP)
			return s < plan.ZBH1 || pp > 1 && (s != plan.DualPipe || pp%2 == 0)
		},
		Given: func(_ *Facts, p *plan.Point) string {
			return fmt.Sprintf("schedule %s with pp %d", scheduleOf(p), p.Degree(plan.PP))
		},
		Needs: "zb-h1, zb-v and dualpipev need pp above 1, dualpipe an even pp",
	}.Rule(id)
}

// DualPipeFills: the two directions of DualPipe need two micro-batches for each
// of the model's stages together, and as many each; the chunks of DualPipeV one
// each (dualpipe.py, and ScheduleDualPipeV in PyTorch).
func DualPipeFills(id string) Rule {
	return readsBatch(Stated{
		Reads: []plan.Coord{plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.MicroBatch, plan.ScheduleC},
		Holds: func(f *Facts, p *plan.Point) bool {
			s, micro := scheduleOf(p), f.MicroBatches(p)
			return s < plan.DualPipe || micro >= 2*int64(p.Degree(plan.PP)) && (s != plan.DualPipe || micro%2 == 0)
		},
		Given: func(f *Facts, p *plan.Point) string {
			return fmt.Sprintf("schedule %s with %d micro-batches and pp %d", scheduleOf(p), f.MicroBatches(p), p.Degree(plan.PP))
		},
		Needs: "dualpipe and dualpipev need 2*pp micro-batches or more, dualpipe an even number",
	}.Rule(id))
}

// InRounds reports whether the chunks of a rank run in rounds of micro-batches,
// as interleaved schedules do; the chunks of a V take turns.
func InRounds(p *plan.Point) bool { return p[plan.VPP] > 1 && !scheduleOf(p).Folded() }

// RoundsOfPP is InterleaveRounds for frameworks that have V-shaped schedules,
// whose chunks run in no rounds.
func RoundsOfPP(id string) Rule {
	return readsBatch(Stated{
		Reads: []plan.Coord{plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.MicroBatch,
			plan.VPP, plan.ScheduleC},
		Holds: func(f *Facts, p *plan.Point) bool {
			return !InRounds(p) || f.MicroBatches(p)%int64(p.Degree(plan.PP)) == 0
		},
		Given: func(f *Facts, p *plan.Point) string {
			return fmt.Sprintf("%d micro-batches with vpp %d and pp %d", f.MicroBatches(p), p[plan.VPP], p.Degree(plan.PP))
		},
		Needs: "interleaved chunks run rounds of pp micro-batches, so pp must divide them",
	}.Rule(id))
}

// NoMTPOfCutBackwards: multi-token-prediction layers are planned where a backward is
// whole: how long their activations wait for weights' gradients is not counted.
func NoMTPOfCutBackwards(id string) Rule {
	return Stated{
		Reads: []plan.Coord{plan.VPP, plan.ScheduleC},
		Holds: func(f *Facts, p *plan.Point) bool { return f.Workload.MTP == 0 || scheduleOf(p) < plan.ZBH1 },
		Given: func(f *Facts, p *plan.Point) string {
			return fmt.Sprintf("schedule %s with mtp %d", scheduleOf(p), f.Workload.MTP)
		},
		Needs: "multi-token-prediction layers are planned under 1f1b, interleaved and gpipe alone",
	}.Rule(id)
}

// OneSpareOfCutBackwards: stages have numbers of recomputed layers of their own only
// where a backward is whole: how long activations wait for weights' gradients is not
// weighed against them.
func OneSpareOfCutBackwards(id string) Rule {
	return Stated{
		Reads: []plan.Coord{plan.RecomputeSpare, plan.ScheduleC},
		Holds: func(_ *Facts, p *plan.Point) bool {
			return p[plan.RecomputeSpare] != plan.SpareFitting || scheduleOf(p) < plan.ZBH1
		},
		Given: func(_ *Facts, p *plan.Point) string {
			return fmt.Sprintf("schedule %s with recompute-spare %s", scheduleOf(p), plan.RecomputeSpare.Format(p[plan.RecomputeSpare]))
		},
		Needs: "a number for each stage is planned under 1f1b, interleaved and gpipe alone",
	}.Rule(id)
}
