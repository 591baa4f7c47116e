package search

import (
	"math"
	"slices"
	"sort"

	"meshplan/cost"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/units"
)

// contest is one question of a walk: the best plans of a memory group. A walk
// that has several asks them together: most boxes are dropped or entered for either
// by one bound.
type contest struct {
	topK
	memory memoryGroup
	over   float64     // plans whose first key is not below it are not sought
	most   units.Bytes // no plan of it reserves more
}

// limit is the most memory that a plan of the contest may reserve.
func (c *contest) limit(usable units.Bytes, m margins) units.Bytes {
	return min(c.most, c.memory.limit(usable, m))
}

// share is the limit over what a plan can use.
func (c *contest) share(usable units.Bytes, m margins) float64 {
	group := float64(c.memory.limit(1, m))
	if usable <= 0 {
		return group
	}
	return min(float64(c.most/usable), group)
}

// accepts reports whether a plan of the figures is one that the contest is about.
func (c *contest) accepts(f *cost.Figures) bool {
	return f.Peak <= c.most && c.memory.accepts(f.Verdict)
}

// contests are the questions of a query, each about some of the plans that the
// one before is about.
func contests(q query) []contest {
	over := inf
	if q.within > 0 {
		over = math.Nextafter(roundNS(q.within), inf)
	}
	most := units.Bytes(inf)
	list := []contest{{topK{k: max(1, q.top)}, q.memory, over, most}}
	if q.safe {
		list = append(list, contest{topK{k: max(1, q.top)}, fits, over, most})
	}
	return list
}

// entry is what a box's first key must be below to be entered in a sweep, apart
// from being worth it at all.
func (c *contest) entry(ahead float64) float64 {
	if ahead == 0 || len(c.held) < c.k {
		return c.over
	}
	return c.held[c.k-1].first * (1 - ahead)
}

// none is the contest of a box that can hold no plan worth keeping.
const none = -1

// admits is the first contest, from the box's own on, for which the box can hold
// a plan worth keeping in this sweep, or none.
func (c *crew) admits(b *bounded) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.admitting(b)
}

// admitting is admits of a caller that holds the lock. A contest holds plans of
// those before it, so that what is worth it for one is for all behind it.
func (c *crew) admitting(b *bounded) int {
	i := b.contest + sort.Search(c.to-b.contest, func(i int) bool {
		q := &c.contests[b.contest+i]
		return b.first < q.entry(c.ahead) && q.admits(&b.key, b.oneClass)
	})
	if i >= c.to {
		return none
	}
	if b.first >= c.below {
		c.left = true
		return none
	}
	return i
}

// offer keeps a plan where it is worth it and reports whether it was anywhere: from
// the last contest that accepts it on to those before, until one has better.
func (c *crew) offer(l leaf) (kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.contests) - 1; i >= 0; i-- {
		q := &c.contests[i]
		if !q.accepts(&l.figures) || l.first >= q.over {
			continue
		}
		if !q.offer(l) {
			break
		}
		kept = true
	}
	return kept
}

// offerKnown offers the plans at the points that the query knows of, as far as they
// are of the space. What is held in the end does not depend on them.
func (c *crew) offerKnown() error {
	v := c.walkers[0]
	for i := range v.known {
		p := &v.known[i]
		if !v.holds(p) {
			continue
		}
		l, ok, err := v.priced(p)
		if err != nil {
			return err
		}
		if ok && c.contests[0].accepts(&l.figures) {
			box := p.Box()
			l.key = v.keyOf(cost.Bound{Step: l.figures.Step, Peak: l.figures.Peak}, &box)
			c.offer(l)
		}
	}
	return nil
}

// holds reports whether a point is one of the space: its values are in the domains,
// each group divides the next larger one and is whole on the last level, and it keeps
// the rules.
func (j *job) holds(p *plan.Point) bool {
	for c, v := range p {
		if !slices.Contains(j.domains.Values[c], v) {
			return false
		}
	}
	for d := range plan.NumDims {
		for l := range plan.MaxLevels {
			own, next := p[plan.At(d, l)], p[d]
			if l < j.levels-1 {
				next = p[plan.At(d, l+1)]
			}
			if next%own != 0 || l >= j.levels-1 && next != own {
				return false
			}
		}
	}
	return !slices.ContainsFunc(j.rules, func(r framework.Rule) bool { return !r.Holds(j.facts, p) })
}
