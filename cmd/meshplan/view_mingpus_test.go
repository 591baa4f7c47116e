package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// refused is a candidate of so many GPUs without a plan, for want of memory.
func refused(gpus int, peak float64) search.Candidate {
	return search.Candidate{GPUs: gpus, Verdict: search.NoPlan, Status: search.Infeasible, Text: "needs " + amount(peak),
		Reasons: []search.Reason{{Rule: "memory", Numbers: map[string]float64{"least_peak_bytes": peak}}}}
}

// slow is a candidate of so many GPUs whose best step is too slow.
func slow(gpus int, step float64) search.Candidate {
	return search.Candidate{GPUs: gpus, Verdict: search.TooSlow, Status: search.Optimal, Text: "takes " + seconds(step),
		Best: &search.Outline{StepSeconds: step}}
}

// ruled is a candidate of so many GPUs that rules refuse.
func ruled(gpus int, text string, rules ...string) search.Candidate {
	c := search.Candidate{GPUs: gpus, Verdict: search.NoPlan, Status: search.Infeasible, Text: text}
	for _, r := range rules {
		c.Reasons = append(c.Reasons, search.Reason{Rule: r})
	}
	return c
}

func TestNeighboursThatAreNotEnoughForOneReasonShareALine(t *testing.T) {
	const gib = 1 << 30
	meets := search.Candidate{GPUs: 64, Verdict: search.Meets, Status: search.Optimal}
	cut := refused(3, 90*gib)
	cut.Reasons[0].Numbers["least_peak_bound_bytes"] = gib
	for _, test := range []struct {
		name string
		list []search.Candidate
		want [][2]string
	}{
		{"too little memory, the least not on the most GPUs", []search.Candidate{refused(1, 400*gib), refused(2, 100*gib), refused(3, 120*gib), meets},
			[][2]string{{"1 to 3", "on 2 GPUs: needs 100.0 GiB; the others need up to 400.0 GiB"}}},
		{"two alone keep their lines", []search.Candidate{refused(1, 400*gib), refused(2, 100*gib), meets},
			[][2]string{{"1", "needs 400.0 GiB"}, {"2", "needs 100.0 GiB"}}},
		{"two that say the same share one", []search.Candidate{refused(1, 100*gib), refused(2, 100*gib)},
			[][2]string{{"1 to 2", "needs 100.0 GiB"}}},
		{"a least that is not proven stands apart", []search.Candidate{refused(1, 400*gib), refused(2, 100*gib), cut},
			[][2]string{{"1", "needs 400.0 GiB"}, {"2", "needs 100.0 GiB"}, {"3", "needs 90.00 GiB"}}},
		{"too slow", []search.Candidate{slow(8, 4), slow(16, 2), slow(24, 3), meets, slow(128, 3)},
			[][2]string{{"8 to 24", "on 16 GPUs: takes 2.000 s; the others take up to 4.000 s"}, {"128", "takes 3.000 s"}}},
		{"rules, which name the candidate's own number as well", []search.Candidate{
			ruled(5, "not by 5", "batch", "pin/gpus=5"), ruled(6, "not by 6", "batch", "pin/gpus=6"), ruled(7, "not by 7", "batch", "pin/gpus=7")},
			[][2]string{{"5 to 7", "on 5 GPUs: not by 5; the same rules refuse the others"}}},
		{"other rules", []search.Candidate{ruled(5, "not by 5", "batch"), ruled(6, "not by 6", "heads"), ruled(7, "not by 7", "batch")},
			[][2]string{{"5", "not by 5"}, {"6", "not by 6"}, {"7", "not by 7"}}},
	} {
		var p, want page
		notEnough(&p, &search.SizingResult{Candidates: test.list})
		want.heading("Why not")
		want.list(test.want)
		if diff := cmp.Diff(want.String(), p.String()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestCostsThatDifferLookDifferent(t *testing.T) {
	a, b := 0.002452, 0.002473
	if diff := cmp.Diff([]string{"0.00245", "-", "0.00247"}, amounts([]*float64{&a, nil, &b})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"0.0025", "0.0025"}, amounts([]*float64{&a, &a})); diff != "" {
		t.Error(diff)
	}
}
