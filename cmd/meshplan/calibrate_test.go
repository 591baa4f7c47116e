package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

func TestAnInterruptedCalibrationExitsWithFourAndWritesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := t.TempDir() + "/mine.toml"
	var stdout, stderr bytes.Buffer
	args := []string{"calibrate", "../../testdata/measured/training.csv", "--profile", "internevo", "-o", out}
	code := runContext(ctx, args, strings.NewReader(""), &stdout, &stderr)
	if code != exitStopped || stdout.Len() > 0 || !strings.Contains(stderr.String(), "stopped before the constants were fitted") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout.String(), stderr.String())
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a profile was written")
	}
}

// Each flag of a verb that reads a table is suggested for itself misspelt.
func TestFlagsOfTablesAreSuggested(t *testing.T) {
	for verb, flags := range map[string]string{"validate": "rows refit unfitted", "calibrate": "profile output anchor json"} {
		for flag := range strings.FieldsSeq(flags) {
			var stdout, stderr bytes.Buffer
			code := run([]string{verb, "runs.csv", "--" + flag + "x"}, strings.NewReader(""), &stdout, &stderr)
			if want := "nearest: " + flag + "\n"; code != exitUsage || !strings.HasSuffix(stderr.String(), want) {
				t.Errorf("%s --%sx: exit code %d, %q, want %q", verb, flag, code, stderr.String(), want)
			}
		}
	}
}
