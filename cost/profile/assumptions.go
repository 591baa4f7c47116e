package profile

import (
	"fmt"
	"strings"

	"meshplan/units"
)

// Assumptions lists, as sentences, the constants that nobody printed or
// measured.
func (p *Profile) Assumptions() []string {
	var list []string
	for key, c := range p.constants() {
		if c.Assumed {
			list = append(list, fmt.Sprintf("profile %s assumes %s = %s: %s", p.Name, key, c.text(key), c.Source))
		}
	}
	return list
}

// text prints the constant in the unit that its key names.
func (c Constant) text(key string) string {
	switch {
	case strings.HasSuffix(key, "_seconds"):
		return units.Seconds(c.Value).String()
	case strings.HasSuffix(key, "_bytes") && c.Value >= float64(units.KiB):
		return units.Bytes(c.Value).String()
	}
	return fmt.Sprintf("%g", c.Value)
}
