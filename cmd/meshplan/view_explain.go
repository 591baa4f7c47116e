package main

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// stageColumns is the number of stages side by side in a memory table.
const stageColumns = 8

// explainView is the answer of `explain` as text: every term of one plan.
func explainView(s *subject, e *search.Explanation) string {
	var p page
	p.hang("", s.String())
	found := findings(e)
	if e.Unpriced != "" {
		unpriced(&p, s, e)
		return p.String()
	}
	headline(&p, s, &e.PlanResult, found)
	choices(&p, &e.PlanResult)
	placement(&p, &e.PlanResult)
	hosts(&p, &e.PlanResult)
	rules(&p, e.Rules)
	timeTree(&p, &e.Time)
	if e.Timetable != nil {
		timetable(&p, e.Timetable)
	}
	memoryTable(&p, &e.Memory)
	traffic(&p, e.Traffic)
	warnings(&p, e.Warnings)
	p.heading("%s; %s", oneSentence(s, &e.PlanResult), found)
	return p.String()
}

// unpriced is a plan that cannot be built: what it is and what it breaks.
func unpriced(p *page, s *subject, e *search.Explanation) {
	p.heading("%s on %s of %s: it cannot be built, so it has no price", degrees(&e.Degrees), units.Grouped(e.GPUs), s.there())
	if !slices.ContainsFunc(e.Rules, func(c search.RuleCheck) bool { return !c.Holds }) {
		p.hang("  ", e.Unpriced)
	}
	choices(p, &e.PlanResult)
	placement(p, &e.PlanResult)
	rules(p, e.Rules)
	warnings(p, e.Warnings)
	p.heading("%s on %s of %s %s: cannot be priced, %s", degrees(&e.Degrees), units.Grouped(e.GPUs), units.Grouped(int64(s.gpus)), s.gpu, violated(e))
}

// findings says whether a plan's memory fits and its rules hold.
func findings(e *search.Explanation) string {
	return verdict(&e.Memory) + ", " + violated(e)
}

// violated counts the rules that a plan breaks.
func violated(e *search.Explanation) string {
	broken := 0
	for _, c := range e.Rules {
		if !c.Holds {
			broken++
		}
	}
	if broken == 0 {
		return "every rule holds"
	}
	return count(broken, "rule") + " violated"
}

// rules lists the violated rules with their sentences and counts those that
// hold.
func rules(p *page, checks []search.RuleCheck) {
	p.heading("Rules")
	held := 0
	var items [][2]string
	for _, c := range checks {
		if c.Holds {
			held++
		} else {
			items = append(items, [2]string{"violated", c.Rule + ": " + strings.TrimPrefix(c.Text, c.Rule+": ")})
		}
	}
	p.list(items)
	switch held {
	case 0:
	case 1:
		p.line("  1 rule holds")
	default:
		p.line("  %s hold", count(held, "rule"))
	}
}

// timeTree lists every term of the step time below the term it is part of.
func timeTree(p *page, t *search.TimeTerm) {
	p.heading("Time of a step")
	var rows [][3]string
	var walk func(t *search.TimeTerm, depth int)
	walk = func(t *search.TimeTerm, depth int) {
		rows = append(rows, [3]string{strings.Repeat("  ", depth) + t.Name, seconds(t.Seconds), t.Note})
		for i := range t.Terms {
			walk(&t.Terms[i], depth+1)
		}
	}
	walk(t, 0)
	p.terms(rows)
}

// memoryTable lists every memory term of every stage, some stages at a time.
func memoryTable(p *page, m *search.Memory) {
	for first := 0; first < len(m.Stages); first += stageColumns {
		stages := m.Stages[first:min(first+stageColumns, len(m.Stages))]
		p.heading("Memory by pipeline stage, GiB a GPU (usable %s)", gib(m.UsableBytes))
		head := []string{"stage"}
		layers := []string{"layers"}
		for i := range stages {
			head = append(head, fmt.Sprint(stages[i].Stage))
			layers = append(layers, fmt.Sprint(stages[i].Layers))
		}
		rows := append([][]string{head, layers}, termRows(stages)...)
		rows = append(rows,
			stageRow("allocated", stages, func(s *search.StageMemory) float64 { return s.AllocatedBytes }),
			stageRow("reserved", stages, func(s *search.StageMemory) float64 { return s.ReservedBytes }))
		p.table(rows)
	}
}

// termRow is one memory term of several stages, with the terms it is made of.
type termRow struct {
	name  string
	bytes []float64 // by stage
	parts []*termRow
}

// part is the row's part of the given name, made when it is the first.
func (t *termRow) part(name string) *termRow {
	for _, p := range t.parts {
		if p.name == name {
			return p
		}
	}
	p := &termRow{name: name, bytes: make([]float64, len(t.bytes))}
	t.parts = append(t.parts, p)
	return p
}

// add merges the terms of a stage into the row's parts.
func (t *termRow) add(stage int, terms []search.MemoryTerm) {
	for i := range terms {
		p := t.part(terms[i].Name)
		p.bytes[stage] += terms[i].Bytes
		p.add(stage, terms[i].Terms)
	}
}

// cells appends the rows of a table for the row's parts.
func (t *termRow) cells(rows [][]string, indent string) [][]string {
	for _, p := range t.parts {
		row := []string{indent + p.name}
		for _, b := range p.bytes {
			row = append(row, gibFine(b))
		}
		rows = p.cells(append(rows, row), indent+"  ")
	}
	return rows
}

// termRows are the terms of the stages side by side.
func termRows(stages []search.StageMemory) [][]string {
	all := termRow{bytes: make([]float64, len(stages))}
	for i := range stages {
		all.add(i, stages[i].Terms)
	}
	return all.cells(nil, "")
}

// stageRow is one figure of each stage.
func stageRow(name string, stages []search.StageMemory, of func(*search.StageMemory) float64) []string {
	row := []string{name}
	for i := range stages {
		row = append(row, gibFine(of(&stages[i])))
	}
	return row
}
