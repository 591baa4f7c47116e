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
// all rows that stay scored are predicted as before. That holds for what is
// assumed of a plan as well: it is the same for runs that ran and for runs that
// ran out of memory.
func TestPredictionsDoNotSeeWhatWasMeasured(t *testing.T) {
	text := testdata(t, "training.csv")
	before := validate(t, string(text))
	if len(before.Assumed) == 0 {
		t.Error("nothing is assumed of any row: the test sees less than it should")
	}
	for name, change := range map[string]map[string]string{
		"all ran, slowly":       {"step_time_s": "1000", "tokens_per_s_per_gpu": "", "tflops_per_gpu": "", "peak_mem_gib": "1", "mem_kind": "allocated", "oom": "0", "flags": "suspect near3"},
		"all ran out of memory": {"step_time_s": "", "tokens_per_s_per_gpu": "", "tflops_per_gpu": "", "peak_mem_gib": "", "mem_kind": "", "oom": "1"},
	} {
		t.Run(name, func(t *testing.T) {
			after := validate(t, changed(t, text, change))
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
		})
	}
}

// changed is the table with the cells of some columns replaced in every row.
func changed(t *testing.T, text []byte, change map[string]string) string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		for name, value := range change {
			record[slices.Index(records[0], name)] = value
		}
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
