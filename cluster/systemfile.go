package cluster

import (
	"fmt"
	"math"

	"meshplan/units"
)

// systemFile is a system as the catalogue writes it.
type systemFile struct {
	Name             string      `toml:"name"`
	Aliases          []string    `toml:"aliases"`
	GPU              string      `toml:"gpu"`
	Inner            []levelFile `toml:"inner"`
	Leaf             int         `toml:"leaf"`
	Network          rate        `toml:"network"`
	NetworkLatencyUS float64     `toml:"network_latency_us"`
	GPUsPerNode      int         `toml:"gpus_per_node"`
	NICsPerNode      int         `toml:"nics_per_node"`
	HostMemory       size        `toml:"host_memory"`
	HostLink         rate        `toml:"host_link"`
	NVLS             rate        `toml:"nvls"`
	NVLSRanks        int         `toml:"nvls_ranks"`
	Collectives      string      `toml:"collectives"`
	Source           string      `toml:"source"`
	Assumptions      []string    `toml:"assumptions"`
}

func (f *systemFile) system(c *catalogue) (*System, error) {
	g := c.gpuByName[plain(f.GPU)]
	if g == nil {
		return nil, fmt.Errorf("system %s: unknown GPU %q", f.Name, f.GPU)
	}
	if f.Leaf < 1 || len(f.Inner) == 0 || f.Source == "" {
		return nil, fmt.Errorf("system %s: leaf, inner and source are required", f.Name)
	}
	if math.IsNaN(f.NetworkLatencyUS) || f.Network <= 0 {
		return nil, fmt.Errorf("system %s: network and network_latency_us must be numbers above 0", f.Name)
	}
	s := &System{
		Name: f.Name, Aliases: f.Aliases, GPU: g, Leaf: f.Leaf,
		Network: units.BytesPerSecond(f.Network), NetworkLatency: units.Seconds(f.NetworkLatencyUS * micro),
		GPUsPerNode: f.GPUsPerNode, NICsPerNode: f.NICsPerNode, HostMemory: units.Bytes(f.HostMemory),
		HostLink: units.BytesPerSecond(f.HostLink), NVLS: units.BytesPerSecond(f.NVLS), NVLSRanks: f.NVLSRanks,
		Collectives: f.Collectives, Source: f.Source, Assumptions: f.Assumptions,
	}
	var err error
	s.Inner, err = levels(f.Inner)
	return s, err
}
