package cluster

import (
	"meshplan/plan"
	"meshplan/units"
)

// gpuFile is a GPU as the catalogue and the table own_gpu of a cluster file
// write it.
type gpuFile struct {
	Name          string     `toml:"name"`
	Aliases       []string   `toml:"aliases,omitempty"`
	Vendor        string     `toml:"vendor,omitempty"`
	Arch          string     `toml:"arch,omitempty"`
	Form          string     `toml:"form,omitempty"`
	MemoryGB      float64    `toml:"memory_gb,omitzero"`
	ToolMiB       float64    `toml:"memory_mib_tool,omitzero"`
	RuntimeMiB    float64    `toml:"memory_mib_runtime,omitzero"`
	MemoryType    string     `toml:"memory_type,omitempty"`
	HBM           float64    `toml:"hbm_gbs,omitzero"`
	TFLOPS        tflopsFile `toml:"tflops"`
	ScaleUp       string     `toml:"scale_up,omitempty"`
	ScaleUpRate   float64    `toml:"scale_up_gbs,omitzero"`
	P2P           float64    `toml:"p2p_gbs,omitzero"`
	PCIeGen       int        `toml:"pcie_gen,omitzero"`
	PCIe          float64    `toml:"pcie_gbs,omitzero"`
	Ring          float64    `toml:"ring_gbs,omitzero"`
	NICsPerNode   int        `toml:"nics_per_node,omitzero"`
	NICGbps       float64    `toml:"nic_gbps,omitzero"`
	TDP           float64    `toml:"tdp_watts,omitzero"`
	PriceUSD      float64    `toml:"price_usd_hour,omitzero"`
	SpotUSD       float64    `toml:"price_spot_usd_hour,omitzero"`
	PriceSource   string     `toml:"price_source,omitempty"`
	BestShape     float64    `toml:"best_shape_tflops,omitzero"`
	GEMMLike      string     `toml:"gemm_like,omitempty"`
	AttentionLike string     `toml:"attention_like,omitempty"`
	Source        string     `toml:"source,omitempty"`
	Notes         string     `toml:"notes,omitempty"`
}

// tflopsFile are the dense peaks in TFLOP/s; 0 where the GPU lacks the format.
type tflopsFile struct {
	BF16 float64 `toml:"bf16,omitzero"`
	FP16 float64 `toml:"fp16,omitzero"`
	FP8  float64 `toml:"fp8,omitzero"`
	FP4  float64 `toml:"fp4,omitzero"`
	TF32 float64 `toml:"tf32,omitzero"`
	FP32 float64 `toml:"fp32,omitzero"`
}

func (t *tflopsFile) values() [numFormats]*float64 {
	return [numFormats]*float64{bf16: &t.BF16, fp16: &t.FP16, fp8: &t.FP8, fp4: &t.FP4, tf32: &t.TF32, fp32: &t.FP32}
}

const (
	giga = 1e9
	tera = 1e12
	gbps = 1e9 / 8 // bytes per second of 1 Gb/s
)

// gpu turns figures into a GPU without its curves.
func (f *gpuFile) gpu() *GPU {
	g := &GPU{
		Name: f.Name, Aliases: f.Aliases, Vendor: f.Vendor, Arch: f.Arch, Form: f.Form,
		MemoryType: f.MemoryType,
		Label:      units.Bytes(f.MemoryGB) * units.GiB,
		Tool:       units.Bytes(f.ToolMiB) * units.MiB,
		Runtime:    units.Bytes(f.RuntimeMiB) * units.MiB,
		HBM:        units.BytesPerSecond(f.HBM * giga),
		Peak:       map[plan.Precision]units.FLOPsPerSecond{},
		ScaleUp:    f.ScaleUp, ScaleUpRate: units.BytesPerSecond(f.ScaleUpRate * giga),
		P2P: units.BytesPerSecond(f.P2P * giga), PCIeGen: f.PCIeGen, PCIe: units.BytesPerSecond(f.PCIe * giga),
		Ring: units.BytesPerSecond(f.Ring * giga), NICsPerNode: f.NICsPerNode,
		NICRate: units.BytesPerSecond(f.NICGbps * gbps), TDP: f.TDP,
		PriceUSD: f.PriceUSD, SpotUSD: f.SpotUSD, PriceSource: f.PriceSource,
		BestShape: units.FLOPsPerSecond(f.BestShape * tera),
		GEMMLike:  f.GEMMLike, AttentionLike: f.AttentionLike, Source: f.Source, Notes: f.Notes,
	}
	for i, v := range f.TFLOPS.values() {
		if *v != 0 {
			g.Peak[formatNames[i]] = units.FLOPsPerSecond(*v * tera)
		}
	}
	return g
}

// file is the inverse of gpu.
func (g *GPU) file() *gpuFile {
	f := &gpuFile{
		Name: g.Name, Aliases: g.Aliases, Vendor: g.Vendor, Arch: g.Arch, Form: g.Form,
		MemoryType: g.MemoryType,
		MemoryGB:   decimal(float64(g.Label), float64(units.GiB)),
		ToolMiB:    decimal(float64(g.Tool), float64(units.MiB)),
		RuntimeMiB: decimal(float64(g.Runtime), float64(units.MiB)),
		HBM:        decimal(float64(g.HBM), giga),
		ScaleUp:    g.ScaleUp, ScaleUpRate: decimal(float64(g.ScaleUpRate), giga),
		P2P: decimal(float64(g.P2P), giga), PCIeGen: g.PCIeGen, PCIe: decimal(float64(g.PCIe), giga),
		Ring: decimal(float64(g.Ring), giga), NICsPerNode: g.NICsPerNode,
		NICGbps: decimal(float64(g.NICRate), gbps), TDP: g.TDP,
		PriceUSD: g.PriceUSD, SpotUSD: g.SpotUSD, PriceSource: g.PriceSource,
		BestShape: decimal(float64(g.BestShape), tera),
		GEMMLike:  g.GEMMLike, AttentionLike: g.AttentionLike, Source: g.Source, Notes: g.Notes,
	}
	if g.runtimeAssumed {
		f.RuntimeMiB = 0
	}
	for i, v := range f.TFLOPS.values() {
		*v = decimal(float64(g.Peak[formatNames[i]]), tera)
	}
	return f
}
