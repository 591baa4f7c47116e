// Package loops enumerates the plans of a job with plain nested loops. It
// knows nothing of clauses: it is the oracle that the search is tested against
// and the rival that the benchmarks race.
//
//	e := loops.New(&loops.Problem{Facts: facts, Domains: domains, Rules: rules})
//	fmt.Println(e.Count())
package loops

import (
	"meshplan/cost"
	"meshplan/framework"
	"meshplan/plan"
)

// Pricer is what the loops ask of the price model; *cost.Model is one.
type Pricer interface {
	Split(*plan.Point, []plan.SplitForm) (plan.Stages, error)
	Price(*plan.Plan) cost.Figures
	Bound(*plan.Box) cost.Bound
	Margin() float64
}

// Problem is the space that is enumerated and the prices in it.
type Problem struct {
	Facts      *framework.Facts
	Domains    *framework.Domains
	Rules      []framework.Rule
	StageRules []framework.StageRule
	Forms      []plan.SplitForm
	Price      Pricer // not needed to count or visit
}

// Enumerator walks the valid points of a problem: all rules hold, the factors
// of either grid fit each level, and cumulative factors divide upwards. It is
// not safe for use by several goroutines.
type Enumerator struct {
	*Problem
	levels int
	sizes  []int64 // of each level, innermost first
	inner  []int64 // inner[l] is the number of GPUs of one domain of level l
	outer  []int64 // outer[l] is the number of such domains
	moe    bool

	order    []plan.Coord            // the loops, outermost first
	position [plan.NumCoords]int     // of each coordinate in order
	checks   [][]framework.Rule      // rules that are ready once a loop is set
	filters  [][]filter              // rules that then have one open coordinate
	point    plan.Point              // values set so far
	trivial  bool                    // some rule that reads nothing is broken
	chosen   [][]int32               // scratch of choices, one slice a loop
	live     [plan.NumCoords][]int32 // values left by rules of one coordinate
}

// filter is a rule with one coordinate still open.
type filter struct {
	rule framework.Rule
	open plan.Coord
}

// New prepares the loops of a problem.
func New(p *Problem) *Enumerator {
	e := &Enumerator{Problem: p, moe: p.Facts.MoE()}
	gpus := int64(1)
	for _, l := range p.Facts.Cluster.Levels {
		gpus *= int64(l.Size)
		e.sizes = append(e.sizes, int64(l.Size))
		e.inner = append(e.inner, gpus)
	}
	e.levels = len(e.sizes)
	for _, n := range e.inner {
		e.outer = append(e.outer, gpus/n)
	}
	e.arrange()
	e.schedule()
	return e
}

// arrange lists the loops: degrees, options, then placement level by level.
func (e *Enumerator) arrange() {
	for d := plan.Dim(0); d < plan.NumDims; d++ {
		e.order = append(e.order, plan.Coord(d))
	}
	e.order = append(e.order, plan.VPP, plan.MicroBatch, plan.SP, plan.Zero, plan.RecomputeC)
	for l := 0; l < e.levels-1; l++ {
		for d := plan.Dim(0); d < plan.NumDims; d++ {
			e.order = append(e.order, plan.At(d, l))
		}
	}
	for i, c := range e.order {
		e.position[c] = i
	}
	for d := plan.Dim(0); d < plan.NumDims; d++ {
		for l := e.levels - 1; l < plan.MaxLevels; l++ {
			e.position[plan.At(d, l)] = e.position[plan.Coord(d)]
		}
	}
	e.chosen = make([][]int32, len(e.order))
}

// schedule says at which loop each rule is asked.
func (e *Enumerator) schedule() {
	e.checks = make([][]framework.Rule, len(e.order))
	e.filters = make([][]filter, len(e.order))
	for c := range e.live {
		e.live[c] = e.Domains.Values[c]
	}
	for _, r := range e.Rules {
		last, before := e.latest(r.Reads)
		switch {
		case last < 0:
			e.trivial = e.trivial || !r.Holds(e.Facts, &e.point)
		case before < 0:
			e.keep(e.order[last], r)
		default:
			e.checks[last] = append(e.checks[last], r)
			e.filters[before] = append(e.filters[before], filter{r, e.order[last]})
		}
	}
}

// latest are the positions of the last two different coordinates that a rule
// reads, -1 for none.
func (e *Enumerator) latest(reads []plan.Coord) (last, before int) {
	last, before = -1, -1
	for _, c := range reads {
		switch at := e.position[c]; {
		case at > last:
			last, before = at, last
		case at < last && at > before:
			before = at
		}
	}
	return last, before
}

// keep leaves the coordinate the values under which a rule that reads nothing
// else holds.
func (e *Enumerator) keep(c plan.Coord, r framework.Rule) {
	var left []int32
	for _, v := range e.live[c] {
		if e.set(c, v); r.Holds(e.Facts, &e.point) {
			left = append(left, v)
		}
	}
	e.live[c] = left
}

// set gives a coordinate its value. A degree is also the cumulative factor of
// the cluster's outermost level and of the levels it lacks.
func (e *Enumerator) set(c plan.Coord, v int32) {
	e.point[c] = v
	if c >= plan.Coord(plan.NumDims) {
		return
	}
	for l := e.levels - 1; l < plan.MaxLevels-1; l++ {
		e.point[plan.At(plan.Dim(c), l)] = v
	}
}

// hold reports whether the rules that are ready after loop i hold.
func (e *Enumerator) hold(i int) bool {
	for _, r := range e.checks[i] {
		if !r.Holds(e.Facts, &e.point) {
			return false
		}
	}
	return true
}
