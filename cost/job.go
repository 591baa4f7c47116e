package cost

import (
	"math"

	"meshplan/models"
	"meshplan/plan"
)

// job is what a layer split depends on: the pipeline, the time of a layer of
// each kind and of the head, the memory account and its limits.
type job struct {
	schedule plan.Schedule
	pp, vpp  int // columns and chunks a column, see pipe
	micro    float64
	layer    [models.NumKinds]pass
	head     pass
	hop      pass // exposed transfers of a rank and micro-batch
	wire     float64
	account  memory
	reserved float64 // reserved over allocated
	fit, run float64 // most reserved bytes to fit, and not to be refused
	usable   float64 // reserved bytes that there are
	fitting  fitting
	running  bool // splits that are refused are not asked for
}

func (m *Model) newJob(v *view) job {
	j := m.slots(v)
	j.pp, j.vpp, j.micro = int(v.cols.lo), max(1, int(v.vpp.lo)), math.Ceil(v.each.lo)
	j.schedule = plan.ScheduleOf(v.order.Lo, int32(j.vpp))
	if j.schedule == plan.DualPipe && int(v.pp.lo)%2 == 1 {
		j.pp = 0 // its ranks have no mirror images
	}
	j.account, j.reserved = m.account(v), m.profile.Memory.Reserved.Value
	j.usable = m.usable(v)
	j.run, j.fit = m.runLimit(j.usable), m.fitLimit(j.usable)
	if v.fitting && v.whole() {
		j.fitting = m.newFitting(v, &j)
	}
	return j
}

// slots is the part of a job that is the time of one micro-batch.
func (m *Model) slots(v *view) job {
	j := job{head: m.headPass(v, slot)}
	for k := range m.layers {
		if m.layers[k] > 0 {
			j.layer[k] = m.layerPass(v, models.Kind(k), slot)
		}
	}
	j.hop, j.wire = m.transfers(v)
	return j
}

// transfers is the stage-to-stage traffic of a rank and micro-batch: the time
// it is exposed, which is its latency at least, since each chunk waits for its
// input, and the time the rank's link is busy, which bounds its pace.
// Ranks of a tensor-parallel group each send their share of the activations
// (Narayanan et al. section 4.1). Overlapped passes hide them.
func (m *Model) transfers(v *view) (exposed pass, wire float64) {
	if v.pp.lo <= 1 {
		return pass{}, 0
	}
	t := &m.profile.Time
	share := t.P2PInterleaved.Value
	switch {
	case v.vpp.hi <= 1:
		share = t.P2PExposed.Value
	case v.vpp.lo <= 1:
		share = min(share, t.P2PExposed.Value)
	}
	pp := v.group(plan.PP)
	seconds := v.vpp.lo * m.transferSeconds(v)
	latency := v.vpp.lo * m.nets[plan.PP].hopSeconds(&pp, 0)
	late := max(latency, share*seconds)
	return pass{fwd: late, bwd: late, inp: late}, 2 * seconds
}

// transferSeconds is the time of one message between stages.
func (m *Model) transferSeconds(v *view) float64 {
	pp := v.group(plan.PP)
	return m.nets[plan.PP].hopSeconds(&pp, m.transferBytes(v))
}

// transferBytes is the size of one message between stages.
func (m *Model) transferBytes(v *view) float64 {
	return v.tokens.lo / v.tp.hi * m.bytes * float64(m.model.Hidden)
}

// stageTime is the time of a micro-batch through the layers.
func (j *job) stageTime(layers [models.NumKinds]float64) pass {
	var t pass
	for k, n := range layers {
		t = t.plus(j.layer[k].times(n))
	}
	return t
}

func (j *job) allocated(r int, layers [models.NumKinds]float64) float64 {
	f := j.inFlight(float64(r))
	return j.account.stage(float64(r), float64(j.pp), &f, layers)
}

// inFlight is the activations that rank r holds.
func (j *job) inFlight(r float64) flight {
	return flightOf(j.schedule, r, float64(j.pp), j.micro, float64(j.vpp))
}

// headRank is the rank that holds the output head.
func (j *job) headRank() int {
	if j.schedule.Folded() {
		return 0
	}
	return j.pp - 1
}

// rankTime is the time of rank r for one micro-batch.
func (j *job) rankTime(r int, layers [models.NumKinds]float64) pass {
	if !j.fitting.on {
		return j.timeOf(r, layers, layers)
	}
	return j.timeOf(r, layers, j.recomputed(r, layers))
}

// timeOf is that of a rank that recomputes some layers by a number of its own.
func (j *job) timeOf(r int, layers, repeated [models.NumKinds]float64) pass {
	t := j.stageTime(layers).plus(j.hop)
	if j.fitting.on {
		t = t.plus(j.fitting.repeated(repeated))
	}
	if r == j.headRank() {
		t = t.plus(j.head)
	}
	return t.atLeast(j.paced())
}

// paced is the least time of a rank whose link is its pace, given to its passes
// as work mostly is: a third to each of forward, input's and weights' gradient.
// What a rank waits must not depend on how long it works, or more work of one
// kind would make another shorter.
func (j *job) paced() pass {
	third := j.wire / 3
	return pass{fwd: third, bwd: 2 * third, inp: third, wgt: third, besideFwd: third, besideBwd: 2 * third}
}

// bearable reports whether a rank without layers stays within the limit.
func (j *job) bearable(r int, limit float64) bool {
	return j.allocated(r, [models.NumKinds]float64{})*j.reserved <= limit*(1+slack)
}
