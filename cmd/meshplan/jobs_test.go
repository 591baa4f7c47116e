package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestEveryVerbPrintsTheSameAtAnyNumberOfJobs asks each verb that searches with one
// walker and with two, as text and as JSON.
func TestEveryVerbPrintsTheSameAtAnyNumberOfJobs(t *testing.T) {
	root := newRoot(&app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard})
	const dense = " --model llama-3.1-8b --cluster h100:16 --global-batch 64 --seq 4096"
	const experts = " --model mixtral-8x7b --cluster h100:16 --global-batch 64 --seq 4096"
	more := map[string][]string{ // what a verb is asked besides the job
		"min-gpus": {" --all"},
		"pareto":   {" --resolution 2", " --against gpus", " --against cost --tokens 1e12"},
		"explain":  {" --plan tp=2 --fill best"},
	}
	for _, c := range root.Commands() {
		if c.Flags().Lookup("jobs") == nil {
			continue // takes no job
		}
		asks := more[c.Name()]
		if asks == nil {
			asks = []string{""}
		}
		for _, ask := range asks {
			for _, job := range []string{dense, experts} {
				for _, form := range []string{"", " --json"} {
					sameAtAnyJobs(t, c.Name()+job+ask+form)
				}
			}
		}
		delete(more, c.Name())
	}
	if len(more) > 0 {
		t.Errorf("verbs that do not exist: %v", more)
	}
}

func sameAtAnyJobs(t *testing.T, command string) {
	t.Helper()
	var first []byte
	for _, jobs := range []string{"1", "2"} {
		var stdout, stderr bytes.Buffer
		code := run(append(strings.Fields(command), "--jobs", jobs), strings.NewReader(""), &stdout, &stderr)
		if code > exitInfeasible || stderr.Len() > 0 {
			t.Fatalf("%s --jobs %s: exit code %d, %s", command, jobs, code, stderr.String())
		}
		if first == nil {
			first = stdout.Bytes()
		}
		if !bytes.Equal(first, stdout.Bytes()) {
			t.Errorf("%s: --jobs %s prints something else than --jobs 1", command, jobs)
		}
	}
}
