package measured

import (
	"strings"
	"testing"
)

// grown is a table of runs of one plan; each row is edits of the cells of the
// first, apart by blanks.
func grown(t *testing.T, rows ...string) *Report {
	t.Helper()
	columns := []string{"framework=Megatron-Core", "zero_stage=1", "recompute=none", "kernel=", "cp=1"}
	text := ""
	for _, cells := range rows {
		names, values, _ := strings.Cut(edit(t, append(columns, strings.Fields(cells)...)...), "\n")
		if text == "" {
			text = names + "\n"
		}
		text += values
	}
	return validate(t, text)
}

func TestWeakScalingComparesTheFewestGPUsWithTheMost(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     []string
		series   int
		measured float64
	}{
		{"as fast", []string{"gpus=8 global_batch=64 step_time_s=8", "gpus=16 global_batch=128 step_time_s=8"}, 1, 0},
		{"a fifth is lost", []string{"gpus=8 global_batch=64 step_time_s=8", "gpus=32 global_batch=256 step_time_s=10", "gpus=16 global_batch=128 step_time_s=60"}, 1, 0.2},
		{"a gain", []string{"gpus=8 global_batch=64 step_time_s=10", "gpus=16 global_batch=128 step_time_s=8"}, 1, -0.25},
		{"the median of repeated runs", []string{"gpus=8 global_batch=64 step_time_s=8", "gpus=16 global_batch=128 step_time_s=9",
			"gpus=16 global_batch=128 step_time_s=16", "gpus=16 global_batch=128 step_time_s=90"}, 1, 0.5},
		{"two series", []string{"gpus=8 global_batch=64 step_time_s=8", "gpus=16 global_batch=128 step_time_s=10",
			"gpus=8 global_batch=32 step_time_s=6", "gpus=16 global_batch=64 step_time_s=10"}, 2, 0.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := grown(t, c.rows...)
			if r.WeakScaling.Series != c.series {
				t.Fatalf("%d series, want %d: %+v", r.WeakScaling.Series, c.series, r.Lines)
			}
			near(t, "measured loss", r.WeakScaling.Measured, c.measured)
		})
	}
}

func TestTheLossIsPredictedFromTheSameRows(t *testing.T) {
	r := grown(t, "gpus=8 global_batch=64 step_time_s=8", "gpus=64 global_batch=512 step_time_s=10")
	want := 1 - r.Lines[0].Predicted/r.Lines[1].Predicted
	near(t, "predicted loss", r.WeakScaling.Predicted, want)
	near(t, "gap", r.WeakScaling.Gap, max(want-0.2, 0.2-want))
}

func TestRunsThatDifferInMoreThanTheirSizeAreNoSeries(t *testing.T) {
	const small = "gpus=8 global_batch=64 step_time_s=8"
	for _, other := range []string{
		"gpus=8 global_batch=64", "gpus=16 global_batch=64", "gpus=16 global_batch=128 tp=4", "gpus=16 global_batch=128 pp=2",
		"gpus=16 global_batch=128 cp=2", "gpus=16 global_batch=128 micro_batch=2", "gpus=16 global_batch=128 pp=2 vpp=2",
		"gpus=16 global_batch=128 seq_len=8192", "gpus=16 global_batch=128 model=llama-2-13b", "gpus=16 global_batch=128 layers=16",
		"gpus=16 global_batch=128 gpu=h100", "gpus=16 global_batch=128 precision=fp16", "gpus=16 global_batch=128 recompute=full",
		"gpus=16 global_batch=128 sp=0", "gpus=16 global_batch=128 zero_stage=2", "gpus=16 global_batch=128 framework=fairscale",
		"gpus=16 global_batch=128 source=works", "gpus=16 global_batch=128 kernel=fa2", "gpus=16 global_batch=128 step_time_s=",
	} {
		columns := "sp=1 vpp=1 layers=32 precision=bf16 "
		if r := grown(t, columns+small, columns+"step_time_s=12 "+other); r.WeakScaling.Series != 0 || r.Scored != 2 {
			t.Errorf("%s: %d series of %d rows: %s", other, r.WeakScaling.Series, r.Scored, r.Lines[1].Detail)
		}
	}
}
