package search

import "slices"

// topK keeps the best plan of each of the k best classes. What it holds in the
// end does not depend on the order of the offers, because keys are distinct
// and totally ordered.
type topK struct {
	k    int
	held []leaf // best first, at most k, no two of one class
}

// offer keeps the plan if it is the best of its class so far and its class is
// among the k best; it reports whether it did.
func (t *topK) offer(l leaf) bool {
	own := classOf(&l.point)
	if i := t.find(own); i >= 0 {
		if l.compare(&t.held[i].key) >= 0 {
			return false
		}
		t.held = slices.Delete(t.held, i, i+1)
	} else if len(t.held) == t.k {
		if l.compare(&t.held[t.k-1].key) >= 0 {
			return false
		}
		t.held = t.held[:t.k-1]
	}
	at, _ := slices.BinarySearchFunc(t.held, &l.key, func(h leaf, k *key) int { return h.compare(k) })
	t.held = slices.Insert(t.held, at, l)
	return true
}

// find is the position of the plan held for the class, or -1.
func (t *topK) find(c class) int {
	return slices.IndexFunc(t.held, func(h leaf) bool { return classOf(&h.point) == c })
}

// admits reports whether a plan whose key is not below k could be kept. When
// the plans in question are all of k's own class and that class is held, they
// have to beat its own best; else the k-th best class.
func (t *topK) admits(k *key, oneClass bool) bool {
	if oneClass {
		if i := t.find(classOf(&k.point)); i >= 0 {
			return k.compare(&t.held[i].key) < 0
		}
	}
	return len(t.held) < t.k || k.compare(&t.held[t.k-1].key) < 0
}

// best is the best plan held, nil when there is none.
func (t *topK) best() *leaf {
	if len(t.held) == 0 {
		return nil
	}
	return &t.held[0]
}
