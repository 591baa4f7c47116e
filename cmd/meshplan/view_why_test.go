package main

import (
	"strings"
	"testing"

	"meshplan/search"
)

func TestWhatPinsCostIsSaidOnOneBasis(t *testing.T) {
	plan := func(text string, step float64) search.PlanResult {
		return search.PlanResult{Text: text, GPUs: 8, StepSeconds: step}
	}
	for _, c := range []struct {
		name         string
		free         search.PlanResult
		bound        float64 // 0 where the search without the pins came to its end
		above, below string
	}{
		{"the pins cost time", plan("tp=2", 100), 0, "100.0 s: under the pins a step takes 2.8 % more time\n", ": the pins cost 2.8 % more time\n"},
		{"the same plan", plan("tp=8", 102.8), 0, "The pins cost nothing: ", ": the pins cost nothing\n"},
		{"a search that was cut short behind the plan", plan("tp=4", 110), 80,
			"The pins cost nothing that is known, and at most 28.5 % more time: ", ": the stopped search without the pins found no faster plan; they cost at most 28.5 % more time\n"},
		{"a search that was cut short at the plan", plan("tp=8", 102.8), 80,
			"The pins cost nothing that is known, and at most 28.5 % more time: ", " they cost at most 28.5 % more time\n"},
		{"a search that was cut short before it", plan("tp=2", 100), 80,
			"feasible, gap 20.0 %\n  step time  100.0 s: under the pins a step takes at least 2.8 % and at most 28.5 % more time\n", ": the pins cost at least 2.8 % and at most 28.5 % more time\n"},
		{"a search that was cut short without a bound", plan("tp=4", 110), -1, "The pins cost nothing that is known: ", ": the search without the pins found no faster plan\n"},
	} {
		pinned := plan("tp=8", 102.8)
		r := &search.WhyResult{Status: search.Optimal, Feasible: true, Plan: &pinned,
			Against: &search.Against{Plan: c.free, Status: search.Optimal, BoundSeconds: &c.free.StepSeconds, Factor: pinned.StepSeconds / c.free.StepSeconds}}
		if c.bound != 0 {
			r.Against.Status, r.Against.BoundSeconds = search.Feasible, &c.bound
		}
		if c.bound < 0 {
			r.Against.BoundSeconds = nil
		}
		got := whyView(&viewed, r)
		for _, want := range []string{c.above, c.below} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
		if strings.Contains(got, "cost -") || strings.Contains(got, "less time") {
			t.Errorf("%s: a negative cost in\n%s", c.name, got)
		}
	}
}

func TestTheLastLineOfWhySaysThatItWasStopped(t *testing.T) {
	change := search.Change{Kind: search.ChangeGPUs, Setting: "cluster=h100:16", Text: "16 GPUs", Plan: &search.PlanResult{}}
	for _, c := range []struct {
		name    string
		changes []search.Change
		done    bool
		want    string
	}{
		{"nothing helps", nil, true, ": no plan fits; no change that was tried helps\n"},
		{"stopped with nothing", nil, false, ": no plan fits; stopped before a change was found that helps\n"},
		{"something helps", []search.Change{change}, true, ": no plan fits; one change helps\n"},
		{"stopped with something", []search.Change{change}, false, ": no plan fits; one change helps; stopped before all were tried\n"},
	} {
		r := &search.WhyResult{Status: search.Infeasible, Changes: c.changes, ChangesDone: c.done}
		if got := whyView(&viewed, r); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: no %q at the end of\n%s", c.name, c.want, got)
		}
	}
}
