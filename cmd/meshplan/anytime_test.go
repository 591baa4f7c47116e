package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"meshplan/search"
)

// stoppable is a job that takes each verb some tenths of a second.
const stoppable = " --model mixtral-8x7b --cluster h100:64 --global-batch 256 --seq 4096 --json"

// TestASearchStoppedAtAnyMomentSaysWhatIsProven stops commands at random times. How far
// they come is left open; the exit code has to say so, and plans have to be valid.
func TestASearchStoppedAtAnyMomentSaysWhatIsProven(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	r := rand.New(rand.NewPCG(1, 1))
	for _, verb := range []string{"plan --no-forced", "min-gpus --all", "pareto", "pareto --against gpus", "pareto --against cost"} {
		for i := range 6 {
			limit := fmt.Sprintf("%dus", 1+r.IntN(300_000))
			if i == 0 {
				limit = "1ns" // is over before the search begins
			}
			command := verb + stoppable + " --time-limit " + limit
			code, text := answered(t, command)
			goleak.VerifyNone(t, leaks)
			var answer struct {
				Status search.Status
				Plans  []search.Outline
				Points []search.Outline
				Plan   *search.Outline
			}
			if err := json.Unmarshal(text, &answer); err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			if code != exitCode(answer.Status) || i == 0 && code != exitStopped {
				t.Errorf("%s: exit code %d, status %s", command, code, answer.Status)
			}
			plans := append(answer.Plans, answer.Points...)
			if answer.Plan != nil {
				plans = append(plans, *answer.Plan)
			}
			if (answer.Status == search.Unknown) != (len(plans) == 0) {
				t.Errorf("%s: %s with %d plans", command, answer.Status, len(plans))
			}
			if len(plans) > 0 {
				checkPlan(t, command, &plans[r.IntN(len(plans))])
			}
		}
	}
}

// A plan that a stopped search has filled is explained all the same, and the exit code
// says that it is not proven.
func TestAStoppedSearchThatFillsAPlanExitsWithFour(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 24 {
		command := fmt.Sprintf("explain%s --plan tp=2 --fill best --time-limit %dus", stoppable, 5_000+r.IntN(60_000))
		code, text := answered(t, command)
		var answer struct {
			Status   search.Status // where no plan was found
			Text     string
			Warnings []string
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		status := answer.Status
		for _, w := range answer.Warnings {
			if said, found := strings.CutPrefix(w, leftOpen); found {
				status = search.Status(said)
			}
		}
		if code != exitCode(status) || (answer.Text == "") != (status == search.Unknown) {
			t.Errorf("%s: exit code %d, status %q, plan %q", command, code, status, answer.Text)
		}
	}
}

func answered(t *testing.T, command string) (code int, stdout []byte) {
	t.Helper()
	var out, errors bytes.Buffer
	code = run(strings.Fields(command), strings.NewReader(""), &out, &errors)
	if errors.Len() > 0 {
		t.Fatalf("%s: %s", command, errors.String())
	}
	return code, out.Bytes()
}

// checkPlan asks explain whether the plan keeps the rules and takes what is shown, on
// as many GPUs as it uses.
func checkPlan(t *testing.T, command string, p *search.Outline) {
	t.Helper()
	on := strings.Replace(stoppable, "h100:64", fmt.Sprintf("h100:%d", p.GPUs), 1)
	if strings.HasPrefix(command, "plan") || !strings.Contains(command, "gpus") && !strings.Contains(command, "cost") {
		on = stoppable
	}
	_, text := answered(t, "explain"+on+" --plan "+p.Text)
	var e search.Explanation
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%s: %v", p.Text, err)
	}
	for _, rule := range e.Rules {
		if !rule.Holds {
			t.Errorf("%s: %s breaks %s", command, p.Text, rule.Rule)
		}
	}
	if e.StepSeconds != p.StepSeconds || e.Memory.Verdict == "does_not_fit" {
		t.Errorf("%s: %s takes %v s and %s, shown is %v s", command, p.Text, e.StepSeconds, e.Memory.Verdict, p.StepSeconds)
	}
}
