package cost

import (
	"math"

	"meshplan/plan"
)

// pipe is a view's pipeline as its schedules run it. The two directions of
// DualPipe are mirror images: rank r and rank pp-1-r hold the same stages and each
// runs half of the micro-batches in the same order, which is that of DualPipeV over
// pp/2 ranks. One column stands for both.
type pipe struct {
	order  plan.Range // values of ScheduleC
	cols   interval   // ranks, of DualPipe pairs of ranks
	each   interval   // micro-batches that one of them runs
	gpipe  bool       // every plan runs all forwards first
	folded bool       // every plan has the first and the last chunk on one rank
}

// setPipe sets the pipeline and, where the schedule says it, the chunks.
func (v *view) setPipe(b *plan.Box) {
	v.order = b[plan.ScheduleC]
	v.cols, v.each = v.pp, v.micro
	v.gpipe = v.order.Single() && v.order.Lo == plan.GPipe.Value()
	if v.order.Hi < plan.ZBV.Value() {
		return
	}
	v.folded = v.order.Lo >= plan.ZBV.Value()
	if v.folded {
		v.vpp = interval{2, 2}
	} else {
		v.vpp = interval{min(v.vpp.lo, 2), max(v.vpp.hi, 2)}
	}
	if dual := plan.DualPipe.Value(); v.order.Contains(dual) {
		v.cols.lo, v.each.lo = math.Ceil(v.pp.lo/2), v.micro.lo/2
		if v.order.Single() {
			v.cols.hi, v.each.hi = max(v.cols.lo, math.Floor(v.pp.hi/2)), v.micro.hi/2
		}
	}
}

// whole reports whether no plan cuts its backward in two.
func (p *pipe) whole() bool { return p.order.Hi < plan.ZBH1.Value() }

// overlaps reports whether some plan runs forwards beside backwards.
func (p *pipe) overlaps() bool { return p.order.Hi >= plan.DualPipe.Value() }

// busy is a lower bound of the time that a rank is busy with a pass.
func (p *pipe) busy(t pass) float64 {
	if p.overlaps() {
		return t.beside()
	}
	return t.sum()
}
