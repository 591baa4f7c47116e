package main

import (
	"fmt"
	"strings"

	"meshplan/plan"
	"meshplan/search"
	"meshplan/units"
)

// searched says what the answer ranged over.
func searched(p *page, s *search.Space) {
	p.heading("Searched")
	var dims []string
	for _, d := range s.Dimensions {
		dims = append(dims, d.Name+" "+values(d.Name, d.Values))
	}
	p.list([][2]string{
		{"values", strings.Join(dims, "; ")},
		{"rules", ruleList(s.Rules)},
		{"profile", s.Profile},
		{"size", power(s.RawCombinations) + " combinations before any rule"},
	})
}

// Of a domain of more than listed values the first and the last are shown.
const (
	listed      = 9
	firstListed = 6
	lastListed  = 2
)

// values prints a domain.
func values(name string, v []int32) string {
	var words []string
	c, known := plan.CoordNamed(name)
	for i, x := range v {
		switch {
		case len(v) > listed && i == firstListed:
			words = append(words, "...")
		case len(v) > listed && i > firstListed && i < len(v)-lastListed:
		case known && (c.Words() || c == plan.RecomputeSpare):
			words = append(words, c.Format(x))
		default:
			words = append(words, units.Grouped(int64(x)))
		}
	}
	if len(v) > listed {
		words = append(words, fmt.Sprintf("(%d values)", len(v)))
	}
	return strings.Join(words, " ")
}

// ruleLines is the most lines that the rules take, and spaceLabel the width of
// the labels before them.
const (
	ruleLines  = 2
	spaceLabel = len("  profile  ")
)

// ruleList prints the number of rules and their ids in short: what an id has
// in common with the one before is left out, and of a long list the end.
func ruleList(ids []string) string {
	text, prefix := fmt.Sprintf("%d:", len(ids)), ""
	for i, id := range ids {
		word := " " + strings.TrimPrefix(id, prefix)
		if p := idPrefix(id); p != prefix || p == "" {
			prefix, word = p, ", "+id
		}
		if i == 0 {
			word = " " + id
		}
		rest := ""
		if left := len(ids) - i - 1; left > 0 {
			rest = fmt.Sprintf(" and %d more", left)
		}
		if len(wrap(text+word+rest, pageWidth-spaceLabel)) > ruleLines {
			return fmt.Sprintf("%s and %d more", text, len(ids)-i)
		}
		text += word
	}
	return text
}

// idPrefix is the part of an id that those of one framework share:
// "megatron/MLM-" of "megatron/MLM-H1".
func idPrefix(id string) string {
	family, name, ok := strings.Cut(id, "/")
	if !ok {
		return ""
	}
	prefix := family + "/"
	if series, _, ok := strings.Cut(name, "-"); ok && series == strings.ToUpper(series) {
		prefix += series + "-"
	}
	return prefix
}
