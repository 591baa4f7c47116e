package cost

import (
	"fmt"

	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// add appends a term that is not nothing.
func (s *StageMemory) add(name string, value float64, note string) {
	if value > 0 {
		s.Terms = append(s.Terms, Term{Name: name, Value: value, Note: note})
	}
}

// stageMemory is the memory of one stage, term by term.
func (m *Model) stageMemory(v *view, j *job, s *schedule, r int) StageMemory {
	k, a := &s.ranks[r], &j.account
	out := StageMemory{
		Stage: r, Allocated: units.Bytes(k.memory), Reserved: units.Bytes(k.memory * j.reserved),
	}
	for _, n := range k.layers {
		out.Layers += int(n)
	}
	if step := a.stepOf(float64(r), float64(j.pp), k.layers); step >= k.memory {
		m.addStep(v, j, k, r, &out)
		return out
	}
	m.addKept(v, j, k, r, &out)
	m.addPeak(j, r, &out)
	return out
}

// addKept adds the terms of state and activations.
func (m *Model) addKept(v *view, j *job, k *rank, r int, out *StageMemory) {
	a, flight, recipe := &j.account, j.inFlight(float64(r)), m.recipe.Name+" recipe"
	var matrices, norms, experts, kept float64
	for i, n := range k.layers {
		l := &a.layer[i]
		matrices += float64(n * l.matrices)
		norms += float64(n * l.norms)
		experts += float64(n * l.experts)
		kept += float64(n * l.activations(&flight))
	}
	out.add("weight matrices", matrices, m.stateNote(v))
	out.add("norms and biases", norms, recipe)
	out.add("routed experts", experts, recipe)
	if r == 0 {
		out.add("embedding", a.embedding, recipe)
	}
	note := flight.note()
	if j.fitting.on {
		kept += j.sparing(r, k.layers, k.repeated)
		note += fmt.Sprintf("; %g of %d layers recomputed", k.repeated[models.Dense]+k.repeated[models.MoE], out.Layers)
	}
	out.add("layer activations", kept, note)
	if r == j.headRank() {
		if !a.shared(float64(j.pp)) {
			out.add("head", a.head, recipe)
		}
		out.add("final norm", a.finalNorm, recipe)
		out.add("multi-token prediction", a.further, "state and activations of its layers, and a copy of the embedding")
	}
}

// addPeak adds what the stage has beside state and activations when its memory
// peaks, at the loss or in a layer's backward.
func (m *Model) addPeak(j *job, r int, out *StageMemory) {
	a, last := &j.account, r == j.headRank()
	if r == 0 && !a.shared(float64(j.pp)) {
		out.add("gathered embedding", a.embedUnit, "whole throughout the step")
	}
	if last && a.atLoss() >= a.inBackward() {
		out.When = "at the loss"
		out.add("head activations", a.headKept, "logits and the head's input")
		out.add("gathered head", a.rootUnit+a.headUnit, "whole from forward to backward")
	} else {
		out.When = "in a layer's backward"
		out.add("backward buffers", a.transient, "one layer's backward pass")
		out.add("gathered layers", a.units, plain(m.profile.Memory.GatheredUnits.Value)+" layers whole at a time, and their gradients")
		if last {
			out.add("gathered head", a.rootUnit+a.headGrads, "whole throughout the step, and its gradients")
		}
	}
	out.add("collective buffers", a.buckets, "of the sharded optimizer")
	out.add("workspaces", a.fixed, "whatever the plan")
	wgrad := a.wgrad
	if last {
		wgrad += a.headWgrad
	}
	out.add("weight-gradient buffers", wgrad, "one per distinct linear shape")
}

// stateNote says in words which bytes a parameter has on a rank.
func (m *Model) stateNote(v *view) string {
	parts := fmt.Sprintf("%g bytes a parameter: weights %g, gradients %g, optimizer %g", m.recipe.PerParameter(),
		m.recipe.Weight, m.recipe.Grad, m.recipe.Optimizer)
	if group := v.ds.lo * v.cp.lo; v.zero.Lo >= plan.ZeroOptimizer && group > 1 {
		parts += fmt.Sprintf(" over %g", group)
		if v.zero.Lo > plan.ZeroOptimizer {
			parts = m.shardedParts(v, group)
		}
	}
	if off := v.optOffload.Lo; off > 0 {
		what := "the optimizer's"
		if m.profile.Memory.OffloadGrads {
			what = "the gradients' and " + what
		}
		parts += fmt.Sprintf("; %d %% of %s are on the host", off, what)
	}
	return parts
}

// shardedParts says in words how ZeRO stages 2 and 3 divide a parameter's bytes.
func (m *Model) shardedParts(v *view, group float64) string {
	r := &m.recipe
	weight := fmt.Sprintf("weights %g", r.Weight)
	switch {
	case v.zero.Lo < plan.ZeroWeights:
	case r.Cast:
		weight = "weights cast when gathered"
	default:
		weight += fmt.Sprintf(" over %g", group)
	}
	grad := fmt.Sprintf("gradients %g", r.Grad)
	if !m.pipelineHolds(v.pp.lo) {
		grad += fmt.Sprintf(" over %g", group)
	}
	return fmt.Sprintf("bytes a parameter: %s, %s, optimizer %g over %g", weight, grad, r.Optimizer, group)
}

// addStep adds the terms of a stage that peaks in the optimizer's step.
func (m *Model) addStep(v *view, j *job, k *rank, r int, out *StageMemory) {
	out.When = "in the optimizer's step"
	per, recipe := m.stateUnder(v, &m.recipe), m.recipe.Name+" recipe, gradients whole"
	var state, experts float64
	for i, n := range k.layers {
		if n > 0 {
			h := &m.held[i]
			state += float64(n * (float64(h.split*per.split) + float64(h.whole*per.whole)))
			experts += float64(n * float64(h.experts*per.experts))
		}
	}
	out.add("workspaces", j.account.fixed, "whatever the plan")
	rest := k.memory - state - j.account.fixed
	add := func(name string, value float64) {
		out.add(name, value, recipe)
		rest -= value
	}
	out.Terms = append(out.Terms, Term{Name: "weight matrices", Value: state, Note: recipe})
	add("routed experts", experts)
	embedding, head, finalNorm := m.endState(v, &per)
	if r == 0 {
		add("embedding", embedding)
	}
	if r == j.headRank() {
		if !j.account.shared(float64(j.pp)) {
			add("head", head)
		}
		add("final norm", finalNorm)
		add("multi-token prediction", m.mtpState(v, &per))
	}
	if copies := m.profile.Memory.StepCopies.Value; copies > 0 { // else rest is what rounding leaves
		out.add("optimizer temporaries", rest, plain(copies)+" copies of the weights stepped")
	}
}
