package cluster

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"meshplan/plan"
	"meshplan/units"
)

// gpuTable is the list of accelerators that the catalogue was made from.
func gpuTable(t *testing.T) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open("testdata/gpus.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, column := range all[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestEveryGPUOfTheTableIsInTheCatalogueWithItsFigures(t *testing.T) {
	for _, row := range gpuTable(t) {
		if row["vendor"] == "Google" {
			continue
		}
		g, err := FindGPU(row["name"])
		if err != nil {
			t.Error(err)
			continue
		}
		for column, got := range map[string]float64{
			"mem_gb":                  float64(g.Label / units.GiB),
			"mem_mib_smi":             float64(g.Tool / units.MiB),
			"mem_mib_cuda":            float64(g.Runtime / units.MiB),
			"mem_bw_gbs":              float64(g.HBM) / 1e9,
			"fp32_tflops":             float64(g.PeakOf("fp32")) / 1e12,
			"tf32_dense":              float64(g.PeakOf("tf32")) / 1e12,
			"bf16_dense":              float64(g.PeakOf(plan.BF16)) / 1e12,
			"fp16_dense":              float64(g.PeakOf(plan.FP16)) / 1e12,
			"fp8_dense":               float64(g.PeakOf("fp8")) / 1e12,
			"fp4_dense":               float64(g.PeakOf("fp4")) / 1e12,
			"scaleup_uni_gbs":         float64(g.ScaleUpRate) / 1e9,
			"p2p_uni_gbs":             float64(g.P2P) / 1e9,
			"pcie_gen":                float64(g.PCIeGen),
			"pcie_uni_gbs":            float64(g.PCIe) / 1e9,
			"nic_per_node":            float64(g.NICsPerNode),
			"nic_gbps":                float64(g.NICRate) * 8 / 1e9,
			"tdp_w":                   g.TDP,
			"price_ondemand_usd_h":    g.PriceUSD,
			"price_spot_usd_h":        g.SpotUSD,
			"measured_ring_busbw_gbs": float64(g.Ring) / 1e9,
			"mamf_bf16":               float64(g.BestShape) / 1e12,
		} {
			if row[column] == "" {
				continue
			}
			want, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: %s is %g, want %g", g.Name, column, got, want)
			}
		}
		if g.Vendor != row["vendor"] || g.Arch != row["arch"] || g.Source == "" {
			t.Errorf("%s: vendor %q, arch %q, source %q", g.Name, g.Vendor, g.Arch, g.Source)
		}
	}
}

func TestFindGPUTakesTheSpellingsOfMeasuredRuns(t *testing.T) {
	for spelling, want := range map[string]string{
		"A100": "A100-SXM-80GB", "A100 80GB": "A100-SXM-80GB", "A100-SXM4-40GB": "A100-SXM-40GB", "A100 40GB": "A100-SXM-40GB",
		"NVIDIA H100 80GB HBM3": "H100-SXM", "H100-96GB(HBM2e,500W)": "H100-SXM-96GB", "H100 96GB HBM2e": "H100-SXM-96GB", "H100-80G": "H100-SXM", "h200": "H200-SXM", "B200": "B200-SXM",
		"A800": "A800-80GB", "RTX4090": "RTX-4090", "RTX A6000": "RTX-A6000", "A6000": "RTX-A6000",
		"V100-32GB(DGX-2)": "V100-32GB", "Tesla V100-SXM2-16GB": "V100-16GB",
		"RTX PRO 6000 Blackwell Server": "RTX-PRO-6000-Blackwell-Server", "AMD Instinct MI300X": "MI300X", "NVIDIA GeForce RTX 3090": "RTX-3090",
	} {
		if g, err := FindGPU(spelling); err != nil || g.Name != want {
			t.Errorf("%q finds %v, %v; want %s", spelling, g, err, want)
		}
	}
}

func TestAnUnknownGPUIsNamedWithItsNearest(t *testing.T) {
	_, err := FindGPU("H10O-SXM")
	if err == nil || !strings.Contains(err.Error(), `unknown GPU "H10O-SXM"; nearest: H100-SXM`) {
		t.Error(err)
	}
}

func TestRuntimeMemoryIsMeasuredOrListedAsAnAssumption(t *testing.T) {
	for _, g := range GPUs() {
		share := float64(g.Runtime / g.Label)
		if share < 0.9 || share > 1 {
			t.Errorf("%s: the runtime reports %.3f of the label", g.Name, share)
		}
		if listed := strings.Contains(strings.Join(g.Assumptions, "\n"), "memory that the runtime reports"); listed != g.runtimeAssumed {
			t.Errorf("%s: derived %v, listed %v", g.Name, g.runtimeAssumed, listed)
		}
	}
}

func TestAssumedMemoryIsTheMeanShareOfTheVendorsGPUs(t *testing.T) {
	var sum, n float64
	for _, g := range GPUs() {
		if g.Vendor == "NVIDIA" && !g.runtimeAssumed && strings.HasPrefix(g.MemoryType, "HBM") {
			sum, n = sum+float64(g.Runtime/g.Label), n+1
		}
	}
	h800, err := FindGPU("H800")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := float64(h800.Runtime), sum/n*float64(h800.Label); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestEveryGPUHasASystemExceptTheWholeMI250X(t *testing.T) {
	for _, g := range GPUs() {
		if (SystemOf(g) == nil) != (g.Name == "MI250X") {
			t.Errorf("%s: system %v", g.Name, SystemOf(g))
		}
	}
}
