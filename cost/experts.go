package cost

import (
	"math"
	"sync"

	"meshplan/models"
)

// expertTable is the forward time of one expert's two GEMMs against its rows,
// for every expert tensor-parallel degree below its length. Times do not rise
// with the degree, and degree x time does not fall.
type expertTable []*ramp

// maxETP is the largest expert tensor-parallel degree that is tabulated.
const maxETP = 64

// manyExperts is the number of experts over which a grouped GEMM's launch is
// spread when one expert's share is taken.
const manyExperts = 8

// newExpertTable tabulates the degrees up to most.
func (m *Model) newExpertTable(most int) expertTable {
	o := m.model
	if o.Experts == 0 {
		return nil
	}
	h, f := float64(o.Hidden), float64(o.MoEFFN)
	slower := m.slower * m.profile.Time.GroupedSlowdown.Value
	up, down := m.gates/(m.gates+1), 1/(m.gates+1)
	table := make(expertTable, most+1)
	for g := 1; g <= most; g++ {
		shard := f / float64(g)
		slower := slower * (float64(up*m.misaligned(m.gates*shard, h)) + float64(down*m.misaligned(h, shard)))
		kernels := m.kernels.of(g, func(rows float64) float64 { return m.expertKernels(rows, shard) })
		r := newRamp(func(rows float64) float64 {
			t := kernels[math.Ilogb(rows)] * slower
			if m.low.on {
				t = max(m.low.faster(t*m.low.slower, 2*m.low.launch/manyExperts), m.operands(rows, m.gates*shard, h)+m.operands(rows, h, shard))
			}
			return t
		})
		if g > 1 {
			for i := range r {
				r[i] = min(r[i], table[g-1][i])
				r[i] = max(r[i], table[g-1][i]*float64(g-1)/float64(g))
			}
		}
		table[g] = r
	}
	return table
}

func (t expertTable) of(etp float64) *ramp { return t[int(min(max(etp, 1), maxETP))] }

// expertKernels is the time of one expert's two GEMMs alone, of a group that
// fills the GPU.
func (m *Model) expertKernels(rows, shard float64) float64 {
	h := float64(m.model.Hidden)
	t := float64(m.gpu.GroupedGEMM(m.precision, manyExperts, rows, m.gates*shard, h)+
		m.gpu.GroupedGEMM(m.precision, manyExperts, rows, h, shard)) / manyExperts
	if best := float64(m.gpu.BestShape); best > 0 {
		t = max(t, 2*rows*(m.gates+1)*shard*h/best)
	}
	return t
}

// expertCurves are those times by degree, against rows of powers of two. Models
// of one job under several profiles share them.
type expertCurves struct {
	guard sync.Mutex
	times [maxETP + 1]*[rampPoints]float64
}

// of is the curve of a degree, made when it is first asked for.
func (c *expertCurves) of(etp int, seconds func(rows float64) float64) *[rampPoints]float64 {
	c.guard.Lock()
	defer c.guard.Unlock()
	if c.times[etp] == nil {
		var curve [rampPoints]float64
		for i := range curve {
			curve[i] = seconds(math.Ldexp(1, i))
		}
		c.times[etp] = &curve
	}
	return c.times[etp]
}

// expertTimes is the ramp of a degree.
func (m *Model) expertTimes(etp float64) *ramp {
	if m.lazy.ready.Load() {
		return m.lazy.experts.of(etp)
	}
	return m.lazy.expertsUpTo(m, int(min(max(etp, 1), maxETP))).of(etp)
}

// expertRows is the tokens that one expert of a rank computes on.
func (m *Model) expertRows(v *view) interval {
	per := m.seq * float64(m.model.TopK) * m.load / float64(m.model.Experts)
	return interval{
		per * v.mb.lo * v.ep.lo * v.etp.lo / (v.cp.hi * v.tp.hi),
		per * v.mb.hi * v.ep.hi * v.etp.hi / (v.cp.lo * v.tp.lo),
	}
}

// expertPass is the time of a rank's experts for one micro-batch, in either
// measure.
func (m *Model) expertPass(v *view, what measure) pass {
	local := float64(m.model.Experts) / v.ep.hi
	params := float64(m.params[models.MoE].Experts) / (v.ep.hi * v.etp.hi)
	copies := m.seq * float64(m.model.TopK) * m.load
	if what == slot {
		fwd := local * m.expertTimes(v.etp.hi).at(m.expertRows(v).lo)
		return m.grouped(fwd, params).plus(m.expertQuantise(v, copies, params, what))
	}
	rows := m.expertRows(v).hi
	fwd := copies * v.etp.lo * m.expertTimes(v.etp.lo).at(rows) / rows
	params *= v.tp.lo * v.cp.lo / v.mb.hi
	return m.grouped(fwd, params).plus(m.expertQuantise(v, copies, params, what))
}

// grouped is the pass of experts whose forward takes a time.
func (m *Model) grouped(fwd, params float64) pass {
	return pass{fwd: fwd, bwd: m.gemmBackward(fwd, params), inp: m.inputBackward(fwd), wgt: m.weightBackward(fwd, params)}
}
