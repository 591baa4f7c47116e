package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"meshplan/search"
	"meshplan/units"
)

func TestAnInterruptedSearchExitsWithFour(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := runContext(ctx, strings.Fields(base), strings.NewReader(""), &stdout, &stderr)
	if code != exitStopped || stderr.Len() > 0 {
		t.Errorf("exit code %d, want %d; standard error %q", code, exitStopped, stderr.String())
	}
	if !strings.Contains(stdout.String(), "Stopped before any plan was found") && !strings.Contains(stdout.String(), "; feasible") {
		t.Errorf("the answer does not say what is proven:\n%s", stdout.String())
	}
}

// broken fails or panics on every use.
type broken struct{ panics bool }

func (b broken) Read([]byte) (int, error)  { return 0, b.fail() }
func (b broken) Write([]byte) (int, error) { return 0, b.fail() }

func (b broken) fail() error {
	if b.panics {
		panic("first line\nsecond line")
	}
	return errors.New("no space left")
}

func TestAPanicIsOneLineAndExitsWithThree(t *testing.T) {
	var stderr bytes.Buffer
	code := run([]string{"version"}, strings.NewReader(""), broken{panics: true}, &stderr)
	if want := "meshplan: internal error: first line second line\n"; code != exitInternal || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q, want %d and %q", code, stderr.String(), exitInternal, want)
	}
}

func TestTheStackOfAPanicIsPrintedOnRequest(t *testing.T) {
	t.Setenv("MESHPLAN_DEBUG", "1")
	var stderr bytes.Buffer
	run([]string{"version"}, strings.NewReader(""), broken{panics: true}, &stderr)
	if !strings.Contains(stderr.String(), "goroutine ") || !strings.Contains(stderr.String(), "run_test.go") {
		t.Errorf("standard error holds no stack: %q", stderr.String())
	}
}

func TestAResultThatCannotBeWrittenIsNoInternalError(t *testing.T) {
	var stderr bytes.Buffer
	code := run([]string{"version"}, strings.NewReader(""), broken{}, &stderr)
	if want := "meshplan: writing the result: no space left\n"; code != exitUsage || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
}

func TestProgressIsAClearedLineOfATerminalOnly(t *testing.T) {
	state := search.Progress{Nodes: 12345, Best: units.Seconds(5.9), Bound: units.Seconds(4)}
	var pipe bytes.Buffer
	m := newMeter(&pipe)
	m.start = time.Now().Add(-60500 * time.Millisecond)
	m.show(state)
	m.clear()
	if pipe.Len() > 0 {
		t.Errorf("a pipe got %q", pipe.String())
	}

	var terminal bytes.Buffer
	m = &meter{w: &terminal, on: true, start: time.Now()}
	m.show(state)
	if terminal.Len() > 0 {
		t.Errorf("shown in the first second: %q", terminal.String())
	}
	m.start = time.Now().Add(-60500 * time.Millisecond)
	m.show(state)
	m.show(state) // too soon after the first
	m.clear()
	line := "60s, 12,345 boxes bounded, best so far 5.900 s, none below 4.000 s"
	if want := "\r" + line + "\r" + strings.Repeat(" ", len(line)) + "\r"; terminal.String() != want {
		t.Errorf("a terminal got %q, want %q", terminal.String(), want)
	}
}

// TestEveryFieldIsAFlag holds that flags and job-file keys are one list.
func TestEveryFieldIsAFlag(t *testing.T) {
	root := newRoot(&app{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}})
	for i := range fields {
		verbs := []string{"plan"}
		if fields[i].only != "" {
			verbs = strings.Fields(fields[i].only)
		}
		for _, verb := range verbs {
			c, _, err := root.Find([]string{verb})
			if err != nil {
				t.Fatal(err)
			}
			if c.Flags().Lookup(fields[i].name) == nil {
				t.Errorf("%s has no flag --%s", verb, fields[i].name)
			}
		}
		if fieldOf(fields[i].key()) != &fields[i] {
			t.Errorf("key %s is not its field's", fields[i].key())
		}
	}
}
