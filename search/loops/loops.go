// Package loops enumerates the plans of a job with plain nested loops. It
// knows nothing of clauses: it is the oracle that the search is tested against
// and the rival that the benchmarks race.
//
//	e := loops.New(&loops.Problem{Facts: facts, Domains: domains, Rules: rules})
//	fmt.Println(e.Count())
package loops

import (
	"slices"

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
	RefuseMargin() float64
}

// Problem is the space that is enumerated and the prices in it.
type Problem struct {
	Facts      *framework.Facts
	Domains    *framework.Domains
	Rules      []framework.Rule
	StageRules []framework.StageRule
	Forms      []plan.SplitForm
	Price      Pricer // not needed to count or visit
	// First are the coordinates that Bounded decides first; it then goes on
	// with degrees, options, placement.
	First []plan.Coord
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

	*nest
	point  plan.Point              // values set so far
	void   bool                    // rules of one coordinate or none leave no point
	chosen [][]int32               // scratch of choices, one slice a loop
	live   [plan.NumCoords][]int32 // values left by rules of one coordinate
}

// nest is an order of the loops and at which of them each rule is asked.
type nest struct {
	order    []plan.Coord
	position [plan.NumCoords]int // of each coordinate in order
	checks   [][]framework.Rule  // rules that are ready once a loop is set
	filters  [][]filter          // rules that then have one open coordinate
}

// filter is a rule with one coordinate still open.
type filter struct {
	rule framework.Rule
	open plan.Coord
}

// New prepares the loops of a problem.
func New(p *Problem) *Enumerator {
	p = ownRule(p)
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
	for c := range e.live {
		e.live[c] = p.Domains.Values[c]
	}
	e.nest = e.arrange(nil)
	for _, r := range p.Rules {
		switch last, before := e.latest(r.Reads); {
		case last < 0:
			e.void = e.void || !r.Holds(p.Facts, &e.point)
		case before < 0:
			e.keep(e.order[last], r)
		}
	}
	e.chosen = make([][]int32, len(e.order))
	return e
}

// arrange is a nest of the coordinates given, outermost first, then the rest:
// degrees, options, placement level by level.
func (e *Enumerator) arrange(first []plan.Coord) *nest {
	n := &nest{}
	add := func(c plan.Coord) {
		if !slices.Contains(n.order, c) {
			n.order = append(n.order, c)
		}
	}
	for _, c := range first {
		if d, level, placed := c.Dim(); !placed || c == plan.Coord(d) || level < e.levels-1 {
			add(c)
		}
	}
	for c := range plan.Coord(plan.NumOptions) {
		add(c)
	}
	for l := 0; l < e.levels-1; l++ {
		for d := range plan.NumDims {
			add(plan.At(d, l))
		}
	}
	for i, c := range n.order {
		n.position[c] = i
	}
	for d := range plan.NumDims {
		for l := e.levels - 1; l < plan.MaxLevels; l++ {
			n.position[plan.At(d, l)] = n.position[d]
		}
	}
	n.schedule(e.Rules)
	return n
}

// schedule says at which loop each rule of two coordinates or more is asked.
func (n *nest) schedule(rules []framework.Rule) {
	n.checks = make([][]framework.Rule, len(n.order))
	n.filters = make([][]filter, len(n.order))
	for _, r := range rules {
		if last, before := n.latest(r.Reads); before >= 0 {
			n.checks[last] = append(n.checks[last], r)
			n.filters[before] = append(n.filters[before], filter{r, n.order[last]})
		}
	}
}

// latest are the positions of the last two different coordinates that a rule
// reads, -1 for none.
func (n *nest) latest(reads []plan.Coord) (last, before int) {
	last, before = -1, -1
	for _, c := range reads {
		switch at := n.position[c]; {
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
	e.void = e.void || len(left) == 0
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
