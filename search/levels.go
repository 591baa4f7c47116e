package search

import (
	"fmt"
	"slices"

	"meshplan/framework"
	"meshplan/plan"
)

// maxTried limits the values tried to tell whether rules agree with each other.
const maxTried = 200_000

// levelsReason says what the levels of the cluster have to do with rules that
// leave no plan. It is none if the rules contradict each other anywhere; pins
// on GPUs and levels speak of the levels themselves.
func (j *job) levelsReason(rules []framework.Rule) (Reason, bool) {
	var pins []framework.Pin
	var anywhere []framework.Rule
	for _, r := range rules {
		if r.Pin != nil {
			pins = append(pins, *r.Pin)
		}
		if r.Pin == nil || r.Pin.Name != "gpus" && r.Pin.Op != "in" {
			anywhere = append(anywhere, r)
		}
	}
	agree, known := j.agree(anywhere)
	if known && !agree {
		return Reason{}, false
	}
	text, numbers := framework.Shortage(j.facts, j.domains, pins)
	if text == "" {
		if !known {
			return Reason{}, false
		}
		text = fmt.Sprintf("no degrees that satisfy this can be spread over %s", framework.Levels(j.facts))
		numbers = map[string]float64{"cluster_gpus": float64(j.facts.Cluster.GPUs())}
	}
	return Reason{Rule: gridRule, Text: text, Numbers: numbers}, true
}

// agree reports whether some values satisfy all the rules if no level of the
// cluster limits them; known is false when too many were tried.
func (j *job) agree(rules []framework.Rule) (ok, known bool) {
	t := &trial{job: j, left: maxTried}
	for c := range t.point {
		t.point[c] = j.domains.Values[c][0]
	}
	for _, r := range rules {
		for _, c := range r.Reads {
			if d, level, placed := c.Dim(); placed && level >= j.levels-1 {
				c = plan.Coord(d)
			}
			if !slices.Contains(t.coords, c) {
				t.coords = append(t.coords, c)
				t.ready = append(t.ready, nil)
			}
		}
		if n := len(t.coords); n > 0 {
			t.ready[n-1] = append(t.ready[n-1], r)
		}
	}
	return t.from(0), t.left > 0
}

// trial assigns values to coordinates one by one.
type trial struct {
	*job
	coords []plan.Coord
	ready  [][]framework.Rule // by coordinate: the rules that can be asked once it is set
	point  plan.Point
	left   int // values that may still be tried
}

// from reports whether the coordinates from the i-th on have values that keep
// the rules.
func (t *trial) from(i int) bool {
	if i == len(t.coords) {
		return true
	}
	for _, v := range t.domains.Values[t.coords[i]] {
		if t.left--; t.left <= 0 {
			return false
		}
		t.set(t.coords[i], v)
		broken := slices.ContainsFunc(t.ready[i], func(r framework.Rule) bool { return !r.Holds(t.facts, &t.point) })
		if !broken && t.from(i+1) {
			return true
		}
	}
	return false
}

// set sets a coordinate and, of a degree, the levels on which it is whole.
func (t *trial) set(c plan.Coord, v int32) {
	t.point[c] = v
	if c < plan.Coord(plan.NumDims) {
		for l := t.levels - 1; l < plan.MaxLevels; l++ {
			t.point[plan.At(plan.Dim(c), l)] = v
		}
	}
}
