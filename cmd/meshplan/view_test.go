package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meshplan/search"
)

var viewed = subject{
	model: "llama-3.1-70b", cluster: "h100:256", gpu: "H100-SXM", gpus: 256,
	batch: 1024, seq: 8192, precision: "bf16", framework: "megatron",
}

// TestViews renders the results in testdata/view as text.
func TestViews(t *testing.T) {
	files, err := filepath.Glob("testdata/view/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no results to view: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			got := viewOf(t, file)
			golden(t, strings.TrimSuffix(file, ".json")+".txt", got)
			for i, line := range strings.Split(got, "\n") {
				if len(line) > 100 && !strings.Contains(line, "=") {
					t.Errorf("line %d has %d columns: %s", i+1, len(line), line)
				}
			}
		})
	}
}

// viewOf is the text of a result or, by the file's name, of an explanation.
func viewOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(filepath.Base(file), "front") {
		f, err := search.ReadFront(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return frontView(&viewed, f, false)
	}
	if strings.HasPrefix(filepath.Base(file), "explain") {
		e, err := search.ReadExplanation(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return explainView(&viewed, e)
	}
	r, err := search.ReadJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return planView(&viewed, r)
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", file, diff)
	}
}

func TestWrapKeepsToTheWidth(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"a short sentence stays whole", "one two", 10, []string{"one two"}},
		{"a long one breaks at spaces", "one two three", 8, []string{"one two", "three"}},
		{"a word wider than the line stands alone", "a verylongword b", 4, []string{"a", "verylongword", "b"}},
		{"nothing is one empty line", "", 4, []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, wrap(tc.in, tc.width)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLargeCountsAreReadable(t *testing.T) {
	for _, tc := range []struct {
		in   float64
		want string
	}{{12, "12"}, {123456, "123,456"}, {1.234e14, "1.2 x 10^14"}, {2e6, "2.0 x 10^6"}} {
		if got := power(tc.in); got != tc.want {
			t.Errorf("power(%g) = %q, want %q", tc.in, got, tc.want)
		}
	}
}
