package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// pageWidth is the number of columns that sentences are wrapped to.
const pageWidth = 96

// page is text that is laid out before it is written in one go.
type page struct{ strings.Builder }

// line adds one line.
func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	p.WriteByte('\n')
}

// heading opens a section after an empty line.
func (p *page) heading(format string, args ...any) {
	p.WriteByte('\n')
	p.line(format, args...)
}

// hang adds a sentence behind a label, wrapped so that its further lines
// stand below its first.
func (p *page) hang(label, sentence string) {
	indent := strings.Repeat(" ", len(label))
	for i, part := range wrap(sentence, pageWidth-len(label)) {
		if i > 0 {
			label = indent
		}
		p.line("%s%s", label, part)
	}
}

// list adds labelled sentences, the labels padded to one width.
func (p *page) list(items [][2]string) {
	widest := 0
	for _, it := range items {
		widest = max(widest, len(it[0]))
	}
	for _, it := range items {
		p.hang(fmt.Sprintf("  %-*s  ", widest, it[0]), it[1])
	}
}

// table adds rows of equal length with aligned columns, the first row being
// the heads. Columns whose cells all look like numbers stand to the right.
func (p *page) table(rows [][]string) {
	for c := range rows[0] {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return !numeric(row[c]) }) {
			padLeft(rows, c)
		}
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.StripEscape)
	for _, row := range rows {
		fmt.Fprintf(w, "  %s\t\n", strings.Join(row, "\t"))
	}
	w.Flush()
	for line := range strings.Lines(text.String()) {
		p.WriteString(strings.TrimRight(line, " \n"))
		p.WriteByte('\n')
	}
}

// terms adds rows of a name, a number and a note; the notes are wrapped.
func (p *page) terms(rows [][3]string) {
	var name, number int
	for _, r := range rows {
		name, number = max(name, len(r[0])), max(number, len(r[1]))
	}
	for _, r := range rows {
		p.hang(fmt.Sprintf("  %-*s  %*s  ", name, r[0], number, r[1]), r[2])
	}
}

// numeric reports whether a cell belongs in a column of numbers.
func numeric(cell string) bool {
	return cell == "" || cell == "-" || strings.ContainsRune("0123456789+", rune(cell[0])) ||
		len(cell) > 1 && cell[0] == '-'
}

// padLeft makes a column's cells equally wide by spaces on their left.
func padLeft(rows [][]string, c int) {
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row[c]))
	}
	for _, row := range rows {
		row[c] = strings.Repeat(" ", widest-len(row[c])) + row[c]
	}
}

// wrap breaks a sentence at spaces into lines of at most the given width; a
// longer word stands on a line of its own.
func wrap(sentence string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(sentence) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
