package search

import (
	"fmt"
	"math"

	"meshplan/plan"
	"meshplan/units"
)

// day is its length in seconds.
const day = 24 * 60 * 60

// Goal is what a plan has to reach besides fitting: a limit on its step time, as
// it was asked for.
type Goal struct {
	StepSeconds  float64 `json:"step_seconds"` // a step may take no longer
	TokensPerDay float64 `json:"tokens_per_day"`
	Days         float64 `json:"days,omitempty"`   // that the training may take
	Tokens       float64 `json:"tokens,omitempty"` // of the training
	Steps        float64 `json:"steps,omitempty"`  // of the training, a whole number
	Text         string  `json:"text"`
}

// StepGoal wants a step of at most that time.
func StepGoal(w *plan.Workload, step units.Seconds) *Goal {
	return &Goal{
		StepSeconds: float64(step), TokensPerDay: perStep(w) * day / float64(step),
		Text: fmt.Sprintf("a step of at most %v", step),
	}
}

// RateGoal wants at least so many tokens a day.
func RateGoal(w *plan.Workload, tokens float64) *Goal {
	step := perStep(w) * day / tokens
	return &Goal{
		StepSeconds: step, TokensPerDay: tokens,
		Text: fmt.Sprintf("%.4g tokens a day, a step of at most %v", tokens, units.Seconds(step)),
	}
}

// BudgetGoal wants so many tokens within so many days, in whole steps.
func BudgetGoal(w *plan.Workload, days, tokens float64) *Goal {
	steps := StepsOf(w, tokens)
	step := days * day / steps
	unit := "days"
	if days == 1 {
		unit = "day"
	}
	return &Goal{
		StepSeconds: step, TokensPerDay: perStep(w) * day / step, Days: days, Tokens: tokens, Steps: steps,
		Text: fmt.Sprintf("%.4g tokens within %.4g %s, %s steps of at most %v", tokens, days, unit, units.Grouped(int64(steps)), units.Seconds(step)),
	}
}

// StepsOf is the number of whole steps that train on so many tokens.
func StepsOf(w *plan.Workload, tokens float64) float64 { return math.Ceil(tokens / perStep(w)) }

// perStep is the tokens of a step.
func perStep(w *plan.Workload) float64 { return float64(w.GlobalBatch) * float64(w.SeqLen) }

// within is the limit on the step time; 0 without a goal.
func (g *Goal) within() units.Seconds {
	if g == nil {
		return 0
	}
	return units.Seconds(g.StepSeconds)
}

// met reports whether a step is within the limit, to the nanosecond, as plans
// are compared.
func (g *Goal) met(step float64) bool {
	return g == nil || roundNS(units.Seconds(step)) <= roundNS(g.within())
}
