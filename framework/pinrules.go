package framework

import (
	"fmt"
	"strings"

	"meshplan/plan"
)

// PinRules turns the user's pins into rules, one each, named "pin/tp=8". A pin
// to a level that the cluster lacks never holds; CheckPins reports it first.
func PinRules(f *Facts, pins []Pin) []Rule {
	rules := make([]Rule, len(pins))
	for i, p := range pins {
		switch {
		case p.Op == "in":
			rules[i] = insideLevel(f, p)
		case p.Name == "gpus":
			rules[i] = gpusPin(p)
		case p.Name == "dp":
			rules[i] = valuePin(p, []plan.Coord{plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate)},
				func(pt *plan.Point) int64 { return int64(pt.DP()) })
		default:
			rules[i] = valuePin(p, []plan.Coord{p.Coord},
				func(pt *plan.Point) int64 { return int64(pt[p.Coord]) })
		}
		rules[i].ID, rules[i].Pin = "pin/"+p.text(), &p
	}
	return rules
}

// CheckPins reports a pin that names a level which the cluster lacks.
func CheckPins(f *Facts, pins []Pin) error {
	for _, p := range pins {
		if _, ok := levelNamed(f, p.Level); p.Op == "in" && !ok {
			return fmt.Errorf("pin %q: the cluster has no level %q; it has %s", plan.Clip(p.text()), plan.Clip(p.Level), levelNames(f))
		}
	}
	return nil
}

func (p *Pin) accepts(v int64) bool {
	switch p.Op {
	case "<=":
		return v <= int64(p.Value)
	case ">=":
		return v >= int64(p.Value)
	}
	return v == int64(p.Value)
}

func valuePin(p Pin, reads []plan.Coord, value func(*plan.Point) int64) Rule {
	return Rule{
		Reads: reads,
		Holds: func(_ *Facts, pt *plan.Point) bool { return p.accepts(value(pt)) },
		Text: func(_ *Facts, pt *plan.Point) string {
			return fmt.Sprintf("%s is pinned; %s is %d", p.text(), p.name(), value(pt))
		},
	}
}

func gpusPin(p Pin) Rule {
	r := valuePin(p, degreesOf(plan.DenseDims[:]), gpus)
	r.Used = func(used []int32) bool {
		n := int64(1)
		for _, u := range used {
			n *= int64(u)
		}
		return p.accepts(n)
	}
	return r
}

func insideLevel(f *Facts, p Pin) Rule {
	dims := []plan.Dim{plan.Dim(p.Coord)}
	if p.Name == "dp" {
		dims = []plan.Dim{plan.DPShard, plan.DPReplicate}
	}
	level, known := levelNamed(f, p.Level)
	r := Rule{
		Holds: func(_ *Facts, pt *plan.Point) bool {
			for _, d := range dims {
				if pt[plan.At(d, level)] != pt.Degree(d) {
					return false
				}
			}
			return known
		},
		Text: func(_ *Facts, pt *plan.Point) string {
			if !known {
				return fmt.Sprintf("%s is pinned; the cluster has no such level but %s", p.text(), levelNames(f))
			}
			var parts []string
			for _, d := range dims {
				parts = append(parts, fmt.Sprintf("%d of %s %d lie inside one domain", pt[plan.At(d, level)], d, pt.Degree(d)))
			}
			return p.text() + " is pinned; " + strings.Join(parts, ", ")
		},
	}
	for _, d := range dims {
		r.Reads = append(r.Reads, plan.Coord(d))
		if c := plan.At(d, level); level < len(f.Cluster.Levels)-1 {
			r.Reads = append(r.Reads, c)
		}
	}
	return r
}

// levelNamed finds a level by name; "nvlink" is the innermost under any name.
func levelNamed(f *Facts, name string) (level int, ok bool) {
	for l := range f.Cluster.Levels {
		if strings.EqualFold(f.Cluster.Levels[l].Name, name) {
			return l, true
		}
	}
	return 0, strings.EqualFold(name, "nvlink")
}

func levelNames(f *Facts) string {
	names := make([]string, len(f.Cluster.Levels))
	for l := range names {
		names[l] = f.Cluster.Levels[l].Name
	}
	return strings.Join(names, ", ")
}

func degreesOf(dims []plan.Dim) []plan.Coord {
	coords := make([]plan.Coord, len(dims))
	for i, d := range dims {
		coords[i] = plan.Coord(d)
	}
	return coords
}

// gpus is the number of GPUs of the dense grid.
func gpus(p *plan.Point) int64 {
	n := int64(1)
	for _, d := range plan.DenseDims {
		n *= int64(p.Degree(d))
	}
	return n
}
