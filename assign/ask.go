package assign

import (
	"context"
	"fmt"

	"meshplan/solver"
)

// improve makes the answer the best in a kind, the kinds before it staying as
// they are, and reports whether that is proven.
func (p *Problem) improve(ctx context.Context, a *Answer, kind, least int) bool {
	if a.Straddling[kind] == least {
		a.Proven[kind] = true
		return true
	}
	if !p.small() {
		return false
	}
	q := p.ask(a.Straddling[:kind])
	over := q.counter(q.straddle(kind), a.Straddling[kind])
	for a.Straddling[kind] > least {
		status, m, err := q.SolveUnder(ctx, solver.Budget{}, []solver.Lit{over[a.Straddling[kind]].Not()})
		switch {
		case err != nil || status == solver.Unknown:
			return false
		case status == solver.Unsat:
			a.Proven[kind] = true
			return true
		}
		for i, x := range q.bin {
			a.Bin[i] = int(m.Value(x))
		}
		for k := range p.Kinds {
			a.Straddling[k] = p.straddling(k, a.Bin)
		}
	}
	a.Proven[kind] = true
	return true
}

// question is the problem in clauses.
type question struct {
	*solver.Session
	p   *Problem
	bin []solver.Int // of each item
}

// ask states that each item is in one bin, that no bin is over its room, and
// that no more groups of the first kinds straddle bins than were found.
func (p *Problem) ask(found []int) *question {
	q := &question{Session: solver.New(), p: p}
	bins := make([]int32, len(p.Room))
	for b := range bins {
		bins[b] = int32(b)
	}
	for i := range p.Items {
		q.bin = append(q.bin, q.Int(fmt.Sprint("bin of ", i), bins))
	}
	for b, room := range p.Room {
		in := make([]solver.Lit, p.Items)
		for i, x := range q.bin {
			in[i] = q.Eq(x, int32(b))
		}
		q.atMost(in, room)
	}
	for k, n := range found {
		q.atMost(q.straddle(k), n)
	}
	q.order()
	return q
}

// order states that the first line of the grid along each axis is in the order
// of the bins. Where the kinds are the axes of the grid, slices along an axis
// can change places; put in the order of their bins they keep this.
func (q *question) order() {
	if !q.p.axes() {
		return
	}
	stride := 1
	for _, n := range q.p.Grid {
		for k := range n - 1 {
			x, y := q.bin[k*stride], q.bin[(k+1)*stride]
			for b := 1; b < len(q.p.Room); b++ {
				q.Clause(solver.Hard, q.Ge(x, int32(b)).Not(), q.Ge(y, int32(b)))
			}
		}
		stride *= n
	}
}

// straddle are literals that are true where a group of the kind straddles
// bins, one a group.
func (q *question) straddle(kind int) []solver.Lit {
	var lits []solver.Lit
	for n, g := range q.p.Kinds[kind] {
		if len(g) < 2 {
			continue
		}
		y := q.Bool(fmt.Sprintf("straddles %d.%d", kind, n))
		first := q.bin[g[0]]
		for _, i := range g[1:] {
			for b := range q.p.Room {
				q.Clause(solver.Hard, y, q.Eq(first, int32(b)).Not(), q.Eq(q.bin[i], int32(b)))
			}
		}
		lits = append(lits, y)
	}
	return lits
}

// atMost states that at most n of the literals are true.
func (q *question) atMost(lits []solver.Lit, n int) {
	if n < len(lits) {
		q.Clause(solver.Hard, q.counter(lits, n+1)[n+1].Not())
	}
}

// counter gives for each k up to most a literal that is true where k or more of
// the literals are (Sinz, CP 2005, the sequential counter).
func (q *question) counter(lits []solver.Lit, most int) []solver.Lit {
	above := make([]solver.Lit, most+1) // of the literals so far
	for k := range above {
		above[k] = solver.False
	}
	above[0] = solver.True
	for i, l := range lits {
		next := append([]solver.Lit(nil), above...)
		for k := 1; k <= min(most, i+1); k++ {
			next[k] = q.Bool(fmt.Sprintf("%d of %d", k, i+1))
			q.Clause(solver.Hard, next[k], above[k].Not())
			q.Clause(solver.Hard, next[k], l.Not(), above[k-1].Not())
		}
		above = next
	}
	return above
}
