package search

import (
	"math"

	"meshplan/units"
)

var inf = math.Inf(1)

// reportEvery is the number of boxes between two reports.
const reportEvery = 2048

// report tells the caller how far the walk is.
func (v *visitor) report() {
	if v.tell == nil || v.bounds < v.next {
		return
	}
	v.next = v.bounds + reportEvery
	p := Progress{Nodes: v.stats.Bounds, Bound: units.Seconds(v.leastOpen() / 1e9)}
	if best := v.top.best(); best != nil {
		p.Best = best.figures.Step
	}
	v.tell(p)
}

// leastOpen is a bound that no plan of the space is below: that of the walk's
// frontier or of what the sweep leaves out, but at least that of the whole space
// and at most the best plan's.
func (v *visitor) leastOpen() float64 {
	bound := v.whole
	if open, ok := v.open.least(); ok {
		bound = max(bound, min(open, v.entry()))
	}
	if best := v.top.best(); best != nil {
		bound = min(bound, best.first)
	}
	return bound
}
