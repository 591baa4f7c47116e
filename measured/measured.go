// Package measured reads tables of measured training runs and judges the cost
// model by them: how far step time and memory are off, whether "fits" is right,
// and how good the plan is that the model would pick among those that were
// tried.
//
//	report, err := measured.ValidateFile(ctx, "runs.csv", measured.Options{})
//	fmt.Println(report.Time.MAPE, report.Ranking.MeanRegret)
//
// A row of a table has two halves, which are apart from the moment it is read:
// the setup (model, machine, plan) and the outcome (time, memory, ran or ran
// out of memory). What predicts is given the setup alone, so that no measured
// value can reach a prediction. Every row is scored or skipped for one reason
// of a closed list, and what a row leaves open is filled and counted.
package measured

import "fmt"

// Kind is what a table holds.
type Kind string

// The kinds of tables.
const (
	Training Kind = "training" // step times, memory and outcomes of runs
	Memory   Kind = "memory"   // one reading of memory a row
)

// Reason says why a row is not scored.
type Reason string

// The reasons, in the order of reports.
const (
	NoOutcome     Reason = "no_outcome"               // nothing measured, or a failure of unknown cause
	NoPlan        Reason = "no_plan"                  // batch, degrees or options missing, or that no plan can express
	NoModel       Reason = "no_model"                 // neither a known name nor a shape
	Unsupported   Reason = "unsupported_architecture" // layers that the cost model does not have
	UnknownGPU    Reason = "unknown_gpu"              // not in the catalogue
	Contradiction Reason = "contradiction"            // figures that cannot all be true
)

// reasons are all of them in the order of reports.
var reasons = []Reason{NoOutcome, NoPlan, NoModel, Unsupported, UnknownGPU, Contradiction}

// skip is why a row is not scored; detail is a sentence for a person.
type skip struct {
	reason Reason
	detail string
}

func (s *skip) Error() string { return string(s.reason) + ": " + s.detail }

// skipped makes a skip.
func skipped(reason Reason, format string, args ...any) *skip {
	return &skip{reason, fmt.Sprintf(format, args...)}
}
