package search

// UpperBounds is set of an answer whose step times are upper bounds: those of plans
// that may use any nodes of an irregular cluster, priced as if all that leaves a node
// left its leaf. That no plan is faster is then not proven, and the status of what
// has a step time is feasible; what does not fit at all is proven all the same.
type UpperBounds struct {
	Complete bool `json:"complete"` // the search was not stopped
}

// Finished reports whether an answer has upper bounds and its search was not stopped.
func (u *UpperBounds) Finished() bool { return u != nil && u.Complete }

// settled reports whether a search came to its end.
func (s Status) settled() bool { return s == Optimal || s == Infeasible }

// unproven is the status where step times are upper bounds.
func (s Status) unproven() Status {
	if s == Optimal {
		return Feasible
	}
	return s
}

// upperBounds is that of an answer to the problem; nil where its plans are priced as
// they lie.
func (p *Problem) upperBounds(complete bool) *UpperBounds {
	if !p.Facts.Cluster.IsMerged() {
		return nil
	}
	return &UpperBounds{complete}
}
