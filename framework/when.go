package framework

import "meshplan/plan"

// When is the rule where a condition on the coordinates read besides holds;
// unless says why it is not asked elsewhere.
func When(r Rule, reads []plan.Coord, applies func(*plan.Point) bool, unless string) Rule {
	own := r
	r.Reads = append(append([]plan.Coord(nil), own.Reads...), reads...)
	r.Division, r.Used = nil, nil
	r.Holds = func(f *Facts, p *plan.Point) bool { return !applies(p) || own.Holds(f, p) }
	r.Text = func(f *Facts, p *plan.Point) string {
		if !applies(p) {
			return unless
		}
		return own.Text(f, p)
	}
	return r
}
