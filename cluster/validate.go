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
	maxNICs                           = 1000
)

// Validate reports the first figure of the cluster that is impossible, with
// what was expected and the nearest that is possible.
func (c *Cluster) Validate() error {
	if c.GPU == nil {
		return fmt.Errorf("cluster %s has no GPU", c.Name)
	}
	for _, check := range []func() error{c.validateNames, c.GPU.validate, c.validateLevels, c.validateFigures, c.validateNVLS} {
		if err := check(); err != nil {
			return err
		}
	}
	return c.validateCollectives()
}

// validateFigures checks what the cluster has beside its levels.
func (c *Cluster) validateFigures() error {
	switch gpus := c.GPUs(); {
	case c.GPUsPerNode < 1 || c.GPUsPerNode > gpus:
		return wrong("gpus_per_node", "gpus_per_node = %d: want 1 to %d, the cluster's GPUs; nearest: %d", c.GPUsPerNode, gpus, clamp(c.GPUsPerNode, 1, gpus))
	case c.NICsPerNode < 0 || c.NICsPerNode > maxNICs:
		return wrong("nics_per_node", "nics_per_node = %d: want 1 to %d, or no such key where it is not known; nearest: %d",
			c.NICsPerNode, maxNICs, clamp(c.NICsPerNode, 1, maxNICs))
	case !within(float64(c.HostMemory), float64(maxHostMemory), false):
		return wrong("host_memory", "host_memory = %s: want 0 to %s%s", c.HostMemory, maxHostMemory, nearest(c.HostMemory, 0, maxHostMemory))
	case !within(float64(c.HostLink), maxRate, false):
		return wrong("host_link", "host_link = %s: want a rate of at least 0%s", c.HostLink, nearest(c.HostLink, 0, maxRate))
	}
	return nil
}

// validateNVLS checks the sums in the switch and the ranks that use them.
func (c *Cluster) validateNVLS() error {
	switch {
	case !within(float64(c.NVLS), maxRate, false):
		return wrong("nvls", "nvls = %s: want a rate of at least 0%s", c.NVLS, nearest(c.NVLS, 0, maxRate))
	case c.NVLS > 0 && c.NVLSRanks < 2:
		return wrong("nvls_ranks", "nvls_ranks = %d: want the fewest ranks that use nvls, at least 2; nearest: 2", c.NVLSRanks)
	case c.NVLS == 0 && c.NVLSRanks != 0:
		return wrong("nvls_ranks", "nvls_ranks = %d without nvls: want both or neither", c.NVLSRanks)
	}
	return nil
}

// validateNames wants names and sentences that can be printed.
func (c *Cluster) validateNames() error {
	type text struct{ key, text string }
	texts := []text{{"name", c.Name}, {"own_gpu.name", c.GPU.Name}}
	add := func(key string, list []string) {
		for _, t := range list {
			texts = append(texts, text{key, t})
		}
	}
	add("aliases", c.Aliases)
	add("own_gpu.aliases", c.GPU.Aliases)
	for i, l := range c.Levels {
		texts = append(texts, text{levelKey(i, "name"), l.Name})
	}
	add("assumptions", c.Assumptions)
	for _, t := range texts {
		if err := strict.Printable(t.text); err != nil {
			return wrong(t.key, "the text %q %v", strict.Clip(t.text, 60), err)
		}
	}
	return nil
}

func (c *Cluster) validateLevels() error {
	if len(c.Levels) == 0 || len(c.Levels) > plan.MaxLevels {
		return wrong(levelKey(plan.MaxLevels, ""), "%d levels: want 1 to %d, innermost first", len(c.Levels), plan.MaxLevels)
	}
	gpus := 1
	for i := range c.Levels {
		if err := c.validateLevel(i, MaxGPUs/gpus); err != nil {
			return err
		}
		gpus *= c.Levels[i].Size
	}
	return nil
}

// validateLevel checks one level, of which there is room for that many
// domains of the level below.
func (c *Cluster) validateLevel(i, most int) error {
	l := &c.Levels[i]
	bad := func(key, format string, args ...any) error {
		return wrong(levelKey(i, key), "level %d (%s)"+format, append([]any{i + 1, strict.Clip(l.Name, 40)}, args...)...)
	}
	switch {
	case l.Name == "":
		return bad("name", " needs a name")
	case l.Size < 1 || l.Size > most:
		return bad("size", ": size = %d: want at least 1 and at most %d GPUs in all; nearest: %d", l.Size, MaxGPUs, clamp(l.Size, 1, most))
	case !within(float64(l.Bandwidth), maxRate, true):
		return bad("bandwidth", ": bandwidth = %s: want a rate above 0 and at most %s, such as 400Gb/s", l.Bandwidth, units.BytesPerSecond(maxRate))
	case !within(float64(l.Latency), float64(maxLatency), false):
		us, mostUS := float64(l.Latency)/micro, float64(maxLatency)/micro
		return bad("latency_us", ": latency_us = %g: want 0 to %g%s", us, mostUS, nearest(us, 0, mostUS))
	case !within(l.Oversubscription, maxOversubscription, true) || l.Oversubscription < 1:
		return bad("oversubscription", ": oversubscription = %g: want 1 to %g%s",
			l.Oversubscription, float64(maxOversubscription), nearest(l.Oversubscription, 1, maxOversubscription))
	case l.Mesh && i > 0:
		return bad("mesh", ": mesh = true: only the innermost level can be a mesh")
	case l.Mesh && l.Size < 2:
		return bad("size", ": mesh = true: a mesh needs a size of at least 2, not %d", l.Size)
	case slices.ContainsFunc(c.Levels[:i], func(below Level) bool { return below.Name == l.Name }):
		return bad("name", ": two levels have that name")
	}
	return nil
}

// validateCollectives wants a table that exists.
func (c *Cluster) validateCollectives() error {
	names := collectiveTables()
	if c.Collectives == "" || slices.Contains(names, c.Collectives) {
		return nil
	}
	return wrong("collectives", "collectives = %q: no such table of measurements; there are %s%s", strict.Clip(c.Collectives, 60), strings.Join(names, ", "),
		nearestName(c.Collectives, names))
}
