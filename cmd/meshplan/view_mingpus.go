package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// sizingView is the answer of `min-gpus` as text.
func sizingView(s *subject, q *search.Sizing, r *search.SizingResult) string {
	var p page
	p.hang("", fmt.Sprintf("%s on %s %s, global batch %s x %s tokens, %s, %s", s.model, span(r), s.gpu,
		units.Grouped(s.batch), units.Grouped(s.seq), s.precision, s.framework))
	if r.Goal != nil {
		p.hang("Goal: ", r.Goal.Text)
	}
	p.WriteByte('\n')
	p.hang("", enough(r))
	if text := howFar(r); text != "" {
		p.hang("", text)
	}
	if r.Plan != nil {
		p.list([][2]string{{"text", strings.ReplaceAll(r.Plan.Text, ",", ", ")}})
	}
	if text := cheapest(q, r); text != "" {
		p.WriteByte('\n')
		p.hang("", text)
	}
	candidates(&p, r)
	notEnough(&p, r)
	warnings(&p, r.Warnings)
	p.heading("%s", sizingQuote(s, r))
	return p.String()
}

// span is the numbers of GPUs from the smallest candidate to the largest.
func span(r *search.SizingResult) string {
	first, last := r.Candidates[0].GPUs, r.Candidates[len(r.Candidates)-1].GPUs
	if n := len(r.NotLookedAt); n > 0 {
		last = r.NotLookedAt[n-1]
	}
	if first == last {
		return units.Grouped(int64(first))
	}
	return units.Grouped(int64(first)) + " to " + units.Grouped(int64(last))
}

// enough is the answer in a sentence.
func enough(r *search.SizingResult) string {
	if r.GPUs != nil {
		c, fewer := found(r, *r.GPUs), ", no smaller candidate is"
		if c == &r.Candidates[0] || notMet(r) {
			fewer = ""
		}
		return fmt.Sprintf("%s enough%s: %s, %s a step, %s of %s GiB", are(*r.GPUs), fewer, degrees(&c.Best.Degrees),
			bestStep(c), gib(c.Best.PeakReservedBytes), gib(c.Best.UsableBytes))
	}
	if r.Status == search.Infeasible {
		return "No candidate is enough, each used to its last GPU, and that is proven."
	}
	decided := 0
	for decided < len(r.Candidates) && r.Candidates[decided].Verdict != search.Undecided {
		decided++
	}
	switch {
	case decided == 0:
		return "Stopped before any candidate was decided; nothing is proven."
	case r.UpperBounds.Finished():
		return "No candidate is known to meet the goal; that none does is not proven: step times are upper bounds (note 1)."
	case notMet(r):
		return fmt.Sprintf("Stopped: no candidate up to %s is known to meet the goal, by upper bounds of step times (note 1); the rest is not decided.",
			count(r.Candidates[decided-1].GPUs, "GPU"))
	}
	return fmt.Sprintf("Stopped: no candidate up to %s is enough, each used to its last GPU, and that is proven; the rest is not decided.", count(r.Candidates[decided-1].GPUs, "GPU"))
}

// notMet reports whether that some candidate is not enough is not proven, because
// step times are upper bounds.
func notMet(r *search.SizingResult) bool {
	return slices.ContainsFunc(r.Candidates, func(c search.Candidate) bool {
		return c.Verdict == search.NotMet && (r.GPUs == nil || c.GPUs < *r.GPUs)
	})
}

// howFar says what of an answer is not proven; nothing where all is.
func howFar(r *search.SizingResult) string {
	switch {
	case r.Status != search.Feasible:
		return ""
	case r.UpperBounds == nil:
		return "Stopped early: that is proven, but not all that stands below."
	}
	text := "Step times are upper bounds (note 1)"
	if notMet(r) {
		text += ": that no smaller candidate is enough is not proven"
	}
	if !r.UpperBounds.Complete {
		text += "; stopped early"
	}
	return text + "."
}

// are is "1 GPU is" or "16 GPUs are".
func are(gpus int) string {
	if gpus == 1 {
		return "1 GPU is"
	}
	return count(gpus, "GPU") + " are"
}

// found is the candidate of that many GPUs.
func found(r *search.SizingResult, gpus int) *search.Candidate {
	for i := range r.Candidates {
		if r.Candidates[i].GPUs == gpus {
			return &r.Candidates[i]
		}
	}
	return nil
}

// cheapest says which candidate costs least, or what is needed to know; nothing
// without a price.
func cheapest(q *search.Sizing, r *search.SizingResult) string {
	switch {
	case r.CheapestGPUs != nil:
		c := found(r, *r.CheapestGPUs)
		text := fmt.Sprintf("%s cheapest: %s USD a step", are(c.GPUs), usd(c.USDPerStep))
		if c.USDInAll != nil {
			text += fmt.Sprintf(", %s USD for all %s", usd(c.USDInAll), count(int(q.Steps), "step"))
		}
		if text += fmt.Sprintf(", at %g USD a GPU-hour", *r.USDPerGPUHour); r.UpperBounds != nil {
			text += "; by upper bounds of the step times, not proven"
		}
		return text
	case r.USDPerGPUHour == nil || r.GPUs == nil:
		return ""
	case !q.All:
		return "Which candidate that is enough is cheapest takes a look at all of them: --all."
	}
	return "Which candidate is cheapest is not known: the search was stopped."
}

// usd prints an amount of money without its unit, "-" where it is not known.
func usd(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v >= 1000:
		return grouped(*v)
	case *v >= 1:
		return fmt.Sprintf("%.2f", *v)
	}
	return short(*v)
}

// amounts prints a column of amounts of money like usd, all with so many more digits
// that neighbours which differ look different, four at most.
func amounts(column []*float64) []string {
	texts := make([]string, len(column))
	for more := 0; more <= 4; more++ {
		alike, last := false, -1
		for i, v := range column {
			texts[i] = usdFine(v, more)
			if v == nil {
				continue
			}
			alike = alike || last >= 0 && texts[i] == texts[last] && *v != *column[last]
			last = i
		}
		if !alike {
			break
		}
	}
	return texts
}

// usdFine is usd with more digits.
func usdFine(v *float64, more int) string {
	switch {
	case v == nil || *v <= 0 || more == 0:
		return usd(v)
	case *v >= 1000:
		whole, rest, _ := strings.Cut(fmt.Sprintf("%.*f", more, *v), ".")
		n, _ := strconv.ParseInt(whole, 10, 64) // the digits that were just printed
		return units.Grouped(n) + "." + rest
	}
	return fmt.Sprintf("%.*f", more+max(2, 1-int(math.Floor(math.Log10(*v)))), *v)
}

// candidates are those that were looked at, side by side.
func candidates(p *page, r *search.SizingResult) {
	p.heading("Candidates")
	head := []string{"GPUs", "verdict", "best step", "memory GiB", "plan"}
	step, all := prices(r)
	if step {
		head = append(head, "USD a step")
	}
	if all {
		head = append(head, "USD in all")
	}
	rows := [][]string{head}
	perStep, inAll := make([]*float64, len(r.Candidates)), make([]*float64, len(r.Candidates))
	for i := range r.Candidates {
		perStep[i], inAll[i] = r.Candidates[i].USDPerStep, r.Candidates[i].USDInAll
	}
	steps, alls := amounts(perStep), amounts(inAll)
	for i := 0; i < len(r.Candidates); {
		group := r.Candidates[i : i+neighbours(r.Candidates[i:], bothInfeasible)]
		row := []string{gpusOf(group), sizingVerdict(r, &group[0]), "-", "-", "-"}
		if len(group) > 1 {
			row[1] = fmt.Sprintf("all %d %s", len(group), row[1])
		}
		if b := group[0].Best; b != nil {
			row = append(row[:2], bestStep(&group[0]), gib(b.PeakReservedBytes), degrees(&b.Degrees))
		}
		if step {
			row = append(row, steps[i])
		}
		if all {
			row = append(row, alls[i])
		}
		rows = append(rows, row)
		i += len(group)
	}
	p.table(rows)
	if n := len(r.NotLookedAt); n > 0 {
		p.hang("  ", fmt.Sprintf("%s above not looked at: %s", count(n, "candidate"), shortList(r.NotLookedAt)))
	}
}

// prices reports whether some candidate has a price of a step, and of all.
func prices(r *search.SizingResult) (step, all bool) {
	for i := range r.Candidates {
		step = step || r.Candidates[i].USDPerStep != nil
		all = all || r.Candidates[i].USDInAll != nil
	}
	return step, all
}

// sizingVerdict is a candidate's verdict as a reader says it.
func sizingVerdict(r *search.SizingResult, c *search.Candidate) string {
	if c.Verdict == search.Meets && r.Goal == nil {
		return "fits"
	}
	return words(string(c.Verdict))
}

// bestStep is the step of the best plan; one that is not proven to be the best
// is an upper bound.
func bestStep(c *search.Candidate) string {
	return atMost(c) + seconds(c.Best.StepSeconds)
}

// atMost stands before the step of a best plan that is not proven to be the best.
func atMost(c *search.Candidate) string {
	if c.Status == search.Optimal {
		return ""
	}
	return "<= "
}

// shortList prints numbers; of many, the first and the last.
func shortList(list []int) string {
	var words []string
	for i, n := range list {
		switch {
		case len(list) > listed && i == firstListed:
			words = append(words, "...")
		case len(list) <= listed || i < firstListed || i >= len(list)-lastListed:
			words = append(words, units.Grouped(int64(n)))
		}
	}
	return strings.Join(words, " ")
}

// notEnough says why candidates are not enough, once for neighbours of one reason.
func notEnough(p *page, r *search.SizingResult) {
	var items [][2]string
	for rest := r.Candidates; len(rest) > 0; {
		group := rest[:neighbours(rest, sameReason)]
		if rest = rest[len(group):]; group[0].Text != "" {
			items = append(items, [2]string{gpusOf(group), reasonOf(group)})
		}
	}
	if len(items) > 0 {
		p.heading("Why not")
		p.list(items)
	}
}

// sizingQuote is the answer in one sentence.
func sizingQuote(s *subject, r *search.SizingResult) string {
	what := "fits"
	if r.Goal != nil {
		what = "meets the goal"
	}
	if r.GPUs == nil {
		return fmt.Sprintf("%s %s on none of the candidates, %s %s, each used to its last GPU: %s", s.model, what, span(r), s.gpu, r.Status)
	}
	c := found(r, *r.GPUs)
	return fmt.Sprintf("%s %s on %s %s: %s, %s%s s/step, %s MFU; %s", s.model, what, units.Grouped(int64(c.GPUs)), s.gpu,
		degrees(&c.Best.Degrees), atMost(c), short(c.Best.StepSeconds), percent(c.Best.MFU, 0), r.Status)
}
