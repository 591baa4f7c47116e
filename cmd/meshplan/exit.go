package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/strict"
)

// The exit codes.
const (
	exitAnswer     = 0
	exitInfeasible = 1
	exitUsage      = 2
	exitInternal   = 3
	exitStopped    = 4
)

const exitCodesHelp = `meshplan's exit codes:

  0  an answer was found; of why and explain also that no plan fits, or that
     a plan breaks a rule
  1  the search proved that no plan is possible; of explain, that --fill best
     has no plan with what is given
  2  bad usage or bad input, or a place that cannot be written to: where that
     is the plot, the answer has been printed
  3  internal error; with MESHPLAN_DEBUG set, its stack is printed
  4  stopped early by Ctrl-C or --time-limit; the best so far is printed, of
     explain --fill best its terms. Of plan also that its plan is proven, but
     not what forced each degree. Of min-gpus also that no candidate is known
     to meet the goal, but step times are upper bounds (irregular clusters),
     so that none does is not proven

The result goes to standard output, everything else to standard error.`

// failure is an error with the exit code it leads to.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usageError is an error in what the user gave: exit code 2.
func usageError(err error) error { return &failure{exitUsage, err} }

// badUsage is usageError of a formatted message.
func badUsage(format string, args ...any) error {
	return usageError(fmt.Errorf(format, args...))
}

// internalError is an error of the program itself: exit code 3.
func internalError(err error) error {
	return &failure{exitInternal, fmt.Errorf("internal error: %w", err)}
}

// writeError is an answer that could not be written: exit code 2, as for a
// place that cannot be written to.
func writeError(err error) error {
	return usageError(fmt.Errorf("writing the result: %w", err))
}

// report prints the error as one line and returns its exit code. An error that
// carries no code comes from the parsing of the command line.
func report(w io.Writer, err error) int {
	code := exitUsage
	if f, ok := errors.AsType[*failure](err); ok {
		code = f.code
	}
	fmt.Fprintf(w, "meshplan: %s\n", oneLine(err.Error()))
	return code
}

// maxMessage bounds the bytes of an error's line: messages quote what the user
// gave.
const maxMessage = 600

// oneLine folds line breaks and escapes control and format characters of a
// message, so that a file of random bytes cannot disturb the terminal.
func oneLine(s string) string {
	return strict.Clip(strings.Join(strings.Fields(strict.Visible(strict.Clip(s, 4*maxMessage))), " "), maxMessage)
}

// exitCodesTopic is the help topic `meshplan help exit-codes`.
func exitCodesTopic() *cobra.Command {
	c := &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean"}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), exitCodesHelp) })
	return c
}
