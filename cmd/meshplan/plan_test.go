package main

import (
	"strings"
	"testing"

	"meshplan/search"
)

func TestTheExitCodeOfPlanSaysWhatWasCutShort(t *testing.T) {
	forced := func(by ...string) []search.PlanResult {
		p := search.PlanResult{}
		for _, b := range by {
			p.Forced = append(p.Forced, search.Forced{Degree: "tp", Value: 8, By: b})
		}
		return []search.PlanResult{p}
	}
	placed := forced(search.ByTime)
	placed[0].Unaligned = &search.Unaligned{Complete: true}
	for _, c := range []struct {
		name   string
		result search.Result
		want   int
	}{
		{"a proven plan", search.Result{Status: search.Optimal, Plans: forced(search.ByTime, search.ByMemory)}, exitAnswer},
		{"a proven plan without what forced it", search.Result{Status: search.Optimal, Plans: forced()}, exitAnswer},
		{"a proven plan of which a degree was cut short", search.Result{Status: search.Optimal, Plans: forced(search.ByTime, search.NotProven)}, exitStopped},
		{"the best so far", search.Result{Status: search.Feasible, Plans: forced(search.NotProven)}, exitStopped},
		{"a plan on any nodes, searched to the end", search.Result{Status: search.Feasible, Plans: placed}, exitAnswer},
		{"no plan, proven", search.Result{Status: search.Infeasible}, exitInfeasible},
		{"nothing found", search.Result{Status: search.Unknown}, exitStopped},
	} {
		if got := planCode(&c.result); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
		says := len(c.result.Plans) > 0 && strings.Contains(quote(&viewed, &c.result), "what forced each degree")
		if says == c.result.Explained() {
			t.Errorf("%s: the last line says that what forced a degree was cut short: %v", c.name, says)
		}
	}
}

func TestASearchWithoutAPlanSaysWhatItHasProven(t *testing.T) {
	zero, bound := 0.0, 2.5
	for _, c := range []struct {
		name  string
		bound *float64
		want  string
	}{
		{"without a bound", nil, "nothing is proven"},
		{"with a bound that says nothing", &zero, "nothing is proven"},
		{"with a bound", &bound, "proven is only that no step takes less than 2.500 s"},
	} {
		if got := provenOf(c.bound); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestFillingAPlanThatNothingFitsIsAProvenNo(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		want       int
	}{
		{"what is given can be filled", "tp=2", exitAnswer},
		{"no plan has what is given", "tp=8,pp=8", exitInfeasible},
	} {
		code, _ := answered(t, "explain --model llama-3.1-8b --cluster h100:8 --global-batch 64 --seq 4096 --fill best --json --plan "+c.plan)
		if code != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, code, c.want)
		}
	}
}
