package models

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestParameterCountsEqualThePublishedShapesToTheDigit(t *testing.T) {
	rows := readCounts(t)
	if len(rows) != len(All()) {
		t.Errorf("%d rows for %d models of the catalogue", len(rows), len(All()))
	}
	for name, want := range rows {
		m, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Total(); got != want[0] {
			t.Errorf("%s: total %d, want %d", name, got, want[0])
		}
		if got := m.Active(); got != want[1] {
			t.Errorf("%s: active %d, want %d", name, got, want[1])
		}
	}
}

// readCounts is total and active parameters by name.
func readCounts(t *testing.T) map[string][2]int64 {
	t.Helper()
	f, err := os.Open("testdata/counts.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string][2]int64{}
	for _, row := range rows[1:] {
		var n [2]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(row[i+1], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		counts[row[0]] = n
	}
	return counts
}

func TestTotalEqualsTheSumOverAListOfTensors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		var total, active int64
		for _, x := range tensors(m) {
			total += x.size
			if x.expert < m.TopK {
				active += x.size
			}
		}
		if m.Total() != total || m.Active() != active {
			t.Fatalf("total %d active %d, tensors give %d and %d: %+v", m.Total(), m.Active(), total, active, m)
		}
	})
}

func TestStagesOfAnyPartitionSumToTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		cut := rapid.IntRange(0, m.Layers).Draw(t, "cut")
		whole := m.Range(0, m.Layers, true, true)
		if whole != m.Total() {
			t.Fatalf("one stage holds %d of %d", whole, m.Total())
		}
		parts := m.Range(0, cut, true, false) + m.Range(cut, m.Layers, false, true)
		want := m.Total()
		if m.TieEmbeddings {
			want += m.Embedding() // the last stage's copy for the head
		}
		if parts != want {
			t.Fatalf("two stages hold %d, want %d", parts, want)
		}
	})
}

func TestMTPIsOneMoreLayerWithItsProjectionAndNorms(t *testing.T) {
	m, err := Find("deepseek-v3")
	if err != nil {
		t.Fatal(err)
	}
	// 685B on the hub less 671.0B less a copy each of embedding and head.
	if got := float64(m.MTP()) / 1e9; got < 11.4 || got > 11.7 {
		t.Errorf("MTP module of DeepSeek-V3 has %.2fB parameters, want about 11.5B", got)
	}
	m.MTPLayers = 0
	if m.MTP() != 0 {
		t.Error("a model without MTP layers has MTP parameters")
	}
}

func TestPaddedVocabIsTheNextMultipleForEveryRank(t *testing.T) {
	for _, c := range []struct{ vocab, multiple, tp, want int }{
		{50257, 128, 1, 50304}, {50257, 128, 8, 51200}, {128256, 128, 8, 129024},
		{128000, 128, 8, 128000}, {32000, 0, 0, 32000},
	} {
		m := &Model{Vocab: c.vocab}
		if got := m.PaddedVocab(c.multiple, c.tp); got != c.want {
			t.Errorf("%d padded to %d x %d is %d, want %d", c.vocab, c.multiple, c.tp, got, c.want)
		}
	}
}
