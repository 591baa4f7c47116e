package search

import "sync"

// add adds the work of another session.
func (s *Stats) add(o Stats) {
	s.Nodes += o.Nodes
	s.Bounds += o.Bounds
	s.Priced += o.Priced
	s.Nogoods += o.Nogoods
}

// since is the work after an earlier state of the same session.
func (s Stats) since(earlier Stats) Stats {
	return Stats{Nodes: s.Nodes - earlier.Nodes, Bounds: s.Bounds - earlier.Bounds, Priced: s.Priced - earlier.Priced, Nogoods: s.Nogoods - earlier.Nogoods}
}

// tally is the work of several goroutines.
type tally struct {
	mu  sync.Mutex
	sum Stats
}

func (t *tally) add(o Stats) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.add(o)
}
