package measured

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected totals")

// tolerance is how far a share may move before the totals have to be looked at
// and rewritten.
const tolerance = 0.005

// The totals of the project's own tables stay what they were: counts exactly,
// shares within half a point. -update rewrites them.
func TestTotalsOfThePublishedRuns(t *testing.T) {
	for _, name := range []string{"training", "memory"} {
		t.Run(name, func(t *testing.T) {
			r := validate(t, string(testdata(t, name+".csv")))
			r.BySweep = nil // the sources tell enough
			var got bytes.Buffer
			if err := r.WriteJSON(&got); err != nil {
				t.Fatal(err)
			}
			file := "../testdata/measured/" + name + ".json"
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "", decoded(t, got.Bytes()), decoded(t, want))
		})
	}
}

// onPage holds that a block of docs/accuracy.md shows the table; -update
// rewrites it.
func onPage(t *testing.T, block, table string) {
	t.Helper()
	on(t, "../docs/accuracy.md", block, table)
}

// on is onPage of any page.
func on(t *testing.T, page, block, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "<!-- "+block+" -->\n")
	shown, after, closed := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !closed {
		t.Fatalf("%s has no block %q", page, block)
	}
	switch {
	case shown == table:
	case *update:
		if err := os.WriteFile(page, []byte(before+"<!-- "+block+" -->\n"+table+"<!-- end -->\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s shows another table for %q; -update rewrites it:\n%s", page, block, table)
	}
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// compare reports where two JSON values differ: whole numbers at all, others by
// more than the tolerance.
func compare(t *testing.T, path string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		fields, ok := got.(map[string]any)
		if !ok || len(fields) != len(want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
			return
		}
		for key, w := range want {
			compare(t, path+"."+key, fields[key], w)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
			return
		}
		for i, w := range want {
			compare(t, fmt.Sprintf("%s[%d]", path, i), list[i], w)
		}
	case float64:
		g, ok := got.(float64)
		allowed := tolerance
		if want == math.Trunc(want) && g == math.Trunc(g) {
			allowed = 0
		}
		if !ok || math.Abs(g-want) > allowed {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// The report does not depend on the order in which rows are priced.
func TestReportsAreTheSameEveryTime(t *testing.T) {
	text := string(testdata(t, "training.csv"))
	var first bytes.Buffer
	if err := validate(t, text).WriteJSON(&first); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var again bytes.Buffer
		if err := validate(t, text).WriteJSON(&again); err != nil || !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Errorf("another report, %v", err)
		}
	}
}

// Rows in another order give the same figures.
func TestTheOrderOfRowsDoesNotMatter(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(testdata(t, "training.csv"))), "\n")
	backwards := slices.Clone(lines[1:])
	slices.Reverse(backwards)
	forth := validate(t, strings.Join(lines, "\n"))
	back := validate(t, strings.Join(append(lines[:1], backwards...), "\n"))
	forth.Lines, back.Lines = nil, nil
	var a, b bytes.Buffer
	if err := forth.WriteJSON(&a); err != nil {
		t.Fatal(err)
	}
	if err := back.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	compare(t, "", decoded(t, b.Bytes()), decoded(t, a.Bytes()))
}

// The JSON has the names that other programs rely on.
func TestTheNamesOfTheReport(t *testing.T) {
	var text bytes.Buffer
	if err := validate(t, edit(t)).WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	report := decoded(t, text.Bytes()).(map[string]any)
	keys := func(v any) string {
		var list []string
		for k := range v.(map[string]any) {
			list = append(list, k)
		}
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	ranking := report["ranking"].(map[string]any)
	baselines := ranking["baselines"].(map[string]any)
	rule := baselines["least_model_parallel"].(map[string]any)
	for _, c := range []struct {
		what string
		of   any
		want string
	}{
		{"the report", report, "assumed by_flag by_source by_sweep defaults fit fitted_constants format_version generic_profile kind memory ranking rows scored skipped time time_baseline warnings weak_scaling worst"},
		{"time", report["time"], "mape median n p90 signed"},
		{"the constant rate's time", report["time_baseline"], "mape median n p90 signed"},
		{"memory", report["memory"], "mape median n p90 signed"},
		{"weak scaling", report["weak_scaling"], "mean_absolute_gap mean_measured mean_predicted series"},
		{"fit", report["fit"], "accuracy borderline false_fit false_oom n ran_refused"},
		{"ranking", ranking, "baselines failed_picks groups max_regret mean_regret pair_order safe_or_borderline_regret top3_regret"},
		{"baselines", baselines, "constant_rate largest_micro_batch least_model_parallel"},
		{"a baseline", rule, "same_verdict told_what_ran"},
		{"its picks", rule["same_verdict"], "failed_picks mean_regret"},
		{"a source", report["by_source"].([]any)[0], "clean fit fitted_constants memory ranking rows scored source time time_baseline weak_scaling"},
		{"a source's clean rows", report["by_source"].([]any)[0].(map[string]any)["clean"], "fit fitted_constants memory ranking rows scored time time_baseline weak_scaling"},
		{"a sweep", report["by_sweep"].([]any)[0], "fit fitted_constants memory ranking rows scored sweep time time_baseline weak_scaling"},
		{"a flag", report["by_flag"].([]any)[0], "fit fitted_constants flag memory ranking rows scored time time_baseline weak_scaling"},
		{"a bad row", report["worst"].([]any)[0], "cause flags gpu gpus id log_error measured_s model predicted_s profile shares source"},
		{"a term of it", report["worst"].([]any)[0].(map[string]any)["shares"].([]any)[0], "share term"},
		{"a default", report["defaults"].([]any)[0], "column count"},
	} {
		if got := keys(c.of); got != c.want {
			t.Errorf("%s has %s, want %s", c.what, got, c.want)
		}
	}
}
