package plan

import (
	"fmt"
	"strconv"
)

// Format is a value of the coordinate as a plan's text has it: "8", "on",
// "full", "a2a".
func (c Coord) Format(v int32) string {
	switch {
	case c == SP:
		return onOff(v == 1)
	case c == RecomputeC && v >= 0 && v < int32(NumRecompute):
		return Recompute(v).String()
	case c == CPCommC && v >= 0 && v < int32(NumCPComm):
		return CPComm(v).String()
	case c == RecomputeSpare && v == SpareFitting:
		return fitting
	case c == ScheduleC:
		return ScheduleOf(v, 1).String()
	}
	return strconv.Itoa(int(v))
}

// ParseValue reads a value of the coordinate, as Format writes it.
func (c Coord) ParseValue(text string) (int32, error) {
	switch c {
	case SP:
		on, err := parseSwitch(c.String(), text)
		if on {
			return 1, err
		}
		return 0, err
	case Zero:
		n, err := parseZero(text)
		return int32(n), err
	case RecomputeC:
		r, err := parseRecompute(text)
		return int32(r), err
	case CPCommC:
		k, err := parseCPComm(text)
		return int32(k), err
	case ScheduleC:
		s, err := parseSchedule(text)
		if err == nil && s == Interleaved {
			return 0, fmt.Errorf("schedule=interleaved is 1f1b with vpp above 1; expected another, such as 1f1b or zb-h1, or a pin of vpp")
		}
		return s.Value(), err
	case RecomputeSpare:
		n, err := parseSpare(text)
		return int32(n), err
	case OptOffload, ActOffload:
		n, err := percent(c.String(), text)
		return int32(n), err
	}
	n, err := count(c.String(), text, MaxGPUs)
	return int32(n), err
}

// Words reports whether the coordinate's values are words rather than numbers.
func (c Coord) Words() bool { return c == SP || c == RecomputeC || c == CPCommC || c == ScheduleC }

// CoordNamed is the degree or option of that name.
func CoordNamed(name string) (c Coord, ok bool) {
	for c := range Coord(NumOptions) {
		if c.String() == name {
			return c, true
		}
	}
	return 0, false
}

// Rare reports whether most jobs leave the option at its default, 0.
func (c Coord) Rare() bool { return c >= CPCommC && c < firstPlace }
