package search

// Front answers "what does memory buy?": the plans than which no other is as fast
// and needs as little memory. Its JSON is like that of Result.
type Front struct {
	FormatVersion int  `json:"format_version"`
	Against       Axis `json:"against"` // memory
	// Status is optimal when every point is proven and, unless fewer were asked
	// for, there are no others; feasible when the search was stopped early, or where
	// step times are upper bounds.
	Status Status `json:"status"`
	// Complete says that the front is proven to have no more points.
	Complete bool `json:"complete"`
	// ProvenBelowSeconds is a step time below which the front is proven to have the
	// points given and no others; null when it is complete or nothing is proven.
	ProvenBelowSeconds *float64 `json:"proven_below_seconds"`
	// ResolutionBytes is the step in which memory is counted: of plans whose memory
	// rounds up to the same multiple, the fastest stands for all.
	ResolutionBytes float64 `json:"resolution_bytes"`
	// Points are sorted by step time: each is slower than the one before and needs
	// less memory.
	Points []FrontPoint `json:"points"`
	// UpperBounds says that the step times are upper bounds: no point is proven then.
	UpperBounds *UpperBounds `json:"upper_bounds,omitempty"`
	Space       Space        `json:"space"`
	Reasons     []Reason     `json:"reasons"` // why nothing fits; empty unless infeasible
	Warnings    []string     `json:"warnings"`
	Stats       Stats        `json:"-"`
}

// FrontPoint is one plan of a front.
type FrontPoint struct {
	Outline
	// Proven says that no plan of as little memory is faster. Where it is false,
	// none is by more than Gap, a fraction of this one's step; 1 says nothing.
	Proven bool    `json:"proven"`
	Gap    float64 `json:"gap"`
	// Knee marks the point that lies furthest below the straight line between the
	// first and the last, on logarithmic axes.
	Knee bool `json:"knee"`
}

// withdraw takes back what is proven of plans whose step times are upper bounds.
func (f *Front) withdraw() {
	if f.UpperBounds == nil || len(f.Points) == 0 {
		return
	}
	f.Status, f.Complete, f.ProvenBelowSeconds = f.Status.unproven(), false, nil
	for i := range f.Points {
		f.Points[i].Proven, f.Points[i].Gap = false, 1
	}
}

// Proven is the number of points that are proven. They come first.
func (f *Front) Proven() int {
	n := 0
	for n < len(f.Points) && f.Points[n].Proven {
		n++
	}
	return n
}

// points fills in the first points of an outcome, all for a limit of 0.
func (s *session) points(f *Front, out *frontOutcome, limit int) {
	held, proven, below := out.held, out.proven(), out.below
	if f.Complete = out.done; limit > 0 && limit < len(held) {
		if limit < proven {
			below = held[limit].first
		}
		held, f.Complete = held[:limit], false
	}
	if below /= 1e9; !f.Complete && below > 0 {
		f.ProvenBelowSeconds = &below
	}
	for i := range held {
		p := FrontPoint{Outline: s.outline(&held[i]), Proven: i < proven}
		if !p.Proven {
			p.Gap = 1 - min(1, max(out.below, out.floor)/held[i].first)
		}
		f.Points = append(f.Points, p)
	}
	if k := knee(len(f.Points), f.at); k >= 0 {
		f.Points[k].Knee = true
	}
}

// at is the memory and the step time of a point.
func (f *Front) at(i int) (memory, time float64) {
	return f.Points[i].PeakReservedBytes, f.Points[i].StepSeconds
}

// Knee is the point marked as the knee, nil when there is none.
func (f *Front) Knee() *FrontPoint {
	for i := range f.Points {
		if f.Points[i].Knee {
			return &f.Points[i]
		}
	}
	return nil
}
