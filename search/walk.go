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

// walk searches the session's space.
func (s *session) walk(ctx context.Context, q query) (outcome, error) {
	root := s.root()
	v := &visitor{session: s, query: q, top: topK{k: max(1, q.top)}, margin: s.price.Margin()}
	v.root = v.keyOf(s.price.Bound(&root), &root).first
	err := solver.Walk(ctx, s.solver, s.space.Groups(), nil, s.order, v)
	out := outcome{held: v.top.held, done: err == nil, bound: v.leastOpen()}
	switch {
	case err == nil || errors.Is(err, errFirst) || ctx.Err() != nil:
		return out, nil
	}
	return out, err
}

// visitor answers the solver's walk: it bounds boxes, prices plans and keeps
// the best.
type visitor struct {
	*session
	query
	top    topK
	open   frontier
	root   float64 // bound of the whole space
	since  int     // boxes since the last progress report
	margin float64
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
	box := v.space.Box(n)
	v.stats.Bounds++
	b := v.price.Bound(&box)
	if b.Peak > v.memory.limit(b.Usable, v.margin) {
		return bounded{}, false
	}
	k := bounded{key: v.keyOf(b, &box), oneClass: oneClass(&box), depth: n.Depth}
	if !v.top.admits(&k.key, k.oneClass) {
		return bounded{}, false
	}
	v.open.add(k.depth, k.first)
	v.report()
	return k, true
}

// Less orders children by their bounds.
func (v *visitor) Less(a, b bounded) bool { return a.compare(&b.key) < 0 }

// Cut reports whether a box comes behind the plans held by now.
func (v *visitor) Cut(b bounded) bool {
	v.open.enter(b.depth)
	return !v.top.admits(&b.key, b.oneClass)
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
