package framework

import (
	"fmt"

	"meshplan/plan"
)

// fills is a rule of the kind "a step has enough micro-batches for the
// pipeline": at least pp less a few.
type fills struct {
	id      string
	reads   []plan.Coord // besides pp, dp and micro-batch
	less    int64
	applies func(*plan.Point) bool
	unless  string                   // why it need not hold where it does not apply
	with    func(*plan.Point) string // what asks for it: "vpp 2"
	needs   string                   // "vpp above 1 needs at least pp of them"
}

func (r fills) rule() Rule {
	return Rule{
		ID: r.id, Batch: true,
		Reads: append([]plan.Coord{plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.MicroBatch},
			r.reads...),
		Holds: func(f *Facts, p *plan.Point) bool {
			return !r.applies(p) || f.MicroBatches(p) >= int64(p.Degree(plan.PP))-r.less
		},
		Text: func(f *Facts, p *plan.Point) string {
			if !r.applies(p) {
				return r.unless
			}
			n := f.MicroBatches(p)
			return fmt.Sprintf("%d micro-batches with %s and pp %d; %s, so pp at most %d",
				n, r.with(p), p.Degree(plan.PP), r.needs, n+r.less)
		},
	}
}

// InterleaveFills: with vpp > 1 a group of at least pp micro-batches must pass
// through the pipeline.
func InterleaveFills(id string) Rule {
	return fills{
		id: id, reads: []plan.Coord{plan.VPP},
		applies: func(p *plan.Point) bool { return p[plan.VPP] > 1 }, unless: "vpp is 1",
		with:  func(p *plan.Point) string { return fmt.Sprintf("vpp %d", p[plan.VPP]) },
		needs: "vpp above 1 needs at least pp of them",
	}.rule()
}

// SingleStageFills: a schedule of one chunk a rank, 1F1B or GPipe, is refused
// with fewer micro-batches than stages.
func SingleStageFills(id string) Rule {
	return fills{
		id: id, reads: []plan.Coord{plan.VPP},
		applies: func(p *plan.Point) bool { return p[plan.VPP] == 1 && p.Degree(plan.PP) > 1 },
		unless:  "no pipeline of one chunk a rank",
		with:    func(*plan.Point) string { return "vpp 1" },
		needs:   "one chunk a rank needs at least pp of them",
	}.rule()
}

// WarmupFills: 1F1B needs the micro-batches that its first rank runs before its
// first backward, pp - 1; GPipe needs none.
func WarmupFills(id string) Rule {
	return fills{
		id: id, reads: []plan.Coord{plan.ScheduleC}, less: 1,
		applies: func(p *plan.Point) bool { return p[plan.ScheduleC] == 0 && p.Degree(plan.PP) > 1 },
		unless:  "no 1f1b pipeline",
		with:    func(*plan.Point) string { return "schedule 1f1b" },
		needs:   "1f1b needs at least pp - 1 of them",
	}.rule()
}
