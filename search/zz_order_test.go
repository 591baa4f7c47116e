package search

import (
	"context"
	"fmt"
	"testing"
	"time"
	"os"
	"strings"
	"meshplan/solver"
	"meshplan/plan"
)

var orders = map[string]string{
	"A-base": "",
	"B-mbfirst": "micro-batch",
	"C-mb,rec": "micro-batch recompute",
	"D-mb,pp": "micro-batch pp",
	"E-mb,rec,pp,tp": "micro-batch recompute pp tp",
	"F-mb,pp,vpp,tp": "micro-batch pp vpp tp",
	"G-pp,vpp,mb": "pp vpp micro-batch",
	"H-tp,pp,mb,vpp": "tp pp micro-batch vpp",
	"I-mb,rec,sp,tp": "micro-batch recompute sp tp",
	"J-tp,cp,mb,rec": "tp cp micro-batch recompute sp",
}

func TestOrders(t *testing.T) {
	for _, n := range acceptance {
		if w := os.Getenv("PROBE"); w != "" && !strings.Contains(w, n.name) { continue }
		p := n.problem(t)
		for name, o := range orders {
			if w := os.Getenv("ORD"); w != "" && !strings.Contains(w, name[:1]) { continue }
			_, s := mustSession(t, p)
			var ord []solver.Int
			used := map[plan.Coord]bool{}
			for _, f := range strings.Fields(o) {
				for _, c := range s.space.Order() { if c.String() == f && !used[c] { ord = append(ord, s.space.Int(c)); used[c] = true } }
			}
			for _, c := range s.space.Order() { if !used[c] { ord = append(ord, s.space.Int(c)) } }
			s.order = ord
			ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
			t0 := time.Now()
			out, err := s.walk(ctx, query{top: 1, memory: fits})
			cancel()
			step := 0.0
			if len(out.held) > 0 { step = float64(out.held[0].figures.Step) }
			fmt.Printf("%s %-20s done=%v bounds=%d priced=%d %v step=%.4f %v\n", n.name, name, out.done, s.stats.Bounds, s.stats.Priced, time.Since(t0).Round(time.Millisecond), step, err)
		}
	}
}
