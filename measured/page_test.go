package measured

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// column is one way to choose the constants of the profiles, judged by one
// table. The columns of docs/accuracy.md stand below each other, a line for
// each of them.
type column struct {
	title  string
	report *Report
}

// docs/accuracy.md shows what the project's own tables say. -update rewrites
// what stands between its markers.
func TestThePageOfAccuracyIsUpToDate(t *testing.T) {
	training, memory := columnsOf(t, "training"), columnsOf(t, "memory")
	held := training[1:2] // what the model is judged by
	shipped := training[2].report
	for _, block := range []struct {
		name string
		text string
	}{
		{"measured time", timeBlock(training)},
		{"weak scaling", weakScalingBlock(training)},
		{"measured memory", memoryBlock(training)},
		{"memory readings", memoryBlock(memory)},
		{"measured fit", fitBlock(training)},
		{"measured ranking", rankingBlock(training)},
		{"lost sweeps", lostBlock(held)},
		{"worst rows", worstBlock(held)},
		{"flagged rows", flagsBlock(held)},
		{"left out of training", leftOutBlock(shipped)},
		{"left out of memory", leftOutBlock(memory[0].report)},
	} {
		t.Run(block.name, func(t *testing.T) { onPage(t, block.name, block.text) })
	}
}

// refitAgain makes -update fit every sweep's constants again, which takes
// minutes.
var refitAgain = flag.Bool("refit", false, "with -update, refit the constants of the training table")

// README.md says in a few lines how far the model is off on runs that it was not
// fitted to.
func TestTheHeadlineOfTheReadmeIsUpToDate(t *testing.T) {
	held := columnsOf(t, "training")[1].report
	i := slices.IndexFunc(held.ByFlag, func(f FlagReport) bool { return f.Flag == unflagged })
	if i < 0 {
		t.Fatal("no unflagged rows")
	}
	on(t, "../README.md", "headline", headline(&held.ByFlag[i].Part))
}

// headline is the figures of a part in words.
func headline(p *Part) string {
	k := &p.Ranking
	pick := func(b Baseline) string { return share(b.SameVerdict.MeanRegret) }
	return fmt.Sprintf(`- step time of %d runs: off by %s in the mean, %s in the median, %s at the 90th percentile (a constant
  rate of model FLOPs: %s, %s, %s);
- does it fit, of %d runs: right for %s; %s of those that ran out of memory are said to fit;
- picks among the plans of %d sweeps: %s of the best throughput is lost in the mean, %s with the best of the
  three fastest (least model parallelism: %s, largest micro-batch: %s).
`, p.Time.N, share(p.Time.MAPE), share(p.Time.Median), share(p.Time.P90), share(p.TimeBaseline.MAPE), share(p.TimeBaseline.Median), share(p.TimeBaseline.P90),
		p.Fit.N, share(p.Fit.Accuracy), share(p.Fit.FalseFit), k.Groups, share(k.MeanRegret), share(k.Top3),
		pick(k.Baselines.LeastModelParallel), pick(k.Baselines.LargestMicroBatch))
}

// columnsOf judges a table of the project's own by each choice of constants: as
// they were before any run was seen, as fitted without the sweep that is judged,
// and as shipped. The second is kept in a file.
func columnsOf(t *testing.T, name string) []column {
	text := testdata(t, name+".csv")
	list := []column{{"unfitted", judgedBy(t, name, text, Options{Unfitted: true})}, {}, {"shipped", judgedBy(t, name, text, Options{})}}
	if name != "training" {
		return []column{list[0], list[2]}
	}
	file := "../testdata/measured/" + name + "-refit.json"
	if *update && *refitAgain {
		var got bytes.Buffer
		if err := judgedBy(t, name, text, Options{Refit: true}).WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list[1] = column{"refit", new(Report)}
	if err := json.Unmarshal(kept, list[1].report); err != nil {
		t.Fatal(err)
	}
	return list
}

func judgedBy(t *testing.T, name string, text []byte, o Options) *Report {
	t.Helper()
	r, err := Validate(t.Context(), name+".csv", text, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// grid is a table in Markdown: the heads, then the rows.
type grid struct{ strings.Builder }

func newGrid(heads ...string) *grid {
	g := new(grid)
	g.row(heads...)
	g.row(slices.Repeat([]string{"---"}, len(heads))...)
	return g
}

func (g *grid) row(cells ...string) {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	g.WriteString("| " + strings.Join(escaped, " | ") + " |\n")
}

// perSource adds a row for every source and column, and those of the whole
// table; a part without cells is left out.
func (g *grid) perSource(columns []column, cells func(*Part) []string) string {
	add := func(name string, of func(*Report) *Part) {
		for _, c := range columns {
			if list := cells(of(c.report)); list != nil {
				g.row(append([]string{name, c.title}, list...)...)
			}
		}
	}
	for i := range columns[0].report.BySource {
		add(columns[0].report.BySource[i].Source, func(r *Report) *Part { return &r.BySource[i].Part })
	}
	add("all", func(r *Report) *Part { return &r.Part })
	return g.String()
}

// share is a share in per cent, empty for none; signedShare has its sign.
func share(s Share) string { return shareAs(s, "%.1f %%") }

func signedShare(s Share) string { return shareAs(s, "%+.1f %%") }

func shareAs(s Share, format string) string {
	if s.None() {
		return ""
	}
	return strings.Replace(fmt.Sprintf(format, 100*float64(s)), "-0.0 ", "+0.0 ", 1)
}

func summary(e Errors) []string {
	return []string{fmt.Sprint(e.N), share(e.MAPE), share(e.Median), share(e.P90), signedShare(e.Signed)}
}

func timeBlock(columns []column) string {
	g := newGrid("source", "constants", "fitted", "times", "mean", "median", "p90", "signed mean",
		"by a constant rate", "mean", "median", "p90", "signed mean")
	return g.perSource(columns, func(p *Part) []string {
		if p.Time.N == 0 {
			return nil
		}
		return slices.Concat([]string{fmt.Sprint(p.FittedConstants)}, summary(p.Time), summary(p.TimeBaseline))
	})
}

func weakScalingBlock(columns []column) string {
	g := newGrid("source", "constants", "series", "loss measured", "loss predicted", "mean absolute gap")
	return g.perSource(columns, func(p *Part) []string {
		if w := p.WeakScaling; w.Series > 0 {
			return []string{fmt.Sprint(w.Series), signedShare(w.Measured), signedShare(w.Predicted), share(w.Gap)}
		}
		return nil
	})
}

func memoryBlock(columns []column) string {
	g := newGrid("source", "constants", "fitted", "readings", "mean", "median", "p90", "signed mean")
	return g.perSource(columns, func(p *Part) []string {
		if p.Memory.N == 0 {
			return nil
		}
		return slices.Concat([]string{fmt.Sprint(p.FittedConstants)}, summary(p.Memory))
	})
}

func fitBlock(columns []column) string {
	g := newGrid("source", "constants", "runs", "right", `ran, not "fits"`, `out of memory, "fits"`, "borderline", "ran, refused")
	return g.perSource(columns, func(p *Part) []string {
		f := p.Fit
		if f.N == 0 && f.RanRefused == 0 {
			return nil
		}
		return []string{fmt.Sprint(f.N), share(f.Accuracy), share(f.FalseOOM), share(f.FalseFit), share(f.Borderline), fmt.Sprint(f.RanRefused)}
	})
}

func rankingBlock(columns []column) string {
	g := newGrid("source", "constants", "sweeps", "regret", "worst", "failed", "best of 3", "fits or borderline", "pairs in order",
		"least model parallel", "told what ran", "largest micro-batch", "told what ran", "constant rate", "told what ran")
	return g.perSource(columns, func(p *Part) []string {
		k := p.Ranking
		if k.Groups == 0 {
			return nil
		}
		cells := []string{fmt.Sprint(k.Groups), share(k.MeanRegret), share(k.MaxRegret), fmt.Sprint(k.FailedPicks), share(k.Top3),
			share(k.SafeOrEdge), share(k.PairOrder)}
		for _, b := range []Baseline{k.Baselines.LeastModelParallel, k.Baselines.LargestMicroBatch, k.Baselines.ConstantRate} {
			cells = append(cells, share(b.SameVerdict.MeanRegret), share(b.ToldWhatRan.MeanRegret))
		}
		return cells
	})
}

// lost is the regret from which a sweep is listed as lost.
const lost = 0.05

// lostBlock lists the sweeps in which the pick loses much, or more than a rule
// of thumb does that is given the same verdicts; the worst first.
func lostBlock(columns []column) string {
	g := newGrid("sweep", "constants", "regret", "least model parallel", "largest micro-batch", "constant rate", "pairs in order")
	for _, c := range columns {
		var list []SweepReport
		for _, s := range c.report.BySweep {
			b := s.Ranking.Baselines
			regret := s.Ranking.MeanRegret
			if regret >= lost || regret > b.LeastModelParallel.SameVerdict.MeanRegret || regret > b.LargestMicroBatch.SameVerdict.MeanRegret {
				list = append(list, s)
			}
		}
		slices.SortStableFunc(list, func(a, b SweepReport) int { return cmp.Compare(b.Ranking.MeanRegret, a.Ranking.MeanRegret) })
		for _, s := range list {
			b := s.Ranking.Baselines
			g.row(s.Sweep, c.title, share(s.Ranking.MeanRegret), share(b.LeastModelParallel.SameVerdict.MeanRegret),
				share(b.LargestMicroBatch.SameVerdict.MeanRegret), share(b.ConstantRate.SameVerdict.MeanRegret), share(s.Ranking.PairOrder))
		}
	}
	return g.String()
}

// shownShare is the share from which a term is shown.
const shownShare = 0.05

func worstBlock(columns []column) string {
	g := newGrid("row", "source", "constants", "model", "GPUs", "measured s", "predicted s", "error", "predicted shares", "likely cause, by rule")
	for _, c := range columns {
		for _, w := range c.report.Worst {
			var terms []string
			for _, s := range w.Shares {
				if s.Share >= shownShare {
					terms = append(terms, fmt.Sprintf("%s %.0f %%", s.Term, 100*float64(s.Share)))
				}
			}
			id := strings.Join(append([]string{w.ID}, w.Flags...), " ")
			g.row(id, w.Source, c.title, w.Model, fmt.Sprintf("%d %s", w.GPUs, w.GPU), fmt.Sprintf("%.2f", float64(w.Measured)),
				fmt.Sprintf("%.2f", float64(w.Predicted)), signedShare(Share(math.Exp(float64(w.LogError))-1)), strings.Join(terms, "; "), w.Cause)
		}
	}
	return g.String()
}

// flagsBlock is the flagged rows apart, then the sources that have any without
// them.
func flagsBlock(columns []column) string {
	g := newGrid("rows", "constants", "number", "scored", "times", "mean", "median", "p90", "signed mean", "sweeps", "regret")
	add := func(name, title string, p *Part) {
		g.row(slices.Concat([]string{name, title, fmt.Sprint(p.Rows), fmt.Sprint(p.Scored)}, summary(p.Time),
			[]string{fmt.Sprint(p.Ranking.Groups), share(p.Ranking.MeanRegret)})...)
	}
	for _, c := range columns {
		for i := range c.report.ByFlag {
			add(c.report.ByFlag[i].Flag, c.title, &c.report.ByFlag[i].Part)
		}
	}
	for _, c := range columns {
		for i := range c.report.BySource {
			if s := &c.report.BySource[i]; s.Clean.Rows < s.Rows {
				add("unflagged of "+s.Source, c.title, &s.Clean)
			}
		}
	}
	return g.String()
}

// leftOutBlock counts the rows of each source that are skipped, by reason, and
// those that are scored but flagged as doubtful.
func leftOutBlock(r *Report) string {
	heads := []string{"source", "rows", "scored", "of these flagged"}
	for _, reason := range reasons {
		heads = append(heads, strings.ReplaceAll(string(reason), "_", " "))
	}
	g := newGrid(heads...)
	add := func(name string, rows, scored, flagged int, of func(*Line) bool) {
		cells := []string{name, fmt.Sprint(rows), fmt.Sprint(scored), fmt.Sprint(flagged)}
		for _, reason := range reasons {
			n := 0
			for i := range r.Lines {
				if l := &r.Lines[i]; l.Reason == reason && of(l) {
					n++
				}
			}
			cells = append(cells, strings.TrimPrefix(fmt.Sprint(n), "0")) // nothing for none
		}
		g.row(cells...)
	}
	flagged := 0
	for i := range r.BySource {
		s := &r.BySource[i]
		n := s.Scored - s.Clean.Scored
		flagged += n
		add(s.Source, s.Rows, s.Scored, n, func(l *Line) bool { return l.Source == s.Source })
	}
	add("all", r.Rows, r.Scored, flagged, func(*Line) bool { return true })
	return g.String()
}
