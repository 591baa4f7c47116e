package main

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const prompt = "$ meshplan "

// TestReadme runs every command of the README and of the guide that stands
// behind a prompt and compares what it prints with what the page shows; -update
// writes it.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the commands of the pages are real searches")
	}
	t.Chdir("../..")
	for _, page := range []string{"README.md", "docs/guide.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		got := rerun(t, string(text))
		if *update && got != string(text) {
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s is out of date (-shown +printed), -update rewrites it:\n%s", page, diff)
		}
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

// output is what a command prints; words may stand in single quotes. What
// follows a pipe is done as the shell would: head, tail, or sed of one section.
func output(t *testing.T, command string) string {
	t.Helper()
	command, filter, _ := strings.Cut(command, " | ")
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
	return filtered(t, stdout.String(), filter)
}

// filtered is the text after "head -N", "tail -N" or sed -n '/^START/,/^$/p'.
func filtered(t *testing.T, text, filter string) string {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	name, rest, _ := strings.Cut(filter, " -")
	n, err := strconv.Atoi(rest)
	switch {
	case filter == "":
		return text
	case name == "head" && err == nil:
		lines = lines[:min(n, len(lines))]
	case name == "tail" && err == nil:
		lines = lines[max(0, len(lines)-n):]
	case name == "sed":
		start, ok := strings.CutPrefix(rest, "n '/^")
		start, ok2 := strings.CutSuffix(start, "/,/^$/p'")
		from := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, start) })
		if !ok || !ok2 || from < 0 {
			t.Fatalf("no section for %q", filter)
		}
		lines = lines[from:]
		if to := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" }); to >= 0 {
			lines = lines[:to]
		}
	default:
		t.Fatalf("unknown filter %q", filter)
	}
	return strings.TrimSuffix(strings.Join(lines, ""), "\n") + "\n"
}
