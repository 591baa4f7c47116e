package profile

import (
	"fmt"
	"strings"

	"meshplan/units"
)

// Assumption is a constant that nobody printed or measured.
type Assumption struct {
	Key  string // "time.step_seconds"
	Text string // a sentence about its value and where it comes from
}

// Assumptions lists the constants that nobody printed or measured.
func (p *Profile) Assumptions() []Assumption {
	var list []Assumption
	for key, c := range p.constants() {
		if c.Assumed {
			list = append(list, Assumption{key, fmt.Sprintf("profile %s assumes %s = %s: %s", p.Name, key, c.text(key), c.Source)})
		}
	}
	return list
}

// Around are the profile with half the value of a constant and with twice, as far
// as the constant may be that large.
func (p *Profile) Around(key string) [2]*Profile {
	half, twice := *p, *p
	half.constant(key).Value /= 2
	c := twice.constant(key)
	c.Value *= 2
	if l, narrower := limits[key]; narrower {
		c.Value = min(c.Value, l.most)
	}
	return [2]*Profile{&half, &twice}
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
