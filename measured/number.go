package measured

import (
	"math"
	"strconv"

	"meshplan/strict"
)

// maxWhole bounds the whole numbers of a table.
const maxWhole = 1_000_000_000

// whole reads a whole number from 1 up; a table program's "8.0" is 8. An empty
// cell is 0.
func whole(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) || v < 1 || v > maxWhole {
		return 0, false
	}
	return int(v), true
}

// whole is the cell as a whole number from 1 up, 0 where it is empty; a skip
// for the reason where it is anything else.
func (s *setup) whole(c setupColumn, reason Reason) (int, *skip) {
	n, ok := whole(s[c])
	if !ok {
		return 0, skipped(reason, "%s %q: want a whole number from 1 to %d", c, strict.Clip(s[c], 40), maxWhole)
	}
	return n, nil
}

// positive reads a number above 0; an empty cell is 0.
func (o *outcome) positive(c outcomeColumn) (float64, *skip) {
	if o[c] == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(o[c], 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return 0, skipped(NoOutcome, "%s %q: want a plain number above 0, without its unit", c, strict.Clip(o[c], 40))
	}
	return v, nil
}
