package search

import (
	"context"
	"errors"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/solver"
)

// query says which plans a walk is after.
type query struct {
	top    int
	memory memoryGroup
	goal   goal
	first  bool           // stop at the first plan found
	tell   func(Progress) // called now and then; may be nil
}

// goal is what comes first in the order of plans.
type goal uint8

const (
	leastTime goal = iota
	leastPeak
)

// outcome is what a walk found.
type outcome struct {
	held  []leaf  // best first
	done  bool    // the space is exhausted: held is proven
	bound float64 // no plan's first key is lower, in the goal's unit
}

// errFirst ends a walk that is after any plan.
var errFirst = errors.New("search: a plan was found")

// ladder is by how much of the best plan's time a box must promise to be
// faster to be entered, sweep by sweep. The first sweeps find good plans soon,
// by which the last, that leaves nothing out, is short.
var ladder = []float64{0.1, 0}

// walk searches the session's space.
func (s *session) walk(ctx context.Context, q query) (outcome, error) {
	root := s.root()
	v := &visitor{session: s, query: q, top: topK{k: max(1, q.top)}, margin: s.price.Margin()}
	v.proven = v.keyOf(s.price.Bound(&root), &root).first
	for _, v.ahead = range ladder {
		v.open = frontier{}
		err := solver.Walk(ctx, s.solver, s.groups, nil, s.order, v)
		switch {
		case ctx.Err() != nil || errors.Is(err, errFirst):
			return outcome{held: v.top.held, bound: v.leastOpen()}, nil
		case err != nil:
			return outcome{}, err
		case len(v.top.held) < v.top.k:
			return outcome{held: v.top.held, done: true, bound: v.leastOpen()}, nil
		}
		v.proven = max(v.proven, v.entry())
	}
	return outcome{held: v.top.held, done: true, bound: v.leastOpen()}, nil
}

// visitor answers the solver's walk: it bounds boxes, prices plans and keeps
// the best.
type visitor struct {
	*session
	query
	top    topK
	open   frontier
	proven float64 // bound of the whole space, by earlier sweeps
	since  int     // boxes since the last progress report
	box    plan.Box
	margin float64
	parent plan.Box // of the children being screened
	ahead  float64  // share of the threshold by which a box must be ahead of it
}

// bounded is a box that can hold a plan worth keeping.
type bounded struct {
	key
	oneClass bool
	depth    int
}

// Bound bounds the box of a node. It drops a box in which every plan is over
// the memory limit or comes behind those held.
func (v *visitor) Bound(n *solver.Node) (bounded, bool) {
	v.box = v.space.Box(n)
	box := &v.box
	v.stats.Bounds++
	b := v.bound(box)
	if b.Peak > v.memory.limit(b.Usable, v.margin) {
		return bounded{}, false
	}
	k := bounded{key: v.keyOf(b, box), oneClass: oneClass(box), depth: n.Depth}
	if !v.admits(&k) {
		return bounded{}, false
	}
	v.open.add(k.depth, k.first)
	v.report()
	return k, true
}

// Parent keeps the box whose children are screened next.
func (v *visitor) Parent(n *solver.Node) { v.parent = v.space.Box(n) }

// Screen drops a child whose box, before propagation, cannot hold a plan worth
// keeping.
func (v *visitor) Screen(x solver.Int, value int32) bool {
	v.box = v.parent
	v.space.Narrow(&v.box, x, value)
	v.stats.Bounds++
	b := v.bound(&v.box)
	if b.Peak > v.memory.limit(b.Usable, v.margin) {
		return false
	}
	k := bounded{key: v.keyOf(b, &v.box), oneClass: oneClass(&v.box)}
	return v.admits(&k)
}

// within is a price model that bounds the plans of a box whose memory stays
// within a share of what they can use.
type within interface {
	BoundWithin(b *plan.Box, share float64) cost.Bound
}

// bound bounds the plans of the box that the memory group accepts.
func (v *visitor) bound(box *plan.Box) cost.Bound {
	if w, ok := v.price.(within); ok {
		return w.BoundWithin(box, float64(v.memory.limit(1, v.margin)))
	}
	return v.price.Bound(box)
}

// admits reports whether a box can hold a plan worth keeping in this sweep.
func (v *visitor) admits(b *bounded) bool {
	return v.top.admits(&b.key, b.oneClass) && (v.ahead == 0 || b.first < v.entry())
}

// entry is what a box's bound must be below to be entered in this sweep, apart
// from being worth it at all.
func (v *visitor) entry() float64 {
	if len(v.top.held) < v.top.k {
		return inf
	}
	return v.top.held[v.top.k-1].first * (1 - v.ahead)
}

// Less orders children by their bounds.
func (v *visitor) Less(a, b bounded) bool { return a.compare(&b.key) < 0 }

// Cut reports whether a box comes behind the plans held by now.
func (v *visitor) Cut(b bounded) bool {
	v.open.enter(b.depth)
	return !v.admits(&b)
}

// Leaf splits the layers of a point, asks the rules that are left, prices the
// plan and offers it.
func (v *visitor) Leaf(n *solver.Node) error {
	box := v.space.Box(n)
	p := box.Least()
	l, ok, err := v.priced(&p)
	if err != nil || !ok || !v.memory.accepts(l.figures.Verdict) {
		return err
	}
	l.key = v.keyOf(cost.Bound{Step: l.figures.Step, Peak: l.figures.Peak}, &box)
	if v.top.offer(l) && v.first {
		return errFirst
	}
	return nil
}

// priced is the plan at a point with its price; ok is false when a rule
// forbids it or no form expresses its split.
func (s *session) priced(p *plan.Point) (l leaf, ok bool, err error) {
	if s.broken(p) != nil {
		return leaf{}, false, nil
	}
	stages, err := s.price.Split(p, s.forms)
	if noForm := (*cost.NoForm)(nil); errors.As(err, &noForm) {
		return leaf{}, false, nil
	}
	if err != nil {
		return leaf{}, false, err
	}
	l.plan = p.Plan(s.levels)
	l.plan.Options.Stages = stages
	if s.brokenStage(&l.plan) != nil {
		return leaf{}, false, nil
	}
	s.stats.Priced++
	l.figures = s.price.Price(&l.plan)
	return l, true, nil
}

// keyOf is the key of a box's bounds, or of a plan's figures.
func (v *visitor) keyOf(b cost.Bound, box *plan.Box) key {
	if v.goal == leastPeak {
		return key{float64(b.Peak), roundNS(b.Step), box.Least()}
	}
	return key{roundNS(b.Step), float64(b.Peak), box.Least()}
}
