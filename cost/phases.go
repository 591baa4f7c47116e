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
	per := m.perParameter(v, &r)
	for k := range a.layer {
		if m.layers[k] > 0 {
			h := &m.held[k]
			a.layer[k].step = float64(h.split*per.split) + float64(h.whole*per.whole) + float64(h.experts*per.experts)
		}
	}
	o := m.model
	table := m.vocabulary(v) * float64(o.Hidden) * per.split
	a.embedStep = table + float64(float64(o.Positions()+o.EmbeddingNorm())*per.whole)
	a.headStep = float64(float64(o.FinalNorm()) * per.whole)
	if !(o.TieEmbeddings && v.pp.hi <= 1) {
		a.headStep += table
	}
}

// stepOf is the memory of the optimizer's step on rank r of p.
func (a *memory) stepOf(r, p float64, layers [models.NumKinds]float64) float64 {
	total := 0.0
	for k := range layers {
		total += float64(layers[k] * a.layer[k].step)
	}
	if r == 0 {
		total += a.embedStep
	}
	if r == p-1 {
		total += a.headStep
	}
	return total
}

// stepMemory is the memory of a stage that peaks in the optimizer's step, term
// by term.
func (m *Model) stepMemory(v *view, j *job, s *schedule, r int, out StageMemory) StageMemory {
	out.When = "in the optimizer's step"
	per, recipe := m.perParameter(v, &m.recipe), m.recipe.Name+" recipe, gradients whole"
	var state, experts float64
	for k, n := range s.ranks[r].layers {
		if n > 0 {
			out.Layers += int(n)
			h := &m.held[k]
			state += float64(n * (float64(h.split*per.split) + float64(h.whole*per.whole)))
			experts += float64(n * float64(h.experts*per.experts))
		}
	}
	rest := s.ranks[r].memory - state
	add := func(name string, value float64, note string) {
		if value > 0 {
			out.Terms = append(out.Terms, Term{Name: name, Value: value, Note: note})
			rest -= value
		}
	}
	out.Terms = append(out.Terms, Term{Name: "weight matrices", Value: state, Note: recipe})
	add("routed experts", experts, recipe)
	table := m.vocabulary(v) * float64(m.model.Hidden) * per.split
	if r == 0 {
		add("embedding", table+float64(float64(m.model.Positions()+m.model.EmbeddingNorm())*per.whole), recipe)
	}
	if r == j.pp-1 {
		if !(m.model.TieEmbeddings && j.pp == 1) {
			add("head", table, recipe)
		}
		add("final norm", float64(float64(m.model.FinalNorm())*per.whole), recipe)
	}
	if copies := m.profile.Memory.StepCopies.Value; copies > 0 { // else rest is what rounding leaves
		add("optimizer temporaries", rest, plain(copies)+" copies of the weights stepped")
	}
	return out
}
