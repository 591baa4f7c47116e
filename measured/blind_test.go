package measured

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata is a table of the project's own.
func testdata(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../testdata/measured/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// No measured value reaches a prediction: with every measured cell changed,
// all rows that stay scored are predicted as before.
func TestPredictionsDoNotSeeWhatWasMeasured(t *testing.T) {
	text := testdata(t, "training.csv")
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	change := map[string]string{"step_time_s": "1000", "tokens_per_s_per_gpu": "", "tflops_per_gpu": "", "peak_mem_gib": "1", "mem_kind": "allocated", "oom": "0", "flags": "suspect near3"}
	var changed strings.Builder
	w := csv.NewWriter(&changed)
	for i, record := range records {
		if i > 0 {
			for name, value := range change {
				record[slices.Index(records[0], name)] = value
			}
		}
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	before, after := validate(t, string(text)), validate(t, changed.String())
	compared := 0
	for i := range before.Lines {
		b, a := &before.Lines[i], &after.Lines[i]
		if b.Reason != "" || a.Reason != "" {
			continue
		}
		compared++
		if b.Predicted != a.Predicted || b.Plan != a.Plan || b.Verdict != a.Verdict || b.MemoryKind == a.MemoryKind && b.Expected != a.Expected {
			t.Errorf("%s is predicted as\n%+v\nand with other outcomes as\n%+v", b.ID, *b, *a)
		}
	}
	if compared < 200 {
		t.Errorf("only %d rows compared", compared)
	}
}
