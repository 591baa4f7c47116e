package cluster

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/plan"
	"meshplan/strict"
	"meshplan/units"
)

// Bounds of the figures of a level; beyond them a unit was mistaken.
const (
	maxLatency          units.Seconds = 10
	maxOversubscription               = 1e6
	maxHostMemory                     = 1e6 * units.GiB
)

// Validate reports the first figure of the cluster that is impossible, with
// what was expected.
func (c *Cluster) Validate() error {
	if c.GPU == nil {
		return fmt.Errorf("cluster %s has no GPU", c.Name)
	}
	if err := c.validateNames(); err != nil {
		return err
	}
	if err := c.GPU.validate(); err != nil {
		return err
	}
	if err := c.validateLevels(); err != nil {
		return err
	}
	switch {
	case c.GPUsPerNode < 1 || c.GPUsPerNode > c.GPUs():
		return fmt.Errorf("gpus_per_node = %d: want 1 to %d, the cluster's GPUs", c.GPUsPerNode, c.GPUs())
	case c.NICsPerNode < 0 || c.NICsPerNode > 1000:
		return fmt.Errorf("nics_per_node = %d: want 0 to 1000", c.NICsPerNode)
	case !within(float64(c.HostMemory), float64(maxHostMemory), false):
		return fmt.Errorf("host_memory = %s: want 0 to %s", c.HostMemory, maxHostMemory)
	case !within(float64(c.HostLink), maxRate, false):
		return fmt.Errorf("host_link = %s: want a rate of at least 0", c.HostLink)
	case !within(float64(c.NVLS), maxRate, false):
		return fmt.Errorf("nvls = %s: want a rate of at least 0", c.NVLS)
	case c.NVLS > 0 && c.NVLSRanks < 2:
		return fmt.Errorf("nvls_ranks = %d: want the fewest ranks that use nvls, at least 2", c.NVLSRanks)
	case c.NVLS == 0 && c.NVLSRanks != 0:
		return fmt.Errorf("nvls_ranks = %d without nvls", c.NVLSRanks)
	}
	return c.validateCollectives()
}

// validateNames wants names and sentences that can be printed.
func (c *Cluster) validateNames() error {
	names := append([]string{c.Name, c.GPU.Name}, c.Aliases...)
	names = append(names, c.GPU.Aliases...)
	for _, l := range c.Levels {
		names = append(names, l.Name)
	}
	for _, name := range append(names, c.Assumptions...) {
		if err := strict.Printable(name); err != nil {
			return fmt.Errorf("the text %q %w", strict.Clip(name, 60), err)
		}
	}
	return nil
}

func (c *Cluster) validateLevels() error {
	if len(c.Levels) == 0 || len(c.Levels) > plan.MaxLevels {
		return fmt.Errorf("%d levels: want 1 to %d, innermost first", len(c.Levels), plan.MaxLevels)
	}
	gpus := 1
	for i, l := range c.Levels {
		where := fmt.Sprintf("level %d (%s)", i+1, strict.Clip(l.Name, 40))
		switch {
		case l.Name == "":
			return fmt.Errorf("%s needs a name", where)
		case l.Size < 1 || l.Size > MaxGPUs/gpus:
			return fmt.Errorf("%s: size = %d: want at least 1 and at most %d GPUs in all", where, l.Size, MaxGPUs)
		case !within(float64(l.Bandwidth), maxRate, true):
			return fmt.Errorf("%s: bandwidth = %s: want a rate above 0 and at most %s", where, l.Bandwidth, units.BytesPerSecond(maxRate))
		case !within(float64(l.Latency), float64(maxLatency), false):
			return fmt.Errorf("%s: latency_us = %g: want 0 to %g", where, float64(l.Latency)/micro, float64(maxLatency)/micro)
		case !within(l.Oversubscription, maxOversubscription, true) || l.Oversubscription < 1:
			return fmt.Errorf("%s: oversubscription = %g: want 1 to %g", where, l.Oversubscription, float64(maxOversubscription))
		case l.Mesh && i > 0:
			return fmt.Errorf("%s: mesh = true: only the innermost level can be a mesh", where)
		case l.Mesh && l.Size < 2:
			return fmt.Errorf("%s: mesh = true: a mesh needs a size of at least 2, not %d", where, l.Size)
		}
		for _, below := range c.Levels[:i] {
			if below.Name == l.Name {
				return fmt.Errorf("%s: two levels have that name", where)
			}
		}
		gpus *= l.Size
	}
	return nil
}

// validateCollectives wants a table that exists.
func (c *Cluster) validateCollectives() error {
	names := collectiveTables()
	if c.Collectives == "" || slices.Contains(names, c.Collectives) {
		return nil
	}
	return fmt.Errorf("collectives = %q: no such table of measurements; there are %s", strict.Clip(c.Collectives, 60), strings.Join(names, ", "))
}
