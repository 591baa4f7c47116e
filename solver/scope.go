package solver

// A walk stands in one scope of the engine for the assumptions and one for
// each choice. A scope whose closing shows the enclosing one inconsistent must
// be followed by leaving that one too: the engine refuses another test in it.

// open opens a scope in which the literals are assumed; false means that
// propagation refutes them. Either way back closes it.
func (w *walker[B]) open(assume ...Lit) bool {
	eng := w.node.eng
	for _, l := range assume {
		eng.assume(l)
	}
	w.scopes++
	w.alive = eng.test()
	if !w.alive {
		w.s.stats.Refuted++
	}
	return w.alive
}

// arrive makes the node stand at the depth with no interval read yet.
func (w *walker[B]) arrive(depth int) {
	w.s.clock++
	w.node.Depth = depth
	w.node.rows[depth].now = w.s.clock
}

// back closes scopes until the node at the depth is the innermost; false means
// that nothing is left to visit below it.
func (w *walker[B]) back(depth int) bool {
	for w.scopes > depth+1 {
		w.scopes--
		w.alive = w.node.eng.untest()
	}
	w.node.Depth = depth
	return w.alive && w.scopes == depth+1
}

// renew replaces a stale engine and opens the scopes of the path to the node
// at the depth again. False means that propagation now refutes the path: the
// scopes above the refuted choice are open.
func (w *walker[B]) renew(depth int) bool {
	if !w.s.stale() {
		return true
	}
	w.scopes = 0
	w.node.eng = w.s.ready()
	ok := w.open(w.assume...)
	for i := 0; ok && i < depth; i++ {
		ok = w.open(w.path[i])
	}
	return ok
}
