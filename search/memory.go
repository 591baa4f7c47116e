package search

import (
	"meshplan/cost"
	"meshplan/units"
)

// memoryGroup says how much of the usable memory a plan may reserve.
type memoryGroup uint8

const (
	fits      memoryGroup = iota // leaves the profile's margin free
	runs                         // borderline plans too
	unlimited                    // whatever it needs
)

// limit is the most memory that a plan of the group may reserve.
func (g memoryGroup) limit(usable units.Bytes, margin float64) units.Bytes {
	switch g {
	case fits:
		return units.Bytes(float64(usable) * (1 - margin))
	case runs:
		return usable
	}
	return units.Bytes(inf)
}

// accepts reports whether a plan of the verdict belongs to the group.
func (g memoryGroup) accepts(v cost.Verdict) bool {
	switch g {
	case fits:
		return v == cost.Fits
	case runs:
		return v != cost.DoesNotFit
	}
	return true
}
