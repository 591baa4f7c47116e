package main

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// frontView is the answer of `pareto` as text, with every point if all are asked for.
func frontView(s *subject, f *search.Front, all bool) string {
	var p page
	p.hang("", s.String())
	if len(f.Points) == 0 {
		noPlan(&p, &search.Result{Status: f.Status, Reasons: f.Reasons})
	} else {
		frontTable(&p, f, all)
	}
	searched(&p, &f.Space)
	warnings(&p, f.Warnings)
	p.WriteByte('\n')
	p.hang("", frontQuote(s, f))
	return p.String()
}

// frontTable is the front, a point a line.
func frontTable(p *page, f *search.Front, all bool) {
	shown := shownOf(f.Points, all)
	points := make([]search.FrontPoint, len(shown))
	outlines := make([]search.Outline, len(shown))
	widest := 0
	for i, at := range shown {
		points[i], outlines[i] = f.Points[at], f.Points[at].Outline
		widest = max(widest, len(degrees(&outlines[i].Degrees)))
	}
	shared, _ := differences(outlines)
	p.WriteByte('\n')
	p.hang("", "Peak memory against step time in steps of "+gibExact(f.ResolutionBytes)+" GiB: "+extent(f))
	if shared != "" && len(outlines) > 1 {
		p.hang("", "All with "+shared)
	}
	rows := [][]string{{"", "", "step", "memory GiB", "verdict", "MFU", "plan", "with"}}
	for i := range points {
		a := &points[i]
		row := []string{fmt.Sprint(shown[i] + 1), marked(a.Knee, a.Proven || f.UpperBounds != nil), seconds(a.StepSeconds), gibFine(a.PeakReservedBytes), words(a.Verdict), percent(a.MFU, 1),
			degrees(&a.Degrees), ""}
		for _, line := range wrap(changed(points, i, shared), max(leastChanges, besidePlan-widest)) {
			row[len(row)-1] = line
			rows = append(rows, row)
			row = make([]string, len(row))
		}
	}
	p.table(rows)
	if n := len(f.Points) - len(points); n > 0 {
		p.hang("  ", leftOut(n))
	}
	p.hang("  with  ", "the options of the first plan, then what is not as in the line before")
	if k := f.Knee(); k != nil {
		p.hang("  knee  ", fmt.Sprintf("furthest below the straight line from the first point to the last on logarithmic axes: %s",
			againstFirst(&f.Points[0], k)))
	}
	unproven(p, f)
}

// Columns of a line of a front's table: for a plan and what changes from a point to
// the next together, and the fewest for the latter.
const (
	besidePlan   = 46
	leastChanges = 20
)

// marked is what is special about a point.
func marked(knee, proven bool) string {
	var list []string
	if knee {
		list = append(list, "knee")
	}
	if !proven {
		list = append(list, "open")
	}
	return strings.Join(list, ", ")
}

// extent says how many points there are and what of the front they are.
func extent(f *search.Front) string {
	text := count(len(f.Points), "point")
	switch {
	case f.UpperBounds != nil:
		return text + ", " + boundsOnly(f.UpperBounds)
	case f.Complete:
		return text + ", all there are, proven"
	case f.Status == search.Optimal:
		return text + ", its fast end, proven; it goes on"
	}
	return fmt.Sprintf("%s, %d of them proven; stopped early", text, f.Proven())
}

// boundsOnly says that step times are upper bounds, as the first note explains.
func boundsOnly(u *search.UpperBounds) string {
	text := "none proven: step times are upper bounds (note 1)"
	if !u.Complete {
		text += "; stopped early"
	}
	return text
}

// changed is what the plan of a point has that the one before has not: of the first,
// all that the plans do not share.
func changed(points []search.FrontPoint, i int, shared string) string {
	a := &points[i].Outline
	own := featuresOf(a)[1:]
	if i == 0 {
		common := strings.Split(shared, ", ")
		return strings.Join(slices.DeleteFunc(own, func(w string) bool { return slices.Contains(common, w) }), ", ")
	}
	before := &points[i-1].Outline
	old := featuresOf(before)
	own = slices.DeleteFunc(own, func(w string) bool { return slices.Contains(old, w) })
	switch {
	case len(own) > 0 || degrees(&a.Degrees) != degrees(&before.Degrees):
	case a.Options.LayersPerStage != before.Options.LayersPerStage:
		own = []string{"other layers"}
	case a.Options.Schedule != before.Options.Schedule || a.Options.CPComm != before.Options.CPComm || a.Options.Offload != before.Options.Offload:
		own = []string{a.Options.Schedule, a.Options.CPComm, "offload " + a.Options.Offload}
	default:
		own = []string{"other placement"}
	}
	return strings.Join(own, ", ")
}

// againstFirst says what a point saves and costs.
func againstFirst(first, p *search.FrontPoint) string {
	return fmt.Sprintf("%s less memory than the first for %s more time", percent(1-p.PeakReservedBytes/first.PeakReservedBytes, 0),
		percent(p.StepSeconds/first.StepSeconds-1, 1))
}

// unproven says what is known of the points that are not proven.
func unproven(p *page, f *search.Front) {
	n := f.Proven()
	if n == len(f.Points) && f.Status == search.Optimal || f.UpperBounds != nil {
		return
	}
	text := "no point is proven"
	label := "  open  "
	if n == len(f.Points) {
		label = "  rest  "
	}
	if b := f.ProvenBelowSeconds; b != nil {
		text = fmt.Sprintf("below %s the front is proven to have the points shown and no others; from there on there may be others", seconds(*b))
	}
	if n < len(f.Points) {
		worst := slices.MaxFunc(f.Points[n:], func(a, b search.FrontPoint) int { return int(1e9 * (a.Gap - b.Gap)) })
		text += fmt.Sprintf(", and a plan of as little memory may be faster than one shown by at most %s", percent(worst.Gap, 1))
	}
	p.hang(label, text)
}

// frontQuote is the answer in one sentence.
func frontQuote(s *subject, f *search.Front) string {
	text := fmt.Sprintf("%s on %s %s: ", s.model, units.Grouped(int64(s.gpus)), s.gpu)
	if len(f.Points) == 0 {
		return text + string(f.Status)
	}
	point := func(a *search.FrontPoint) string {
		return seconds(a.StepSeconds) + " at " + gib(a.PeakReservedBytes) + " GiB"
	}
	text += count(len(f.Points), "point") + ", " + point(&f.Points[0])
	if n := len(f.Points); n > 1 {
		text += " to " + point(&f.Points[n-1])
	}
	if k := f.Knee(); k != nil {
		text += ", knee " + point(k) + " with " + degrees(&k.Degrees)
	}
	return text + "; " + string(f.Status)
}

// gibExact prints bytes as GiB with as many decimals as they need, at most three.
func gibExact(bytes float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", bytes/float64(units.GiB)), "0"), ".")
}
