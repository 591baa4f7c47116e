package measured

import (
	"fmt"
	"strings"
	"testing"
)

// What people put into tables by mistake is told apart by its reason and a
// sentence, and the rows around it are scored as ever.
func TestABadRowIsSkippedForItsReasonAndItsNeighboursAreScored(t *testing.T) {
	for _, c := range []struct {
		name   string
		cells  string // apart by |
		reason Reason
		detail string
	}{
		{"a step time in milliseconds beside tokens per second", "step_time_s=7500|tokens_per_s_per_gpu=4370", Contradiction,
			"step_time_s is 7500 s, but tokens_per_s_per_gpu gives 7.498 s for 262,144 tokens on 8 GPUs: one of them, or the batch, is in another unit"},
		{"tokens per second of all GPUs together", "tokens_per_s_per_gpu=34960", Contradiction, "but tokens_per_s_per_gpu gives 937.3 ms"},
		{"tokens per second that are a fifth too many", "tokens_per_s_per_gpu=5300", Contradiction, "one of them, or the batch, is in another unit"},
		{"tokens per second that are a tenth too many", "tokens_per_s_per_gpu=4800", "", ""},
		{"tokens per second alone, of all GPUs together", "step_time_s=|tokens_per_s_per_gpu=34960", Contradiction, "faster than the peak rate allows"},
		{"a step time in minutes", "step_time_s=0.125", Contradiction, "the time or the batch is in another unit"},
		{"a batch in tokens", "global_batch=262144", NoPlan, "a step of 262144 sequences of 4096 tokens is too large: the batch is counted in sequences"},
		{"a batch in tokens of a small run", "seq_len=128|global_batch=8192|step_time_s=0.47", Contradiction, "the time or the batch is in another unit"},
		{"memory in bytes", "peak_mem_gib=45097156608", Contradiction, "the memory is in another unit or of several GPUs"},
		{"memory in MiB", "peak_mem_gib=43008", Contradiction, "42.00 TiB is more than a GPU has"},
		{"memory of all GPUs together", "peak_mem_gib=336", Contradiction, "more than a GPU has"},
		{"memory with its unit", "peak_mem_gib=42 GB", NoOutcome, `peak_mem_gib "42 GB": want a plain number above 0, without its unit`},
		{"a decimal comma", "step_time_s=7,5", NoOutcome, `step_time_s "7,5"`},
		{"a thousands comma", "seq_len=4,096", NoPlan, `seq_len "4,096": want a whole number`},
		{"degrees that do not multiply to the GPUs", "dp=2", Contradiction, "tp*pp*cp*dp = 4, but gpus is 8"},
		{"more stages than GPUs", "pp=16", Contradiction, "does not divide the 8 GPUs"},
		{"degrees whose product overflows", "tp=1000000000|pp=1000000000|cp=1000000000", Contradiction, "does not divide the 8 GPUs"},
		{"a batch that the ranks do not divide", "micro_batch=3", Contradiction, "global_batch 64 is no multiple of micro_batch*dp = 12"},
		{"out of memory, and timed all the same", "oom=1", Contradiction, "oom is 1, but a step was timed"},
		{"a negative time", "step_time_s=-7.5", NoOutcome, `step_time_s "-7.5"`},
		{"no number", "step_time_s=NaN", NoOutcome, `step_time_s "NaN"`},
		{"an infinite time", "step_time_s=Inf", NoOutcome, `step_time_s "Inf"`},
		{"a time beyond all numbers", "step_time_s=1e400", NoOutcome, `step_time_s "1e400"`},
		{"a time that is nearly none", "step_time_s=1e-320", Contradiction, "faster than the peak rate allows"},
		{"negative memory", "peak_mem_gib=-1", NoOutcome, `peak_mem_gib "-1"`},
		{"a negative degree", "tp=-2", NoPlan, `tp "-2": want a whole number from 1`},
		{"half a GPU", "gpus=8.5", NoPlan, `gpus "8.5": want a whole number`},
		{"a degree that is no number", "pp=NaN", NoPlan, `pp "NaN"`},
		{"a batch beyond all numbers", "global_batch=1e400", NoPlan, `global_batch "1e400"`},
		{"layers below 0", "layers=-32", NoModel, `layers "-32"`},
		{"a word of a table program for no value", "tp=#N/A", NoPlan, `tp "#N/A"`},
		{"a cell of 100,000 letters", "model=" + strings.Repeat("x", 100_000), NoModel, "xxx..."},
		{"a cell that is not UTF-8", "gpu=\xe9\xff", UnknownGPU, "no GPU"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := strings.SplitN(edit(t, strings.Split(c.cells, "|")...), "\n", 2)
			good := line + strings.Repeat(",", strings.Count(bad[0], ",")-strings.Count(header, ","))
			r := validate(t, bad[0]+"\n"+good+"\n"+bad[1]+good+"\n")
			if len(r.Lines) != 3 || r.Lines[0].Reason != "" || r.Lines[2].Reason != "" {
				t.Fatalf("the neighbours: %+v", r.Lines)
			}
			if l := r.Lines[1]; l.Reason != c.reason || !strings.Contains(l.Detail, c.detail) || len(l.Detail) > 300 {
				t.Errorf("%q: %s; want %q: %s", l.Reason, l.Detail, c.reason, c.detail)
			}
		})
	}
}

func TestTimesInMillisecondsAreSuspectedByTheirSource(t *testing.T) {
	in := func(source, seconds string) string {
		return strings.Replace(strings.Replace(line, "7.5", seconds, 1), "lab", source, 1) + "\n"
	}
	for _, c := range []struct{ name, rows, want string }{
		{"seconds", in("lab", "7.5") + in("lab", "8.0"), ""},
		{"milliseconds", in("lab", "7500") + in("lab", "8000"), "lab: the step times are 1,"},
		{"one slow run of three", in("lab", "7500") + in("lab", "7.5") + in("lab", "7.4"), ""},
		{"one source of two", in("lab", "7.5") + in("other", "7500"), "other: the step times are "},
		{"no times", in("lab", ""), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validate(t, header+"\n"+c.rows)
			if got := strings.Join(r.Warnings, "; "); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if r.Scored != r.Rows {
				t.Errorf("%d of %d rows scored: a suspicion is no reason to skip", r.Scored, r.Rows)
			}
		})
	}
}

// Rows of thousands of different setups, one in three of them bad.
func TestALargeTableOfDifferentRowsIsCountedWhole(t *testing.T) {
	const n = 30_000
	var text strings.Builder
	text.WriteString(header + "\n")
	for i := range n {
		batch, tp := 64*(1+i%5), 1<<(i%4)
		if i%3 == 0 {
			tp = 3
		}
		fmt.Fprintf(&text, "r%d,lab%d,s%d,llama-2-7b,a100,8,%d,%d,1,%d,1,%d,0\n", i, i%20, i%1000, 512*(1+i%16), batch, tp, 60+i%7)
	}
	r := validate(t, text.String())
	contradictions := 0
	for _, s := range r.Skipped {
		contradictions += s.Count
	}
	if r.Rows != n || r.Scored+contradictions != n || contradictions != n/3 {
		t.Errorf("%d rows, %d scored, %v", r.Rows, r.Scored, r.Skipped)
	}
}
