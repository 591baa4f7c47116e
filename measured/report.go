package measured

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"meshplan/strict"
)

// FormatVersion is the version of the report's JSON.
const FormatVersion = 1

// Report is how a table of measured runs was met. Its JSON names are fixed.
type Report struct {
	FormatVersion  int            `json:"format_version"`
	Kind           Kind           `json:"kind"`
	Rows           int            `json:"rows"`
	Scored         int            `json:"scored"`
	Skipped        []Skipped      `json:"skipped"`
	Defaults       []DefaultCount `json:"defaults"`        // of the scored rows
	Assumed        []DefaultCount `json:"assumed"`         // of the defaults: raised to the least that is not refused
	GenericProfile int            `json:"generic_profile"` // scored rows whose framework no profile serves
	Time           Errors         `json:"time"`
	Memory         Errors         `json:"memory"`
	Fit            Fit            `json:"fit"`
	Ranking        Ranking        `json:"ranking"`
	BySource       []SourceReport `json:"by_source"`
	BySweep        []SweepReport  `json:"by_sweep"`
	Warnings       []string       `json:"warnings"` // sentences about figures that look wrong

	// Lines says of each row, in the order of the table, how it was met.
	Lines []Line `json:"-"`
}

// Skipped counts the rows that were skipped for one reason.
type Skipped struct {
	Reason Reason `json:"reason"`
	Count  int    `json:"count"`
}

// DefaultCount counts the rows in which one column was filled.
type DefaultCount struct {
	Column string `json:"column"`
	Count  int    `json:"count"`
}

// Part is the judgement of some of the rows.
type Part struct {
	Rows    int     `json:"rows"`
	Scored  int     `json:"scored"`
	Time    Errors  `json:"time"`
	Memory  Errors  `json:"memory"`
	Fit     Fit     `json:"fit"`
	Ranking Ranking `json:"ranking"`
}

// SourceReport is the part of one source.
type SourceReport struct {
	Source string `json:"source"`
	Part
}

// SweepReport is the part of one sweep.
type SweepReport struct {
	Sweep string `json:"sweep"`
	Part
}

// WriteJSON writes the report as indented JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// ValidateFile reads a CSV file of measured runs and judges the cost model by
// it. Errors are about the file as a whole: it cannot be read, is no table, or
// lacks a column; or the context's, when it is done first.
func ValidateFile(ctx context.Context, path string) (*Report, error) {
	text, err := strict.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	return Validate(ctx, path, text)
}

// Validate is ValidateFile of a table's text; name is what errors call it.
func Validate(ctx context.Context, name string, text []byte) (*Report, error) {
	t, err := readTable(name, text)
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(t)
	if err != nil {
		return nil, err
	}
	rows := split(t)
	setups := make([]*setup, len(rows))
	for i := range rows {
		setups[i] = &rows[i].setup
	}
	predictions, err := predictAll(ctx, setups, kind)
	if err != nil {
		return nil, err
	}
	all := make([]scored, len(rows))
	for i := range rows {
		all[i] = score(&rows[i], kind, &predictions[i])
	}
	return reportOf(kind, all), nil
}

// reportOf sums up rows.
func reportOf(kind Kind, rows []scored) *Report {
	r := &Report{FormatVersion: FormatVersion, Kind: kind, Rows: len(rows), Skipped: []Skipped{}, Defaults: []DefaultCount{}, Assumed: []DefaultCount{},
		BySource: []SourceReport{}, BySweep: []SweepReport{}}
	every := make([]*scored, len(rows))
	for i := range rows {
		every[i] = &rows[i]
		r.Lines = append(r.Lines, lineOf(&rows[i]))
	}
	r.count(every)
	bySource := func(s *scored) string { return s.source }
	all := partOf(every, bySource)
	r.Scored, r.Time, r.Memory, r.Fit, r.Ranking = all.Scored, all.Time, all.Memory, all.Fit, all.Ranking
	sources := parts(every, bySource)
	r.Warnings = suspicions(sources)
	for _, p := range sources {
		r.BySource = append(r.BySource, SourceReport{p.name, partOf(p.rows, bySource)})
	}
	bySweep := func(s *scored) string { return s.sweep }
	for _, p := range parts(every, bySweep) {
		if p.name != "" {
			r.BySweep = append(r.BySweep, SweepReport{p.name, partOf(p.rows, bySweep)})
		}
	}
	return r
}

// count counts the reasons and the columns filled.
func (r *Report) count(rows []*scored) {
	skips := map[Reason]int{}
	var filled, assumed [numSetup]int
	guessed := 0
	for _, s := range rows {
		if s.skip != nil {
			skips[s.skip.reason]++
			continue
		}
		if s.generic {
			r.GenericProfile++
		}
		if s.readGuess {
			guessed++
		}
		for c, yes := range s.defaults.filled {
			if yes {
				filled[c]++
			}
			if s.defaults.assumed[c] {
				assumed[c]++
			}
		}
	}
	for _, reason := range reasons {
		if skips[reason] > 0 {
			r.Skipped = append(r.Skipped, Skipped{reason, skips[reason]})
		}
	}
	for c, n := range filled {
		if n > 0 {
			r.Defaults = append(r.Defaults, DefaultCount{setupColumn(c).String(), n})
		}
		if assumed[c] > 0 {
			r.Assumed = append(r.Assumed, DefaultCount{setupColumn(c).String(), assumed[c]})
		}
	}
	if guessed > 0 {
		r.Defaults = append(r.Defaults, DefaultCount{colMemoryKind.String(), guessed})
	}
}

// partOf judges some of the rows; fit is judged by parts of them.
func partOf(rows []*scored, part func(*scored) string) Part {
	p := Part{Rows: len(rows)}
	var compared []*scored
	var times, memories []float64
	for _, s := range rows {
		if s.skip != nil {
			continue
		}
		compared = append(compared, s)
		if e, ok := s.timeError(); ok {
			times = append(times, e)
		}
		if e, ok := s.memoryError(); ok {
			memories = append(memories, e)
		}
	}
	p.Scored, p.Time, p.Memory = len(compared), errorsOf(times), errorsOf(memories)
	p.Fit, p.Ranking = fitOf(compared, part), rankingOf(compared)
	return p
}

// named is rows with a name in common.
type named struct {
	name string
	rows []*scored
}

// parts divides the rows by a name, in the order of the names.
func parts(rows []*scored, name func(*scored) string) []named {
	at := map[string]int{}
	var list []named
	for _, s := range rows {
		n := name(s)
		i, ok := at[n]
		if !ok {
			i = len(list)
			at[n], list = i, append(list, named{name: n})
		}
		list[i].rows = append(list[i].rows, s)
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name, b.name) })
	return list
}
