package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

func TestAnInterruptedValidationExitsWithFour(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := runContext(ctx, []string{"validate", "../../testdata/measured/training.csv"}, strings.NewReader(""), &stdout, &stderr)
	if code != exitStopped || stdout.Len() > 0 || !strings.Contains(stderr.String(), "stopped before the table was read to its end") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout.String(), stderr.String())
	}
}

func TestNamesOfATableCannotDisturbATerminal(t *testing.T) {
	file := t.TempDir() + "/runs.csv"
	text := "source,model,gpu,gpus,seq_len,global_batch,micro_batch,tp,pp,step_time_s\n" +
		"\"a\x1b[2J\nb\tc\u202e\",no\x1b[31m such,a100,8,4096,64,1,2,1,7.6\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"validate", file}, strings.NewReader(""), &stdout, &stderr); code != exitAnswer {
		t.Fatalf("exit code %d, standard error %q", code, stderr.String())
	}
	if strings.ContainsAny(stdout.String(), "\x1b\t\u202e") || !strings.Contains(stdout.String(), `a\x1b[2J b c\u202e`) {
		t.Errorf("printed as it is: %q", stdout.String())
	}
}
