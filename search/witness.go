package search

import (
	"context"
	"slices"

	"meshplan/plan"
	"meshplan/solver"
)

// witness is a point that a member of a core alone forbids, for the sentence
// of that member.
type witness struct {
	point *plan.Point    // nil when none is known
	on    []solver.Group // the groups that allow it
}

// witness finds a point that the rest of the core allows, and with it as many
// pins of all the groups as can hold.
func (s *session) witness(ask func([]solver.Group) (solver.Status, solver.Model, error), g solver.Group, core, all []solver.Group) (witness, error) {
	on := slices.DeleteFunc(slices.Clone(core), func(other solver.Group) bool { return other == g })
	status, m, err := ask(on)
	if err != nil || status != solver.Sat {
		return witness{}, err
	}
	for _, pin := range all {
		if pin == g || s.space.RuleOf(pin).Pin == nil || slices.Contains(on, pin) {
			continue
		}
		with := append(slices.Clone(on), pin)
		status, next, err := ask(with)
		if err != nil {
			return witness{}, err
		}
		if status == solver.Sat {
			on, m = with, next
		}
	}
	p := s.space.Point(m)
	return witness{&p, on}, nil
}

// leastAt moves the witness of rules alone to the least values of the
// coordinates, one after the other.
func (s *session) leastAt(ctx context.Context, w *witness, coords []plan.Coord) error {
	if w.point == nil {
		return nil
	}
	var least []solver.Lit
	for _, c := range coords {
		x := s.space.Int(c)
		for _, v := range x.Values() {
			lits := append(slices.Clone(least), s.solver.Le(x, v))
			status, m, err := s.solver.SolveUnder(ctx, solver.Budget{}, lits, w.on...)
			if err != nil {
				return err
			}
			if status == solver.Sat {
				p := s.space.Point(m)
				w.point, least = &p, lits
				break
			}
		}
	}
	return nil
}
