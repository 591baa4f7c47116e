package measured

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"meshplan/cost/profile"
)

// cells is a row by the names of its columns.
type cells map[string]string

// ofFramework is the header and the rows of the project's own table whose
// framework holds the word.
func ofFramework(t testing.TB, word string) (names []string, rows []cells) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(testdata(t, "training.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names = records[0]
	for _, record := range records[1:] {
		row := cells{}
		for c, name := range names {
			row[name] = record[c]
		}
		if strings.Contains(row["framework"], word) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no row of %s", word)
	}
	return names, rows
}

// textOf is the table as CSV.
func textOf(t testing.TB, names []string, rows []cells) []byte {
	t.Helper()
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	records := [][]string{names}
	for _, row := range rows {
		record := make([]string, len(names))
		for c, name := range names {
			record[c] = row[name]
		}
		records = append(records, record)
	}
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// copied are rows that can be changed.
func copied(rows []cells) []cells {
	list := make([]cells, len(rows))
	for i := range rows {
		list[i] = maps.Clone(rows[i])
	}
	return list
}

// readProfile is a file of the catalogue with further text behind its own.
func readProfile(t testing.TB, name string, edits ...string) (*profile.Profile, []byte) {
	t.Helper()
	text, err := profile.FileText(name)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer(edits...).Replace(string(text))
	p, err := profile.Parse([]byte(edited), name+".toml")
	if err != nil {
		t.Fatal(err)
	}
	return p, []byte(edited)
}

// learnerOf fits a profile to a table.
func learnerOf(t testing.TB, text []byte, file *profile.Profile) *learner {
	t.Helper()
	table, err := newRuns("runs.csv", text)
	if err != nil {
		t.Fatal(err)
	}
	list, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	l := &learner{list: list}
	l.at = l.list.put(file)
	rows, err := table.score(t.Context(), l.list)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if s := &rows[i]; s.skip == nil && s.prediction.job.of.member.file == l.at {
			l.rows = append(l.rows, *s)
		}
	}
	l.begin()
	return l
}

// learnFrom is the constants of a profile that are learnt from a table, by path.
func learnFrom(t testing.TB, text []byte, file *profile.Profile) map[string]Fitted {
	t.Helper()
	l := learnerOf(t, text, file)
	full, err := l.learn(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return constantsOf(l, full)
}

func constantsOf(l *learner, full *learnt) map[string]Fitted {
	list := map[string]Fitted{}
	for k := range l.free {
		list[l.free[k].Path] = fitted(l.list[l.at].file, &l.free[k], full, k)
	}
	return list
}

// calibrated is the whole calibration of a profile on a table.
func calibrated(t testing.TB, text []byte, file *profile.Profile, anchor bool) (*Calibration, error) {
	t.Helper()
	table, err := newRuns("runs.csv", text)
	if err != nil {
		t.Fatal(err)
	}
	return calibrate(t.Context(), table, file, anchor)
}

// valuesWith are the file's constants with some of them changed.
func valuesWith(t testing.TB, file *profile.Profile, change map[string]float64) []float64 {
	t.Helper()
	var list []float64
	seen := 0
	for _, p := range file.Parameters() {
		v, changed := change[p.Path]
		if !changed {
			v = p.Value
		} else {
			seen++
		}
		list = append(list, v)
	}
	if seen != len(change) {
		t.Fatalf("%s has %d of the constants %v", file.Name, seen, change)
	}
	return list
}

// asIf are the rows with the step times that the profile predicts under other
// constants, in place of those that were measured.
func asIf(t testing.TB, names []string, rows []cells, file *profile.Profile, change map[string]float64) []cells {
	t.Helper()
	l := learnerOf(t, textOf(t, names, rows), file)
	priced, err := l.priced(t.Context(), valuesWith(t, file, change), func(*scored) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]float64{}
	for i := range priced {
		byID[priced[i].id] = priced[i].prediction.seconds
	}
	var list []cells
	for _, row := range copied(rows) {
		if s := byID[row["id"]]; s > 0 && row["oom"] != "1" {
			row["step_time_s"], row["tokens_per_s_per_gpu"], row["tflops_per_gpu"] = strconv.FormatFloat(s, 'g', 8, 64), "", ""
			list = append(list, row)
		}
	}
	return list
}

// foundryTruth is constants that rows of llm-foundry are made from.
var foundryTruth = map[string]float64{
	"time.gemm_slowdown": 1.3, "time.attention_slowdown": 1.1, "time.traffic_hidden_bytes": 45,
	"time.traffic_logit_bytes": 20, "time.unit_exposed": 0.5,
}

// Rows that were made from known constants give these constants back, and those
// that no row depends on stay at their priors.
func TestKnownConstantsAreFound(t *testing.T) {
	names, rows := ofFramework(t, "llm-foundry")
	file, _ := readProfile(t, "llm-foundry", "[[service]]", `[[rate]]
gpus = ["V100-32GB"]
gemm = { value = 0.7, prior = 0.9, low = 0.5, high = 1.2, source = "no row has the GPU" }

[[service]]`, "[time]", `[time]
host_moe_layer_seconds = { value = 0.02, prior = 0.01, low = 0.001, high = 0.1, source = "no row has experts" }`)
	l := learnerOf(t, textOf(t, names, asIf(t, names, rows, file, foundryTruth)), file)
	full, err := l.learn(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range constantsOf(l, full) {
		truth, known := foundryTruth[f.Path]
		allowed := 0.25 // of three terms that the runs hardly tell apart
		if strings.HasSuffix(f.Path, "_slowdown") {
			allowed = 0.02
		}
		switch {
		case known && (!f.Pinned || math.Abs(f.Value/truth-1) > allowed):
			t.Errorf("%s is %g, pinned %t; the rows were made with %g", f.Path, f.Value, f.Pinned, truth)
		case !known && (f.Pinned || f.Value != f.Prior || f.Value == f.Before):
			t.Errorf("%s is %g, pinned %t; no row depends on it, and its prior is %g", f.Path, f.Value, f.Pinned, f.Prior)
		}
	}
	after, err := l.judge(t.Context(), full.values)
	if err != nil || after.Time.MAPE > 0.005 {
		t.Errorf("times off by %g, %v", after.Time.MAPE, err)
	}
}

// One run of twenty that took five times as long moves nothing by much.
func TestOutliersMoveLittle(t *testing.T) {
	names, rows := ofFramework(t, "llm-foundry")
	file, _ := readProfile(t, "llm-foundry")
	slow := copied(rows)
	for i := 7; i < len(slow); i += 20 {
		for _, c := range []struct {
			column string
			factor float64
		}{{"step_time_s", 5}, {"tokens_per_s_per_gpu", 0.2}} {
			scale(t, slow[i], c.column, c.factor)
		}
	}
	before, after := learnFrom(t, textOf(t, names, rows), file), learnFrom(t, textOf(t, names, slow), file)
	for path, b := range before {
		a, allowed := after[path], 0.15
		if strings.HasSuffix(path, "_slowdown") {
			allowed = 0.02
		}
		if math.Abs(a.Value/b.Value-1) > allowed {
			t.Errorf("%s is %g, and %g with slow runs among the others", path, b.Value, a.Value)
		}
	}
}

// scale multiplies a cell that is not empty.
func scale(t testing.TB, row cells, column string, factor float64) {
	t.Helper()
	if row[column] == "" {
		return
	}
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatal(err)
	}
	row[column] = strconv.FormatFloat(v*factor, 'g', 8, 64)
}

// Runs of which nothing is known but that they ran or ran out of memory move a
// constant of memory to where these verdicts are right.
func TestLabelsAloneMoveMemory(t *testing.T) {
	const free = `norm_bytes = { value = 20, prior = 20, low = 4, high = 100, source = "for the test" }`
	file, _ := readProfile(t, "internevo", "[memory]", "[memory]\n"+free)
	const path = "memory.norm_bytes"
	for _, truth := range []float64{12, 40} {
		t.Run(fmt.Sprint(truth), func(t *testing.T) {
			text := labelled(t, file, map[string]float64{path: truth})
			c, err := calibrated(t, text, file, false)
			if err != nil {
				t.Fatal(err)
			}
			f := learnFrom(t, text, file)[path]
			if !f.Pinned || (f.Value > f.Prior) != (truth > f.Prior) || math.Abs(f.Value/truth-1) > 0.15 {
				t.Errorf("%g, pinned %t; the labels are those of %g, the prior %g", f.Value, f.Pinned, truth, f.Prior)
			}
			if c.After.Fit.Accuracy <= c.Unfitted.Fit.Accuracy {
				t.Errorf("\"fits\" is right in %g of the runs, before in %g", c.After.Fit.Accuracy, c.Unfitted.Fit.Accuracy)
			}
		})
	}
}

// labelled is a table of runs that ran where the profile says, under other
// constants, that they have the memory.
func labelled(t testing.TB, file *profile.Profile, truth map[string]float64) []byte {
	t.Helper()
	names := []string{"id", "source", "sweep", "model", "gpu", "gpus", "seq_len", "global_batch", "micro_batch", "tp", "pp", "sp", "recompute", "zero_stage", "framework", "oom"}
	var rows []cells
	for _, model := range []string{"llama-2-7b", "llama-2-13b"} {
		for _, tp := range []string{"1", "2", "4"} {
			for micro := 1; micro <= 16; micro++ {
				batch := strconv.Itoa(micro * 8)
				rows = append(rows, cells{"id": fmt.Sprint(len(rows)), "source": "lab", "sweep": model + tp, "model": model, "gpu": "a100", "gpus": "8", "seq_len": "2048",
					"global_batch": batch, "micro_batch": strconv.Itoa(micro), "tp": tp, "pp": "1", "sp": "0", "recompute": "none", "zero_stage": "1", "framework": "InternEvo", "oom": "0"})
			}
		}
	}
	l := learnerOf(t, textOf(t, names, rows), file)
	priced, err := l.priced(t.Context(), valuesWith(t, file, truth), func(*scored) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for i := range priced {
		f := priced[i].price.Price(&priced[i].prediction.plan)
		at, err := strconv.Atoi(priced[i].id)
		if err != nil {
			t.Fatal(err)
		}
		if f.Peak > f.Usable {
			rows[at]["oom"] = "1"
		}
	}
	return textOf(t, names, rows)
}

// Whatever was measured, a constant stays within its range.
func TestAbsurdMeasurementsStayWithinTheRanges(t *testing.T) {
	names, rows := ofFramework(t, "torchtitan")
	file, _ := readProfile(t, "torchtitan")
	for _, c := range []struct {
		name               string
		time, rate, memory float64
	}{{"a hundred times as slow", 100, 0.01, 1}, {"twice as slow", 2, 0.5, 1}, {"faster", 0.8, 1.25, 1}, {"a hundredth of the memory", 1, 1, 0.01}, {"twice the memory", 1, 1, 2}} {
		t.Run(c.name, func(t *testing.T) {
			absurd := copied(rows)
			for _, row := range absurd {
				scale(t, row, "step_time_s", c.time)
				scale(t, row, "tokens_per_s_per_gpu", c.rate)
				scale(t, row, "peak_mem_gib", c.memory)
			}
			for path, f := range learnFrom(t, textOf(t, names, absurd), file) {
				if !(f.Value >= f.Low && f.Value <= f.High) {
					t.Errorf("%s is %g: want %g to %g", path, f.Value, f.Low, f.High)
				}
			}
		})
	}
}

func TestConstantsAtTheEndOfTheirRangesAreWritten(t *testing.T) {
	file, own := readProfile(t, "aa-scaling")
	c := &Calibration{}
	for _, p := range file.Parameters() { // one of which ends at 1.0001
		c.values = append(c.values, p.Low)
		c.Constants = append(c.Constants, Fitted{Low: p.Low, High: p.High})
	}
	if _, err := c.Text(own, "aa-scaling.toml"); err != nil {
		t.Error(err)
	}
}

// The same runs give the same bytes, on any number of cores and every time, and
// in another order the same constants.
func TestCalibrationIsTheSameEveryTime(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	file, own := readProfile(t, "internevo")
	text := textOf(t, names, rows)
	bytesOf := func(text []byte) string {
		t.Helper()
		c, err := calibrated(t, text, file, false)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := c.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		written, err := c.Text(own, "internevo.toml")
		if err != nil {
			t.Fatal(err)
		}
		return out.String() + string(written)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first string
	for i, cores := range []int{2, 2, 1} {
		runtime.GOMAXPROCS(cores)
		switch got := bytesOf(text); {
		case i == 0:
			first = got
		case got != first:
			t.Errorf("on %d cores:\n%s\nbefore:\n%s", cores, got, first)
		}
	}
	backwards := copied(rows)
	slices.Reverse(backwards)
	forth, back := learnFrom(t, text, file), learnFrom(t, textOf(t, names, backwards), file)
	for path, f := range forth {
		if b := back[path]; math.Abs(b.Value/f.Value-1) > 1e-4 || b.Pinned != f.Pinned {
			t.Errorf("%s is %g, of the rows in reverse %g", path, f.Value, b.Value)
		}
	}
}

// Rows with a doubtful flag teach nothing, whatever they say.
func TestFlaggedRowsTeachNothing(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	file, _ := readProfile(t, "internevo")
	few, flagged := copied(rows[:30]), copied(rows)
	for _, row := range flagged[30:] {
		row["flags"] = "suspect"
		scale(t, row, "step_time_s", 3)
		scale(t, row, "tokens_per_s_per_gpu", 1/3.)
	}
	want, err := calibrated(t, textOf(t, names, few), file, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := calibrated(t, textOf(t, names, flagged), file, false)
	if err != nil {
		t.Fatal(err)
	}
	if got.Runs != len(rows) || got.Used != want.Used {
		t.Errorf("%d of %d runs used, want %d of %d", got.Used, got.Runs, want.Used, len(rows))
	}
	if fmt.Sprint(got.Constants) != fmt.Sprint(want.Constants) {
		t.Errorf("%+v\nwithout the flagged rows\n%+v", got.Constants, want.Constants)
	}
}

// An anchor of one run predicts it as it was, and scales all others alike.
func TestAnAnchorOfOneRunPredictsIt(t *testing.T) {
	names, rows := ofFramework(t, "llm-foundry")
	file, own := readProfile(t, "llm-foundry")
	one := copied(rows[3:4])
	scale(t, one[0], "step_time_s", 1.37)
	scale(t, one[0], "tokens_per_s_per_gpu", 1/1.37)
	c, err := calibrated(t, textOf(t, names, one), file, true)
	if err != nil {
		t.Fatal(err)
	}
	if c.Anchored != 1 || len(c.Constants) != 0 || c.After.Time.N != 1 || c.After.Time.MAPE > 1e-8 {
		t.Errorf("of %d runs, %d constants, off by %g", c.Anchored, len(c.Constants), c.After.Time.MAPE)
	}
	text, err := c.Text(own, "llm-foundry.toml")
	if err != nil {
		t.Fatal(err)
	}
	anchored, err := profile.Parse(text, "anchored.toml")
	if err != nil {
		t.Fatal(err)
	}
	before, after := learnerOf(t, textOf(t, names, rows), file), learnerOf(t, textOf(t, names, rows), anchored)
	if len(before.rows) != len(rows) || len(after.rows) != len(rows) {
		t.Fatalf("%d and %d rows", len(before.rows), len(after.rows))
	}
	for i := range rows {
		b, a := before.rows[i].prediction, after.rows[i].prediction
		if ratio := a.seconds / b.seconds / c.Anchor; math.Abs(ratio-1) > 5e-4 { // the file has four digits
			t.Errorf("%s: %g s, before %g s, anchor %g", rows[i]["id"], a.seconds, b.seconds, c.Anchor)
		}
		if a.memory[allocated] != b.memory[allocated] {
			t.Errorf("%s: the anchor changes memory", rows[i]["id"])
		}
	}
}

// An anchor multiplies that which the profile has.
func TestAnchorsMultiply(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	file, own := readProfile(t, "internevo")
	text := textOf(t, names, rows)
	c, err := calibrated(t, text, file.WithAnchor(2), true)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := calibrated(t, text, file, true)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(2*c.Anchor/plain.Anchor-1) > 1e-6 {
		t.Errorf("x %g on top of 2, without it x %g", c.Anchor, plain.Anchor)
	}
	a, err := c.Text(own, "a.toml")
	if err != nil {
		t.Fatal(err)
	}
	b, err := plain.Text(own, "b.toml")
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("%v: another file:\n%s\n%s", err, a, b)
	}
}

func TestTablesThatCannotTeachAreRefused(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	file, _ := readProfile(t, "internevo")
	unfree, _ := readProfile(t, "deepspeed")
	untimed := copied(rows[:10])
	for _, row := range untimed {
		row["step_time_s"], row["tokens_per_s_per_gpu"], row["tflops_per_gpu"], row["oom"] = "", "", "", "0"
	}
	flagged := copied(rows[:10])
	for _, row := range flagged {
		row["flags"] = "composed"
	}
	quick, slow := copied(rows[:10]), copied(rows[:10])
	for i := range quick {
		quick[i]["step_time_s"], quick[i]["tokens_per_s_per_gpu"], quick[i]["tflops_per_gpu"], quick[i]["oom"] = "1e-9", "", "", "0"
		slow[i]["step_time_s"], slow[i]["tokens_per_s_per_gpu"], slow[i]["tflops_per_gpu"], slow[i]["oom"] = "1e9", "", "", "0"
	}
	misspelt, _ := readProfile(t, "internevo", `frameworks = ["megatron"]`, `frameworks = ["megatorn"]`)
	for _, c := range []struct {
		name   string
		rows   []cells
		file   *profile.Profile
		anchor bool
		want   string
	}{
		{"none that is possible", quick, file, false, "runs.csv: none of 10 rows can be scored, line 2 since a step of 1.000 ns is faster than the peak rate allows"},
		{"an anchor in another unit", slow, file, true, "want at most 1000; are the times in seconds?"},
		{"a framework that is unknown", rows, misspelt, true, `profile internevo: unknown framework "megatorn"; nearest "megatron"`},
		{"too few", rows[:7], file, false, "runs.csv: 7 runs that profile internevo serves and that can teach it something; 8 are needed to fit constants, one is enough to --anchor"},
		{"all flagged", flagged, file, false, "runs.csv: 0 runs that profile internevo serves and that can teach"},
		{"none", nil, file, false, "runs.csv: no run that profile internevo serves"},
		{"an anchor of nothing", nil, file, true, "runs.csv: no timed run without a flag that profile internevo serves: want one at least"},
		{"an anchor of runs without a time", untimed, file, true, "no timed run without a flag"},
		{"an anchor of flagged runs", flagged, file, true, "no timed run without a flag"},
		{"nothing to fit", rows, unfree, false, "profile deepspeed has no constants that may be fitted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := calibrated(t, textOf(t, names, c.rows), c.file, c.anchor)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// A profile under a new name takes the runs that a shipped one serves just as
// well; one with a shorter pattern takes none of them.
func TestAProfileOfOnesOwnTakesItsRuns(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	for _, c := range []struct {
		pattern string
		want    int
	}{{"InternEvo*", len(rows)}, {"Intern*", 0}} {
		file, _ := readProfile(t, "internevo", `name = "internevo"`, `name = "zz-mine"`, `"InternEvo*"`, strconv.Quote(c.pattern))
		if l := learnerOf(t, textOf(t, names, rows), file); len(l.rows) != c.want {
			t.Errorf("%s: %d of %d runs", c.pattern, len(l.rows), c.want)
		}
	}
}

// stopping is a context that is done once it was asked so many times.
type stopping struct {
	context.Context
	left atomic.Int64
}

func (s *stopping) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestACancelledCalibrationStops(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	file, _ := readProfile(t, "internevo")
	text := textOf(t, names, rows)
	table, err := newRuns("runs.csv", text)
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ctx := range map[string]context.Context{"before": done, "soon": stoppedAfter(t, 60)} {
		if c, err := calibrate(ctx, table, file, false); !errors.Is(err, context.Canceled) || c != nil {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	l := learnerOf(t, text, file)
	during := stoppedAfter(t, 2)
	if _, err := l.learn(during, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("during the fit: %v", err)
	}
	if asked := -during.left.Load(); asked > 4 {
		t.Errorf("asked %d times after it was done", asked)
	}
	if _, err := l.held(done, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("during folds: %v", err)
	}
}

func stoppedAfter(t testing.TB, n int64) *stopping {
	s := &stopping{Context: t.Context()}
	s.left.Store(n)
	return s
}

// The shipped constants are those that the shipped table gives: what
// scripts/calibrate.sh would write is what is there.
func TestShippedConstantsAreThoseOfTheTable(t *testing.T) {
	for framework, name := range map[string]string{"InternEvo": "internevo", "torchtitan": "torchtitan"} {
		t.Run(name, func(t *testing.T) {
			file, own := readProfile(t, name)
			names, rows := ofFramework(t, framework) // all that it serves
			table := t.TempDir() + "/runs.csv"
			if err := os.WriteFile(table, textOf(t, names, rows), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := CalibrateFile(t.Context(), table, file, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range c.Constants {
				if math.Abs(f.Value/f.Before-1) > 0.03 {
					t.Errorf("%s is %g, the table gives %g: run scripts/calibrate.sh %s", f.Path, f.Before, f.Value, name)
				}
			}
			text, err := c.Text(own, name+".toml")
			if err != nil {
				t.Fatal(err)
			}
			again, err := profile.Parse(text, name+".toml")
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range again.Parameters() {
				if math.Abs(p.Value/c.Constants[i].Value-1) > 1e-3 {
					t.Errorf("%s is written as %g, want %g", p.Path, p.Value, c.Constants[i].Value)
				}
			}
		})
	}
}

func TestATableThatIsNotThereIsAnError(t *testing.T) {
	file, _ := readProfile(t, "internevo")
	if _, err := CalibrateFile(t.Context(), t.TempDir()+"/none.csv", file, false); !errors.Is(err, os.ErrNotExist) && !strings.Contains(fmt.Sprint(err), "no such file") {
		t.Error(err)
	}
}
