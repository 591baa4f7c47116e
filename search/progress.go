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
	p := Progress{Nodes: v.stats.Bounds, Bound: units.Seconds(v.leastOpen(len(v.contests)-1) / 1e9)}
	p.Best = v.bestStep()
	v.tell(p)
}

// bestStep is the step time of the best plan held, 0 when there is none.
func (c *crew) bestStep() units.Seconds {
	c.mu.Lock()
	defer c.mu.Unlock()
	if best := c.contests[len(c.contests)-1].best(); best != nil {
		return best.figures.Step
	}
	return 0
}
