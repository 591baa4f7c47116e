package framework

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"meshplan/plan"
)

// Pin is a user's own constraint on a degree, an option, the data-parallel
// degree, the number of GPUs, or the level that a dimension must stay inside.
type Pin struct {
	// Name is "dp" or "gpus" for those two, and else the name of Coord; ""
	// stands for the name of Coord.
	Name  string
	Coord plan.Coord
	Op    string // "=", "<=", ">=" or "in"
	Value int32  // of the comparison
	Level string // of "in": a level's name, or "nvlink" for the innermost
	Text  string // as the user wrote it
}

// named are the values that the pins name for a coordinate. dp names values of
// both its parts.
func named(c plan.Coord, pins []Pin) []int32 {
	var values []int32
	for _, p := range pins {
		dp := p.Name == "dp" && (c == plan.Coord(plan.DPShard) || c == plan.Coord(plan.DPReplicate))
		own := p.compound() == "" && p.Coord == c
		if (p.Op == "=" || p.Op == ">=") && (dp || own) {
			values = append(values, p.Value)
		}
	}
	return values
}

// compound is "dp" or "gpus" for the pins that are not on one coordinate.
func (p *Pin) compound() string {
	if p.Name == "dp" || p.Name == "gpus" {
		return p.Name
	}
	return ""
}

func (p *Pin) name() string {
	if p.Name != "" {
		return p.Name
	}
	return p.Coord.String()
}

// With is the same pin with another value.
func (p Pin) With(value int32) Pin {
	p.Value, p.Text = value, ""
	return p
}

// String is the pin as the user wrote it.
func (p *Pin) String() string { return p.text() }

func (p *Pin) text() string {
	switch {
	case p.Text != "":
		return p.Text
	case p.Op == "in":
		return p.name() + " in " + p.Level
	case p.compound() == "":
		return p.name() + p.Op + p.Coord.Format(p.Value)
	}
	return p.name() + p.Op + strconv.Itoa(int(p.Value))
}

// ParsePins reads "tp=8,pp<=4, tp in nvlink, recompute=full, sp=on". The error
// names the pin and what was expected, or the two pins that contradict each
// other.
func ParsePins(text string) ([]Pin, error) {
	var pins []Pin
	for item := range strings.SplitSeq(text, ",") {
		item = strings.Join(strings.Fields(item), " ")
		if item == "" {
			continue
		}
		pin, err := parsePin(item)
		if err != nil {
			return nil, err
		}
		for _, other := range pins {
			if contradict(&other, &pin) {
				return nil, fmt.Errorf("pins %q and %q contradict each other", plan.Clip(other.text()), plan.Clip(pin.text()))
			}
		}
		pins = append(pins, pin)
	}
	return pins, nil
}

func parsePin(item string) (Pin, error) {
	name, op, value := cutOperator(item)
	fail := func(format string, args ...any) (Pin, error) {
		return Pin{}, fmt.Errorf("pin %q: "+format, append([]any{plan.Clip(item)}, args...)...)
	}
	switch {
	case op != "<=" && op != ">=" && strings.ContainsAny(item, "<>"):
		return fail("the comparisons are =, <= and >=, such as tp<=4")
	case op == "":
		return fail("expected for example tp=8, pp<=4, ep>=8 or tp in nvlink")
	}
	pin := Pin{Op: op, Text: item}
	if err := pin.setName(name); err != nil {
		return fail("%w", err)
	}
	_, _, dim := pin.Coord.Dim()
	if op == "in" {
		if !dim || pin.Name == "gpus" || value == "" {
			return fail("expected a dimension such as tp in the name of a level")
		}
		pin.Level = value
		return pin, nil
	}
	v, err := pinValue(pin.Coord, pin.Name, value)
	if err != nil {
		return fail("%w", err)
	}
	pin.Value = v
	return pin, nil
}

func cutOperator(item string) (name, op, value string) {
	for _, op := range []string{"<=", ">=", "=", " in "} {
		if name, value, ok := strings.Cut(item, op); ok {
			return strings.TrimSpace(name), strings.TrimSpace(op), strings.TrimSpace(value)
		}
	}
	return "", "", ""
}

// setName finds the coordinate, taking dashes and underscores as the same.
func (p *Pin) setName(name string) error {
	names := []string{"dp", "gpus"}
	for c := range plan.Coord(plan.NumOptions) {
		names = append(names, c.String())
	}
	text := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for i, n := range names {
		if text == strings.ReplaceAll(n, "_", "-") {
			p.Name = n
			if i >= 2 {
				p.Coord = plan.Coord(i - 2)
			}
			return nil
		}
	}
	return fmt.Errorf("unknown name %q%s", plan.Clip(name), plan.Suggest(name, names))
}

func pinValue(c plan.Coord, name, value string) (int32, error) {
	if name != "dp" && name != "gpus" {
		return c.ParseValue(value)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 1 || n > plan.MaxGPUs {
		return 0, fmt.Errorf("expected a whole number from 1 to %d", plan.MaxGPUs)
	}
	return int32(n), nil
}

// contradict reports whether no value satisfies both pins.
func contradict(a, b *Pin) bool {
	if a.Op == "in" || b.Op == "in" || a.name() != b.name() {
		return false
	}
	lo, hi := a.bounds()
	lo2, hi2 := b.bounds()
	return max(lo, lo2) > min(hi, hi2)
}

// PinnedGPUs are the least and the most GPUs that the pins allow a plan to use.
func PinnedGPUs(pins []Pin) (lo, hi int64) { return pinned(pins, "gpus") }

// pinned are the least and the most that the pins allow of a name.
func pinned(pins []Pin, name string) (lo, hi int64) {
	lo, hi = 1, math.MaxInt32
	for i := range pins {
		if p := &pins[i]; p.Op != "in" && p.name() == name {
			l, h := p.bounds()
			lo, hi = max(lo, int64(l)), min(hi, int64(h))
		}
	}
	return lo, hi
}

func (p *Pin) bounds() (lo, hi int32) {
	lo, hi = 0, 1<<30
	if p.Op != "<=" {
		lo = p.Value
	}
	if p.Op != ">=" {
		hi = p.Value
	}
	return lo, hi
}
