package search

import (
	"context"
	"fmt"
	"math"

	"meshplan/cluster"
	"meshplan/units"
)

// mostMemory is the largest memory of a GPU that is tried, in GiB.
const mostMemory = 1 << 16

// moreMemory finds the least memory of a GPU, in whole GiB, with which a plan
// fits. More memory never hurts, so that one GiB less is the proof.
func (s *session) moreMemory(reasons []Reason) finder {
	return func(ctx context.Context) (*change, error) {
		has := int(math.Floor(float64(s.facts.Cluster.GPU.Runtime) / float64(units.GiB)))
		low, high := has, max(has+1, min(s.likely(reasons), mostMemory))
		var best *change // with high
		for step := 1; best == nil; step *= 2 {
			c := s.withMemory(high)
			ok, err := c.helps(ctx, 0)
			switch {
			case err != nil || ctx.Err() != nil:
				return nil, err
			case ok:
				best = c
			case high >= mostMemory:
				return nil, nil
			default:
				low, high = high, min(high+step, mostMemory)
			}
		}
		for try := high - 1; high-low > 1; try = low + (high-low)/2 {
			c := s.withMemory(try)
			ok, err := c.helps(ctx, 0)
			switch {
			case err != nil || ctx.Err() != nil:
				return nil, err
			case ok:
				high, best = try, c
			default:
				low = try
			}
		}
		return best, nil
	}
}

// likely is the memory, in whole GiB, that the plan of least memory needs to fit.
func (s *session) likely(reasons []Reason) int {
	for _, r := range reasons {
		if peak, ok := r.Numbers["least_peak_bytes"]; ok && r.Rule == memoryRule {
			taken := float64(s.facts.Cluster.GPU.Runtime) - r.Numbers["usable_bytes"]
			return int(math.Ceil((peak/(1-s.price.Margin()) + taken) / float64(units.GiB)))
		}
	}
	return 0
}

// withMemory is the change to GPUs of so many GiB and otherwise equal.
func (s *session) withMemory(gib int) *change {
	on, gpu := *s.facts.Cluster, *s.facts.Cluster.GPU
	gpu.Runtime = units.Bytes(gib) * units.GiB
	on.GPU = &gpu
	text := fmt.Sprintf("GPUs with %d GiB instead of %.1f GiB", gib, float64(s.facts.Cluster.GPU.Runtime)/float64(units.GiB))
	if g := leastWith(gpu.Runtime, gpu.Vendor); g != nil {
		text += fmt.Sprintf("; %s has %.1f GiB", g.Name, float64(g.Runtime)/float64(units.GiB))
	} else {
		text += "; no such GPU of the catalogue has as much"
	}
	c := s.changed(ChangeMemory, fmt.Sprintf("gpu_memory=%dGiB", gib), text)
	c.problem.Facts.Cluster = &on
	return c
}

// leastWith is the vendor's GPU of the catalogue with the least memory that is at
// least as much; nil when there is none.
func leastWith(memory units.Bytes, vendor string) (least *cluster.GPU) {
	for _, g := range cluster.GPUs() {
		if g.Vendor == vendor && g.Runtime >= memory && (least == nil || g.Runtime < least.Runtime) {
			least = g
		}
	}
	return least
}
