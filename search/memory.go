package search

import (
	"meshplan/cost"
	"meshplan/units"
)

// memoryGroup says how much of the usable memory a plan may reserve.
type memoryGroup uint8

const (
	fits      memoryGroup = iota // leaves the profile's margin free
	runs                         // is not refused: borderline plans too
	unlimited                    // whatever it needs
)

// margins are shares of the usable memory: what a plan must leave free to fit, and
// by how much it must exceed it to be refused.
type margins struct{ fit, refuse float64 }

func marginsOf(p pricer) margins { return margins{p.Margin(), p.RefuseMargin()} }

// limit is the most memory that a plan of the group may reserve.
func (g memoryGroup) limit(usable units.Bytes, m margins) units.Bytes {
	switch g {
	case fits:
		return units.Bytes(float64(usable) * (1 - m.fit))
	case runs:
		return units.Bytes(float64(usable) * (1 + m.refuse))
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
