package measured

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzValidate wants of any text a report that counts every row once, or one
// short error.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(header + "\n" + line + "\n"))
	f.Add([]byte("\xef\xbb\xbf" + header + "\r\n" + line + "\r\n\r\n"))
	for _, cells := range [][]string{
		{"layers=1000000000", "hidden=1000000000", "heads=1000000000"}, {"gpus=1000000000", "tp=1000000000"}, {"pp=8", "vpp=10000"},
		{"seq_len=1e9", "micro_batch=1e9"}, {"model=", "layers=2", "hidden=2", "heads=1"}, {"ep=8", "model=mixtral-8x7b", "etp=3"},
		{"network=99x NDR999 99999Gb/s per GPU", "gpus_per_node=1000000"}, {"model=x cut to 999999 layers", "hidden=64", "heads=1"},
		{"fsdp=3", "zero_stage=2"}, {"sweep=\"a\nb\"", "peak_mem_gib=1e-300"}, {"step_time_s=1e308", "tokens_per_s_per_gpu=1e-308"},
		{"experts=1000000", "topk=1000000", "moe_ffn=1"}, {"flags=suspect composed near3"},
	} {
		f.Add([]byte(edit(f, cells...)))
	}
	f.Add([]byte(header + "\n" + line + "\nb,lab,t,llama-2-7b,a100,16,4096,128,1,2,1,1e308,0\nc,lab,,llama-2-7b,a100,32,4096,256,1,2,1,2,0\n"))
	f.Add([]byte("id,model,gpu,gpus,seq_len,micro_batch,quantity,value\na,llama-2-7b,a100,8,4096,1,peak_gib,31\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Validate(t.Context(), "f.csv", text, Options{})
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("not a short error: %q", err)
			}
			return
		}
		n := r.Scored
		for _, s := range r.Skipped {
			n += s.Count
		}
		if n != r.Rows || len(r.Lines) != r.Rows {
			t.Errorf("%d rows, %d scored or skipped, %d lines", r.Rows, n, len(r.Lines))
		}
		var out bytes.Buffer
		if err := r.WriteJSON(&out); err != nil || !json.Valid(out.Bytes()) {
			t.Errorf("the report as JSON: %v", err)
		}
		out.Reset()
		if err := r.WriteLines(&out); err != nil || strings.Count(out.String(), "\n") < r.Rows {
			t.Errorf("the rows as CSV: %v", err)
		}
	})
}
