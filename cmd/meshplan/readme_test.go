package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	readme = "README.md"
	prompt = "$ meshplan "
)

// TestReadme runs every command of the README that stands behind a prompt and
// compares what it prints with what the README shows; -update writes it.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the README's commands are real searches")
	}
	t.Chdir("../..")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	got := rerun(t, string(text))
	if *update && got != string(text) {
		if err := os.WriteFile(readme, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("README.md is out of date (-shown +printed), -update rewrites it:\n%s", diff)
	}
}

// rerun is the text with the output of every prompt's command in place of what
// stood there. An output goes up to the next prompt or the end of the block.
func rerun(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	shown := false // inside an output that is replaced
	for line := range strings.Lines(text) {
		command, found := strings.CutPrefix(strings.TrimSpace(line), prompt)
		switch {
		case found:
			shown = true
			out.WriteString(line)
			out.WriteString(output(t, command))
		case strings.HasPrefix(line, "```"):
			shown = false
			out.WriteString(line)
		case !shown:
			out.WriteString(line)
		}
	}
	return out.String()
}

// output is what a command prints; words may stand in single quotes.
func output(t *testing.T, command string) string {
	t.Helper()
	var args []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code > exitInfeasible {
		t.Fatalf("%s%s: exit code %d: %s", prompt, command, code, stderr.String())
	}
	return stdout.String()
}
