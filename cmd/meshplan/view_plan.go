package main

import (
	"fmt"
	"strings"

	"meshplan/cost"
	"meshplan/search"
	"meshplan/units"
)

// subject is what an answer is about.
type subject struct {
	model, cluster, gpu  string
	gpus, present        int // healthy ones, and broken ones too
	batch, seq           int64
	precision, framework string
}

// String is the first line of every answer.
func (s *subject) String() string {
	of := ""
	if s.present > s.gpus {
		of = " healthy of " + units.Grouped(int64(s.present))
	}
	return fmt.Sprintf("%s on %s (%s %s%s), global batch %s x %s tokens, %s, %s", s.model, s.cluster,
		units.Grouped(int64(s.gpus)), s.gpu, of, units.Grouped(s.batch), units.Grouped(s.seq), s.precision, s.framework)
}

// there says how many GPUs a plan could use: "574 healthy GPUs (576 there)".
func (s *subject) there() string {
	if s.present <= s.gpus {
		return units.Grouped(int64(s.gpus)) + " GPUs"
	}
	return fmt.Sprintf("%s healthy GPUs (%s there)", units.Grouped(int64(s.gpus)), units.Grouped(int64(s.present)))
}

// planView is the answer of `plan` as text.
func planView(s *subject, r *search.Result) string {
	var p page
	p.hang("", s.String())
	if len(r.Plans) == 0 {
		noPlan(&p, r)
	} else {
		bestPlan(&p, s, r)
	}
	searched(&p, &r.Space)
	warnings(&p, r.Warnings)
	p.heading("%s", quote(s, r))
	return p.String()
}

// bestPlan is the best plan term by term, the faster borderline plan if there is
// one, and the fastest plans in one line each.
func bestPlan(p *page, s *subject, r *search.Result) {
	best := &r.Plans[0]
	headline(p, s, best, status(r))
	borderline(p, s, best, r.Borderline)
	choices(p, best)
	placement(p, best)
	hosts(p, best)
	forced(p, best.Forced)
	tightest(p, &best.Memory)
	traffic(p, best.Traffic)
	fastest(p, r.Fastest)
}

// noPlan says why there is no plan, or that the search was stopped too early
// to tell.
func noPlan(p *page, r *search.Result) {
	if r.Status != search.Infeasible {
		p.heading("Stopped before any plan was found; %s.", provenOf(r.BoundSeconds))
		return
	}
	because := "These cannot hold together"
	if len(r.Reasons) == 1 {
		because = "The reason"
	}
	p.heading("Infeasible: no plan can run this job, and that is proven. %s:", because)
	reasons(p, r.Reasons)
	changesInShort(p, r.Changes)
}

// provenOf says what a search has proven that found no plan.
func provenOf(bound *float64) string {
	if bound == nil || *bound <= 0 {
		return "nothing is proven"
	}
	return "proven is only that no step takes less than " + seconds(*bound)
}

// reasons are the members of a set of rules that cannot hold together.
func reasons(p *page, list []search.Reason) {
	var items [][2]string
	var bare []string // rules whose part in it has no sentence
	for _, reason := range list {
		if reason.Text == "" || reason.Text == reason.Rule {
			bare = append(bare, reason.Rule)
		} else {
			items = append(items, [2]string{reason.Rule, strings.TrimPrefix(reason.Text, reason.Rule+": ")})
			if reason.Detail != "" {
				items = append(items, [2]string{"", reason.Detail})
			}
		}
	}
	if len(bare) > 0 {
		items = append(items, [2]string{"and", strings.Join(bare, ", ")})
	}
	p.list(items)
}

// status is what has been proven of the best plan, and that its memory is
// tight if so.
func status(r *search.Result) string {
	text := proof(r.Status, r.Gap)
	if r.Plans[0].Memory.Verdict == cost.Borderline.String() {
		text += ", borderline"
	}
	return text
}

// proof is a status with the gap that it leaves.
func proof(s search.Status, gap *float64) string {
	switch {
	case s != search.Feasible:
		return string(s)
	case gap == nil:
		return string(s) + ", gap unknown"
	}
	return string(s) + ", gap " + percent(*gap, 1)
}

// warnings are the assumptions and defaults of an answer, as footnotes.
func warnings(p *page, texts []string) {
	if len(texts) == 0 {
		return
	}
	p.heading("Notes")
	for i, t := range texts {
		p.hang(fmt.Sprintf("  %4s ", fmt.Sprintf("[%d]", i+1)), t)
	}
}

// quote is the answer in one sentence.
func quote(s *subject, r *search.Result) string {
	if len(r.Plans) == 0 {
		return fmt.Sprintf("%s on %s %s: %s", s.model, units.Grouped(int64(s.gpus)), s.gpu, r.Status)
	}
	text := oneSentence(s, &r.Plans[0]) + "; " + status(r)
	if !r.Explained() {
		text += "; stopped before it was known what forced each degree"
	}
	return text
}

// oneSentence is a plan's degrees and figures.
func oneSentence(s *subject, a *search.PlanResult) string {
	return fmt.Sprintf("%s on %s of %s %s: %s s/step, %s MFU, %s of %s GiB", degrees(&a.Degrees),
		units.Grouped(a.GPUs), units.Grouped(int64(s.gpus)), s.gpu, short(a.StepSeconds), percent(a.MFU, 0),
		gib(a.Memory.PeakReservedBytes), gib(a.Memory.UsableBytes))
}
