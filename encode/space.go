// Package encode states a planning problem to the solver: the grids of degrees
// and placement as prime exponents, the coordinates of a plan as integers, and
// each rule as clauses under a selector of its own. It translates the solver's
// answers back into points and boxes.
//
//	space, err := encode.New(facts, rules, framework.NewDomains(facts, fw, nil))
//	status, model, err := space.Session().Solve(ctx, solver.Budget{}, space.Groups()...)
//	point := space.Point(model)
package encode

import (
	"fmt"

	"meshplan/framework"
	"meshplan/plan"
	"meshplan/solver"
)

// Space is one problem in the solver's terms.
type Space struct {
	facts   *framework.Facts
	domains *framework.Domains
	session *solver.Session
	levels  int
	ints    [plan.NumCoords]solver.Int
	used    []solver.Int // GPUs or sub-domains used, by level
	open    []variable   // coordinates of more than one value
	fixed   plan.Box     // the others' values
	// exponents of primes in degrees, and in options once a rule asks for them
	exponents map[power]solver.Int
	groups    []solver.Group
	ruleOf    map[solver.Group]framework.Rule
	leftover  []framework.Rule
}

// variable is an integer and the coordinates that it stands for: more than one
// where the cluster has fewer levels than a placement can describe.
type variable struct {
	x      solver.Int
	coord  plan.Coord // in the order of comparison, the first
	coords []plan.Coord
}

// New states the rules over the domains. The error names a coordinate without
// values, or a cluster of too many levels.
func New(f *framework.Facts, rules []framework.Rule, d *framework.Domains) (*Space, error) {
	levels := len(f.Cluster.Levels)
	if levels < 1 || levels > plan.MaxLevels {
		return nil, fmt.Errorf("the cluster has %d levels; a placement describes 1 to %d", levels, plan.MaxLevels)
	}
	s := &Space{
		facts: f, domains: d, session: solver.New(), levels: levels,
		ruleOf: make(map[solver.Group]framework.Rule, len(rules)),
	}
	for c := range plan.Coord(plan.NumCoords) {
		if len(d.Values[c]) == 0 {
			return nil, fmt.Errorf("no value of %s is possible on this cluster", c)
		}
	}
	s.coordinates()
	s.grids()
	for _, r := range rules {
		s.rule(r)
	}
	return s, nil
}

// coordinates makes an integer of each coordinate, in coordinate order.
func (s *Space) coordinates() {
	for c := range plan.Coord(plan.NumCoords) {
		if d, level, ok := c.Dim(); ok && c != plan.Coord(d) && level >= s.levels-1 {
			s.ints[c] = s.ints[plan.Coord(d)]
			continue
		}
		values := s.domains.Values[c]
		s.ints[c] = s.session.Int(c.String(), values)
		s.fixed[c] = plan.Range{Lo: values[0], Hi: values[0]}
		if len(values) > 1 {
			s.open = append(s.open, variable{x: s.ints[c], coord: c, coords: s.same(c)})
		}
	}
	for d := range plan.NumDims {
		for l := s.levels - 1; l < plan.MaxLevels; l++ {
			s.fixed[plan.At(d, l)] = s.fixed[plan.Coord(d)]
		}
	}
}

// same are the coordinates that the integer of c stands for.
func (s *Space) same(c plan.Coord) []plan.Coord {
	d, _, ok := c.Dim()
	if !ok || c != plan.Coord(d) {
		return []plan.Coord{c}
	}
	coords := []plan.Coord{c}
	for l := s.levels - 1; l < plan.MaxLevels-1; l++ {
		coords = append(coords, plan.At(d, l))
	}
	return coords
}

// Session is the solver session that holds the problem.
func (s *Space) Session() *solver.Session { return s.session }

// Groups are the rules' selectors, one a rule, in the order of the rules.
func (s *Space) Groups() []solver.Group { return s.groups }

// RuleOf is the rule that a selector stands for; one without ID if the
// selector is not of a rule of the space.
func (s *Space) RuleOf(g solver.Group) framework.Rule { return s.ruleOf[g] }

// Leftover are the rules whose tables are too large for clauses: they must be
// asked of a point once the coordinates that they read are single.
func (s *Space) Leftover() []framework.Rule { return s.leftover }

// Int is the integer of a coordinate.
func (s *Space) Int(c plan.Coord) solver.Int { return s.ints[c] }

// Used is the number of sub-domains (GPUs, on level 0) used in each domain of
// the level.
func (s *Space) Used(level int) solver.Int { return s.used[level] }

// Order is the coordinates that have a choice, in the order to decide them:
// degrees, options, placement. The values of all others follow.
func (s *Space) Order() []plan.Coord {
	order := make([]plan.Coord, len(s.open))
	for i, v := range s.open {
		order[i] = v.coord
	}
	return order
}

// RawCombinations is the product of the numbers of values of every degree and
// option, without regard to rules, sizes or placement.
func (s *Space) RawCombinations() float64 {
	n := 1.0
	for c := range plan.Coord(plan.NumOptions) {
		n *= float64(len(s.domains.Values[c]))
	}
	return n
}
