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
	Part                          // of all rows
	Skipped        []Skipped      `json:"skipped"`
	Defaults       []DefaultCount `json:"defaults"`        // of the scored rows
	Assumed        []DefaultCount `json:"assumed"`         // of the defaults: raised to the least that is not refused
	GenericProfile int            `json:"generic_profile"` // scored rows whose framework no profile serves
	Worst          []WorstRow     `json:"worst"`           // the times that are furthest off, ten at most
	BySource       []SourceReport `json:"by_source"`
	BySweep        []SweepReport  `json:"by_sweep"`
	ByFlag         []FlagReport   `json:"by_flag"`  // the flags that occur, and "unflagged"
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
	Rows            int         `json:"rows"`
	Scored          int         `json:"scored"`
	FittedConstants int         `json:"fitted_constants"` // of the profiles that price the scored rows
	Time            Errors      `json:"time"`
	TimeBaseline    Errors      `json:"time_baseline"` // by a constant rate fitted to other sweeps, where there are any
	Memory          Errors      `json:"memory"`
	Fit             Fit         `json:"fit"`
	Ranking         Ranking     `json:"ranking"`
	WeakScaling     WeakScaling `json:"weak_scaling"`
}

// SourceReport is the part of one source.
type SourceReport struct {
	Source string `json:"source"`
	Part
	Clean Part `json:"clean"` // without the rows of a doubtful flag
}

// FlagReport is the part of the rows with one flag.
type FlagReport struct {
	Flag string `json:"flag"`
	Part
}

// SweepReport is the part of one sweep.
type SweepReport struct {
	Sweep string `json:"sweep"`
	Part
}

// WriteJSON writes the report as indented JSON.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Options say how a table is judged.
type Options struct {
	// Refit judges each row by constants fitted without its sweep.
	Refit bool
	// Unfitted judges by constants as they were before any run was seen.
	Unfitted bool
}

// ValidateFile reads a CSV file of measured runs and judges the cost model by
// it. Errors are about the file as a whole: it cannot be read, is no table, or
// lacks a column; or the context's, when it is done first.
func ValidateFile(ctx context.Context, path string, o Options) (*Report, error) {
	t, err := loadTable(path)
	if err != nil {
		return nil, err
	}
	return t.judge(ctx, o)
}

// Validate is ValidateFile of a table's text; name is what errors call it.
func Validate(ctx context.Context, name string, text []byte, o Options) (*Report, error) {
	t, err := newRuns(name, text)
	if err != nil {
		return nil, err
	}
	return t.judge(ctx, o)
}

// runs is a table of measured runs.
type runs struct {
	name string
	kind Kind
	rows []row
}

func loadTable(path string) (*runs, error) {
	text, err := strict.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	return newRuns(path, text)
}

func newRuns(name string, text []byte) (*runs, error) {
	t, err := readTable(name, text)
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(t)
	if err != nil {
		return nil, err
	}
	return &runs{name, kind, split(t)}, nil
}

// judge is the report of the runs.
func (t *runs) judge(ctx context.Context, o Options) (*Report, error) {
	list, err := catalogue()
	if err != nil {
		return nil, err
	}
	if o.Unfitted {
		list = list.unfitted()
	}
	rows, err := t.score(ctx, list)
	if err != nil {
		return nil, err
	}
	if o.Refit {
		if err := refit(ctx, rows, list); err != nil {
			return nil, err
		}
	}
	return reportOf(t.kind, rows), nil
}

// score predicts and compares the rows.
func (t *runs) score(ctx context.Context, list families) ([]scored, error) {
	setups := make([]*setup, len(t.rows))
	for i := range t.rows {
		setups[i] = &t.rows[i].setup
	}
	predictions, err := predictAll(ctx, list, setups, t.kind)
	if err != nil {
		return nil, err
	}
	all := make([]scored, len(t.rows))
	for i := range t.rows {
		all[i] = score(&t.rows[i], t.kind, &predictions[i])
	}
	return all, nil
}

// reportOf sums up rows.
func reportOf(kind Kind, rows []scored) *Report {
	r := &Report{FormatVersion: FormatVersion, Kind: kind, Skipped: []Skipped{}, Defaults: []DefaultCount{}, Assumed: []DefaultCount{},
		BySource: []SourceReport{}, BySweep: []SweepReport{}}
	every := make([]*scored, len(rows))
	for i := range rows {
		every[i] = &rows[i]
		r.Lines = append(r.Lines, lineOf(&rows[i]))
	}
	r.count(every)
	constantRates(every)
	bySource := func(s *scored) string { return s.source }
	r.Part, r.Worst, r.ByFlag = partOf(every, bySource), worstOf(clean(every)), byFlag(every, bySource)
	sources := parts(every, bySource)
	r.Warnings = suspicions(sources)
	for _, p := range sources {
		r.BySource = append(r.BySource, SourceReport{p.name, partOf(p.rows, bySource), partOf(clean(p.rows), bySource)})
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
	var times, byRate, memories []float64
	fitted := map[string]int{} // by profile file
	for _, s := range rows {
		if s.skip != nil {
			continue
		}
		compared = append(compared, s)
		fitted[s.file] = s.constants
		if e, ok := s.timeError(); ok {
			times = append(times, e)
		}
		if e, ok := s.rateError(); ok {
			byRate = append(byRate, e)
		}
		if e, ok := s.memoryError(); ok {
			memories = append(memories, e)
		}
	}
	for _, n := range fitted {
		p.FittedConstants += n
	}
	p.Scored, p.Time, p.TimeBaseline, p.Memory = len(compared), errorsOf(times), errorsOf(byRate), errorsOf(memories)
	p.Fit, p.Ranking, p.WeakScaling = fitOf(compared, part), rankingOf(compared), weakScalingOf(compared)
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
