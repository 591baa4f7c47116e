package cluster

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Larger are clusters of the same make with more GPUs, rising, up to so many
// GPUs. What With changed of the cluster is changed of them, where it can be; rate is
// as for With. Of a system of the catalogue they are what its name stands for with more
// GPUs: whole nodes up to the innermost domain, then whole domains. Of a file
// they have more domains of the level below the outermost; one that is a single
// domain cannot grow, nor can an irregular cluster.
func (c *Cluster) Larger(rate PeakRate, most int) iter.Seq[*Cluster] {
	if c.changed != nil && c.Machines == nil {
		return c.changedLarger(rate, most)
	}
	if s := c.madeOf(); s != nil {
		return s.larger(c.GPUs(), most)
	}
	if c.Machines != nil {
		return func(func(*Cluster) bool) {}
	}
	return c.grown(most)
}

// changedLarger are the larger clusters of what the cluster was, changed alike.
func (c *Cluster) changedLarger(rate PeakRate, most int) iter.Seq[*Cluster] {
	return func(yield func(*Cluster) bool) {
		changes, err := ParseChanges(c.Changes())
		if err != nil {
			return
		}
		for base := range c.changed.base.Larger(rate, most) {
			if n, _, err := base.With(rate, changes...); err == nil && !yield(n) {
				return
			}
		}
	}
}

// madeOf is the system of the catalogue that the cluster's name stands for; nil
// if there is none or the cluster differs from it.
func (c *Cluster) madeOf() *System {
	name, _, _ := strings.Cut(c.Name, ":")
	s := known().system(name)
	if s == nil || s.GPU != c.GPU || c.Irregular() {
		return nil
	}
	same, err := s.Cluster(c.GPUs())
	if err != nil || !slices.Equal(same.Levels, c.Levels) || same.HostMemory != c.HostMemory || same.HostLink != c.HostLink || same.NVLS != c.NVLS {
		return nil
	}
	return s
}

func (s *System) larger(than, most int) iter.Seq[*Cluster] {
	return func(yield func(*Cluster) bool) {
		for n := s.after(than); n <= most; n = s.after(n) {
			if _, _, broken := s.levels(n); broken != "" {
				continue
			}
			if c, err := s.Cluster(n); err != nil || !yield(c) {
				return
			}
		}
	}
}

// after is the next number of GPUs up to a node, of whole nodes, or of whole boxes.
func (s *System) after(gpus int) int {
	box, step := s.Box(), s.GPUsPerNode
	if gpus < min(step, box) {
		return gpus + 1
	}
	if gpus >= box || step > box {
		step = box
	}
	next := gpus - gpus%step + step
	if gpus < box {
		return min(next, box)
	}
	return next
}

// Outermost is the outermost level of a cluster that Larger made of one that no name
// stands for, as the cluster's file has it: level number index of file, which is ""
// where Load did not read it. It is false for what a name stands for.
func (c *Cluster) Outermost() (file string, index int, l Level, ok bool) {
	if c.changed != nil {
		c = c.changed.base
	}
	index = len(c.Levels) - 1
	return c.file, index, c.Levels[index], c.more
}

// grown are the cluster with a larger outermost level.
func (c *Cluster) grown(most int) iter.Seq[*Cluster] {
	return func(yield func(*Cluster) bool) {
		last := len(c.Levels) - 1
		if last == 0 {
			return
		}
		domain := c.Domain(last - 1)
		for n := c.Levels[last].Size + 1; n*domain <= most; n++ {
			g := c.copied()
			g.Levels = slices.Clone(c.Levels)
			g.Levels[last].Size, g.more = n, true
			g.Name = fmt.Sprintf("%s with %d GPUs", c.Name, n*domain)
			if g.Validate() != nil || !yield(g) {
				return
			}
		}
	}
}
