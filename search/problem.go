package search

import (
	"context"
	"time"

	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/units"
)

// Problem is a job whose fastest plan is sought.
type Problem struct {
	Facts     framework.Facts
	Framework framework.Framework
	Profile   *profile.Profile
	Pins      []framework.Pin
	Top       int      // classes of plans in the answer; below 1 means 1
	Jobs      int      // goroutines at a time; below 1 means 1
	Forced    bool     // say what forced each degree of the best plan
	Warnings  []string // assumptions and defaults of the caller, passed through
	// Others lists the frameworks that may be offered where no plan fits; nil means
	// none.
	Others func() ([]Behaviour, error)

	newPricer func(*Problem) (pricer, error) // of the problem; nil means the cost model
}

// Limits stop a search early.
type Limits struct {
	Time     time.Duration  // of the whole search; 0 means none
	Progress func(Progress) // told now and then how far the search is; may be nil
}

// stop is a context that ends when the time is over.
func (l *Limits) stop(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time > 0 {
		return context.WithTimeout(ctx, l.Time)
	}
	return context.WithCancel(ctx)
}

// Progress is the state of a running search.
type Progress struct {
	Nodes int64         // boxes bounded so far
	Best  units.Seconds // step time of the best plan so far, 0 when there is none
	Bound units.Seconds // no plan is faster than this
}

// pricer is what the search asks of the price model.
type pricer interface {
	Split(*plan.Point, []plan.SplitForm) (plan.Stages, error)
	Price(*plan.Plan) cost.Figures
	Bound(*plan.Box) cost.Bound
	Explain(*plan.Plan) cost.Estimate
	Assumptions(...*plan.Plan) []string
	Timetable(*plan.Plan) (cost.Timetable, bool)
	Margin() float64
	RefuseMargin() float64
}

// price makes a price model, which the goroutines of a search share.
func (p *Problem) price() (pricer, error) {
	if p.newPricer != nil {
		return p.newPricer(p)
	}
	return cost.New(p.Facts.Model, p.Facts.Cluster, p.Facts.Workload, p.Profile)
}
