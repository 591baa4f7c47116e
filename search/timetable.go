package search

import (
	"fmt"

	"meshplan/plan"
)

// Timetable is the order of operations of each pipeline rank, as the cost model
// played them against each other.
type Timetable struct {
	Schedule     string `json:"schedule"`
	MicroBatches int    `json:"micro_batches"` // played
	OfStep       int    `json:"micro_batches_of_step"`
	// Seconds is from the first rank's begin to the last one's end.
	Seconds float64    `json:"seconds"`
	Priced  string     `json:"priced,omitempty"` // how the pipeline is priced, where not by this order
	Ranks   []Timeline `json:"ranks"`
}

// Timeline is one pipeline rank's operations in their order.
type Timeline struct {
	Rank int `json:"rank"`
	// Mirror is the rank that does the same with the micro-batches from the other
	// end, under DualPipe; else the rank itself.
	Mirror      int         `json:"mirror"`
	BusySeconds float64     `json:"busy_seconds"`
	Operations  []Operation `json:"operations"`
}

// Operation is one operation: F forward, B backward, I and W its two parts, the
// gradient of the input and those of the weights, then the micro-batch and, where a
// rank has several, the chunk.
type Operation struct {
	Name         string  `json:"name"`
	BeginSeconds float64 `json:"begin_seconds"`
	EndSeconds   float64 `json:"end_seconds"`
}

// Schedule plays the operations of a plan whose layers are split. It fails on a plan
// that cannot be built.
func Schedule(p *Problem, pl plan.Plan) (*Timetable, error) {
	price, err := p.placedLike(&pl).price()
	if err != nil {
		return nil, err
	}
	t, ok := price.Timetable(&pl)
	if !ok {
		return nil, fmt.Errorf("schedule %s cannot run over pp %d with the layers %s", pl.Options.Schedule,
			pl.Placement.Degree(plan.PP), pl.Options.Stages.Text)
	}
	out := &Timetable{
		Schedule: pl.Options.Schedule.String(), MicroBatches: t.Micro, OfStep: t.All, Seconds: float64(t.Seconds), Priced: t.Priced,
	}
	for _, r := range t.Ranks {
		line := Timeline{Rank: r.Rank, Mirror: r.Mirror, BusySeconds: float64(r.Busy)}
		for _, o := range r.Operations {
			line.Operations = append(line.Operations, Operation{o.Name, float64(o.Begin), float64(o.End)})
		}
		out.Ranks = append(out.Ranks, line)
	}
	return out, nil
}
