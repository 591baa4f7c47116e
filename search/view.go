package search

import (
	"fmt"
	"math"
	"strings"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// view is the plan with everything the price model says about it.
func (s *session) view(p *plan.Plan) (PlanResult, error) {
	return s.job.view(p, s.price)
}

func (j *job) view(p *plan.Plan, price pricer) (PlanResult, error) {
	e := price.Explain(p)
	for _, v := range []float64{float64(e.Step), float64(e.Peak), float64(e.Usable), e.MFU} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return PlanResult{}, fmt.Errorf("plan %s has no finite price: step %v, peak %v", p, e.Step, e.Peak)
		}
	}
	if p.Options.Stages.Recompute == "" && e.Recomputed != "" {
		chosen := *p
		chosen.Options.Stages.Recompute = e.Recomputed
		p = &chosen
	}
	return PlanResult{
		Degrees:               degreesOf(p),
		Placement:             j.placement(p),
		Options:               j.options(p),
		Text:                  p.String(),
		GPUs:                  p.Placement.GPUs(),
		StepSeconds:           float64(e.Step),
		TokensPerSecondPerGPU: e.TokensPerSecondPerGPU,
		MFU:                   e.MFU,
		HFU:                   e.HFU,
		Memory:                memoryOf(&e),
		Time:                  timeTerm(e.Time),
		Traffic:               trafficOf(e.Traffic),
	}, nil
}

func degreesOf(p *plan.Plan) Degrees {
	at := p.Placement.Degree
	return Degrees{
		TP: at(plan.TP), CP: at(plan.CP), PP: at(plan.PP), VPP: max(1, p.Options.VPP),
		DP: p.DP(), DPShard: at(plan.DPShard), DPReplicate: at(plan.DPReplicate),
		EP: at(plan.EP), ETP: at(plan.ETP), EDP: at(plan.EDP),
	}
}

func (j *job) placement(p *plan.Plan) []LevelPlacement {
	levels := make([]LevelPlacement, j.levels)
	for l := range levels {
		at := func(d plan.Dim) int32 { return max(1, p.Placement.Factor[d][l]) }
		levels[l] = LevelPlacement{
			Level: j.facts.Cluster.Levels[l].Name,
			Used:  p.Placement.Used(l),
			Dense: DenseFactors{
				TP: at(plan.TP), CP: at(plan.CP), DPShard: at(plan.DPShard), DPReplicate: at(plan.DPReplicate),
				DP: at(plan.DPShard) * at(plan.DPReplicate), PP: at(plan.PP),
			},
			Expert: ExpertFactors{ETP: at(plan.ETP), EP: at(plan.EP), EDP: at(plan.EDP), PP: at(plan.PP)},
		}
	}
	return levels
}

func (j *job) options(p *plan.Plan) OptionsResult {
	o := &p.Options
	r := OptionsResult{
		SP: o.SP, MicroBatch: o.MicroBatch, Schedule: o.Schedule.String(),
		LayersPerStage: o.Stages.Text, SplitForm: o.Stages.Form.String(),
		ZeroStage: o.ZeroStage, Recompute: o.Recompute.String(), CPComm: o.CPComm.String(),
		Offload:                 offload(o),
		OptimizerOffloadPercent: o.OptimizerOffload, ActivationOffloadPercent: o.ActivationOffload,
		RecomputeSparePercent: o.RecomputeSpare,
	}
	switch {
	case o.RecomputeSpare == plan.SpareFitting:
		r.RecomputeSparePercent, r.RecomputeLayersPerStage = 0, o.Stages.Recompute
		numbers, _ := plan.ParseRunLength(o.Stages.Recompute) // by the price model or read before
		for _, n := range numbers {
			r.RecomputeLayers += n
		}
	case o.Recompute == plan.RecomputeFull:
		r.RecomputeLayers = j.facts.Model.Layers * (100 - int(o.RecomputeSpare)) / 100
	}
	return r
}

// offload says in words what lies in host memory.
func offload(o *plan.Options) string {
	var parts []string
	if o.OptimizerOffload > 0 {
		parts = append(parts, fmt.Sprintf("optimizer %d %%", o.OptimizerOffload))
	}
	if o.ActivationOffload > 0 {
		parts = append(parts, fmt.Sprintf("activations %d %%", o.ActivationOffload))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func memoryOf(e *cost.Estimate) Memory {
	m := Memory{
		PeakAllocatedBytes: float64(e.Allocated), PeakReservedBytes: float64(e.Peak),
		UsableBytes: float64(e.Usable), Verdict: e.Verdict.String(),
		Stages: make([]StageMemory, len(e.Stages)),
	}
	for i := range e.Stages {
		s := &e.Stages[i]
		m.Stages[i] = StageMemory{
			Stage: s.Stage, Layers: s.Layers, Terms: memoryTerms(s.Terms),
			AllocatedBytes: float64(s.Allocated), ReservedBytes: float64(s.Reserved), PeakWhen: s.When,
		}
	}
	return m
}

func memoryTerms(terms []cost.Term) []MemoryTerm {
	list := make([]MemoryTerm, len(terms))
	for i, t := range terms {
		list[i] = MemoryTerm{Name: t.Name, Bytes: t.Value, Note: t.Note}
		if len(t.Terms) > 0 {
			list[i].Terms = memoryTerms(t.Terms)
		}
	}
	return list
}

func timeTerm(t cost.Term) TimeTerm {
	r := TimeTerm{Name: t.Name, Seconds: t.Value, Note: t.Note}
	for _, part := range t.Terms {
		r.Terms = append(r.Terms, timeTerm(part))
	}
	return r
}

func trafficOf(rows []cost.Traffic) []TrafficRow {
	list := make([]TrafficRow, len(rows))
	for i := range rows {
		t := &rows[i]
		list[i] = TrafficRow{
			Dimension: t.Dimension, Splits: t.Splits, Collective: t.Collective, When: t.When,
			Placed: t.Placed, Source: t.Source, PerLevel: make([]LevelBytes, len(t.PerLevel)),
			Seconds: float64(t.Seconds), ExposedSeconds: float64(t.Exposed),
			SecondsPer10PctBW: float64(t.Per10PctBandwidth), SecondsPer10PctLatency: float64(t.Per10PctLatency),
		}
		for k, b := range t.PerLevel {
			list[i].PerLevel[k] = LevelBytes{Level: b.Level, Bytes: float64(b.Bytes)}
		}
	}
	return list
}

// largestTerm is the largest part of the memory of the plan's fullest stage.
func largestTerm(e cost.Estimate) (name string, bytes units.Bytes) {
	var fullest *cost.StageMemory
	for i := range e.Stages {
		if fullest == nil || e.Stages[i].Allocated > fullest.Allocated {
			fullest = &e.Stages[i]
		}
	}
	if fullest == nil {
		return "", 0
	}
	for _, t := range fullest.Terms {
		if units.Bytes(t.Value) > bytes {
			name, bytes = t.Name, units.Bytes(t.Value)
		}
	}
	return name, bytes
}
