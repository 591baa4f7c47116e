package search

import (
	"context"
	"fmt"
	"testing"
	"time"
	"os"

	"meshplan/plan"
	"meshplan/solver"
)

type probe struct {
	*visitor
	byCoord map[string][4]int
	root *bounded
}

func (v *probe) Bound(n *solver.Node) (bounded, bool) {
	b, ok := v.visitor.Bound(n)
	c := "root"
	// first open coordinate
	box := v.space.Box(n)
	order := v.space.Order()
	for i := len(order)-1; i >= 0; i-- {
		_ = i
	}
	for i, co := range order {
		if !box[co].Single() { if i > 0 { c = order[i].String() } ; break }
		c = "leaf"
	}
	x := v.byCoord[c]
	x[0]++
	if ok { x[1]++ }
	v.byCoord[c] = x
	return b, ok
}

func TestProbe(t *testing.T) {
	for _, n := range acceptance {
		if w := os.Getenv("PROBE"); w != "" && w != n.name { continue }
		p := n.problem(t)
		t0 := time.Now()
		_, s := mustSession(t, p)
		fmt.Println(n.name, "session", time.Since(t0), s.solver.Stats(), len(s.leftover))
		q := query{top: 1, memory: fits}
		root := s.root()
		vis := &visitor{session: s, query: q, top: topK{k: 1}, margin: s.price.Margin()}
		b := s.price.Bound(&root)
		v := &probe{visitor: vis, byCoord: map[string][4]int{}}
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		t0 = time.Now()
		err := solver.Walk(ctx, s.solver, s.space.Groups(), nil, s.order, v)
		cancel()
		fmt.Println("walk", time.Since(t0), err, s.stats, s.solver.Stats())
		fmt.Println("root bound", b.Step, b.Peak, b.Usable)
		if len(vis.top.held) > 0 {
			l := vis.top.held[0]
			fmt.Println(l.plan.String(), l.figures)
			// tightness along the path
			box := root
			for _, c := range s.space.Order() {
				box[c] = plan.Range{Lo: l.point[c], Hi: l.point[c]}
				d, lv, ok := c.Dim()
				if ok && lv == plan.MaxLevels-1 { for k := s.levels-1; k < plan.MaxLevels-1; k++ { box[plan.At(d,k)] = box[c] } }
				bb := s.price.Bound(&box)
				fmt.Printf("  %s=%d step %.4f peak %.4f\n", c, l.point[c], float64(bb.Step)/float64(l.figures.Step), float64(bb.Peak)/float64(l.figures.Peak))
			}
		}
		fmt.Println(v.byCoord)
	}
}
