package cluster

import (
	"fmt"

	"meshplan/plan"
	"meshplan/units"
)

// GPU is one kind of accelerator. Rates are per direction.
type GPU struct {
	Name               string
	Aliases            []string
	Vendor, Arch, Form string
	MemoryType         string
	Label              units.Bytes // memory on the label, GB read as 2^30 bytes
	Tool               units.Bytes // memory that nvidia-smi or rocm-smi prints; 0 when not known
	// Runtime is the memory that the runtime reports (cudaMemGetInfo's total)
	// to a process; its context and communicators still come out of it.
	Runtime units.Bytes
	HBM     units.BytesPerSecond // nominal memory bandwidth
	// Peak holds the dense peak rate of each precision: bf16, fp16, fp8, fp4,
	// tf32, fp32. A precision the GPU lacks is absent.
	Peak        map[plan.Precision]units.FLOPsPerSecond
	ScaleUp     string               // the link between GPUs of one domain, "NVLink4 x18"
	ScaleUpRate units.BytesPerSecond // its nominal rate
	P2P         units.BytesPerSecond // nominal rate of one pair of GPUs
	PCIeGen     int
	PCIe        units.BytesPerSecond // nominal rate of the host link
	Ring        units.BytesPerSecond // measured bus bandwidth over the GPUs of one node; 0 when not
	NICsPerNode int                  // usual number; 0 when not known
	NICRate     units.BytesPerSecond // nominal rate of one NIC
	TDP         float64              // watts
	PriceUSD    float64              // list price of a GPU-hour on demand; 0 when not known
	SpotUSD     float64              // the same for spot capacity
	PriceSource string
	// BestShape is the best bf16 GEMM that a search over shapes found; 0 when
	// not known.
	BestShape units.FLOPsPerSecond
	// GEMMLike and AttentionLike name the GPU whose curve is scaled to this one
	// for want of measured rows.
	GEMMLike, AttentionLike string
	Source, Notes           string
	Assumptions             []string // sentences about figures that no source gives
	Fits                    []string // sentences about the measured rows its curves are made of

	runtimeAssumed bool // Runtime was derived, not read

	gemm      [gemmFormats]*gemmModel
	attention *attentionModel
}

// PeakOf is the dense peak rate of the precision; 0 when the GPU lacks it.
func (g *GPU) PeakOf(p plan.Precision) units.FLOPsPerSecond { return g.Peak[p] }

// hbmEfficiency is what aiconfigurator assumes of element-wise kernels. A
// GEMM of one row moves its weight at 0.65 to 0.82 of the HBM rate on the
// GPUs of the catalogue's tables.
const hbmEfficiency = 0.8

// HBMEfficiency is the fraction of the HBM rate that element-wise kernels
// reach.
func (g *GPU) HBMEfficiency() float64 { return hbmEfficiency }

func (g *GPU) assume(format string, args ...any) {
	g.Assumptions = append(g.Assumptions, fmt.Sprintf(format, args...))
}
