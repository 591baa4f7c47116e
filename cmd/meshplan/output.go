package main

import (
	"encoding/json"
	"fmt"
	"io"

	"meshplan/search"
)

// print writes an answer to standard output.
func (a *app) print(text string) error {
	if _, err := io.WriteString(a.stdout, text); err != nil {
		return internalError(fmt.Errorf("writing the result: %w", err))
	}
	return nil
}

// printJSON writes an answer as JSON to standard output.
func (a *app) printJSON(answer interface{ WriteJSON(io.Writer) error }) error {
	if err := answer.WriteJSON(a.stdout); err != nil {
		return internalError(err)
	}
	return nil
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
