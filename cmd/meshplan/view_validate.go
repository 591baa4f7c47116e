package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"meshplan/measured"
	"meshplan/strict"
	"meshplan/units"
)

// validateView is a report as text: the whole table, its parts, and what was
// skipped or filled.
func validateView(r *measured.Report, path, by string) string {
	var p page
	p.line("%s: %s measured runs, %s of %s rows scored, %s", filepath.Base(path), r.Kind,
		units.Grouped(int64(r.Scored)), units.Grouped(int64(r.Rows)), count(r.FittedConstants, "fitted constant"))
	timeTable(&p, r, by)
	weakScalingTable(&p, r, by)
	peakTable(&p, r, by)
	fitTable(&p, r, by)
	rankingTable(&p, r, by)
	baselinesTable(&p, r)
	flagsTable(&p, r)
	cleanTable(&p, r, by)
	worstRows(&p, r)
	skippedTable(&p, r)
	defaultsTable(&p, r)
	warnings(&p, r.Warnings)
	return p.String()
}

// judged is a part of the table with its name.
type judged struct {
	name string
	measured.Part
}

// partsOf are the parts of the report and the whole as the last one.
func partsOf(r *measured.Report, by string) []judged {
	var list []judged
	if by == "sweep" {
		for _, s := range r.BySweep {
			list = append(list, judged{s.Sweep, s.Part})
		}
	} else {
		for _, s := range r.BySource {
			list = append(list, judged{s.Source, s.Part})
		}
	}
	return append(list, judged{"all", r.Part})
}

// nameWidth bounds the name of a part in a table.
const nameWidth = 38

// shown is the name of a part as a table has it.
func shown(name string) string { return clip(strict.Visible(name), nameWidth) }

// timeTable shows the errors of step time, and the mean error of a constant
// rate.
func timeTable(p *page, r *measured.Report, by string) {
	p.heading("Step time, predicted over measured less 1")
	rows := [][]string{{by, "rows", "scored", "n", "mean", "median", "p90", "signed", "constant rate"}}
	for _, j := range partsOf(r, by) {
		row := append([]string{shown(j.name), fmt.Sprint(j.Rows), fmt.Sprint(j.Scored)}, errorCells(j.Time)...)
		rows = append(rows, append(row, fraction(j.TimeBaseline.MAPE)))
	}
	p.table(rows)
}

// peakTable shows the errors of peak memory, as each run's was read.
func peakTable(p *page, r *measured.Report, by string) {
	if r.Memory.N == 0 {
		return
	}
	p.heading("Peak memory, predicted over measured less 1")
	rows := [][]string{{by, "n", "mean", "median", "p90", "signed"}}
	for _, j := range partsOf(r, by) {
		if j.Memory.N > 0 {
			rows = append(rows, append([]string{shown(j.name)}, errorCells(j.Memory)...))
		}
	}
	p.table(rows)
}

// errorCells are the number of errors and their summary, the mean and the
// quantiles of the absolute errors.
func errorCells(e measured.Errors) []string {
	return []string{fmt.Sprint(e.N), fraction(e.MAPE), fraction(e.Median), fraction(e.P90), signed(e.Signed)}
}

// fitTable shows how right "fits" is, for parts with both kinds of runs.
func fitTable(p *page, r *measured.Report, by string) {
	rows := [][]string{{by, "runs", "right", "ran, not \"fits\"", "out of memory, \"fits\"", "borderline", "ran, refused"}}
	for _, j := range partsOf(r, by) {
		if f := j.Fit; f.N > 0 || f.RanRefused > 0 {
			rows = append(rows, []string{shown(j.name), fmt.Sprint(f.N), fraction(f.Accuracy), fraction(f.FalseOOM),
				fraction(f.FalseFit), fraction(f.Borderline), fmt.Sprint(f.RanRefused)})
		}
	}
	if len(rows) > 1 {
		p.heading("Does it fit, where runs of both kinds are known")
		p.table(rows)
	}
}

// rankingTable shows what the picks lose.
func rankingTable(p *page, r *measured.Report, by string) {
	if r.Ranking.Groups == 0 {
		return
	}
	p.heading("Picks among the plans of a sweep: share of the best throughput that is lost")
	rows := [][]string{{by, "sweeps", "mean", "max", "failed", "best of 3", "fits or borderline", "pairs in order"}}
	for _, j := range partsOf(r, by) {
		if k := j.Ranking; k.Groups > 0 {
			rows = append(rows, []string{shown(j.name), fmt.Sprint(k.Groups), fraction(k.MeanRegret), fraction(k.MaxRegret),
				fmt.Sprint(k.FailedPicks), fraction(k.Top3), fraction(k.SafeOrEdge), fraction(k.PairOrder)})
		}
	}
	p.table(rows)
}

// baselinesTable shows what rules of thumb lose on the same sweeps.
func baselinesTable(p *page, r *measured.Report) {
	if r.Ranking.Groups == 0 {
		return
	}
	p.heading("Rules of thumb on the same sweeps; a constant rate tells no plans apart")
	rows := [][]string{{"rule", "mean, by our verdicts", "failed", "mean, told what ran", "failed"}}
	for _, b := range []struct {
		name string
		measured.Baseline
	}{{"least model parallel", r.Ranking.Baselines.LeastModelParallel}, {"largest micro-batch", r.Ranking.Baselines.LargestMicroBatch},
		{"constant rate", r.Ranking.Baselines.ConstantRate}} {
		rows = append(rows, []string{b.name, fraction(b.SameVerdict.MeanRegret), fmt.Sprint(b.SameVerdict.FailedPicks),
			fraction(b.ToldWhatRan.MeanRegret), fmt.Sprint(b.ToldWhatRan.FailedPicks)})
	}
	p.table(rows)
}

// weakScalingTable shows what throughput per GPU is lost as runs grow.
func weakScalingTable(p *page, r *measured.Report, by string) {
	rows := [][]string{{by, "series", "measured", "predicted", "mean gap"}}
	for _, j := range partsOf(r, by) {
		if w := j.WeakScaling; w.Series > 0 {
			rows = append(rows, []string{shown(j.name), fmt.Sprint(w.Series), signed(w.Measured), signed(w.Predicted), fraction(w.Gap)})
		}
	}
	if len(rows) > 1 {
		p.heading("Weak scaling: share of the throughput per GPU that is lost from the least GPUs to the most")
		p.table(rows)
	}
}

// partHeads and partCells are a part in one line, behind its name.
var partHeads = []string{"rows", "scored", "n", "mean", "median", "p90", "signed", "sweeps", "regret"}

func partCells(part *measured.Part) []string {
	cells := append([]string{fmt.Sprint(part.Rows), fmt.Sprint(part.Scored)}, errorCells(part.Time)...)
	return append(cells, fmt.Sprint(part.Ranking.Groups), fraction(part.Ranking.MeanRegret))
}

// flagsTable shows the rows of each flag apart, where there are any.
func flagsTable(p *page, r *measured.Report) {
	if len(r.ByFlag) < 2 {
		return
	}
	p.heading("Flagged rows: errors of step time, regret")
	rows := [][]string{append([]string{"flag"}, partHeads...)}
	for i := range r.ByFlag {
		f := &r.ByFlag[i]
		rows = append(rows, append([]string{f.Flag}, partCells(&f.Part)...))
	}
	p.table(rows)
}

// cleanTable shows what is left of the sources that have flagged rows.
func cleanTable(p *page, r *measured.Report, by string) {
	rows := [][]string{append([]string{"source"}, partHeads...)}
	for i := range r.BySource {
		if s := &r.BySource[i]; s.Clean.Rows < s.Rows {
			rows = append(rows, append([]string{shown(s.Source)}, partCells(&s.Clean)...))
		}
	}
	if by == "source" && len(rows) > 1 {
		p.heading("Sources without their flagged rows: errors of step time, regret")
		p.table(rows)
	}
}

// listedTerms is how many terms of a bad row are listed.
const listedTerms = 3

// worstRows lists the rows that are furthest off and what may be the cause.
func worstRows(p *page, r *measured.Report) {
	if len(r.Worst) == 0 {
		return
	}
	p.heading("Times that are furthest off, what takes the predicted time, and the likely cause by rule")
	var items [][2]string
	for i := range r.Worst {
		w := &r.Worst[i]
		text := fmt.Sprintf("%s on %s x %s, measured %s, predicted %s. ", shown(w.Model), units.Grouped(w.GPUs), w.GPU,
			seconds(float64(w.Measured)), seconds(float64(w.Predicted)))
		for i, t := range w.Shares[:min(listedTerms, len(w.Shares))] {
			if i > 0 {
				text += "; "
			}
			text += fmt.Sprintf("%s %s", t.Term, percent(float64(t.Share), 0))
		}
		text += ". Cause: " + w.Cause
		if len(w.Flags) > 0 {
			text += ". Flags: " + strings.Join(w.Flags, " ")
		}
		items = append(items, [2]string{shown(w.ID), text})
	}
	p.list(items)
}

// shownLines is how many skipped rows of a reason are shown in full.
const shownLines = 2

// skippedTable shows why rows were skipped, with a few of them.
func skippedTable(p *page, r *measured.Report) {
	if len(r.Skipped) == 0 {
		return
	}
	p.heading("Skipped rows, with the first of each kind (--rows FILE lists all)")
	var items [][2]string
	for _, s := range r.Skipped {
		label := fmt.Sprintf("%s  %s", s.Reason, units.Grouped(int64(s.Count)))
		for _, example := range examples(r, s.Reason) {
			items = append(items, [2]string{label, example})
			label = ""
		}
	}
	p.list(items)
}

// examples are the first rows of a reason with different details.
func examples(r *measured.Report, reason measured.Reason) []string {
	var list []string
	seen := map[string]bool{}
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Reason != reason || seen[l.Detail] {
			continue
		}
		seen[l.Detail] = true
		list = append(list, fmt.Sprintf("line %d: %s", l.Row, l.Detail))
		if len(list) == shownLines {
			break
		}
	}
	return list
}

// defaultsTable shows in how many of the scored rows a column was filled.
func defaultsTable(p *page, r *measured.Report) {
	if len(r.Defaults) == 0 && r.GenericProfile == 0 {
		return
	}
	p.heading("Filled in scored rows")
	var items [][2]string
	for _, d := range r.Defaults {
		items = append(items, [2]string{d.Column, units.Grouped(int64(d.Count)) + assumedPart(r, d.Column)})
	}
	if r.GenericProfile > 0 {
		items = append(items, [2]string{"profile", units.Grouped(int64(r.GenericProfile)) + ", the generic one of its kind for a framework that no profile serves"})
	}
	p.list(items)
}

// assumedPart says in how many rows the column was raised from its default.
func assumedPart(r *measured.Report, column string) string {
	for _, a := range r.Assumed {
		if a.Column == column {
			return fmt.Sprintf(", in %s of them the least that fits, as the default does not", units.Grouped(int64(a.Count)))
		}
	}
	return ""
}

// fraction prints a share as a percentage, "-" for none.
func fraction(s measured.Share) string {
	if s.None() {
		return "-"
	}
	return percent(float64(s), 1)
}

// signed prints a share with its sign.
func signed(s measured.Share) string {
	if s.None() {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*float64(s))
}
