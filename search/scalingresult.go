package search

import "io"

// What is proven of a number of GPUs besides Undecided.
const (
	OnFront     Verdict = "on_front" // its best plan is a point of the front
	BehindFront Verdict = "behind"   // each plan that fits is behind a point: slower and no cheaper
	// BehindByBounds is a candidate that is behind a point where step times are upper
	// bounds: that it is not on the front is not proven.
	BehindByBounds Verdict = "behind_by_bounds"
	NoneFits       Verdict = "does_not_fit" // no plan leaves the profile's margin of memory free, nor is one known that does on fewer GPUs
)

// ScalingFront answers "what do more GPUs buy?" or "what does a faster step cost?".
// Its JSON is like that of Result.
type ScalingFront struct {
	FormatVersion int  `json:"format_version"`
	Against       Axis `json:"against"` // gpus or cost
	// Status is optimal when the front is proven, feasible when the search was
	// stopped with some points or step times are upper bounds, infeasible when no candidate has a plan that fits, and
	// unknown when it was stopped with no point.
	Status Status `json:"status"`
	// Complete says that it is proven of every candidate whether it is on the front.
	Complete      bool     `json:"complete"`
	USDPerGPUHour *float64 `json:"usd_per_gpu_hour"` // null when not known
	// Points are sorted by step time: each is slower than the one before and takes
	// fewer GPUs, or costs less.
	Points     []ScalingPoint     `json:"points"`
	Candidates []ScalingCandidate `json:"candidates"`
	// UpperBounds says that the step times are upper bounds: no point is proven then.
	UpperBounds *UpperBounds `json:"upper_bounds,omitempty"`
	// Text says why no plan fits on the largest candidate, and Reasons why none is
	// possible; empty unless infeasible.
	Text     string   `json:"text"`
	Reasons  []Reason `json:"reasons"`
	Warnings []string `json:"warnings"`
	Stats    Stats    `json:"-"`
}

// ScalingPoint is the best plan on a number of GPUs.
type ScalingPoint struct {
	Outline
	Cluster             string   `json:"cluster"`
	USDPerStep          *float64 `json:"usd_per_step"`           // null when no price is known
	USDPerBillionTokens *float64 `json:"usd_per_billion_tokens"` // null when no price is known
	USDInAll            *float64 `json:"usd_in_all"`             // of all steps; null when these are not known either
	// Proven says that no plan that takes as few GPUs, or costs as little, is faster.
	// Where it is false, none is by more than Gap, a fraction of this one's step; 1
	// says nothing.
	Proven bool    `json:"proven"`
	Gap    float64 `json:"gap"`
	// Knee marks the point that lies furthest below the straight line between the
	// first and the last, on logarithmic axes.
	Knee bool `json:"knee"`
}

// ScalingCandidate is a number of GPUs and what is proven of it.
type ScalingCandidate struct {
	GPUs    int     `json:"gpus"`
	Cluster string  `json:"cluster"`
	Verdict Verdict `json:"verdict"` // on_front, behind, behind_by_bounds, does_not_fit or undecided
	// BoundSeconds is a step time that no plan of it on the front beats; null when its
	// search was finished, or when nothing is known.
	BoundSeconds *float64 `json:"bound_seconds"`
}

// WriteJSON writes the front like Result.WriteJSON.
func (f *ScalingFront) WriteJSON(w io.Writer) error { return writeJSON(w, f) }

// Knee is the point marked as the knee, nil when there is none.
func (f *ScalingFront) Knee() *ScalingPoint {
	for i := range f.Points {
		if f.Points[i].Knee {
			return &f.Points[i]
		}
	}
	return nil
}

// withdraw takes back what is proven of plans whose step times are upper bounds.
func (f *ScalingFront) withdraw() {
	if f.UpperBounds == nil {
		return
	}
	for i := range f.Candidates {
		c := &f.Candidates[i]
		if c.BoundSeconds = nil; c.Verdict == BehindFront {
			c.Verdict = BehindByBounds
		}
	}
	if len(f.Points) == 0 {
		return
	}
	f.Status, f.Complete = f.Status.unproven(), false
	for i := range f.Points {
		f.Points[i].Proven, f.Points[i].Gap = false, 1
	}
}

// Proven is the number of points that are proven.
func (f *ScalingFront) Proven() int {
	n := 0
	for i := range f.Points {
		if f.Points[i].Proven {
			n++
		}
	}
	return n
}
