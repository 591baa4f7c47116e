package solver

import (
	"iter"
	"sort"
)

// Node is where a walk stands: the assumptions and choices made so far and all
// that propagation concludes from them. It is valid only during the call that
// receives it.
type Node struct {
	// Depth is the number of choices made: 0 at the root.
	Depth int

	s    *Session
	eng  *engine
	rows []row // by depth
}

// row caches the intervals read at one depth.
type row struct {
	now   uint64     // stamp of the node that stands at the depth
	spans []position // by integer
}

// position is an interval of positions in a domain's values.
type position struct {
	stamp  uint64 // the row's node for which it was read
	lo, hi int32
}

// Interval is the smallest interval that propagation leaves to the integer;
// both ends are values of it. It does not allocate.
func (n *Node) Interval(x Int) (lo, hi int32) {
	values := x.d.values
	if len(values) == 1 {
		return values[0], values[0]
	}
	p := n.position(x.d)
	return values[p.lo], values[p.hi]
}

// Values are the values that propagation leaves to the integer, ascending.
func (n *Node) Values(x Int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for k := range n.left(x.d) {
			if !yield(x.d.values[k]) {
				return
			}
		}
	}
}

// left are the positions of the values that propagation leaves, ascending.
func (n *Node) left(d *domain) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		at := *n.position(d)
		for k := at.lo; k <= at.hi; k++ {
			if (at.lo == at.hi || !n.eng.value(n.s.eq(d, int(k)).Not())) && !yield(k) {
				return
			}
		}
	}
}

// Single reports whether propagation leaves the integer one value.
func (n *Node) Single(x Int) bool {
	if len(x.d.values) == 1 {
		return true
	}
	p := n.position(x.d)
	return p.lo == p.hi
}

// True reports whether propagation concludes the literal.
func (n *Node) True(l Lit) bool {
	if l.constant() {
		return l == True
	}
	return n.eng.value(l)
}

// position is the integer's interval at the node: that of the nearest ancestor
// where it was read, narrowed by the order literals that hold now.
func (n *Node) position(d *domain) *position {
	at := &n.rows[n.Depth]
	p := &at.spans[d.id]
	if p.stamp == at.now {
		return p
	}
	lo, hi := int32(0), int32(len(d.values)-1)
	for depth := n.Depth - 1; depth >= 0; depth-- {
		if q := &n.rows[depth].spans[d.id]; q.stamp == n.rows[depth].now {
			lo, hi = q.lo, q.hi
			break
		}
	}
	p.stamp = at.now
	p.lo, p.hi = n.narrow(d, lo, hi)
	return p
}

// narrow reads the interval inside [lo, hi] from the order literals. Those
// that are true form a prefix and those that are false a suffix; most often
// neither has grown.
func (n *Node) narrow(d *domain, lo, hi int32) (int32, int32) {
	above := d.base + Lit(lo) // "at least the value at lo+1"
	if lo < hi && n.eng.isTrue(above) {
		lo += int32(sort.Search(int(hi-lo), func(i int) bool { return !n.eng.isTrue(above + Lit(i)) }))
	}
	if lo < hi && n.eng.isFalse(d.base+Lit(hi)-1) {
		above = d.base + Lit(lo)
		hi = lo + int32(sort.Search(int(hi-lo), func(i int) bool { return n.eng.isFalse(above + Lit(i)) }))
	}
	return lo, hi
}
