package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"meshplan/search"
)

// stoppedSizing is an answer that was cut short: 1 and 2 GPUs are decided, more
// are not.
func stoppedSizing() *search.SizingResult {
	return &search.SizingResult{
		Status: search.Unknown, Goal: &search.Goal{StepSeconds: 9, Text: "a step of at most 9.000 s"},
		Candidates: []search.Candidate{
			{GPUs: 1, Verdict: search.NoPlan, Status: search.Infeasible, Text: "too little memory"},
			{GPUs: 2, Verdict: search.Misses, Status: search.Unknown, Text: "no plan that fits takes 9.000 s or less"},
			{GPUs: 4, Verdict: search.Undecided, Status: search.Unknown, Text: "stopped before it was decided"},
			{GPUs: 8, Verdict: search.Undecided, Status: search.Unknown, Text: "stopped before it was decided"},
		},
	}
}

func TestAStoppedSizingSaysWhatIsDecided(t *testing.T) {
	tests := []struct {
		name   string
		change func(*search.SizingResult)
		want   []string
	}{
		{"some are decided", func(*search.SizingResult) {}, []string{
			"Stopped: no candidate up to 2 GPUs is enough, each used to its last GPU, and that is proven; the\nrest is not decided.\n",
			"\n  4 to 8  stopped before it was decided\n", "meets the goal on none of the candidates, 1 to 8 H100-SXM, each used to its last GPU: unknown\n"}},
		{"none is decided", func(r *search.SizingResult) { r.Candidates = r.Candidates[2:] }, []string{
			"Stopped before any candidate was decided; nothing is proven.\n"}},
		{"the answer is known, its best plan is not", func(r *search.SizingResult) {
			c := &r.Candidates[2]
			c.Verdict, c.Status, c.Text = search.Meets, search.Feasible, ""
			c.Best = &search.Outline{StepSeconds: 8, PeakReservedBytes: 1 << 30, UsableBytes: 2 << 30, Degrees: search.Degrees{TP: 4, DP: 1}}
			r.Status, r.GPUs, r.Plan = search.Feasible, &c.GPUs, &search.PlanResult{Text: "tp=4"}
		}, []string{"4 GPUs are enough, no smaller candidate is: TP4 DP1, <= 8.000 s a step, 1.0 of 2.0 GiB\nStopped early: that is proven,",
			"TP4 DP1, <= 8.0 s/step,", "\n  2  no plan that fits takes 9.000 s or less\n  8  stopped"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := stoppedSizing()
			test.change(r)
			got := sizingView(&viewed, &search.Sizing{}, r)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
		})
	}
}

func TestAnInterruptedSizingExitsWithFour(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := runContext(ctx, strings.Fields(sizeBase), strings.NewReader(""), &stdout, &stderr)
	if code != exitStopped || stderr.Len() > 0 || !strings.Contains(stdout.String(), "nothing is proven") {
		t.Errorf("exit code %d, standard error %q, answer\n%s", code, stderr.String(), stdout.String())
	}
}
