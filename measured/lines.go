package measured

import (
	"encoding/csv"
	"io"
	"strconv"
)

// Line is how one row was met.
type Line struct {
	Row                int // line in the table
	ID, Source, Sweep  string
	Reason             Reason // "" if the row is scored
	Detail             string // why it is skipped
	Profile, Plan      string
	Verdict            string
	Outcome            string  // "ran" or "oom"
	Seconds, Predicted float64 // of a step, measured and predicted; 0 is none
	TimeError          float64
	MemoryKind         string  // how memory was read
	Bytes, Expected    float64 // of memory, measured and predicted; 0 is none
	MemoryError        float64
}

func lineOf(s *scored) Line {
	l := Line{Row: s.line, ID: s.id, Source: s.source, Sweep: s.sweep}
	if s.skip != nil {
		l.Reason, l.Detail = s.skip.reason, s.skip.detail
		return l
	}
	l.Profile, l.Plan, l.Verdict, l.Outcome = s.profile, s.text, s.verdict.String(), "ran"
	if s.oom {
		l.Outcome = "oom"
	}
	l.Seconds, l.Predicted = s.seconds, s.prediction.seconds
	l.TimeError, _ = s.timeError()
	if s.result.memory > 0 {
		l.MemoryKind, l.Bytes, l.Expected = string(s.read), s.result.memory, s.prediction.memory[s.read]
		l.MemoryError, _ = s.memoryError()
	}
	return l
}

// lineColumns are the columns of WriteLines.
var lineColumns = []string{"row", "id", "source", "sweep", "scored", "detail", "profile", "plan", "outcome", "verdict",
	"measured_s", "predicted_s", "time_error", "mem_kind", "measured_gib", "predicted_gib", "memory_error"}

// WriteLines writes a CSV table with one line a row, in the order of the table:
// "yes" or the reason for which it is skipped, what was measured and predicted,
// and the error.
func (r *Report) WriteLines(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(lineColumns); err != nil {
		return err
	}
	for i := range r.Lines {
		if err := c.Write(r.Lines[i].cells()); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (l *Line) cells() []string {
	cells := make([]string, len(lineColumns))
	copy(cells, []string{strconv.Itoa(l.Row), l.ID, l.Source, l.Sweep, "yes", l.Detail, l.Profile, l.Plan, l.Outcome, l.Verdict})
	if l.Reason != "" {
		cells[4] = string(l.Reason)
		return cells
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	cells[11] = number(l.Predicted)
	if l.Seconds > 0 {
		cells[10], cells[12] = number(l.Seconds), number(l.TimeError)
	}
	if l.Bytes > 0 {
		cells[13], cells[14], cells[15], cells[16] = l.MemoryKind, number(l.Bytes/gib), number(l.Expected/gib), number(l.MemoryError)
	}
	return cells
}
