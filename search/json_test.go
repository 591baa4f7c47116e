package search

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/plan"
)

func TestResultSurvivesJSON(t *testing.T) {
	for name, p := range map[string]*Problem{
		"a plan": toy(t, "gpus=16,tp=2"), "no plan": toy(t, "tp=5"),
		"a borderline plan beside it": usable(toy(t, "gpus=16"), withFasterBorderline),
	} {
		t.Run(name, func(t *testing.T) {
			p.Forced, p.Top, p.Warnings = true, 3, []string{"tp > 1 & <sp> assumed"}
			want := mustBest(t, p, 0)
			var text bytes.Buffer
			if err := want.WriteJSON(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "tp > 1 & <sp> assumed") {
				t.Error("text is escaped as if for HTML")
			}
			got, err := ReadJSON(&text)
			if err != nil {
				t.Fatal(err)
			}
			got.Stats = want.Stats
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Programs read lists without asking whether they are there.
func TestJSONHasNoNullLists(t *testing.T) {
	for _, pins := range []string{"gpus=16,tp=2", "tp=5"} {
		var text bytes.Buffer
		if err := mustBest(t, toy(t, pins), 0).WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text.Bytes(), &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"reasons", "plans", "fastest", "warnings"} {
			if !bytes.HasPrefix(fields[name], []byte("[")) {
				t.Errorf("%s is %s", name, fields[name])
			}
		}
		for _, null := range []string{`"traffic": null`, `"stages": null`, `"terms": null`, `"placement": null`, `"numbers": null`} {
			if strings.Contains(text.String(), null) {
				t.Errorf("the result holds %s", null)
			}
		}
	}
}

func TestNamesOfThePlanJSON(t *testing.T) {
	p := usable(toy(t, "gpus=16"), withFasterBorderline)
	p.Forced = true
	var text bytes.Buffer
	if err := mustBest(t, p, 0).WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"format_version", "status", "bound_seconds", "gap", "space", "dimensions", "rules", "profile", "raw_combinations",
		"reasons", "plans", "borderline", "fastest", "warnings", "degrees", "tp", "cp", "pp", "vpp", "dp", "dp_shard", "dp_replicate", "ep", "etp",
		"edp", "placement", "level", "used", "dense", "expert", "options", "sp", "micro_batch", "schedule",
		"layers_per_stage", "zero_stage", "recompute", "recompute_layers", "offload", "text", "gpus", "step_seconds",
		"tokens_per_second_per_gpu", "mfu", "forced", "degree", "value", "by", "factor", "memory",
		"saved_seconds", "saved_fraction", "free_bytes", "margin_bytes", "plan",
		"peak_allocated_bytes", "peak_reserved_bytes", "usable_bytes", "verdict", "stages", "time", "traffic",
	} {
		if !strings.Contains(text.String(), `"`+name+`":`) {
			t.Errorf("the plan's JSON has no %q", name)
		}
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"an unknown field":       {`{"format_version":1,"colour":"red"}`, "colour"},
		"another format version": {`{"format_version":2}`, "format_version 2, want 1"},
		"text behind the result": {`{"format_version":1} {}`, "unexpected text"},
		"no JSON":                {`status: optimal`, "invalid character"},
		"nothing":                {``, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadJSON(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
			if _, err := ReadExplanation(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

func TestWriteJSONRefusesWhatJSONCannotHold(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		r := &Result{FormatVersion: FormatVersion, Plans: []PlanResult{{StepSeconds: v}}}
		var text bytes.Buffer
		if err := r.WriteJSON(&text); err == nil || text.Len() > 0 {
			t.Errorf("%v was written: %s", v, text.String())
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	var text bytes.Buffer
	if err := mustBest(f, toy(f, "gpus=16,tp=2"), 0).WriteJSON(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add([]byte(`{"format_version":1,"reasons":[{"rule":"x","numbers":{"a":1e400}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := r.WriteJSON(&once); err != nil {
			t.Fatal(err)
		}
		again, err := ReadJSON(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := again.WriteJSON(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("written twice: %v\n%s\n%s", err, once.Bytes(), twice.Bytes())
		}
	})
}

func TestExplainAgreesWithTheSearch(t *testing.T) {
	p := toy(t, "gpus=16,tp=2")
	r := mustBest(t, p, 0)
	parsed, err := plan.Parse(r.Plans[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), p, parsed.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Plans[0], e.PlanResult); diff != "" {
		t.Error(diff)
	}
	for _, c := range e.Rules {
		if !c.Holds || c.Text == "" {
			t.Errorf("%+v does not hold for the optimum", c)
		}
	}
	unsplit := parsed.Plan
	unsplit.Options.Stages = plan.Stages{}
	if again, err := Explain(context.Background(), p, unsplit); err != nil || again.Text != e.Text {
		t.Errorf("without a split: %v, %v; want %s", again, err, e.Text)
	}
	var text bytes.Buffer
	if err := e.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadExplanation(&text); err != nil || cmp.Diff(e, got) != "" {
		t.Errorf("read back: %v, %s", err, cmp.Diff(e, got))
	}
}

func TestExplainSaysWhichRulesAPlanBreaks(t *testing.T) {
	p := toy(t, "tp=4")
	parsed, err := plan.Parse("tp=2,pp=1,dp=1,micro-batch=1,sp=off,zero=1,placement=tp:2/1")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), p, parsed.Plan)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{}
	for _, c := range e.Rules {
		if !c.Holds {
			broken[c.Rule] = c.Text
		}
	}
	if !strings.Contains(broken["pin/tp=4"], "tp is 2") || !strings.Contains(broken["zero"], "dp_shard") || len(broken) != 2 {
		t.Errorf("broken: %v", broken)
	}
}
