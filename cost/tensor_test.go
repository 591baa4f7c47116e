package cost

import (
	"math"
	"testing"
)

// Transformer Engine hides gathers and scatters behind GEMMs between GPUs of one
// NVLink domain, and Megatron asks for sequence parallelism.
func TestTensorParallelCommunicationHidesOnlyInADomainUnderSequenceParallelism(t *testing.T) {
	m := priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 64, 8192)
	exposed := *m.profile
	exposed.Time.TPExposed.Value = 1
	for name, c := range map[string]struct {
		plan  degrees
		hides bool
	}{
		"tp in a domain with sequence parallelism":             {degrees{tp: 8, cp: 1, pp: 1, dp: 8, mb: 1, sp: true, zero: 1}, true},
		"tp in a domain without it":                            {degrees{tp: 8, cp: 1, pp: 1, dp: 8, mb: 1, zero: 1}, false},
		"tp over two domains":                                  {degrees{tp: 16, cp: 1, pp: 1, dp: 4, mb: 1, sp: true, zero: 1}, false},
		"tp over two domains and without sequence parallelism": {degrees{tp: 16, cp: 1, pp: 1, dp: 4, mb: 1, zero: 1}, false},
	} {
		p := c.plan.place(m.cluster)
		e, all := m.Explain(&p), under(t, m, &exposed).Explain(&p)
		if hides := e.Step < all.Step; hides != c.hides {
			t.Errorf("%s: %v s, where no GEMM hides it %v s", name, e.Step, all.Step)
		}
		if f, g := row(t, &e, "tp"), row(t, &all, "tp"); math.Abs(float64(f.Seconds/g.Seconds-1)) > 1e-12 {
			t.Errorf("%s: the communication itself takes %v s or %v s", name, f.Seconds, g.Seconds)
		}
	}
}
