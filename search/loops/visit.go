package loops

import "meshplan/plan"

// Visit calls leaf for every valid point in the order of the loops until leaf
// returns false, and reports whether it saw them all. The point is valid
// during the call only.
func (e *Enumerator) Visit(leaf func(*plan.Point) bool) bool {
	if e.void {
		return true
	}
	return e.descend(0, leaf)
}

func (e *Enumerator) descend(i int, leaf func(*plan.Point) bool) bool {
	if i == len(e.order) {
		return leaf(&e.point)
	}
	c := e.order[i]
	for _, v := range e.choices(i, e.live[c]) {
		e.set(c, v)
		if e.hold(i) && !e.descend(i+1, leaf) {
			return false
		}
	}
	return true
}
