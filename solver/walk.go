package solver

import (
	"context"
	"time"
)

// Visitor steers a walk. B is the caller's bound of a node.
type Visitor[B any] interface {
	// Bound judges a node after propagation; false drops it.
	Bound(n *Node) (B, bool)
	// Less orders the children of a node; ties are visited in value order.
	Less(a, b B) bool
	// Cut is asked just before a kept node is entered, since the bounds to
	// beat may have moved; true drops it.
	Cut(b B) bool
	// Leaf receives a solution: every integer of the order is single and the
	// rest can be completed. An error ends the walk and is returned by Walk.
	Leaf(n *Node) error
}

// Screener is a visitor that judges the children of a node before they are
// tried, which saves propagating those it drops.
type Screener interface {
	// Parent announces the node whose children are judged next.
	Parent(n *Node)
	// Screen is asked for values from lo to hi of those that propagation left
	// the integer at the parent; false drops their children.
	Screen(x Int, lo, hi int32) bool
}

// Chooser is a visitor that picks the integer on which a node branches.
type Chooser interface {
	// Choose returns an integer of the order that is not single at the node;
	// first is the earliest of them.
	Choose(n *Node, first Int) Int
	// Failed tells that branching on the integer left no child.
	Failed(x Int)
}

// Walk visits depth first every solution of the hard clauses, the groups on
// and the literals assumed, except below nodes that the visitor drops. It
// chooses values for the integers of the order, first to last or as a Chooser
// says; an integer that propagation leaves one value is not chosen. Each
// combination of values is one leaf.
//
// During a walk nothing may be added to the session and nothing else asked of
// it. The context is observed at every node; its error is returned and the
// session stays usable.
func Walk[B any](ctx context.Context, s *Session, on []Group, assume []Lit, order []Int, v Visitor[B]) error {
	s.mustRest("Walk")
	groups, _ := s.assumptions(nil, on)
	lits, ok := s.appendKnown(nil, assume)
	if err := ctx.Err(); err != nil || !ok || s.unsat {
		return err
	}
	w := &walker[B]{ctx: ctx, s: s, on: on, order: order, v: v,
		groups: append(groups, guard), assume: lits,
		tries: make([][]int32, len(order)), pools: make([][]child[B], len(order)), path: make([]Lit, len(order))}
	w.screener, _ = any(v).(Screener)
	w.chooser, _ = any(v).(Chooser)
	return w.run()
}

type walker[B any] struct {
	ctx    context.Context
	s      *Session
	groups []Lit // assumed in the outermost scope
	assume []Lit // in one of its own, if there are any
	on     []Group
	order  []Int
	v      Visitor[B]
	node   Node

	screener Screener     // v, if it is one
	chooser  Chooser      // v, if it is one
	tries    [][]int32    // positions of the values to try by depth, reused
	pools    [][]child[B] // children by depth, reused
	rest     completion

	path   []Lit // choices by depth
	scopes int   // open in the engine
	root   int   // of them at the root: 1, or 2 where literals are assumed
	alive  bool  // the innermost open scope is not known to be inconsistent
}

// child is a value of the integer chosen at a node, with the bound found for
// it.
type child[B any] struct {
	choice Lit
	bound  B
}

// run opens the outermost scopes, walks and closes them. Where the engine holds
// an unresolved conflict at the end it is given up, and built again when next
// needed.
func (w *walker[B]) run() error {
	s := w.s
	w.prepare()
	s.walking = true
	clean := false
	defer func() {
		s.walking = false
		if !clean {
			s.eng = nil
		}
	}()
	var err error
	if w.begin() {
		w.arrive(0)
		s.stats.Nodes++
		if bound, keep := w.v.Bound(&w.node); keep && !w.v.Cut(bound) {
			err = w.expand(0, 0)
		}
	}
	clean = w.close()
	return err
}

// prepare makes the one-hot literals and buffers that the walk needs.
func (w *walker[B]) prepare() {
	s := w.s
	for _, x := range w.order {
		d := s.of(x)
		for k := range d.values {
			s.eq(d, k)
		}
	}
	for len(s.rows) <= len(w.order) {
		s.rows = append(s.rows, row{})
	}
	for i := range s.rows {
		for len(s.rows[i].spans) < len(s.ints) {
			s.rows[i].spans = append(s.rows[i].spans, position{})
		}
	}
	w.node = Node{s: s, eng: s.ready(), rows: s.rows}
	w.rest = s.rest(w.order, w.on)
}

// expand walks below the node at the depth, where the integers of the order
// before next are single.
func (w *walker[B]) expand(depth, next int) error {
	for next < len(w.order) && w.node.Single(w.order[next]) {
		next++
	}
	if next == len(w.order) {
		return w.leaf()
	}
	x := w.order[next]
	if w.chooser != nil {
		x = w.chooser.Choose(&w.node, x)
	}
	kids, err := w.probe(depth, x.d)
	if err != nil {
		return err
	}
	if len(kids) == 0 && w.chooser != nil {
		w.chooser.Failed(x)
	}
	for i := range kids {
		if w.v.Cut(kids[i].bound) {
			continue
		}
		if err = w.enter(depth, next, kids[i].choice); err != nil || !w.back(depth) {
			return err
		}
	}
	return nil
}

// enter walks below the child that the choice leads to. It leaves scopes open.
func (w *walker[B]) enter(depth, next int, choice Lit) error {
	if !w.open(choice) {
		return nil
	}
	w.path[depth] = choice
	w.arrive(depth + 1)
	return w.expand(depth+1, next)
}

// leaf reports the node if it is a solution.
func (w *walker[B]) leaf() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	switch w.complete() {
	case engineUnsat:
		w.alive = false
		return nil
	case engineUnknown:
		return w.ctx.Err()
	}
	return w.v.Leaf(&w.node)
}

// complete decides whether the node extends to a solution. Mostly propagation
// has decided every variable; otherwise the engine searches inside the scope.
func (w *walker[B]) complete() int {
	if w.rest.decided(w.node.eng) {
		return engineSat
	}
	w.s.stats.Solves++
	return w.node.eng.try(w.ctx, time.Time{}, func() {})
}
