package main

import (
	"fmt"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// borderline is the faster plan with less memory to spare, beside the best plan
// that fits.
func borderline(p *page, s *subject, best *search.PlanResult, b *search.Borderline) {
	if b == nil {
		return
	}
	a := &b.Plan
	gap := &b.Gap
	if a.Unaligned != nil {
		gap = nil
	}
	p.heading("Faster but borderline: %s on %s of %s, %s", degrees(&a.Degrees), units.Grouped(a.GPUs), s.there(), proof(b.Status, gap))
	items := [][2]string{
		{"step time", fmt.Sprintf("%s instead of %s: %s less, %s", seconds(a.StepSeconds), seconds(best.StepSeconds),
			seconds(b.SavedSeconds), saved(b))},
		{"memory", fmt.Sprintf("%s of %s GiB usable on the tightest stage: %s", gib(a.Memory.PeakReservedBytes),
			gib(a.Memory.UsableBytes), left(b))},
	}
	if text := changes(a, best); text != "" {
		items = append(items, [2]string{"options", text})
	}
	items = append(items, [2]string{"meaning", b.Text}, [2]string{"text", strings.ReplaceAll(a.Text, ",", ", ")})
	for _, w := range b.Warnings {
		items = append(items, [2]string{"note", w})
	}
	p.list(items)
}

// saved is the share of the step that the borderline plan saves.
func saved(b *search.Borderline) string {
	if text := percent(b.SavedFraction, 1); text != percent(0, 1) {
		return text
	}
	return "less than 0.1 %"
}

// left is the memory that the borderline plan leaves free, or takes beyond.
func left(b *search.Borderline) string {
	if b.FreeBytes < 0 {
		return gib(-b.FreeBytes) + " GiB too much"
	}
	return gib(b.FreeBytes) + " GiB left"
}

// changes are the features of a plan, apart from its degrees, that another does
// not have.
func changes(a, from *search.PlanResult) string {
	var list []string
	own, old := features(&a.Degrees, &a.Options), features(&from.Degrees, &from.Options)
	for k := 1; k < len(own); k++ {
		if own[k] != old[k] {
			list = append(list, own[k]+" instead of "+old[k])
		}
	}
	return strings.Join(list, "; ")
}
