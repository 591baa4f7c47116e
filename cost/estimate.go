package cost

import (
	"fmt"

	"meshplan/models"
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
	Recomputed            string  // run-length text of the layers that each rank recomputes, where each has its own number
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
	if n := m.model.MTP(); n > 0 && m.mtp == 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the multi-token-prediction module of %s is left out: %s parameters on the last stage; --mtp trains its layers",
			m.model.Name, units.Grouped(n)))
	}
	e.Warnings = append(e.Warnings, m.offloadNotes(&v)...)
	e.Warnings = append(e.Warnings, j.scheduleNotes(m.model.Experts > 0)...)
	gpus := float64(p.Placement.GPUs())
	tokens := m.workload.TokensPerStep()
	available := float64(e.Step) * gpus * m.rate
	e.TokensPerSecondPerGPU = tokens / (float64(e.Step) * gpus)
	least := float64(m.model.FLOPsPerToken(int(m.workload.SeqLen)))
	again := float64(m.model.HardwareFLOPsPerToken(int(m.workload.SeqLen), p.Options.Recompute)) - least + m.repeatedFLOPs(p.Options.Recompute)
	least += m.mtpFLOPs()
	e.MFU = tokens * least / available
	share := 1 - percentOf(v.spare.Lo)
	if j.fitting.on {
		share, e.Recomputed = 0, s.perRank()
		for r := range j.pp {
			k := &s.ranks[r]
			share += float64(k.share() * (k.layers[models.Dense] + k.layers[models.MoE]) / float64(len(m.kinds)))
		}
	}
	e.HFU = tokens * (least + float64(again*share)) / available
	e.Warnings = append(append(e.Warnings, m.recomputeWarnings(&v)...), m.fp8Warning()...)
	return e
}
