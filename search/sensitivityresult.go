package search

import (
	"io"
	"math"
	"slices"
)

// SensitivityResult answers "what matters most to this answer?". Its JSON is meant
// for other programs, as that of Result is.
type SensitivityResult struct {
	FormatVersion int `json:"format_version"`
	// Status is optimal when all that is shown is proven, feasible when the best plan
	// is known but the search was stopped before all else was, or where step times are
	// upper bounds, infeasible when nothing
	// fits, unknown when it was stopped before any plan was found.
	Status Status `json:"status"`
	// Best is the best plan of the job as it is: the best that fits, the best
	// borderline one when none does, null when none was found.
	Best         *Outline      `json:"best"`
	BoundSeconds *float64      `json:"bound_seconds"` // as in Result
	Inputs       []InputResult `json:"inputs"`        // those that can be changed
	// UpperBounds says that the step times are upper bounds, with which plans were
	// compared: that another is not faster is proven of none.
	UpperBounds *UpperBounds `json:"upper_bounds,omitempty"`
	// TenPercent and HalfOrDouble are the inputs whose change by 10 %, and to the half
	// or the double, changes the step time of the best plan by the largest share,
	// either way; a change with which nothing fits counts as the largest. They are
	// null unless all cases were searched to the end.
	TenPercent   *Weight  `json:"most_by_ten_percent"`
	HalfOrDouble *Weight  `json:"most_by_half_or_double"`
	Space        Space    `json:"space"`
	Reasons      []Reason `json:"reasons"` // why nothing fits; empty unless infeasible
	Warnings     []string `json:"warnings"`
	Stats        Stats    `json:"-"`
}

// WriteJSON writes the result like Result.WriteJSON.
func (r *SensitivityResult) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// InputResult is what an input of the job does.
type InputResult struct {
	Name  string       `json:"name"` // as --set has it, or load-factor
	About string       `json:"about"`
	Value float64      `json:"value"` // as it is
	Unit  string       `json:"unit"`  // of the value: "bytes_per_second", "1"
	Text  string       `json:"text"`  // the value with its unit
	Cases []CaseResult `json:"cases"` // by rising factor
	Flips []FlipResult `json:"flips"`
}

// CaseResult is the job with so many times as much of an input.
type CaseResult struct {
	Factor float64 `json:"factor"`
	Text   string  `json:"text"` // the value with its unit
	// Status is that of the search for the best plan, as in Result; it is "" where
	// there is no such job, and Impossible says why.
	Status       Status   `json:"status"`
	Impossible   string   `json:"impossible"`
	Stopped      bool     `json:"stopped"` // before the best plan was known
	Best         *Outline `json:"best"`
	BoundSeconds *float64 `json:"bound_seconds"`
	// StepChange is the step of this plan over that of the job as it is, less 1; null
	// without a plan. Of a case that was stopped, the best plan changes it by as much
	// or is faster.
	StepChange *float64 `json:"step_change"`
	// KeepingCosts is by what share of this step the best plan of the job as it is
	// would take longer; null where it does not fit or cannot be placed.
	KeepingCosts *float64 `json:"keeping_costs"`
	// OtherPlan says that the best plan is of other degrees or options, or verdict, than
	// that of the job as it is, or is placed otherwise and keeping that one costs more
	// than 0.1 %.
	OtherPlan bool     `json:"other_plan"`
	Reasons   []Reason `json:"reasons"` // why nothing fits; empty unless infeasible
}

// FlipResult is a change of an input by which another plan becomes the best. Both of
// its ends were searched to the end.
type FlipResult struct {
	Side        string   `json:"side"` // less, more
	KeepsFactor float64  `json:"keeps_factor"`
	KeepsText   string   `json:"keeps_text"`   // the value with which the same plan is the best
	FlipsFactor float64  `json:"flips_factor"` // within 1 % of it, but for numbers of GPUs and a search that was stopped
	FlipsText   string   `json:"flips_text"`   // the value with which it is not
	Stopped     bool     `json:"stopped"`      // before the two were that close
	Keeps       Outline  `json:"keeps"`        // the best plan at the one
	Flips       *Outline `json:"flips"`        // at the other; null when nothing fits there
	Reasons     []Reason `json:"reasons"`      // why; empty otherwise
}

// Weight is a change of an input and what it does to the step time.
type Weight struct {
	Input      string   `json:"input"`
	Factor     float64  `json:"factor"`
	StepChange *float64 `json:"step_change"` // null when nothing fits
}

// curvesScaled is what each case assumes of what was measured.
const curvesScaled = "measured curves are scaled with the resources: collectives inside a domain with its bandwidth and latency, GEMMs with flops and hbm-bandwidth"

// result is what the study has found.
func (st *study) result() *SensitivityResult {
	b := st.base
	r := &SensitivityResult{FormatVersion: FormatVersion, Status: b.status, Inputs: []InputResult{}, Space: st.space,
		Reasons: b.known(), Warnings: b.warnings, Stats: st.stats}
	r.Best, r.BoundSeconds = b.figures()
	if len(st.inputs) > 0 {
		r.Warnings = append([]string{curvesScaled}, b.warnings...)
	}
	for _, in := range st.inputs {
		item := st.describe(in)
		if !slices.ContainsFunc(item.Cases, func(c CaseResult) bool { return c.Impossible == "" }) {
			continue
		}
		if !item.proven() {
			r.Status = Feasible
		}
		r.Inputs = append(r.Inputs, item)
	}
	if r.Status == Optimal {
		r.TenPercent, r.HalfOrDouble = heaviest(r.Inputs, 0.9, 1.1), heaviest(r.Inputs, 0.5, 2)
	}
	return r
}

// withdraw takes back what is proven of plans whose step times are upper bounds.
func (r *SensitivityResult) withdraw() {
	if r.UpperBounds == nil {
		return
	}
	r.Status, r.BoundSeconds = r.Status.unproven(), nil
	for i := range r.Inputs {
		for k := range r.Inputs[i].Cases {
			c := &r.Inputs[i].Cases[k]
			c.Status, c.BoundSeconds = c.Status.unproven(), nil
		}
	}
}

// figures are the plan in short and the bound, nil where they are not known.
func (s *solution) figures() (best *Outline, bound *float64) {
	if s.best != nil {
		best = &s.short
	}
	if s.bound > 0 {
		bound = &s.bound
	}
	return best, bound
}

// known are the reasons why nothing fits, none otherwise.
func (s *solution) known() []Reason { return append([]Reason{}, s.reasons...) }

// describe is what was found of an input.
func (st *study) describe(in *input) InputResult {
	r := InputResult{Name: in.Name, About: in.About, Value: in.Value, Unit: in.Unit, Text: in.Print(in.Value), Flips: []FlipResult{}}
	for i, s := range in.cases {
		c := CaseResult{Factor: factors[i], Text: in.Print(in.Value * factors[i]), Status: s.status, Impossible: s.impossible, Reasons: s.known()}
		c.Stopped = c.Impossible == "" && !s.proven()
		if c.Best, c.BoundSeconds = s.figures(); s.best != nil {
			change := s.short.StepSeconds/st.base.short.StepSeconds - 1
			c.StepChange = &change
			if !math.IsNaN(s.keeping) {
				c.KeepingCosts = &s.keeping
			}
		}
		c.OtherPlan = c.Status == Infeasible || s.best != nil && !s.same(st.base)
		r.Cases = append(r.Cases, c)
	}
	for _, f := range in.flips {
		if f != nil {
			r.Flips = append(r.Flips, f.describe(in))
		}
	}
	return r
}

func (f *flip) describe(in *input) FlipResult {
	r := FlipResult{Side: f.name, Stopped: f.stopped, Keeps: f.kept.short, Reasons: f.other.known(),
		KeepsFactor: f.keeps, KeepsText: in.Print(in.Value * f.keeps), FlipsFactor: f.flips, FlipsText: in.Print(in.Value * f.flips)}
	r.Flips, _ = f.other.figures()
	return r
}

// proven reports whether all that is said of the input is.
func (r *InputResult) proven() bool {
	for i := range r.Cases {
		if r.Cases[i].Stopped {
			return false
		}
	}
	for i := range r.Flips {
		if r.Flips[i].Stopped {
			return false
		}
	}
	return true
}

// heaviest is the input that one of two changes has the largest effect of; nil
// where there is no such change.
func heaviest(inputs []InputResult, factors ...float64) (most *Weight) {
	weight := func(w *Weight) float64 {
		if w.StepChange == nil {
			return inf
		}
		return math.Abs(*w.StepChange)
	}
	for i := range inputs {
		for _, c := range inputs[i].Cases {
			w := &Weight{inputs[i].Name, c.Factor, c.StepChange}
			if (c.Factor == factors[0] || c.Factor == factors[1]) && c.Impossible == "" && (most == nil || weight(w) > weight(most)) {
				most = w
			}
		}
	}
	return most
}
