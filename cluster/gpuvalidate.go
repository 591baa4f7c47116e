package cluster

import (
	"math"

	"meshplan/plan"
	"meshplan/units"
)

// maxGPUMemory and maxRate bound the figures of a GPU; beyond them a unit was
// mistaken.
const (
	maxGPUMemory = 100 * units.TiB
	maxRate      = 1e18
)

// validate reports the first impossible figure.
func (g *GPU) validate() error {
	if g.Name == "" {
		return wrong("own_gpu.name", "a GPU needs a name")
	}
	for _, v := range []struct {
		what  string
		value float64
		most  float64
		least bool // must be above zero
	}{
		{"memory_gb", float64(g.Label), float64(maxGPUMemory), true},
		{"memory_mib_tool", float64(g.Tool), float64(maxGPUMemory), false},
		{"memory_mib_runtime", float64(g.Runtime), float64(maxGPUMemory), false},
		{"hbm_gbs", float64(g.HBM), maxRate, true},
		{"scale_up_gbs", float64(g.ScaleUpRate), maxRate, false},
		{"p2p_gbs", float64(g.P2P), maxRate, false},
		{"pcie_gbs", float64(g.PCIe), maxRate, false},
		{"ring_gbs", float64(g.Ring), maxRate, false},
		{"nic_gbps", float64(g.NICRate), maxRate, false},
		{"tdp_watts", g.TDP, 1e6, false},
		{"price_usd_hour", g.PriceUSD, 1e6, false},
		{"price_spot_usd_hour", g.SpotUSD, 1e6, false},
		{"best_shape_tflops", float64(g.BestShape), maxRate * 1e3, false},
	} {
		if v.least && v.value == 0 {
			return wrong("own_gpu."+v.what, "GPU %s: %s is missing", g.Name, v.what)
		}
		if !within(v.value, v.most, v.least) {
			return wrong("own_gpu."+v.what, "GPU %s: %s must be a finite number%s of a believable size", g.Name, v.what, map[bool]string{true: " above 0", false: " of at least 0"}[v.least])
		}
	}
	if g.PCIeGen < 0 {
		return wrong("own_gpu.pcie_gen", "GPU %s: pcie_gen = %d: want at least 0; nearest: 0", g.Name, g.PCIeGen)
	}
	if g.NICsPerNode < 0 {
		return wrong("own_gpu.nics_per_node", "GPU %s: nics_per_node = %d: want at least 0; nearest: 0", g.Name, g.NICsPerNode)
	}
	return g.validatePeaks()
}

func (g *GPU) validatePeaks() error {
	for _, p := range formatNames {
		if v, ok := g.Peak[p]; ok && !within(float64(v), maxRate*1e3, true) {
			return wrong("own_gpu.tflops."+string(p), "GPU %s: tflops.%s must be a finite number above 0", g.Name, p)
		}
	}
	if g.Peak[plan.BF16] == 0 && g.Peak[plan.FP16] == 0 {
		return wrong("own_gpu.tflops", "GPU %s: tflops needs bf16 or fp16", g.Name)
	}
	return nil
}

// within reports whether v is finite, not negative (or above zero) and at
// most `most`.
func within(v, most float64, aboveZero bool) bool {
	return !math.IsNaN(v) && v >= 0 && v <= most && (v > 0 || !aboveZero)
}
