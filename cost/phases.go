package cost

import "meshplan/models"

// A stage's memory is largest at one of three times:
//
//	loss      state, activations, and on the last stage the logits
//	backward  state, activations, and what one layer's backward needs beside them
//	step      state with all gradients, and the optimizer's temporaries
//
// The head's backward is over, and its logits are freed, before a layer's
// begins; activations are gone when the optimizer steps. The peaks that torch
// reports for full fine-tuning under FSDP (fms-acceleration, scripts/benchmarks)
// follow these three sums to 1 %, whichever is the largest.

// working is what one layer's backward needs beside state and activations.
func (a *memory) working() float64 { return a.transient + a.units }

// atLoss and inBackward are what the last stage has beside state and
// activations at the first two times.
func (a *memory) atLoss() float64     { return a.headKept + a.headUnit }
func (a *memory) inBackward() float64 { return a.working() + a.headGrads }

// beyond is what the last stage has beyond a layer's needs at the larger of
// the two.
func (a *memory) beyond() float64 { return max(a.atLoss(), a.inBackward()) - a.working() }

// setStep sets the memory of the optimizer's step: state with all gradients and
// temporaries as large as the weights stepped.
func (m *Model) setStep(v *view, a *memory) {
	r := m.recipe
	r.Optimizer += float64(m.profile.Memory.StepCopies.Value * r.Stepped())
	per := m.stateUnder(v, &r)
	for k := range a.layer {
		if m.layers[k] > 0 {
			h := &m.held[k]
			a.layer[k].step = float64(h.split*per.split) + float64(h.whole*per.whole) + float64(h.experts*per.experts)
		}
	}
	var head float64
	a.embedStep, head, a.headStep = m.endState(v, &per)
	if !(m.model.TieEmbeddings && (v.pp.hi <= 1 || v.folded)) {
		a.headStep += head
	}
	a.headStep += m.mtpState(v, &per)
}

// stepOf is the memory of the optimizer's step on rank r of p.
func (a *memory) stepOf(r, p float64, layers [models.NumKinds]float64) float64 {
	total := a.fixed
	for k := range layers {
		total += float64(layers[k] * a.layer[k].step)
	}
	if r == 0 {
		total += a.embedStep
	}
	if r == a.headRank(p) {
		total += a.headStep
	}
	return total
}
