package cost

import (
	"fmt"

	"meshplan/plan"
	"meshplan/units"
)

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

// stageMemory is the memory of one stage, term by term.
func (m *Model) stageMemory(v *view, j *job, s *schedule, r int) StageMemory {
	k, a := &s.ranks[r], &j.account
	flight := j.inFlight(float64(r))
	out := StageMemory{
		Stage: r, Allocated: units.Bytes(k.memory), Reserved: units.Bytes(k.memory * j.reserved),
	}
	if step := a.stepOf(float64(r), float64(j.pp), k.layers); step >= k.memory {
		return m.stepMemory(v, j, s, r, out)
	}
	var matrices, norms, experts, kept float64
	for i, n := range k.layers {
		l := &a.layer[i]
		out.Layers += int(n)
		matrices += float64(n * l.matrices)
		norms += float64(n * l.norms)
		experts += float64(n * l.experts)
		kept += float64(n * float64(flight*l.kept))
	}
	add := func(name string, value float64, note string) {
		if value > 0 {
			out.Terms = append(out.Terms, Term{Name: name, Value: value, Note: note})
		}
	}
	recipe := m.recipe.Name + " recipe"
	parts := fmt.Sprintf("%g bytes a parameter: weights %g, gradients %g, optimizer %g", m.recipe.PerParameter(),
		m.recipe.Weight, m.recipe.Grad, m.recipe.Optimizer)
	if group := v.ds.lo * v.cp.lo; v.zero.Lo >= plan.ZeroOptimizer && group > 1 {
		parts += fmt.Sprintf(" over %g", group)
		if v.zero.Lo > plan.ZeroOptimizer {
			parts = m.shardedParts(v, group)
		}
	}
	if off := v.offload.Lo; off > 0 {
		what := "the optimizer's"
		if m.profile.Memory.OffloadGrads {
			what = "the gradients' and " + what
		}
		parts += fmt.Sprintf("; %d %% of %s are on the host", off, what)
	}
	add("weight matrices", matrices, parts)
	add("norms and biases", norms, recipe)
	add("routed experts", experts, recipe)
	if r == 0 {
		add("embedding", a.embedding, recipe)
	}
	add("layer activations", kept, "micro-batches in flight: "+plain(flight))
	if r == j.pp-1 {
		if !(a.tied && j.pp == 1) {
			add("head", a.head, recipe)
		}
		add("final norm", a.finalNorm, recipe)
	}
	if r == 0 && !(a.tied && j.pp == 1) {
		add("gathered embedding", a.embedUnit, "whole throughout the step")
	}
	if r == j.pp-1 && a.atLoss() >= a.inBackward() {
		out.When = "at the loss"
		add("head activations", a.headKept, "logits and the head's input")
		add("gathered head", a.rootUnit+a.headUnit, "whole from forward to backward")
	} else {
		out.When = "in a layer's backward"
		add("backward buffers", a.transient, "one layer's backward pass")
		add("gathered layers", a.units, plain(m.profile.Memory.GatheredUnits.Value)+" layers whole at a time, and their gradients")
		if r == j.pp-1 {
			add("gathered head", a.rootUnit+a.headGrads, "whole throughout the step, and its gradients")
		}
	}
	add("collective buffers", a.buckets, "of the sharded optimizer")
	wgrad := a.wgrad
	if r == j.pp-1 {
		wgrad += a.headWgrad
	}
	add("weight-gradient buffers", wgrad, "one per distinct linear shape")
	return out
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
	embedding, head, finalNorm := m.endState(v, &per)
	if r == 0 {
		add("embedding", embedding, recipe)
	}
	if r == j.pp-1 {
		if !(m.model.TieEmbeddings && j.pp == 1) {
			add("head", head, recipe)
		}
		add("final norm", finalNorm, recipe)
	}
	out.Terms = append(out.Terms, Term{Name: "optimizer temporaries", Value: rest, Note: plain(m.profile.Memory.StepCopies.Value) + " copies of the weights stepped"})
	return out
}
