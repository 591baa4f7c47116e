package search

// add adds the work of another session.
func (s *Stats) add(o Stats) {
	s.Nodes += o.Nodes
	s.Bounds += o.Bounds
	s.Priced += o.Priced
	s.Nogoods += o.Nogoods
}
