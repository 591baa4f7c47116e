package search

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"meshplan/units"
)

// Verdict says what has been proven of a number of GPUs: of the plans that use all of
// them.
type Verdict string

// The verdicts.
const (
	Meets          Verdict = "meets"      // a plan fits and meets the goal, if there is one
	TooSlow        Verdict = "too_slow"   // a plan fits, and none that does meets the goal
	OnlyBorderline Verdict = "borderline" // no plan leaves the profile's margin of memory free
	NoPlan         Verdict = "infeasible" // no plan at all
	Misses         Verdict = "misses"     // stopped early: no plan that fits meets the goal; why is not known
	NotMet         Verdict = "not_met"    // no plan that fits meets the goal by an upper bound of its step; that none does is not proven
	Undecided      Verdict = "undecided"  // stopped early
)

// SizingResult answers "how few GPUs are enough?". Its JSON is meant for other
// programs, as that of Result is.
type SizingResult struct {
	FormatVersion int `json:"format_version"`
	// Status is optimal when all that is shown is proven, feasible when a number of
	// GPUs is enough, but not all that is shown is proven: some of it was cut short, or
	// step times are upper bounds. It is infeasible when no candidate is enough, and
	// unknown when none is known to be, but the search was stopped or some are not_met.
	Status Status `json:"status"`
	Goal   *Goal  `json:"goal"` // null when fitting is enough
	// GPUs is the smallest number that is enough, null when none is known; that no
	// smaller one is enough is proven unless some of those are not_met.
	GPUs *int `json:"gpus"`
	// CheapestGPUs is the number that is enough and costs least, by upper bounds where
	// step times are; null unless all candidates have been looked at to the end and a
	// price is known.
	CheapestGPUs *int `json:"cheapest_gpus"`
	// UpperBounds says that the step times are upper bounds.
	UpperBounds   *UpperBounds `json:"upper_bounds,omitempty"`
	USDPerGPUHour *float64     `json:"usd_per_gpu_hour"` // null when not known
	Candidates    []Candidate  `json:"candidates"`       // those that were looked at
	NotLookedAt   []int        `json:"not_looked_at"`    // numbers of GPUs behind the answer
	Plan          *PlanResult  `json:"plan"`             // the best on the smallest number that is enough
	Warnings      []string     `json:"warnings"`
	Stats         Stats        `json:"-"`
}

// Candidate is a number of GPUs and what was found of it.
type Candidate struct {
	GPUs    int     `json:"gpus"`
	Cluster string  `json:"cluster"`
	Verdict Verdict `json:"verdict"`
	// Status is that of the search for the best plan, and BoundSeconds a step time
	// that no plan beats, as in Result.
	Status       Status   `json:"status"`
	BoundSeconds *float64 `json:"bound_seconds"`
	// Best is the best plan that fits, the best borderline one when none fits,
	// null when none was found.
	Best       *Outline `json:"best"`
	USDPerStep *float64 `json:"usd_per_step"` // of the best plan; null when no price is known
	USDInAll   *float64 `json:"usd_in_all"`   // of all steps; null when these are not known either
	Reasons    []Reason `json:"reasons"`      // why there is no plan; empty unless infeasible
	Text       string   `json:"text"`         // why it is not enough
}

// allUsed is said of every answer about numbers of GPUs.
const allUsed = "each candidate is used to its last GPU; a plan that leaves some idle does not count"

// WriteJSON writes the result like Result.WriteJSON.
func (r *SizingResult) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// result is what was found of the candidates that were looked at.
func (q *Sizing) result(list []*candidate, looked int) *SizingResult {
	r := &SizingResult{FormatVersion: FormatVersion, Goal: q.Goal, Status: Infeasible, NotLookedAt: []int{}, Warnings: []string{}}
	if q.Price > 0 {
		r.USDPerGPUHour = &q.Price
	}
	complete := true
	for _, c := range list[:looked] {
		item := q.outcome(c)
		r.Candidates = append(r.Candidates, item)
		complete = complete && (c.refused != nil || c.result != nil && c.result.Status.settled())
		if c.session != nil {
			r.Stats.add(c.work())
			if r.GPUs == nil && c.result != nil {
				r.Warnings = c.result.Warnings
			}
		}
		if c.verdict == Meets && r.GPUs == nil {
			r.GPUs, r.Plan = &item.GPUs, &c.result.Plans[0]
		}
	}
	for _, c := range list[looked:] {
		r.NotLookedAt = append(r.NotLookedAt, c.gpus)
	}
	r.Warnings = append([]string{allUsed}, r.Warnings...)
	if len(list) > 0 {
		r.Warnings = append(slices.Clone(list[0].said), r.Warnings...)
	}
	if len(list) > 0 {
		r.UpperBounds = list[0].problem.upperBounds(complete)
	}
	open := slices.ContainsFunc(list[:looked], func(c *candidate) bool { return c.verdict == Undecided || c.verdict == NotMet })
	switch {
	case r.GPUs != nil && complete:
		r.Status = Optimal
	case r.GPUs != nil:
		r.Status = Feasible
	case open:
		r.Status = Unknown
	}
	if q.All && r.Status == Optimal {
		r.CheapestGPUs = cheapest(r.Candidates)
	}
	if r.UpperBounds != nil {
		r.Status = r.Status.unproven()
	}
	return r
}

// cheapest is the first of the candidates that are enough whose step costs least,
// nil without prices.
func cheapest(list []Candidate) (gpus *int) {
	var least float64
	for i := range list {
		c := &list[i]
		if c.Verdict == Meets && c.USDPerStep != nil && (gpus == nil || *c.USDPerStep < least) {
			gpus, least = &c.GPUs, *c.USDPerStep
		}
	}
	return gpus
}

// outcome is what was found of a candidate.
func (q *Sizing) outcome(c *candidate) Candidate {
	on := c.problem.Facts.Cluster
	o := Candidate{GPUs: c.gpus, Cluster: on.Name, Verdict: c.verdict, Status: Unknown, Reasons: []Reason{}}
	switch {
	case c.refused != nil:
		o.Status, o.Reasons = Infeasible, []Reason{{Rule: "pin", Text: c.refused.Error(), Numbers: map[string]float64{}}}
	case c.result != nil:
		if o.Status, o.BoundSeconds = c.result.Status, c.result.BoundSeconds; on.IsMerged() {
			o.Status, o.BoundSeconds = o.Status.unproven(), nil
		}
		o.Reasons = append(o.Reasons, c.result.Reasons...)
		if len(c.result.Plans) > 0 {
			o.Best = outlineOf(&c.result.Plans[0])
			q.cost(&o)
		}
	}
	o.Text = q.why(c, &o)
	return o
}

// outlineOf is the plan in short.
func outlineOf(p *PlanResult) *Outline {
	return &Outline{
		Text: p.Text, Verdict: p.Memory.Verdict, Degrees: p.Degrees, Options: p.Options, GPUs: p.GPUs, StepSeconds: p.StepSeconds,
		MFU: p.MFU, PeakReservedBytes: p.Memory.PeakReservedBytes, UsableBytes: p.Memory.UsableBytes,
	}
}

// cost is what the best plan costs.
func (q *Sizing) cost(o *Candidate) {
	if q.Price <= 0 {
		return
	}
	step := q.costOf(o.GPUs, o.Best.StepSeconds)
	o.USDPerStep = &step
	if q.Steps > 0 {
		all := step * q.Steps
		o.USDInAll = &all
	}
}

// hour is its length in seconds.
const hour = 60 * 60

// why says why a candidate is not enough.
func (q *Sizing) why(c *candidate, o *Candidate) string {
	best, goal, limit := "", "", ""
	if o.Best != nil {
		best = units.Seconds(o.Best.StepSeconds).String()
	}
	if q.Goal != nil {
		if limit = q.Goal.within().String(); o.Best != nil {
			best, limit = units.Apart(units.Seconds(o.Best.StepSeconds), q.Goal.within())
		}
		goal = ", the goal is " + limit
	}
	atMost := ""
	if c.problem.Facts.Cluster.IsMerged() {
		atMost = "at most "
	}
	switch {
	case c.verdict == NotMet && o.Best != nil:
		return fmt.Sprintf("fits, but the best step takes at most %s%s: that none is within it is not proven", best, goal)
	case c.verdict == NotMet:
		return fmt.Sprintf("no upper bound of a step is within the goal of %s; stopped before it was known whether a plan fits", limit)
	case c.verdict == TooSlow && o.Status == Optimal:
		text := fmt.Sprintf("fits, but the best step takes %s%s", best, goal)
		if b := c.result.Borderline; b != nil && q.Goal.met(b.Plan.StepSeconds) {
			text += fmt.Sprintf("; a borderline plan takes %v", units.Seconds(b.Plan.StepSeconds))
		}
		return text
	case c.verdict == TooSlow:
		return fmt.Sprintf("fits, but that no step is within the goal of %s is proven; the best found takes %s", limit, best)
	case c.verdict == OnlyBorderline:
		if o.Best.PeakReservedBytes > o.Best.UsableBytes {
			return fmt.Sprintf("no plan fits: the best reserves %v, more than the %v that are usable, within the error of the estimate, and takes %s%s%s",
				units.Bytes(o.Best.PeakReservedBytes), units.Bytes(o.Best.UsableBytes), atMost, best, goal)
		}
		return fmt.Sprintf("no plan leaves %.0f %% of the usable memory free; the best borderline one takes %s%s%s",
			100*c.price.Margin(), atMost, best, goal)
	case c.verdict == NoPlan:
		return sentence(o.Reasons)
	case c.verdict == Misses && q.Goal != nil:
		return fmt.Sprintf("no plan that fits takes %s or less; stopped before it was known whether one fits", limit)
	case c.verdict == Misses:
		return "no plan fits; stopped before it was known why"
	case c.verdict == Undecided:
		return "stopped before it was decided"
	}
	return ""
}

// sentence is the reasons as one. That all GPUs are used is what a candidate is;
// it is not said where there is another reason.
func sentence(reasons []Reason) string {
	var texts []string
	for _, r := range reasons {
		if !strings.HasPrefix(r.Rule, "pin/gpus=") || len(reasons) == 1 {
			texts = append(texts, r.Text)
		}
	}
	return strings.Join(texts, "; ")
}
