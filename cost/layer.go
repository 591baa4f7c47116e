package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// Two measures of the same work appear below. "Slot" is what one micro-batch
// takes on one rank. "Sequence" is slot x tp x cp / micro-batch: the GPU time
// of one sequence, in which the dimensions that share the work are cancelled,
// so that a whole step's total is batch x sequence / GPUs. On a plan both say
// the same; over a box each is a lower bound where the other is loose.

// pass is a forward and a backward time. Those below are set where schedules ask
// for them: of layers, the head and transfers.
type pass struct {
	fwd, bwd float64
	inp, wgt float64 // a backward cut in two: what the rank before waits for, and the weights' gradients
	// Beside a pass of the other direction, where each hides the other's communication.
	besideFwd, besideBwd float64
}

func (p pass) sum() float64 { return p.fwd + p.bwd }

// cut is the time with the backward in two parts, each with a floor of its own.
func (p pass) cut() float64 { return p.fwd + p.inp + p.wgt }

// beside is a forward and a backward beside each other.
func (p pass) beside() float64 { return p.besideFwd + p.besideBwd }

func (p pass) plus(q pass) pass {
	return pass{p.fwd + q.fwd, p.bwd + q.bwd, p.inp + q.inp, p.wgt + q.wgt, p.besideFwd + q.besideFwd, p.besideBwd + q.besideBwd}
}

func (p pass) times(f float64) pass {
	return pass{p.fwd * f, p.bwd * f, p.inp * f, p.wgt * f, p.besideFwd * f, p.besideBwd * f}
}

// measure selects slot or sequence.
type measure bool

const (
	slot     measure = false
	sequence measure = true
)

// spPick is the lesser of a pair over the sequence-parallel choices of a view.
func spPick(v *view, pair [2]float64) float64 {
	if v.sp.Lo == v.sp.Hi {
		return pair[v.sp.Lo]
	}
	return min(pair[0], pair[1])
}

// layerPass is one layer's forward and backward time, with what it does not
// hide of exchanging sharded weights and gradients and of moving activations to
// the host. The sequence measure leaves those two out.
//
// Where forwards run beside backwards, the all-to-all of experts of each hides
// behind the computation of the other, as far as that lasts (DeepSeek-V3, arXiv
// 2412.19437, section 3.2.1). What recompute repeats of it is not hidden.
func (m *Model) layerPass(v *view, kind models.Kind, what measure) pass {
	work, routing := m.layerWork(v, kind, what)
	p := m.accompanied(v, kind, what, work)
	if v.overlaps() {
		work.fwd, work.bwd = work.fwd-routing, work.bwd-routing
		alone := m.accompanied(v, kind, what, work)
		p.besideFwd, p.besideBwd = max(alone.fwd, routing), max(alone.bwd, routing)
	}
	return p
}

// accompanied is the time of a layer's work with what runs beside it.
func (m *Model) accompanied(v *view, kind models.Kind, what measure, p pass) pass {
	if what == sequence {
		return p
	}
	p = m.withUnit(v, kind, p.atLeast(m.hostFloor(v, kind)))
	if v.actOffload.Lo > 0 {
		p = p.atLeast(m.offloadTime(v, kind))
	}
	if m.gradsLeave(v) {
		p = p.atLeast(m.gradsTime(v, kind))
	}
	return p
}

// withUnit adds what a layer's work does not hide of its unit's exchange.
func (m *Model) withUnit(v *view, kind models.Kind, p pass) pass {
	if v.exchanges() {
		return m.behind(v, p, m.layerUnit(v, kind))
	}
	return p
}

// layerWork is the time of one layer's kernels and communication, recompute
// included, and the part of either pass that is the all-to-all of experts.
func (m *Model) layerWork(v *view, kind models.Kind, what measure) (p pass, routing float64) {
	w := m.workIn(v, part(kind), what)
	var experts pass
	if kind == models.MoE {
		experts = m.expertPass(v, what)
	}
	l := m.layerLinks(v, kind, what)
	core := m.attention(v, &w, &l, what)
	comm := l.tp + l.ep + l.etp
	fwd := spPick(v, w.fwd) + core.fwd + experts.fwd + comm
	bwd := spPick(v, w.bwd) + core.bwd + experts.bwd + comm
	again := m.repeated(v, kind, &w, &l, fwd, core.fwd, experts.fwd)
	bwd += again
	return pass{fwd: fwd, bwd: bwd, inp: spPick(v, w.inp) + core.bwd + experts.inp + comm + again, wgt: w.wgt + experts.wgt}, l.ep
}

func (p pass) atLeast(q pass) pass {
	return pass{max(p.fwd, q.fwd), max(p.bwd, q.bwd), max(p.inp, q.inp), max(p.wgt, q.wgt),
		max(p.besideFwd, q.besideFwd), max(p.besideBwd, q.besideBwd)}
}

// hostFloor is the time the host needs to launch one layer's kernels: a third
// of it in the forward pass, as much for the input's gradient and the weights',
// and once more what is recomputed in full or op by op. The MLP, which has half of
// the kernels, repeats half. Ranks of a tensor-parallel group that waits for others
// outside its domain add to it.
func (m *Model) hostFloor(v *view, kind models.Kind) pass {
	t := &m.profile.Time
	whole := t.HostLayer.Value
	if kind == models.MoE {
		whole = t.HostMoE.Value
	}
	if v.tp.lo > 1 {
		if tp := v.group(plan.TP); t.HostWideTP.Value > 0 && tp.leaves() {
			whole += float64(t.HostWideTP.Value * v.tp.lo)
		}
		if pp := v.group(plan.PP); t.HostPipelineTP.Value > 0 && pp.leaves() {
			whole += float64(t.HostPipelineTP.Value * v.tp.lo)
		}
	}
	third := whole / 3
	p := pass{fwd: third, bwd: 2 * third, inp: third, wgt: third}
	third *= 1 - percentOf(v.spare.Hi)
	switch lo, hi := plan.Recompute(v.recompute.Lo), plan.Recompute(v.recompute.Hi); {
	case lo == plan.RecomputeFull, lo == plan.RecomputeOps && hi == plan.RecomputeOps:
		p.bwd, p.inp = p.bwd+third, p.inp+third
	case lo >= plan.RecomputeOps:
		p.bwd, p.inp = p.bwd+third/2, p.inp+third/2
	}
	return p
}

// headPass is the time on the last stage of the output head and of the
// multi-token-prediction layers before it.
func (m *Model) headPass(v *view, what measure) pass {
	w := m.workIn(v, headPart, what)
	p := pass{fwd: spPick(v, w.fwd), bwd: spPick(v, w.bwd), inp: spPick(v, w.inp), wgt: w.wgt}
	if what == slot && v.exchanges() {
		p = m.behind(v, p, m.headUnit(v))
	}
	p.besideFwd, p.besideBwd = p.fwd, p.bwd
	return p.plus(m.mtpPass(v, what))
}
