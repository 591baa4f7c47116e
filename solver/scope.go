package solver

// A walk stands in one scope of the engine for the groups, one for the literals
// assumed and one for each choice. A scope whose closing shows the enclosing one
// inconsistent must be followed by leaving that one too: the engine refuses another
// test in it. One whose groups alone are refuted spoils the engine; literals that are
// do not, which is why they have a scope of their own.

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

// begin opens the scopes of the root; false means that propagation refutes them.
func (w *walker[B]) begin() bool {
	w.scopes, w.root = 0, 1
	if !w.open(w.groups...) || len(w.assume) == 0 {
		return w.alive
	}
	w.root = 2
	return w.open(w.assume...)
}

// close closes all scopes; false means that the engine cannot be used again: it holds
// an unresolved conflict of the outermost one.
func (w *walker[B]) close() bool {
	w.back(1 - w.root)
	return w.alive && w.node.eng.untest()
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
	for w.scopes > depth+w.root {
		w.scopes--
		w.alive = w.node.eng.untest()
	}
	w.node.Depth = depth
	return w.alive && w.scopes == depth+w.root
}

// renew replaces a stale engine and opens the scopes of the path to the node
// at the depth again. False means that propagation now refutes the path: the
// scopes above the refuted choice are open.
func (w *walker[B]) renew(depth int) bool {
	if !w.s.stale() {
		return true
	}
	w.node.eng = w.s.ready()
	ok := w.begin()
	for i := 0; ok && i < depth; i++ {
		ok = w.open(w.path[i])
	}
	return ok
}
