package main

import (
	"strings"
	"testing"

	"meshplan/search"
)

func TestACellSaysWhatIsKnownOfItsCase(t *testing.T) {
	change := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name string
		is   search.CaseResult
		want string
	}{
		{"the same plan", search.CaseResult{Status: search.Optimal, StepChange: change(0.0123)}, "+1.2 % "},
		{"another plan", search.CaseResult{Status: search.Optimal, StepChange: change(-0.0123), OtherPlan: true}, "-1.2 %*"},
		{"no change to a tenth of a percent", search.CaseResult{Status: search.Optimal, StepChange: change(-0.0001)}, "0.0 % "},
		{"nothing fits", search.CaseResult{Status: search.Infeasible, OtherPlan: true}, "none "},
		{"no such job", search.CaseResult{Impossible: "0.9 of 8 GPUs are no whole number"}, "- "},
		{"stopped with a plan", search.CaseResult{Status: search.Feasible, Stopped: true, StepChange: change(0.5)}, "+50.0 %?"},
		{"an upper bound", search.CaseResult{Status: search.Feasible, StepChange: change(0.5)}, "+50.0 % "},
		{"stopped without one", search.CaseResult{Status: search.Unknown, Stopped: true}, "stopped "},
	} {
		if text, mark := cell(&c.is); text+mark != c.want {
			t.Errorf("%s: %q, want %q", c.name, text+mark, c.want)
		}
	}
}

func TestAFlipSaysFromWhichValueOn(t *testing.T) {
	for _, c := range []struct {
		name string
		is   search.FlipResult
		want string
	}{
		{"with less", search.FlipResult{Side: search.Less, KeepsFactor: 0.808, FlipsFactor: 0.8, FlipsText: "64 GB"}, "64 GB or less"},
		{"with more", search.FlipResult{Side: search.More, KeepsFactor: 1.2, FlipsFactor: 1.21, FlipsText: "96.8 GB"}, "96.8 GB or more"},
		{"with another number of GPUs", search.FlipResult{Side: search.More, KeepsFactor: 1, FlipsFactor: 2, FlipsText: "16 GPUs"}, "16 GPUs"},
		{"stopped on the way", search.FlipResult{Side: search.Less, KeepsFactor: 1, FlipsFactor: 0.5, FlipsText: "40 GB", Stopped: true}, "40 GB or before (stopped)"},
	} {
		if got := beyond(&c.is); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAnotherPlanIsShownByWhatItHasInstead(t *testing.T) {
	best := search.Outline{Verdict: "fits", Degrees: search.Degrees{TP: 8, DP: 2, DPShard: 2}, Options: search.OptionsResult{MicroBatch: 1, Recompute: "none", Schedule: "1f1b", CPComm: "p2p", Offload: "none"}}
	for _, c := range []struct {
		name   string
		change func(*search.Outline)
		want   string
	}{
		{"other degrees", func(o *search.Outline) { o.Degrees.TP, o.Degrees.PP = 4, 2 }, "TP4 PP2 DP2"},
		{"other options", func(o *search.Outline) { o.Options.MicroBatch, o.Options.Recompute = 2, "full" }, "same degrees, micro-batch 2, recompute full"},
		{"another verdict", func(o *search.Outline) { o.Verdict = "borderline" }, "same degrees, borderline"},
		{"another option that is not shown elsewhere", func(o *search.Outline) { o.Options.CPComm = "a2a" }, "same degrees, 1f1b, a2a, offload none"},
	} {
		other := best
		c.change(&other)
		if got := instead(&best, &other); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheQuoteNamesWhatMattersMost(t *testing.T) {
	change := func(v float64) *float64 { return &v }
	s := &subject{model: "m", gpu: "g", gpus: 8}
	best := &search.Outline{StepSeconds: 2}
	for _, c := range []struct {
		name string
		is   search.SensitivityResult
		want string
	}{
		{"one input for both", search.SensitivityResult{Status: search.Optimal, Best: best,
			TenPercent: &search.Weight{Input: "flops", Factor: 0.9, StepChange: change(0.09)}, HalfOrDouble: &search.Weight{Input: "flops", Factor: 2, StepChange: change(-0.4)}},
			"m on 8 g: 2.000 s a step; flops matters most: with -10 % it is 9.0 % longer, with x 2 it is 40.0 % shorter; optimal"},
		{"two inputs", search.SensitivityResult{Status: search.Optimal, Best: best,
			TenPercent: &search.Weight{Input: "flops", Factor: 0.9, StepChange: change(0.09)}, HalfOrDouble: &search.Weight{Input: "hbm", Factor: 0.5}},
			"m on 8 g: 2.000 s a step; of changes by 10 % flops matters most (with -10 % it is 9.0 % longer), of halves and doubles hbm (with x 1/2 nothing fits); optimal"},
		{"stopped early", search.SensitivityResult{Status: search.Feasible, Best: best}, "m on 8 g: 2.000 s a step; stopped before it was known what matters most"},
		{"infeasible", search.SensitivityResult{Status: search.Infeasible}, "m on 8 g: infeasible"},
	} {
		if got := sensitivityQuote(s, &c.is); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
