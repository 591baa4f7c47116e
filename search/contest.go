package search

import "math"

// contest is one question of a walk: the best plans of a memory group. A walk
// that has two asks them together: most boxes are dropped or entered for either
// by one bound.
type contest struct {
	topK
	memory memoryGroup
	over   float64 // plans whose first key is not below it are not sought
}

// contests are the questions of a query, each about some of the plans that the
// one before is about.
func contests(q query) []contest {
	over := inf
	if q.within > 0 {
		over = math.Nextafter(roundNS(q.within), inf)
	}
	list := []contest{{topK{k: max(1, q.top)}, q.memory, over}}
	if q.safe {
		list = append(list, contest{topK{k: max(1, q.top)}, fits, over})
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

// admitting is admits of a caller that holds the lock.
func (c *crew) admitting(b *bounded) int {
	for i := b.contest; i < c.to; i++ {
		if q := &c.contests[i]; b.first < q.entry(c.ahead) && q.admits(&b.key, b.oneClass) {
			return i
		}
	}
	return none
}

// offer keeps a plan where it is worth it and reports whether it was anywhere.
func (c *crew) offer(l leaf) (kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.contests {
		if q := &c.contests[i]; q.memory.accepts(l.figures.Verdict) && l.first < q.over && q.offer(l) {
			kept = true
		}
	}
	return kept
}
