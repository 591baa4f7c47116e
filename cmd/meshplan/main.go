package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole command: it takes the arguments after the program's name
// and returns the exit code. Ctrl-C stops a search, which then gives its best
// so far; a second one ends the program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return runContext(ctx, args, stdin, stdout, stderr)
}

// runContext is run until the context is done.
func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = report(stderr, internalError(fmt.Errorf("%v", r)))
			if os.Getenv("MESHPLAN_DEBUG") != "" {
				_, _ = stderr.Write(debug.Stack())
			}
		}
	}()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRoot(a)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return report(stderr, err)
	}
	return a.code
}

// app is what the verbs share: the streams and the exit code of an answer.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int
}
