package framework

import "meshplan/plan"

// Stated is a rule whose sentence says what is given and, where the rule does
// not hold, what it needs.
type Stated struct {
	Reads []plan.Coord
	Holds func(*Facts, *plan.Point) bool
	Given func(*Facts, *plan.Point) string // "zero 3 with pp 2"
	Needs string                           // "a pipeline needs zero 1 or below"
}

// Rule is the rule under an id.
func (s Stated) Rule(id string) Rule {
	return Rule{
		ID: id, Reads: s.Reads, Holds: s.Holds,
		Text: func(f *Facts, p *plan.Point) string {
			if s.Holds(f, p) {
				return s.Given(f, p)
			}
			return s.Given(f, p) + "; " + s.Needs
		},
	}
}
