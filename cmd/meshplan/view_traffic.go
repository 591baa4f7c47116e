package main

import (
	"slices"
	"strings"

	"meshplan/search"
)

// traffic says what each dimension sends, where and at what cost.
func traffic(p *page, rows []search.TrafficRow) {
	if len(rows) == 0 {
		return
	}
	levels := levelsOf(rows)
	p.heading("Traffic of a GPU and step")
	head := append([]string{""}, levels...)
	table := [][]string{append(head, "time", "exposed", "10 % bandwidth", "10 % latency")}
	var items [][2]string
	for i := range rows {
		r := &rows[i]
		row := []string{r.Dimension}
		for _, l := range levels {
			row = append(row, amount(onLevel(r, l)))
		}
		table = append(table, append(row, seconds(r.Seconds), seconds(r.ExposedSeconds),
			seconds(r.SecondsPer10PctBW), seconds(r.SecondsPer10PctLatency)))
		items = append(items, [2]string{r.Dimension, trafficSentence(r)})
	}
	p.table(table)
	p.list(items)
}

// trafficSentence says in words what a row's numbers are of.
func trafficSentence(r *search.TrafficRow) string {
	parts := []string{r.Splits, r.Collective, r.When, r.Placed, r.Source}
	var said []string
	for _, s := range parts {
		if s != "" {
			said = append(said, s)
		}
	}
	return strings.Join(said, "; ")
}

// levelsOf are the levels that some row has traffic on, in the rows' order.
func levelsOf(rows []search.TrafficRow) []string {
	var levels []string
	for i := range rows {
		for _, l := range rows[i].PerLevel {
			if !slices.Contains(levels, l.Level) {
				levels = append(levels, l.Level)
			}
		}
	}
	return levels
}

func onLevel(r *search.TrafficRow, level string) float64 {
	for _, l := range r.PerLevel {
		if l.Level == level {
			return l.Bytes
		}
	}
	return 0
}
