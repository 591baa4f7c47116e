package cost

import (
	"slices"
	"strings"

	"meshplan/plan"
)

// Assumptions are sentences about the constants of the profile that nobody measured
// and that any of the plans, whose layer splits are set, depends on: its figures are
// others with half or with twice the constant. The margins are always among them,
// since they decide which plans fit; without plans all are.
func (m *Model) Assumptions(plans ...*plan.Plan) []string {
	var list []string
	for _, a := range m.profile.Assumptions() {
		depends := func(p *plan.Plan) bool { return m.dependsOn(a.Key, p) }
		if len(plans) == 0 || strings.HasSuffix(a.Key, "_margin") || slices.ContainsFunc(plans, depends) {
			list = append(list, a.Text)
		}
	}
	return list
}

// dependsOn reports whether the plan's figures change with a constant of the profile.
func (m *Model) dependsOn(key string, p *plan.Plan) bool {
	figures := m.Price(p)
	for _, q := range m.profile.Around(key) {
		if other, err := m.With(q); err != nil || other.Price(p) != figures {
			return true
		}
	}
	return false
}
