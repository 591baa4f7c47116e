package cost

import (
	"meshplan/cluster"
	"meshplan/plan"
	"meshplan/units"
)

// In fp8 the linear layers of the transformer layers run on 8-bit operands. The
// output head, the router and the attention core stay in bf16, as do weights,
// gradients and what travels between ranks (Transformer Engine's fp8_autocast
// over Megatron core).
//
// The rate of a GEMM is the bf16 curve's at the precision's peak, times the
// profile's fp8_gemm_share and its own rate of the GPU in that precision. Each
// operand has to be quantised, by kernels that move memory: the input and the
// weight in forward, the gradient of the output in backward. Weights are quantised
// for every micro-batch.

// lowPrecision is how the GEMMs of an fp8 job differ from bf16's; its zero value
// is a job that has none.
type lowPrecision struct {
	on       bool
	slower   float64 // slowdown of a GEMM in the job, over that of bf16's
	speed    float64 // bf16's time over this precision's, of a large GEMM
	launch   float64 // seconds of a GEMM that does nothing
	quantise float64 // bytes moved for each element of an operand
	input    float64 // bytes of a kept element
	saved    float64 // bytes by which it is smaller than bf16's
}

// Rate is the dense peak at which a job of the precision runs its GEMMs on the
// GPU; 0 when it cannot. All kinds of fp8 have one rate; mxfp8 needs a GPU that
// scales blocks in hardware, as those with fp4 do.
func Rate(g *cluster.GPU, p plan.Precision) units.FLOPsPerSecond {
	switch p {
	case plan.MXFP8:
		if g.PeakOf("fp4") == 0 {
			return 0
		}
		return g.PeakOf(plan.FP8)
	case plan.FP8Block:
		return g.PeakOf(plan.FP8)
	case plan.NVFP4:
		return g.PeakOf("fp4")
	}
	return g.PeakOf(p)
}

// isLow reports a precision of less than 16 bits.
func isLow(p plan.Precision) bool {
	return p == plan.FP8 || p == plan.FP8Block || p == plan.MXFP8 || p == plan.NVFP4
}

// newLowPrecision describes the workload's precision; m.peak is bf16's already.
func (m *Model) newLowPrecision(p plan.Precision) lowPrecision {
	if !isLow(p) {
		return lowPrecision{}
	}
	t := &m.profile.Time
	bytes := map[plan.Precision]float64{
		plan.FP8: t.QuantiseTensor.Value, plan.FP8Block: t.QuantiseBlock.Value, plan.MXFP8: t.QuantiseMX.Value,
		plan.NVFP4: t.QuantiseFP4.Value,
	}[p]
	kept := m.profile.Memory.FP8Input.Value
	if p == plan.NVFP4 {
		kept = min(kept, fp4Input)
	}
	return lowPrecision{
		on: true, slower: m.profile.GEMMShare(m.gpu.Name, m.precision) / m.profile.GEMMShare(m.gpu.Name, p),
		speed: m.rate / m.peak * t.FP8Share.Value, quantise: bytes,
		launch: float64(m.gpu.GEMM(m.precision, 1, 1, 1)), saved: m.bytes - kept, input: kept,
	}
}

// fp4Input is the bytes of an element in nvfp4: 4 bits, and an 8-bit scale for
// each 16.
const fp4Input = 0.5625

// linearTime is the time of one GEMM of a transformer layer, without quantising
// its operands.
func (m *Model) linearTime(rows float64, g gemm) float64 {
	t := m.gemmTime(rows, g.n, g.k)
	if !m.low.on || g.high {
		return t
	}
	return max(m.low.faster(t*m.low.slower, m.low.launch), m.operands(rows, g.n, g.k))
}

// faster is the fp8 time of a kernel that takes t in bf16, its launch included.
func (l *lowPrecision) faster(t, launch float64) float64 { return launch + max(0, t-launch)/l.speed }

// operands is the least time to move a GEMM's 8-bit operands and its output.
func (m *Model) operands(rows, n, k float64) float64 {
	in := m.low.input
	return (float64(in*(float64(rows*k)+float64(n*k))) + float64(m.bytes*rows*n)) / float64(m.gpu.HBM)
}

// quantise is the time to quantise so many elements.
func (m *Model) quantise(elements float64) float64 { return elements * m.low.quantise / m.hbm }

// expertQuantise is the time to quantise the operands of a rank's experts, in
// either measure. copies is the routed copies of a sequence's tokens.
func (m *Model) expertQuantise(v *view, copies, params float64, what measure) pass {
	if !m.low.on {
		return pass{}
	}
	h, f := float64(m.model.Hidden), float64(m.model.MoEFFN)
	in, out := float64(h*v.etp.lo)+f, float64(h*v.etp.lo)+float64(m.gates*f)
	if what == slot {
		copies *= v.mb.lo / (v.cp.hi * v.tp.hi)
	}
	back := m.quantise(copies * out)
	return pass{fwd: m.quantise(float64(copies*in) + params), bwd: back, inp: back}
}

// fp8Warning says what an fp8 plan's times rest on.
func (m *Model) fp8Warning() []string {
	if !m.low.on {
		return nil
	}
	kind := "fp8"
	if m.workload.Precision == plan.NVFP4 {
		kind = "fp4"
	}
	return []string{kind + " GEMMs of " + m.gpu.Name + " are not measured here: its bf16 curve is used at the " + kind + " peak, with what quantising the operands moves"}
}
