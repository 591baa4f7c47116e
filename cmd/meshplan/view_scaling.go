package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// scalingView is the answer of `pareto` against GPUs or cost as text.
func scalingView(s *subject, q *search.Sizing, f *search.ScalingFront) string {
	var p page
	p.hang("", fmt.Sprintf("%s on %s %s, global batch %s x %s tokens, %s, %s", s.model, scalingSpan(f), s.gpu,
		units.Grouped(s.batch), units.Grouped(s.seq), s.precision, s.framework))
	switch {
	case len(f.Points) > 0:
		scalingTable(&p, q, f)
	case f.Status == search.Infeasible:
		p.WriteByte('\n')
		p.hang("", fmt.Sprintf("No candidate has a plan on all of its GPUs that fits, and that is proven. On %s: %s", count(last(f).GPUs, "GPU"), f.Text))
	default:
		p.heading("Stopped before any plan was found; nothing is proven.")
	}
	scalingCandidates(&p, f)
	warnings(&p, f.Warnings)
	p.WriteByte('\n')
	p.hang("", scalingQuote(s, f))
	return p.String()
}

func last(f *search.ScalingFront) *search.ScalingCandidate { return &f.Candidates[len(f.Candidates)-1] }

// scalingSpan is the numbers of GPUs from the smallest candidate to the largest.
func scalingSpan(f *search.ScalingFront) string {
	first, last := units.Grouped(int64(f.Candidates[0].GPUs)), units.Grouped(int64(last(f).GPUs))
	if first == last {
		return first
	}
	return first + " to " + last
}

// takes is what a front sets against step time, in words.
func takes(against search.Axis) string {
	if against == search.CostAxis {
		return "Cost of a step"
	}
	return "GPUs"
}

// scalingTable is the front, a point a line.
func scalingTable(p *page, q *search.Sizing, f *search.ScalingFront) {
	text := count(len(f.Points), "point") + ", all there are, proven"
	switch {
	case f.UpperBounds != nil:
		text = count(len(f.Points), "point") + ", " + boundsOnly(f.UpperBounds)
	case !f.Complete:
		text = fmt.Sprintf("%s, %d of them proven; stopped early", count(len(f.Points), "point"), f.Proven())
	}
	p.WriteByte('\n')
	p.hang("", takes(f.Against)+" against step time: "+text)
	head := []string{"", "", "step", "GPUs", "MFU", "memory GiB", "plan"}
	if f.USDPerGPUHour != nil {
		head = append(head, "USD a step", "USD per 10^9 tokens")
		if q.Steps > 0 {
			head[len(head)-1] = "USD in all"
		}
	}
	rows := [][]string{head}
	var further []*float64
	for i := range f.Points {
		further = append(further, cmp.Or(f.Points[i].USDInAll, f.Points[i].USDPerBillionTokens))
	}
	step, rest := amounts(stepPrices(f)), amounts(further)
	for i := range f.Points {
		a := &f.Points[i]
		row := []string{fmt.Sprint(i + 1), marked(a.Knee, a.Proven || f.UpperBounds != nil), seconds(a.StepSeconds), units.Grouped(a.GPUs), percent(a.MFU, 1),
			gib(a.PeakReservedBytes), degrees(&a.Degrees)}
		if f.USDPerGPUHour != nil {
			row = append(row, step[i], rest[i])
		}
		rows = append(rows, row)
	}
	p.table(rows)
	if k := f.Knee(); k != nil {
		p.hang("  knee  ", "furthest below the straight line from the first point to the last on logarithmic axes: "+lessThanFirst(f, k))
	}
	if q.Steps > 0 && f.USDPerGPUHour != nil {
		p.hang("  all   ", count(int(q.Steps), "step")+" of the training")
	}
	if worst := slices.MaxFunc(f.Points, func(a, b search.ScalingPoint) int { return int(1e9 * (a.Gap - b.Gap)) }); worst.Gap > 0 && f.UpperBounds == nil {
		p.hang("  open  ", fmt.Sprintf("a plan that takes as little may be faster than one shown by at most %s", percent(worst.Gap, 1)))
	}
}

// stepPrices are what a step of each point costs.
func stepPrices(f *search.ScalingFront) (list []*float64) {
	for i := range f.Points {
		list = append(list, f.Points[i].USDPerStep)
	}
	return list
}

// lessThanFirst says what a point saves and costs.
func lessThanFirst(f *search.ScalingFront, k *search.ScalingPoint) string {
	first := &f.Points[0]
	what, share := "fewer GPUs", 1-float64(k.GPUs)/float64(first.GPUs)
	if f.Against == search.CostAxis {
		what, share = "less cost", 1 - *k.USDPerStep / *first.USDPerStep
	}
	return fmt.Sprintf("%s %s than the first for %s more time", percent(share, 0), what, percent(k.StepSeconds/first.StepSeconds-1, 1))
}

// scalingCandidates says what became of the candidates that are no points.
func scalingCandidates(p *page, f *search.ScalingFront) {
	behind := "slower than a point of fewer GPUs"
	if f.Against == search.CostAxis {
		behind = "slower and no cheaper than a point"
	}
	var lines []string
	for _, k := range []struct {
		verdict search.Verdict
		text    string
	}{
		{search.NoneFits, "no plan fits (min-gpus says why)"},
		{search.BehindFront, behind},
		{search.BehindByBounds, "by upper bounds (not proven) " + behind},
		{search.Undecided, "stopped before this was decided"},
	} {
		var list []int
		for i := range f.Candidates {
			if f.Candidates[i].Verdict == k.verdict {
				list = append(list, f.Candidates[i].GPUs)
			}
		}
		if len(list) > 0 {
			lines = append(lines, fmt.Sprintf("%s on %s: %s", k.text, count(len(list), "candidate"), shortList(list)))
		}
	}
	if len(lines) == 0 {
		return
	}
	p.heading("Numbers of GPUs that are not on the front")
	for _, line := range lines {
		p.hang("  ", line)
	}
}

// scalingQuote is the answer in one sentence.
func scalingQuote(s *subject, f *search.ScalingFront) string {
	text := fmt.Sprintf("%s on %s %s: ", s.model, scalingSpan(f), s.gpu)
	if len(f.Points) == 0 {
		return text + string(f.Status)
	}
	prices := amounts(stepPrices(f))
	point := func(i int) string {
		a := &f.Points[i]
		text := fmt.Sprintf("%s on %s", seconds(a.StepSeconds), count(int(a.GPUs), "GPU"))
		if f.Against == search.CostAxis {
			text += " for " + prices[i] + " USD"
		}
		return text
	}
	parts := []string{count(len(f.Points), "point"), point(0)}
	if n := len(f.Points); n > 1 {
		parts[1] += " to " + point(n-1)
	}
	if k := slices.IndexFunc(f.Points, func(a search.ScalingPoint) bool { return a.Knee }); k >= 0 {
		parts = append(parts, "knee "+point(k)+" with "+degrees(&f.Points[k].Degrees))
	}
	return text + strings.Join(parts, ", ") + "; " + string(f.Status)
}
