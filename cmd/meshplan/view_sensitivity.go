package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// sensitivityView is the answer of `sensitivity` as text.
func sensitivityView(s *subject, r *search.SensitivityResult) string {
	var p page
	p.hang("", s.String())
	if r.Best == nil {
		noPlan(&p, &search.Result{Status: r.Status, BoundSeconds: r.BoundSeconds, Reasons: r.Reasons})
	} else {
		asItIs(&p, s, r)
	}
	if len(r.Inputs) > 0 {
		changesTable(&p, r)
		flips(&p, r)
	}
	searched(&p, &r.Space)
	warnings(&p, r.Warnings)
	p.WriteByte('\n')
	p.hang("", sensitivityQuote(s, r))
	return p.String()
}

// asItIs is the best plan of the job before anything is changed.
func asItIs(p *page, s *subject, r *search.SensitivityResult) {
	b := r.Best
	proven := "optimal"
	switch {
	case len(r.Inputs) == 0:
		proven = "stopped before that was proven, nothing was changed"
	case r.UpperBounds != nil:
		proven = "feasible, step times are upper bounds (note 1)"
	}
	p.heading("%s on %s of %s: %s", degrees(&b.Degrees), units.Grouped(b.GPUs), s.there(), proven)
	p.list([][2]string{
		{"step time", seconds(b.StepSeconds)},
		{"memory", fmt.Sprintf("%s of %s GiB usable on the tightest stage: %s", gib(b.PeakReservedBytes), gib(b.UsableBytes), words(b.Verdict))},
		{"text", strings.ReplaceAll(b.Text, ",", ", ")},
	})
}

// changesTable is by how much the step is longer or shorter with each change.
func changesTable(p *page, r *search.SensitivityResult) {
	p.heading("Step time of the best plan when one input alone is changed")
	rows := [][]string{{"input", "as it is"}}
	for _, c := range r.Inputs[0].Cases {
		rows[0] = append(rows[0], factorText(c.Factor)+" ")
	}
	marks := map[string]bool{}
	var none [][2]string
	for i := range r.Inputs {
		in := &r.Inputs[i]
		row := []string{in.Name, in.Text}
		for k := range in.Cases {
			c := &in.Cases[k]
			text, mark := cell(c)
			marks[mark], marks[text] = true, true
			row = append(row, text+mark)
			if c.Status == search.Infeasible {
				none = append(none, [2]string{in.Name + " " + factorText(c.Factor), reasonsText(c.Reasons)})
			}
		}
		rows = append(rows, row)
	}
	for c := 2; c < len(rows[0]); c++ {
		padLeft(rows, c)
	}
	p.table(rows)
	var legend [][2]string
	for _, l := range [][2]string{
		{"*", "another plan is the best then"},
		{"?", "stopped before it was proven: the best plan found, another may be faster"},
		{"-", "there is no such job or cluster"},
		{"stopped", "before any plan was found"},
		{"none", "no plan can run the job"},
	} {
		if marks[l[0]] {
			legend = append(legend, l)
		}
	}
	if slices.ContainsFunc(r.Inputs, func(in search.InputResult) bool { return in.Name == search.LoadFactor }) {
		legend = append(legend, [2]string{search.LoadFactor, "set by --load-factor, the others by --set"})
	}
	p.list(append(legend, none...))
}

// cell is a case in the table, and what marks it.
func cell(c *search.CaseResult) (text, mark string) {
	switch {
	case c.Impossible != "":
		return "-", " "
	case c.Status == search.Infeasible:
		return "none", " "
	case c.StepChange == nil:
		return "stopped", " "
	}
	if text = fmt.Sprintf("%+.1f %%", 100**c.StepChange); text == "-0.0 %" || text == "+0.0 %" {
		text = "0.0 %"
	}
	switch {
	case c.Stopped:
		return text, "?"
	case c.OtherPlan:
		return text, "*"
	}
	return text, " "
}

// factorText is a factor that was tried.
func factorText(f float64) string {
	switch f {
	case 0.5:
		return "x 1/2"
	case 2:
		return "x 2"
	}
	return fmt.Sprintf("%+.0f %%", 100*(f-1))
}

// reasonsText is the reasons in one sentence.
func reasonsText(reasons []search.Reason) string {
	var texts []string
	for _, r := range reasons {
		texts = append(texts, strings.TrimPrefix(r.Text, r.Rule+": "))
	}
	return strings.Join(texts, "; ")
}

// flips are the changes by which another plan becomes the best.
func flips(p *page, r *search.SensitivityResult) {
	rows := [][]string{{"input", "with", "", "step", "keeping", "best plan there"}}
	for i := range r.Inputs {
		for k := range r.Inputs[i].Flips {
			f := &r.Inputs[i].Flips[k]
			step, plan := "-", "none: "+reasonsText(f.Reasons)
			if f.Flips != nil {
				step, plan = seconds(f.Flips.StepSeconds), instead(r.Best, f.Flips)
			}
			row := []string{r.Inputs[i].Name, beyond(f), fmt.Sprintf("x %.3g", f.FlipsFactor), step, keeping(&r.Inputs[i], f.Side), ""}
			for _, line := range wrap(plan, flipPlan) {
				row[len(row)-1] = line
				rows = append(rows, row)
				row = make([]string, len(row))
			}
		}
	}
	switch {
	case len(rows) == 1 && (r.Status == search.Optimal || r.UpperBounds.Finished()):
		p.heading("None of these changes makes another plan the best.")
		return
	case len(rows) == 1:
		p.heading("Stopped before a change was found that makes another plan the best.")
		return
	}
	p.WriteByte('\n')
	p.hang("", "Another plan is the best instead of "+strings.Join(featuresOf(r.Best), ", "))
	p.table(rows)
	p.hang("  keeping  ", "by how much the best step is missed with x 1/2 or x 2 if the plan is kept; - where it does not fit or cannot be placed then")
}

// keeping is what the plan as it is loses at the end of the range on that side.
func keeping(in *search.InputResult, side string) string {
	c := &in.Cases[0]
	if side == search.More {
		c = &in.Cases[len(in.Cases)-1]
	}
	if c.KeepingCosts == nil {
		return "-"
	}
	return percent(*c.KeepingCosts, 1)
}

// beyond says with how much of an input a flip is.
func beyond(f *search.FlipResult) string {
	switch {
	case f.Stopped:
		return fmt.Sprintf("%s or before (stopped)", f.FlipsText)
	case math.Abs(math.Log(f.FlipsFactor/f.KeepsFactor)) > 0.02: // a number that does not go by 1 %
		return f.FlipsText
	case f.Side == search.Less:
		return f.FlipsText + " or less"
	}
	return f.FlipsText + " or more"
}

// flipPlan is the columns of a flip's line that its plan may take.
const flipPlan = 40

// instead is a plan by its degrees and the options that another one does not have.
func instead(best, other *search.Outline) string {
	had := featuresOf(best)
	own := slices.DeleteFunc(featuresOf(other), func(w string) bool { return slices.Contains(had, w) })
	if other.Verdict != best.Verdict {
		own = append(own, words(other.Verdict))
	}
	if o, b := &other.Options, &best.Options; len(own) == 0 {
		own = []string{o.Schedule, o.CPComm, "offload " + o.Offload}
		if o.Schedule == b.Schedule && o.CPComm == b.CPComm && o.Offload == b.Offload {
			own = []string{"placement " + placementIn(other.Text)}
		}
	}
	if name := degrees(&other.Degrees); name != own[0] {
		own = append([]string{"same degrees"}, own...)
	}
	return strings.Join(own, ", ")
}

// placementIn is the placement of a plan's text.
func placementIn(text string) string {
	_, placement, _ := strings.Cut(text, "placement=")
	return placement
}

// sensitivityQuote is the answer in one sentence.
func sensitivityQuote(s *subject, r *search.SensitivityResult) string {
	text := fmt.Sprintf("%s on %s %s: ", s.model, units.Grouped(int64(s.gpus)), s.gpu)
	if r.Best == nil {
		return text + string(r.Status)
	}
	text += seconds(r.Best.StepSeconds) + " a step"
	if r.TenPercent == nil {
		return text + "; stopped before it was known what matters most"
	}
	ten, half := r.TenPercent, r.HalfOrDouble
	if ten.Input == half.Input {
		return fmt.Sprintf("%s; %s matters most: %s, %s; %s", text, ten.Input, weight(ten), weight(half), r.Status)
	}
	return fmt.Sprintf("%s; of changes by 10 %% %s matters most (%s), of halves and doubles %s (%s); %s",
		text, ten.Input, weight(ten), half.Input, weight(half), r.Status)
}

// weight is a change and what it does to the step.
func weight(w *search.Weight) string {
	text := "with " + factorText(w.Factor)
	switch {
	case w.StepChange == nil:
		return text + " nothing fits"
	case *w.StepChange < 0:
		return text + " it is " + percent(-*w.StepChange, 1) + " shorter"
	}
	return text + " it is " + percent(*w.StepChange, 1) + " longer"
}
