package measured

import (
	"fmt"
	"strings"
	"testing"
)

// header and line are a small training table: one Llama 2 7B on a node.
const (
	header = "id,source,sweep,model,gpu,gpus,seq_len,global_batch,micro_batch,tp,pp,step_time_s,oom"
	line   = "a,lab,s,llama-2-7b,a100,8,4096,64,1,2,1,7.5,0"
)

func validate(t testing.TB, text string) *Report {
	t.Helper()
	r, err := Validate(t.Context(), "runs.csv", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTablesOfAllSpellingsAreRead(t *testing.T) {
	plain := header + "\n" + line + "\n"
	want := validate(t, plain).Lines[0]
	if want.Reason != "" || want.Predicted <= 0 || want.Seconds != 7.5 {
		t.Fatalf("the plain row: %+v", want)
	}
	quoted := strings.Replace(header, "sweep", "notes,sweep", 1) + "\n" + strings.Replace(line, ",s,", ",\"two\nlines, and a \"\"quote\"\"\",s,", 1)
	for name, text := range map[string]string{
		"a byte-order mark":      "\xef\xbb\xbf" + plain,
		"CRLF":                   strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR alone":               strings.ReplaceAll(plain, "\n", "\r"),
		"no last line end":       strings.TrimSuffix(plain, "\n"),
		"a quoted line end":      quoted,
		"capitals and blanks":    strings.ToUpper(header) + "\n" + strings.ReplaceAll(line, ",", " , "),
		"an unknown column":      header + ",colour\n" + line + ",blue\n",
		"a column without name":  header + ",\n" + line + ",x\n",
		"an empty line between":  header + "\n\n" + line + "\n",
		"numbers of a table app": strings.Replace(plain, ",8,4096,", ",8.0,4096.0,", 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := validate(t, text)
			if len(r.Lines) != 1 {
				t.Fatalf("%d rows", len(r.Lines))
			}
			got := r.Lines[0]
			if got.Row = want.Row; got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestTheLineOfARowIsThatOfTheFile(t *testing.T) {
	r := validate(t, header+",notes\n"+line+",\"one\ntwo\nthree\"\n"+line+",x\n")
	if r.Lines[0].Row != 2 || r.Lines[1].Row != 5 {
		t.Errorf("rows at lines %d and %d, want 2 and 5", r.Lines[0].Row, r.Lines[1].Row)
	}
}

func TestFilesThatAreNoTableAreRefused(t *testing.T) {
	without := func(column string) string {
		return strings.Replace(","+header+",", ","+column+",", ",", 1)[1:]
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "runs.csv: is empty"},
		{"a mark alone", "\xef\xbb\xbf", "runs.csv: is empty"},
		{"UTF-16", "\xff\xfei\x00d\x00", "not text in UTF-8"},
		{"a binary", "\x7fELF\x00\x00", "not text in UTF-8"},
		{"semicolons", strings.ReplaceAll(header, ",", ";"), "runs.csv:1: the columns are separated by semicolons or tabs: want commas"},
		{"a row that is short", header + "\n" + line + "\na,b\n", "runs.csv:3: 2 cells in the row, 13 columns in the header"},
		{"a row that is long", header + "\n" + line + ",x\n", "runs.csv:2: 14 cells in the row, 13 columns in the header"},
		{"an open quote", header + "\n\"a\n", "runs.csv:"},
		{"a column twice", header + ",TP\n", "runs.csv:1: columns 10 and 14 are both called tp"},
		{"a missing column", without("global_batch"), "runs.csv: a training table needs the column global_batch"},
		{"a misspelt column", strings.Replace(header, "seq_len", "seqlen", 1), "needs the column seq_len; nearest: seqlen"},
		{"no model", without("model"), "needs the column model, or layers, hidden and heads"},
		{"no outcome", strings.TrimSuffix(header, ",step_time_s,oom"), "the header names nothing measured"},
		{"serving runs", "id,model,ttft_ms,tpot_ms", "serving runs; this release reads training and memory runs"},
		{"launches", "id,framework,verdict,rule_broken", "launches; this release reads training and memory runs"},
		{"a memory table", "id,quantity,value,gpu", "runs.csv: a memory table needs the column gpus; nearest: gpu"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Validate(t.Context(), "runs.csv", []byte(c.text), Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// edit is a one-row table whose named cells are changed; columns that the
// table lacks are added.
func edit(t testing.TB, cells ...string) string {
	t.Helper()
	names, values := strings.Split(header, ","), strings.Split(line, ",")
next:
	for _, cell := range cells {
		name, value, ok := strings.Cut(cell, "=")
		if !ok {
			t.Fatalf("cell %q", cell)
		}
		if strings.ContainsAny(value, ",\"\n") {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		for i := range names {
			if names[i] == name {
				values[i] = value
				continue next
			}
		}
		names, values = append(names, name), append(values, value)
	}
	return strings.Join(names, ",") + "\n" + strings.Join(values, ",") + "\n"
}

func TestRowsAreSkippedForTheirReason(t *testing.T) {
	for _, c := range []struct {
		cells  string // apart by |
		reason Reason
		detail string
	}{
		{"step_time_s=|oom=fail", NoOutcome, "does not say why"},
		{"step_time_s=|oom=", NoOutcome, "nothing was measured"},
		{"step_time_s=4500 ms", NoOutcome, `step_time_s "4500 ms": want a plain number above 0, without its unit`},
		{"step_time_s=-1", NoOutcome, "step_time_s"},
		{"step_time_s=NaN", NoOutcome, "step_time_s"},
		{"oom=maybe", NoOutcome, `oom "maybe": want 0, 1 or fail`},
		{"peak_mem_gib=20|mem_kind=guessed", NoOutcome, `mem_kind "guessed"`},
		{"seq_len=", NoPlan, "seq_len is not given"},
		{"seq_len=4k", NoPlan, `seq_len "4k": want a whole number`},
		{"global_batch=", NoPlan, "global_batch is not given"},
		{"micro_batch=", NoPlan, "micro_batch is not given"},
		{"tp=", NoPlan, "tp is not given"},
		{"pp=0", NoPlan, `pp "0": want a whole number from 1`},
		{"gpus=", NoPlan, "gpus is not given"},
		{"gpus=1e400", NoPlan, "gpus"},
		{"task=lora", NoPlan, `task "lora": only runs that train all parameters`},
		{"precision=int4", NoPlan, `precision "int4"`},
		{"precision=fp8", NoPlan, "fp8"}, // an A100 has none
		{"recompute=sometimes", NoPlan, `recompute "sometimes"`},
		{"zero_stage=4", NoPlan, `zero_stage "4": want 0 to 3`},
		{"fsdp=maybe", NoPlan, `fsdp "maybe"`},
		{"sp=half", NoPlan, `sp "half"`},
		{"offload=CPU", NoPlan, "offload"},
		{"vpp=100000", NoPlan, "vpp"},
		{"pp=4|vpp=16", NoPlan, "cannot be split"},
		{"global_batch=800000000|seq_len=4096", NoPlan, "counted in sequences"},
		{"model=no such model", NoModel, `no model "no such model" in the catalogue`},
		{"model=|layers=|hidden=4096", NoModel, "does not give layers and hidden"},
		{"layers=many", NoModel, `layers "many"`},
		{"heads=7", NoModel, "no multiple of 7 heads"},
		{"model=Nemotron_3_Nano", Unsupported, "not modelled"},
		{"gpu=abacus", UnknownGPU, `no GPU "abacus"`},
		{"gpu=", UnknownGPU, "gpu is not given"},
		{"flags=inconsistent suspect", Contradiction, "flags the row"},
		{"oom=1", Contradiction, "oom is 1, but a step was timed"},
		{"tp=16", Contradiction, "tp*pp*cp = 16 does not divide the 8 GPUs"},
		{"dp=8", Contradiction, "tp*pp*cp*dp = 16, but gpus is 8"},
		{"global_batch=63", Contradiction, "no multiple of micro_batch*dp = 4"},
		{"ep=8", Contradiction, "the model has no experts"},
		{"step_time_s=0.1", Contradiction, "faster than the peak rate allows"},
		{"peak_mem_gib=65536|mem_kind=allocated", Contradiction, "more than a GPU has"},
	} {
		t.Run(c.cells, func(t *testing.T) {
			r := validate(t, edit(t, strings.Split(c.cells, "|")...))
			l := r.Lines[0]
			if l.Reason != c.reason || !strings.Contains(l.Detail, c.detail) {
				t.Errorf("%q: %s; want %q: %s", l.Reason, l.Detail, c.reason, c.detail)
			}
			if want := (Skipped{c.reason, 1}); len(r.Skipped) != 1 || r.Skipped[0] != want || r.Scored != 0 {
				t.Errorf("scored %d, skipped %v", r.Scored, r.Skipped)
			}
		})
	}
}

func TestEveryRowIsScoredOrCounted(t *testing.T) {
	text := header + "\n" + line + "\n" + strings.Repeat(",", strings.Count(header, ",")) + "\n" +
		strings.Replace(line, "a100", "abacus", 1) + "\n" + strings.Replace(line, "7.5", "7.5 s", 1) + "\n"
	r := validate(t, text)
	n := r.Scored
	for _, s := range r.Skipped {
		n += s.Count
	}
	if r.Rows != 4 || n != r.Rows || len(r.Lines) != r.Rows {
		t.Errorf("%d rows, %d scored or skipped, %d lines", r.Rows, n, len(r.Lines))
	}
}

func TestALargeTableIsReadWhole(t *testing.T) {
	const n = 100_000
	var text strings.Builder
	text.WriteString(header + "\n")
	for i := range n {
		fmt.Fprintf(&text, "r%d,lab,,llama-2-7b,a100,8,4096,64,1,2,1,%d,0\n", i, 6+i%5)
	}
	r := validate(t, text.String())
	if r.Rows != n || r.Scored != n || r.Time.N != n {
		t.Errorf("%d rows, %d scored, %d times", r.Rows, r.Scored, r.Time.N)
	}
	if last := r.Lines[n-1]; last.ID != "r99999" || last.Row != n+1 {
		t.Errorf("the last row is %+v", last)
	}
}
