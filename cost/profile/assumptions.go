package profile

import "fmt"

// Assumptions lists, as sentences, the constants that nobody printed or
// measured.
func (p *Profile) Assumptions() []string {
	var list []string
	for key, c := range p.constants() {
		if c.Assumed {
			list = append(list, fmt.Sprintf("profile %s assumes %s = %g: %s", p.Name, key, c.Value, c.Source))
		}
	}
	return list
}
