package solver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

type labv struct {
	tourist
	s    *Session
	last time.Time
	n    int
	r0   int
}

func (t *labv) Leaf(n *Node) error { t.leaves++; return nil }
func (t *labv) Bound(n *Node) (int64, bool) {
	t.n++
	if t.n%200000 == 0 {
		var ms runtime.MemStats
		runtime.ReadMemStats(&ms)
		fmt.Println(t.n, "leaves", t.leaves, "refuted", t.s.stats.Refuted, time.Since(t.last), ms.HeapAlloc>>20)
		t.last = time.Now()
		if t.n >= 3000000 {
			return 0, false
		}
	}
	if t.n > 3000000 { return 0, false }
	return t.tourist.Bound(n)
}

func TestLab(t *testing.T) {
	for _, forb := range []int{3000, 6000} {
	s := New()
	r := rand.New(rand.NewPCG(1, 2))
	var xs []Int
	for i := range 12 {
		xs = append(xs, s.Int(fmt.Sprint("x", i), upto(0, 7)))
	}
	for range forb {
		p := r.Perm(12)[:4]
		var b []Span
		for _, i := range p {
			v := int32(r.IntN(8))
			b = append(b, Span{xs[i], v, v + int32(r.IntN(2))})
		}
		s.Exclude(Hard, b)
	}
	v := &labv{s: s, last: time.Now(), tourist: tourist{xs: xs}}
	fmt.Println(Walk(context.Background(), s, nil, nil, xs, v))
	}
}
