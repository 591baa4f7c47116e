package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// whyView is the answer of `why` as text.
func whyView(s *subject, r *search.WhyResult) string {
	var p page
	p.hang("", s.String())
	switch {
	case r.Status == search.Infeasible || r.Borderline:
		whyNot(&p, s, r)
	case r.Plan == nil:
		p.heading("Stopped before any plan was found; nothing is proven.")
	default:
		headline(&p, s, r.Plan, proof(r.Status, nil))
		hosts(&p, r.Plan)
		against(&p, r)
		idle(&p, r.Idle)
		forced(&p, r.Plan.Forced)
		if len(r.Changes) > 0 {
			p.heading("What makes it faster (each is verified by a search)")
			changeList(&p, r)
		}
	}
	if !r.ChangesDone {
		p.heading("Stopped early: there may be other changes that help.")
	}
	p.heading("Given, and not in question")
	for _, text := range r.Background {
		p.hang("  ", text)
	}
	warnings(&p, r.Warnings)
	p.heading("%s", whyQuote(s, r))
	return p.String()
}

// whyNot says why no plan fits and what helps.
func whyNot(p *page, s *subject, r *search.WhyResult) {
	because := "These cannot hold together"
	if len(r.Reasons) == 1 {
		because = "The reason"
	}
	proven := ""
	if r.Borderline {
		headline(p, s, r.Plan, "borderline, and no plan leaves the margin of memory free")
		hosts(p, r.Plan)
	} else {
		proven = "No plan can run this job, and that is proven. "
	}
	if r.Minimal && len(r.Reasons) > 1 {
		because += ", and each is needed for that"
	}
	p.WriteByte('\n')
	p.hang("", proven+because+":")
	reasons(p, r.Reasons)
	if len(r.Changes) > 0 {
		p.heading("Smallest changes after which a plan fits with memory to spare (each is verified by a search)")
		changeList(p, r)
	} else if r.ChangesDone {
		p.heading("No single change that was tried is enough.")
	}
}

// changesInShort names the changes after which a plan fits.
func changesInShort(p *page, list []search.Change) {
	if len(list) == 0 {
		return
	}
	p.heading("Each of these would do (meshplan why tells more)")
	var items [][2]string
	for i := range list {
		items = append(items, [2]string{setting(&list[i]), list[i].Text})
	}
	p.list(items)
}

// setting is what a change sets or gives up, as a flag where one sets it.
func setting(c *search.Change) string {
	name, value, _ := strings.Cut(c.Setting, "=")
	switch c.Kind {
	case search.ChangePin, search.ChangeOption:
		return "--pin " + c.Setting
	case search.ChangeDrop:
		return "without " + c.Setting
	case search.ChangeMemory:
		return "--set " + c.Setting
	case search.ChangeGPUs:
		if strings.HasPrefix(name, "level[") { // of a cluster file, which the text names
			return "size = " + value
		}
	}
	return "--" + strings.ReplaceAll(name, "_", "-") + " " + value
}

// told are the changes that text tells. To give up a pin is left out where another
// value of it leads to the same plan.
func told(all []search.Change) (list []*search.Change) {
	for i := range all {
		c := &all[i]
		same := func(o search.Change) bool { return o.Kind == search.ChangePin && o.Plan.Text == c.Plan.Text }
		if c.Kind != search.ChangeDrop || !slices.ContainsFunc(all, same) {
			list = append(list, c)
		}
	}
	return list
}

// changeList are the changes, each with what the best plan is after it.
func changeList(p *page, r *search.WhyResult) {
	var items [][2]string
	for _, c := range told(r.Changes) {
		items = append(items, [2]string{setting(c), c.Text}, [2]string{"", after(c)})
	}
	p.list(items)
}

// after is the best plan after a change.
func after(c *search.Change) string {
	a, how := c.Plan, ""
	if c.Status != search.Optimal {
		how = " or less"
	}
	text := fmt.Sprintf("%s on %s: %s a step%s", degrees(&a.Degrees), count(int(a.GPUs), "GPU"), seconds(a.StepSeconds), how)
	if c.Factor != nil {
		text += ", " + lessTime(*c.Factor) + " a sequence"
	}
	return text + fmt.Sprintf(", %s of %s GiB", gib(a.Memory.PeakReservedBytes), gib(a.Memory.UsableBytes))
}

// lessTime is a factor of time in words.
func lessTime(factor float64) string {
	if factor < 1 {
		return percent(1-factor, 1) + " less time"
	}
	return percent(factor-1, 1) + " more time"
}

// against compares the best plan under the pins with the best without them.
func against(p *page, r *search.WhyResult) {
	a := r.Against
	if a == nil {
		return
	}
	if a.Factor < 1 || a.Plan.Text == r.Plan.Text {
		text := "The pins cost nothing: the best plan without them is the same."
		switch most := pinsCostAtMost(r); {
		case most != "":
			text = "The pins cost nothing that is known, and at most " + most + ": the search without them was stopped, and had found no faster plan."
		case a.Factor < 1:
			text = "The pins cost nothing that is known: the search without them found no faster plan."
		}
		p.WriteByte('\n')
		p.hang("", text)
		return
	}
	var gap *float64
	if a.BoundSeconds != nil {
		share := 1 - *a.BoundSeconds/a.Plan.StepSeconds
		gap = &share
	}
	p.heading("Without the pins: %s on %s, %s", degrees(&a.Plan.Degrees), count(int(a.Plan.GPUs), "GPU"), proof(a.Status, gap))
	items := [][2]string{{"step time", fmt.Sprintf("%s: under the pins a step takes %s", seconds(a.Plan.StepSeconds), moreTime(r))}}
	if text := changes(&a.Plan, r.Plan); text != "" {
		items = append(items, [2]string{"options", text})
	}
	p.list(items)
	p.heading("By which terms, seconds of a step")
	rows := [][]string{{"term", "under the pins", "without", "difference"}}
	var pinned, free float64
	for _, t := range a.Terms {
		pinned, free = pinned+t.PinnedSeconds, free+t.FreeSeconds
		if d := t.PinnedSeconds - t.FreeSeconds; math.Abs(d) >= a.Plan.StepSeconds/1000 {
			rows = append(rows, []string{t.Name, fixed(t.PinnedSeconds), fixed(t.FreeSeconds), gained(d)})
		}
	}
	p.table(append(rows, []string{"step", fixed(pinned), fixed(free), gained(pinned - free)}))
}

// pinsCostAtMost is the most that the pins can cost where the search without them was cut
// short; nothing where it was not, or where nothing is known.
func pinsCostAtMost(r *search.WhyResult) string {
	a := r.Against
	if a.Status == search.Optimal || a.BoundSeconds == nil || *a.BoundSeconds <= 0 {
		return ""
	}
	return percent(max(0, r.Plan.StepSeconds / *a.BoundSeconds - 1), 1) + " more time"
}

// moreTime is by how much a step takes longer under the pins than without them, where
// that is known.
func moreTime(r *search.WhyResult) string {
	if most := pinsCostAtMost(r); most != "" {
		return fmt.Sprintf("at least %s and at most %s", percent(r.Against.Factor-1, 1), most)
	}
	return lessTime(r.Against.Factor)
}

// fixed prints seconds with three decimals.
func fixed(s float64) string { return fmt.Sprintf("%.3f", s) }

// gained is fixed with the sign.
func gained(s float64) string { return fmt.Sprintf("%+.3f", s) }

// idle says why GPUs stay unused.
func idle(p *page, i *search.Idle) {
	if i == nil {
		return
	}
	p.heading("%s unused: %s%s", count(i.GPUs, "GPU"), i.Text, colon(i))
	if i.Plan != nil {
		p.hang("  ", fmt.Sprintf("%s, %s a step", degrees(&i.Plan.Degrees), seconds(i.Plan.StepSeconds)))
	}
	reasons(p, i.Reasons)
}

func colon(i *search.Idle) string {
	if len(i.Reasons) > 0 {
		return ", because of"
	}
	return ""
}

// helps says how many changes help, of all kinds or of those tried before the search
// was stopped.
func helps(n int, done bool) string {
	stopped := ""
	if !done {
		stopped = "; stopped before all were tried"
	}
	switch {
	case n == 0 && !done:
		return "stopped before a change was found that helps"
	case n == 0:
		return "no change that was tried helps"
	case n == 1:
		return "one change helps" + stopped
	}
	return count(n, "change") + " help" + stopped
}

// pinsCost says by how much longer a step takes under the pins than without them.
func pinsCost(r *search.WhyResult) string {
	a, most := r.Against, pinsCostAtMost(r)
	switch nothing := a.Factor < 1 || a.Plan.Text == r.Plan.Text; {
	case nothing && most != "":
		return "the stopped search without the pins found no faster plan; they cost at most " + most
	case a.Plan.Text == r.Plan.Text:
		return "the pins cost nothing"
	case nothing:
		return "the search without the pins found no faster plan"
	}
	return "the pins cost " + moreTime(r)
}

// whyQuote is the answer in one sentence.
func whyQuote(s *subject, r *search.WhyResult) string {
	on := fmt.Sprintf("%s on %s %s", s.model, units.Grouped(int64(s.gpus)), s.gpu)
	switch {
	case r.Status == search.Infeasible || r.Borderline:
		return on + ": no plan fits; " + helps(len(told(r.Changes)), r.ChangesDone)
	case r.Plan == nil:
		return fmt.Sprintf("%s: %s", on, r.Status)
	case r.Against != nil:
		return on + ": " + pinsCost(r)
	}
	return oneSentence(s, r.Plan) + "; " + proof(r.Status, nil)
}
