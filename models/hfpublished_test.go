package models

import (
	"math"
	"path/filepath"
	"testing"
)

// Where a published total was read.
const (
	fromHub    = "parameters of the weight files on the Hugging Face hub"
	fromName   = "name of the model"
	fromCard   = "model card or announcement"
	fromReport = "report of the authors"
	fromList   = "list of models of a provider or library"
	fromLogs   = "count of the loaded model in public logs"
)

// publishedTotals are totals that others give for the models of
// testdata/hf/read and testdata/hf/published: to the digit, or rounded. They
// may count more than the language model and its vision encoder: copies of the
// embedding matrix that the weight files store again, and MTP modules.
var publishedTotals = []struct {
	file   string
	total  float64
	source string
	copies int64
	mtp    bool
}{
	{"read/gemma-2-2b", 2_614_341_888, fromHub, 0, false},
	{"read/gemma-2-9b", 9_241_705_984, fromHub, 0, false},
	{"read/gemma-2-27b", 27_227_128_320, fromHub, 0, false},
	{"published/gemma-3-1b", 999_885_952, fromHub, 0, false},
	{"read/gemma-3-4b", 4_300_079_472, fromHub, 0, false},
	{"read/gemma-3-12b", 12_187_325_040, fromHub, 0, false},
	{"read/gemma-3-27b", 27_432_406_640, fromHub, 0, false},
	{"published/gemma-7b", 8.54e9, fromReport, 0, false},
	{"read/phi-3-mini", 3_821_079_552, fromHub, 0, false},
	{"read/phi-3-medium", 13_960_238_080, fromLogs, 0, false},
	{"read/phi-4", 14_659_507_200, fromHub, 0, false},
	{"published/phi-4-mini", 3_836_021_760, fromHub, 0, false},
	{"published/phi-2", 2_779_683_840, fromHub, 0, false},
	{"published/phi-3.5-moe", 42e9, fromCard, 0, false},
	{"read/glm-4.5", 358_337_791_296, fromHub, 2, true},
	{"read/glm-4.5-air", 110_468_824_832, fromHub, 2, true},
	{"published/glm-4-32b-0414", 32.6e9, fromHub, 0, false},
	{"read/opt-1.3b", 1_315_758_080, fromLogs, 0, false},
	{"read/opt-13b", 12.9e9, fromHub, 0, false},
	{"published/opt-30b", 30e9, fromName, 0, false},
	{"read/opt-66b", 66e9, fromName, 0, false},
	{"published/bloom-3b", 3_002_557_440, fromHub, 0, false},
	{"read/bloom-7b1", 7_069_016_064, fromLogs, 0, false},
	{"read/bloom-176b", 176_247_271_424, fromHub, 0, false},
	{"published/mpt-7b", 6.7e9, fromCard, 0, false},
	{"published/mpt-30b", 30e9, fromName, 0, false},
	{"read/falcon-7b", 7_217_189_760, fromHub, 1, false},
	{"read/falcon-40b", 41_835_970_560, fromHub, 1, false},
	{"read/falcon-180b", 179_522_565_120, fromHub, 1, false},
	{"published/falcon-11b", 11.1e9, fromHub, 0, false},
	{"published/falcon-rw-1b", 1_311_625_216, fromList, 0, false},
	{"read/dbrx", 132e9, fromCard, 0, false},
	{"read/grok-1", 314e9, fromName, 0, false},
	{"read/command-r", 35e9, fromName, 0, false},
	{"read/command-r-plus", 104e9, fromName, 0, false},
	{"published/command-r7b", 8.03e9, fromHub, 0, false},
	{"read/command-a", 111e9, fromCard, 0, false},
	{"read/llama-4-scout", 108_641_793_536, fromHub, 0, false},
	{"read/llama-4-maverick", 401_583_781_376, fromList, 0, false},
	{"read/minimax-m2.5", 228_689_764_864, fromHub, 0, false},
	{"published/qwen3-vl-8b", 8_767_123_696, fromHub, 0, false},
	{"published/qwen3-vl-235b-a22b", 235_670_022_896, fromList, 0, false},
	{"published/qwen2.5-0.5b", 494_032_768, fromHub, 0, false},
	{"published/qwen2.5-3b", 3_085_938_688, fromHub, 0, false},
	{"published/qwen3-4b", 4_022_468_096, fromHub, 0, false},
	{"published/qwen1.5-moe-a2.7b", 14_315_784_192, fromHub, 0, false},
	{"published/qwen2-57b-a14b", 57.4e9, fromCard, 0, false},
	{"read/mistral-nemo", 12_247_782_400, fromHub, 0, false},
	{"read/mistral-large-2407", 123e9, fromCard, 0, false},
	{"published/mistral-7b-v0.3", 7_248_023_552, fromHub, 0, false},
	{"published/mistral-small-3.2", 24_011_361_280, fromHub, 0, false},
	{"published/glm-4-9b", 9_399_951_360, fromLogs, 0, false},
	{"published/internlm2.5-20b", 19_861_149_696, fromList, 0, false},
	{"published/olmo-3-7b", 7.3e9, fromHub, 0, false},
	{"published/mimo-7b", 7.83e9, fromHub, 0, true},
	{"published/starcoder", 15_517_456_384, fromLogs, 0, false},
	{"published/starcoder2-3b", 3.03e9, fromHub, 0, false},
	{"read/starcoder2-15b", 16e9, fromHub, 0, false},
	{"published/gpt-j-6b", 6_050_882_784, fromLogs, 0, false},
	{"published/pythia-12b", 11.8e9, fromReport, 0, false},
	{"published/minitron-8b", 8.27e9, fromReport, 0, false},
	{"published/olmo-2-13b", 13_716_198_400, fromHub, 0, false},
	{"published/olmoe-1b-7b", 6_919_161_856, fromHub, 0, false},
	{"published/granite-3.3-8b", 8_170_864_640, fromHub, 0, false},
	{"published/smollm3-3b", 3_075_098_624, fromHub, 0, false},
	{"published/seed-oss-36b", 36_151_104_512, fromHub, 0, false},
	{"published/stablelm-3b", 2.8e9, fromCard, 0, false},
}

func TestCountsOfConfigsAreThePublishedTotals(t *testing.T) {
	for _, p := range publishedTotals {
		m, err := Load("testdata/hf/" + p.file + ".json")
		if err != nil {
			t.Error(err)
			continue
		}
		n := m.Total() + m.VisionParams + p.copies*m.Embedding()
		if p.mtp {
			n += m.MTP()
		}
		tolerance := 0.01
		if rounded := math.Trunc(p.total/1e6)*1e6 == p.total; rounded {
			tolerance *= p.total
		}
		if got := math.Abs(float64(n) - p.total); got > tolerance {
			t.Errorf("%s: %d parameters, %.12g published (%s)", p.file, n, p.total, p.source)
		}
	}
}

func TestEveryPublishedConfigHasATotal(t *testing.T) {
	paths, err := filepath.Glob("testdata/hf/published/*.json")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	known := map[string]bool{}
	for _, p := range publishedTotals {
		known["testdata/hf/"+p.file+".json"] = true
	}
	for _, path := range paths {
		if !known[filepath.ToSlash(path)] {
			t.Errorf("%s has no published total", path)
		}
	}
}
