package search

import (
	"errors"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/solver"
	"meshplan/units"
)

// visitor answers the solver's walk: it bounds boxes, prices plans and keeps
// the best.
type visitor struct {
	*session
	*crew
	query
	open      frontier
	bounds    int // boxes bounded in this walk
	next      int // when to report next
	box       plan.Box
	margins   margins
	usable    units.Bytes // of the box bounded last
	parent    plan.Box    // of the children being screened
	inherited int         // their first contest
	entered   []int       // the first contest of the node entered last, by depth
	killers               // what to branch on out of turn
}

// bounded is a box that can hold a plan worth keeping.
type bounded struct {
	key
	oneClass bool
	depth    int
	contest  int // the first for which it can; the key bounds that one's plans
}

// Bound bounds the box of a node. It drops a box in which every plan is over
// the memory limit or comes behind those held.
func (v *visitor) Bound(n *solver.Node) (bounded, bool) {
	v.box = v.space.Box(n)
	k, ok := v.judge(&v.box, v.above(n.Depth))
	if !ok {
		return bounded{}, false
	}
	k.depth = n.Depth
	v.open.add(k.depth, k.first)
	v.report()
	return k, true
}

// Parent keeps the box whose children are screened next.
func (v *visitor) Parent(n *solver.Node) { v.parent, v.inherited = v.space.Box(n), v.above(n.Depth+1) }

// above is the first contest of the node above a depth: a box holds no plan worth
// keeping for those before it, nor do the boxes within.
func (v *visitor) above(depth int) int {
	if depth == 0 {
		return v.from
	}
	return v.entered[depth-1]
}

// Screen drops children whose box, before propagation, cannot hold a plan worth
// keeping.
func (v *visitor) Screen(x solver.Int, lo, hi int32) bool {
	v.box = v.parent
	v.space.Narrow(&v.box, x, lo, hi)
	_, ok := v.judge(&v.box, v.inherited)
	return ok
}

// judge narrows a box and bounds it for the first contest that is left and, where
// that shows that only a later one can keep a plan of it, for the later one;
// false means that it holds no plan worth keeping.
func (v *visitor) judge(box *plan.Box, contest int) (bounded, bool) {
	if !v.tight.tighten(box) {
		return bounded{}, false
	}
	k := bounded{oneClass: oneClass(box), contest: contest}
	for {
		c := &v.contests[k.contest]
		b := v.bound(box, c)
		if b.Peak > c.limit(b.Usable, v.margins) {
			return bounded{}, false
		}
		k.key = v.keyOf(b, box)
		first := v.admits(&k)
		if first == none || first == k.contest {
			return k, first != none
		}
		k.contest = first
	}
}

// within is a price model that bounds the plans of a box whose memory stays
// within a share of what they can use.
type within interface {
	BoundWithin(b *plan.Box, share float64) cost.Bound
}

// bound bounds the plans of the box that the contest accepts. What its limit is
// as a share of the memory that the box can use is known from the box before,
// nearly always; where the share was too small, the box is bounded again.
func (v *visitor) bound(box *plan.Box, c *contest) cost.Bound {
	v.stats.Bounds++
	if v.bounds++; v.bounds == v.boxes {
		v.stop(errBoxes)
	}
	w, ok := v.price.(within)
	if !ok {
		return v.price.Bound(box)
	}
	share := c.share(v.usable, v.margins)
	b := w.BoundWithin(box, share)
	if v.usable = b.Usable; share < c.share(v.usable, v.margins) {
		b = w.BoundWithin(box, c.share(v.usable, v.margins))
	}
	return b
}

// Less orders children by their bounds.
func (v *visitor) Less(a, b bounded) bool { return a.compare(&b.key) < 0 }

// Cut reports whether a box comes behind the plans held by now. A box that does
// not is entered next.
func (v *visitor) Cut(b bounded) bool {
	v.open.enter(b.depth)
	first := v.admits(&b)
	v.entered = append(v.entered[:b.depth], first)
	return first == none
}

// Leaf splits the layers of a point, asks the rules that are left, prices the
// plan and offers it.
func (v *visitor) Leaf(n *solver.Node) error {
	box := v.space.Box(n)
	p := box.Least()
	l, ok, err := v.pricedIn(&p, v.contests[0].memory)
	if err != nil || !ok || !v.contests[0].accepts(&l.figures) {
		return err
	}
	l.key = v.keyOf(cost.Bound{Step: l.figures.Step, Peak: l.figures.Peak}, &box)
	if v.offer(l) && v.first {
		v.stop(errFirst)
	}
	return nil
}

// priced is the plan at a point with its price; ok is false when a rule
// forbids it or no form expresses its split.
func (s *session) priced(p *plan.Point) (l leaf, ok bool, err error) {
	return s.pricedIn(p, unlimited)
}

// pricedIn is priced where a plan that is not of the memory group is of no use; ok
// may be false for one.
func (s *session) pricedIn(p *plan.Point, g memoryGroup) (l leaf, ok bool, err error) {
	if s.broken(p) != nil {
		return leaf{}, false, nil
	}
	stages, ok, err := s.split(p, g)
	if noForm := (*cost.NoForm)(nil); errors.As(err, &noForm) {
		return leaf{}, false, nil
	}
	if err != nil || !ok {
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

// splitter is a price model that looks for no split of a plan that is refused.
type splitter interface {
	SplitRunning(p *plan.Point, forms []plan.SplitForm) (stages plan.Stages, ok bool, err error)
}

// split is the layers of each chunk of a plan of the group; ok is false where the
// point is known to have none.
func (s *session) split(p *plan.Point, g memoryGroup) (stages plan.Stages, ok bool, err error) {
	if w, can := s.price.(splitter); can && g != unlimited {
		stages, ok, err = w.SplitRunning(p, s.forms)
		if err == nil && !ok {
			s.stats.Priced++
		}
		return stages, ok, err
	}
	stages, err = s.price.Split(p, s.forms)
	return stages, err == nil, err
}

// keyOf is the key of a box's bounds, or of a plan's figures. With least peak
// as the goal one of the plans of equal peak is as good as another: they are
// not told apart, and the first found stays.
func (v *visitor) keyOf(b cost.Bound, box *plan.Box) key {
	if v.goal == leastPeak {
		return key{first: float64(b.Peak)}
	}
	return key{roundNS(b.Step), float64(b.Peak), box.Least()}
}
