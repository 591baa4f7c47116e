package cost

import (
	"fmt"

	"meshplan/plan"
	"meshplan/units"
)

// Term is one named part of an estimate. The parts of a term add up to it.
type Term struct {
	Name  string
	Value float64 // bytes or seconds, by the tree it stands in
	Note  string  // what it was made from
	Terms []Term
}

// StageMemory is the memory of the GPUs of one pipeline stage.
type StageMemory struct {
	Stage     int
	Layers    int
	Allocated units.Bytes
	Reserved  units.Bytes
	When      string // the peak is: "at the loss", "in a layer's backward", "in the optimizer's step"
	Terms     []Term // add up to Allocated
}

// LevelBytes is what one GPU sends over the links of one level in a step.
type LevelBytes struct {
	Level string
	Bytes units.Bytes
}

// Traffic is the communication of one dimension.
type Traffic struct {
	Dimension  string
	Splits     string // what the dimension divides
	Collective string
	When       string
	PerLevel   []LevelBytes
	Seconds    units.Seconds // in a step, on the rank that takes longest
	Exposed    units.Seconds // by which the step is longer than without it
	// Per10PctBandwidth and Per10PctLatency are what a step gains from 10 % more
	// bandwidth, or 10 % less latency, for this dimension alone.
	Per10PctBandwidth units.Seconds
	Per10PctLatency   units.Seconds
	Placed            string // the levels its ranks lie on
	Source            string // measured curve or closed form
}

// Estimate is everything known about one plan. Time's value is Step.
type Estimate struct {
	Figures
	Allocated             units.Bytes
	Stages                []StageMemory
	Time                  Term
	Traffic               []Traffic
	TokensPerSecondPerGPU float64
	MFU                   float64 // model FLOPs over the precision's peak; causal attention counted once, recompute not
	HFU                   float64 // hardware FLOPs over peak, recompute counted
	Warnings              []string
}

// Explain prices a plan term by term. Its figures equal Price's.
func (m *Model) Explain(p *plan.Plan) Estimate {
	e := Estimate{Figures: unbuildable}
	s := m.scratch.Get().(*schedule)
	defer m.scratch.Put(s)
	pt := p.Point()
	b := pt.Box()
	v := m.look(&b)
	j := m.newJob(&v)
	if !m.lay(&j, s, p) {
		e.Warnings = append(e.Warnings, "the plan's layers per stage do not match its pp and vpp")
		return e
	}
	e.Figures = m.figures(&v, &j, s)
	for r := range j.pp {
		e.Stages = append(e.Stages, m.stageMemory(&v, &j, s, r))
		e.Allocated = max(e.Allocated, e.Stages[r].Allocated)
	}
	e.Time = m.timeTerms(&v, &j, s)
	e.Traffic = m.traffics(p, &v, &j, s, float64(e.Step))
	if n := m.model.MTP(); n > 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the multi-token-prediction module of %s is not planned: %s parameters on the last stage are left out",
			m.model.Name, units.Grouped(n)))
	}
	e.Warnings = append(e.Warnings, m.offloadNotes(&v)...)
	gpus := float64(p.Placement.GPUs())
	tokens := m.workload.TokensPerStep()
	available := float64(e.Step) * gpus * m.rate
	e.TokensPerSecondPerGPU = tokens / (float64(e.Step) * gpus)
	e.MFU = tokens * float64(m.model.FLOPsPerToken(int(m.workload.SeqLen))) / available
	e.HFU = tokens * (float64(m.model.HardwareFLOPsPerToken(int(m.workload.SeqLen), p.Options.Recompute)) + m.repeatedFLOPs(p.Options.Recompute)) / available
	e.Warnings = append(append(e.Warnings, m.recomputeWarnings(&v)...), m.fp8Warning()...)
	return e
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
