package cluster

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"meshplan/strict"
)

// Change is a what-if: another value for one resource of a cluster. Resources
// are listed at With.
type Change struct {
	Resource string
	Value    string  // with its unit, "24GB/s"; "" where Factor counts
	Factor   float64 // times the present value
}

// Scale is the change of a resource to so many times its value.
func Scale(resource string, factor float64) Change { return Change{Resource: resource, Factor: factor} }

// String is the change as ParseChanges reads it.
func (c Change) String() string {
	if c.Value != "" {
		return c.Resource + "=" + c.Value
	}
	return c.Resource + "=" + strconv.FormatFloat(c.Factor, 'g', -1, 64) + "x"
}

// maxFactor is the largest relative change that is taken for one rather than a
// typing error.
const maxFactor = 1e6

// ParseChanges reads changes such as "nic=200G,hbm=141GB,flops=2x,nvlink=+10%".
// It refuses what is no change, a resource that is changed twice and a factor that
// is no number above 0. Whether a cluster has the resource, and a value its unit,
// With finds.
func ParseChanges(text string) ([]Change, error) {
	var list []Change
	for item := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(item, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%q: want RESOURCE=VALUE, such as nic=200G, hbm=141GB or flops=2x", strict.Clip(strings.TrimSpace(item), 60))
		}
		for _, c := range list {
			if c.Resource == name {
				return nil, fmt.Errorf("%s is set twice: to %s and to %s", strict.Clip(name, 40), strict.Clip(c.text(), 40), strict.Clip(value, 40))
			}
		}
		c := Change{Resource: name, Value: value}
		if factor, relative, err := parseFactor(value); err != nil {
			return nil, fmt.Errorf("%s=%s: %w", strict.Clip(name, 40), strict.Clip(value, 40), err)
		} else if relative {
			c = Scale(name, factor)
		}
		list = append(list, c)
	}
	return list, nil
}

// text is the new value as it was given.
func (c Change) text() string { return strings.TrimPrefix(c.String(), c.Resource+"=") }

// parseFactor reads "2x", "0.5x", "+10%" and "-10 %"; relative is false for
// anything else.
func parseFactor(text string) (factor float64, relative bool, err error) {
	number, times := strings.CutSuffix(text, "x")
	percent := false
	if !times {
		number, percent = strings.CutSuffix(text, "%")
	}
	if !times && !percent {
		return 0, false, nil
	}
	number = strings.TrimSpace(number)
	if percent && !strings.HasPrefix(number, "+") && !strings.HasPrefix(number, "-") {
		return 0, true, fmt.Errorf("a percentage wants its sign: +%s%% for more, -%s%% for less, or a factor such as 0.5x", strict.Clip(number, 20), strict.Clip(number, 20))
	}
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v = withoutNoise(1 + v/100)
	}
	switch {
	case err == nil && v > maxFactor:
		return 0, true, fmt.Errorf("want a factor above 0 and at most %.0e, such as 2x, 0.5x or +10%%; nearest: %.0ex", maxFactor, maxFactor)
	case err == nil && percent && v <= 0:
		return 0, true, fmt.Errorf("want more than -100%%: a factor above 0 and at most %.0e, such as 2x, 0.5x or +10%%", maxFactor)
	case err != nil || math.IsNaN(v) || v <= 0:
		return 0, true, fmt.Errorf("want a factor above 0 and at most %.0e, such as 2x, 0.5x or +10%%", maxFactor)
	}
	return v, true, nil
}

// withoutNoise is a number without the rounding that is beyond its tenth digit.
func withoutNoise(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil {
		return v
	}
	return short
}
