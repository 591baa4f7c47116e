package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"meshplan/models"
)

// TestOneMoELayerBehindDenseOnesIsPlanned: the bound once indexed below zero
// when the last rank was given more layers than the model has MoE layers.
func TestOneMoELayerBehindDenseOnesIsPlanned(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := models.Find("mixtral-8x7b")
	if err != nil {
		t.Fatal(err)
	}
	m.FFN, m.FirstKDense = m.MoEFFN, m.Layers-1
	writeModel(t, "dense.toml", m)
	var stdout, stderr bytes.Buffer
	args := strings.Fields("plan --model ./dense.toml --cluster h100:64 --global-batch 128 --seq 4096 --no-forced")
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitAnswer {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

// TestALongPinOrPlanIsClippedInTheMessage: the message once repeated an
// argument of any length, twice.
func TestALongPinOrPlanIsClippedInTheMessage(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, args := range [][]string{
		append(strings.Fields(base), "--pin", long+"=1"),
		append(strings.Fields(base), "--pin", "tp=8,tp in "+long),
		append(strings.Fields(explainBase), "--plan", long),
		append(strings.Fields(explainBase), "--plan", strings.Repeat("tp=8,", 10_000)),
		append(strings.Fields(base), "--global-batch", long),
		append(strings.Fields(base), "--"+long, "1"),
	} {
		var stdout, stderr bytes.Buffer
		if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitUsage {
			t.Errorf("exit code %d, want %d", code, exitUsage)
		}
		if n := stderr.Len(); n > 1000 {
			t.Errorf("the message has %d bytes: %.80s...", n, stderr.String())
		}
	}
}

// TestANameCannotSteerTheTerminal: a model's name is printed without its
// control characters.
func TestANameCannotSteerTheTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := models.Find("llama-3.1-8b")
	if err != nil {
		t.Fatal(err)
	}
	m.Name = "a\x1b[31mred\nline\u202e\u2028"
	writeModel(t, "named.toml", m)
	for _, args := range []string{
		"plan --model ./named.toml --cluster h100:8 --global-batch 64 --seq 4096 --no-forced",
		"models show ./named.toml",
	} {
		var stdout, stderr bytes.Buffer
		run(strings.Fields(args), strings.NewReader(""), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); strings.ContainsAny(text, "\x1b\u202e\u2028") {
			t.Errorf("%s prints control characters: %.120q", args, text)
		}
	}
}

func writeModel(t *testing.T, path string, m *models.Model) {
	t.Helper()
	text, err := m.TOML()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
