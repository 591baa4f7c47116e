package measured

import (
	"math"
	"slices"
	"testing"
)

// What was measured in a sweep has no influence on how it is predicted when it
// is left out: with all its times doubled and its memory halved it is predicted
// as before, to the last bit, and other sweeps are not.
func TestAFoldDoesNotSeeItsOwnRows(t *testing.T) {
	for _, c := range []struct{ framework, profile string }{{"InternEvo", "internevo"}, {"torchtitan", "torchtitan"}} {
		t.Run(c.profile, func(t *testing.T) {
			names, rows := ofFramework(t, c.framework)
			before := refitted(t, textOf(t, names, rows))
			fold := before[2].fold
			slow, changed := copied(rows), 0
			for i := range slow {
				if before[i].fold == fold {
					changed++
					scale(t, slow[i], "step_time_s", 2)
					scale(t, slow[i], "tokens_per_s_per_gpu", 0.5)
					scale(t, slow[i], "peak_mem_gib", 0.5)
				}
			}
			if changed == 0 || changed == len(rows) {
				t.Fatalf("%d of %d rows in fold %s", changed, len(rows), fold)
			}
			others := 0
			for i, a := range refitted(t, textOf(t, names, slow)) {
				b := before[i]
				if same := a.seconds == b.seconds && a.bytes == b.bytes; a.fold == fold && !same {
					t.Errorf("%s is predicted to take %g s and %g bytes, before its own time was changed %g and %g", b.id, a.seconds, a.bytes, b.seconds, b.bytes)
				} else if a.fold != fold && !same {
					others++
				}
			}
			if others == 0 {
				t.Error("no other fold has learnt from the changed times")
			}
		})
	}
}

// left is a row as predicted when its fold is left out.
type left struct {
	id, fold       string
	seconds, bytes float64
}

// refitted are the rows of a table, all scored, each with its fold left out.
func refitted(t testing.TB, text []byte) []left {
	t.Helper()
	table, err := newRuns("runs.csv", text)
	if err != nil {
		t.Fatal(err)
	}
	list, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := table.score(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	if err := refit(t.Context(), rows, list); err != nil {
		t.Fatal(err)
	}
	var out []left
	for i := range rows {
		if rows[i].skip != nil {
			t.Fatal(rows[i].skip)
		}
		out = append(out, left{rows[i].id, foldOf(&rows[i]), rows[i].prediction.seconds, rows[i].prediction.memory[allocated]})
	}
	return out
}

// Refitted rows keep their order, and their folds are those of a calibration.
func TestRefitIsWhatCalibrationHoldsOut(t *testing.T) {
	names, rows := ofFramework(t, "InternEvo")
	text := textOf(t, names, rows)
	file, _ := readProfile(t, "internevo")
	c, err := calibrated(t, text, file, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Validate(t.Context(), "runs.csv", text, Options{Refit: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string][2]Errors{"times": {r.Time, c.Held.Time}, "memory": {r.Memory, c.Held.Memory}} {
		if of[0].N != of[1].N || of[0].N == 0 || math.Abs(float64(of[0].MAPE-of[1].MAPE)) > 1e-9 {
			t.Errorf("%s refitted: %+v, held out: %+v", name, of[0], of[1])
		}
	}
	ids := func(report *Report) (list []string) {
		for i := range report.Lines {
			list = append(list, report.Lines[i].ID)
		}
		return list
	}
	if !slices.Equal(ids(r), ids(validate(t, string(text)))) {
		t.Error("the rows are in another order")
	}
}

// Judged by constants before any run was seen, a profile is that of its priors.
func TestUnfittedIsThePriors(t *testing.T) {
	names, rows := ofFramework(t, "torchtitan")
	text := textOf(t, names, rows)
	file, _ := readProfile(t, "torchtitan")
	l := learnerOf(t, text, file)
	want, err := l.judge(t.Context(), l.priors())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Validate(t.Context(), "runs.csv", text, Options{Unfitted: true})
	if err != nil {
		t.Fatal(err)
	}
	if shipped := validate(t, string(text)); r.Time != want.Time || r.Memory != want.Memory || r.Time.MAPE <= shipped.Time.MAPE {
		t.Errorf("unfitted: %+v, priors: %+v, shipped: %+v", r.Time, want.Time, shipped.Time)
	}
}
