package search

import (
	"context"
	"fmt"
	"math"

	"meshplan/cluster"
	"meshplan/units"
)

// mostMemory is the largest memory of a GPU that is tried, in GB on its label.
const mostMemory = 8192

// moreMemory finds the least memory of a GPU, in whole GB on its label, with which
// a plan fits. More memory never hurts, so that one GB less is the proof. It finds
// none for a GPU of which no other can be made.
func (s *session) moreMemory(reasons []Reason) finder {
	return func(ctx context.Context) (best *change, err error) {
		has := int(math.Floor(float64(s.facts.Cluster.GPU.Label) / float64(units.GiB)))
		low, high := has, max(has+1, min(s.likely(reasons), mostMemory))
		enough := func(gb int) bool {
			c, changed := s.withMemory(gb)
			if changed != nil {
				return false // there is no such GPU
			}
			ok, failed := c.helps(ctx, 0)
			if err = failed; ok {
				best = c
			}
			return ok
		}
		for step := 1; !enough(high); step *= 2 {
			if err != nil || ctx.Err() != nil || high >= mostMemory {
				return nil, err
			}
			low, high = high, min(high+step, mostMemory)
		}
		for try := high - 1; high-low > 1; try = low + (high-low)/2 {
			switch {
			case enough(try):
				high = try
			case err != nil || ctx.Err() != nil:
				return nil, err // whether less would do is not known
			default:
				low = try
			}
		}
		return best, nil
	}
}

// likely is the memory, in whole GB, that the plan of least memory needs to fit.
func (s *session) likely(reasons []Reason) int {
	for _, r := range reasons {
		if peak, ok := r.Numbers["least_peak_bytes"]; ok && r.Rule == memoryRule {
			taken := float64(s.facts.Cluster.GPU.Label) - r.Numbers["usable_bytes"]
			return int(math.Ceil((peak/(1-s.price.Margin()) + taken) / float64(units.GiB)))
		}
	}
	return 0
}

// withMemory is the change to GPUs of so many GB and otherwise equal.
func (s *session) withMemory(gb int) (*change, error) {
	to := cluster.Change{Resource: "hbm", Value: fmt.Sprintf("%dGB", gb)}
	on, _, err := s.facts.Cluster.With(s.peak, to)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("GPUs with %d GB instead of %.0f GB", gb, float64(s.facts.Cluster.GPU.Label)/float64(units.GiB))
	if g := leastWith(on.GPU.Label, on.GPU.Vendor); g != nil {
		text += fmt.Sprintf("; %s has %.0f GB", g.Name, float64(g.Label)/float64(units.GiB))
	} else {
		text += "; no such GPU of the catalogue has as much"
	}
	c := s.changed(ChangeMemory, to.String(), text)
	c.problem.Facts.Cluster = on
	return c, nil
}

// leastWith is the vendor's GPU of the catalogue with the least memory that is at
// least as much; nil when there is none.
func leastWith(memory units.Bytes, vendor string) (least *cluster.GPU) {
	for _, g := range cluster.GPUs() {
		if g.Vendor == vendor && g.Label >= memory && (least == nil || g.Label < least.Label) {
			least = g
		}
	}
	return least
}
