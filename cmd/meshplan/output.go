package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"meshplan/search"
	"meshplan/strict"
)

// print writes an answer to standard output, control and format characters
// escaped.
func (a *app) print(text string) error {
	var b strings.Builder
	for line := range strings.Lines(text) {
		rest, broken := strings.CutSuffix(line, "\n")
		b.WriteString(strict.Visible(rest))
		if broken {
			b.WriteByte('\n')
		}
	}
	return a.write([]byte(b.String()))
}

// write writes bytes to standard output as they are.
func (a *app) write(text []byte) error {
	if _, err := a.stdout.Write(text); err != nil {
		return writeError(err)
	}
	return nil
}

// solve puts a question to the search, within the job's time and with its progress on
// standard error. What the search refuses is a malformed problem.
func solve[R any](a *app, j *job, question func(l search.Limits) (R, error)) (R, error) {
	m := newMeter(a.stderr)
	res, err := question(search.Limits{Time: j.timeLimit, Progress: m.show})
	m.clear()
	if err != nil {
		err = usageError(err)
	}
	return res, err
}

// answer prints an answer as the job wants it: as JSON or text, the counters of its
// search on standard error where it asks for them.
func (a *app) answer(j *job, res interface{ WriteJSON(io.Writer) error }, work search.Stats, text func() string) error {
	if j.stats {
		if err := a.printStats(work); err != nil {
			return err
		}
	}
	if j.json {
		return a.printJSON(res)
	}
	return a.print(text())
}

// printJSON writes an answer as JSON to standard output.
func (a *app) printJSON(answer interface{ WriteJSON(io.Writer) error }) error {
	var text bytes.Buffer
	if err := answer.WriteJSON(&text); err != nil {
		return internalError(err)
	}
	return a.write(text.Bytes())
}

// printStats writes the counters of a search to standard error.
func (a *app) printStats(s search.Stats) error {
	line, err := json.Marshal(s)
	if err != nil {
		return internalError(err)
	}
	fmt.Fprintf(a.stderr, "%s\n", line)
	return nil
}

// exitCodeOf is exitCode of an answer whose step times may be upper bounds: one that
// was searched to its end is an answer, though not proven to be the best.
func exitCodeOf(s search.Status, u *search.UpperBounds) int {
	if s == search.Feasible && u.Finished() {
		return exitAnswer
	}
	return exitCode(s)
}

// exitCode is what the status of a search means to the shell.
func exitCode(s search.Status) int {
	switch s {
	case search.Infeasible:
		return exitInfeasible
	case search.Feasible, search.Unknown:
		return exitStopped
	}
	return exitAnswer
}
