package cluster

import (
	"math"
	"slices"
	"testing"

	"meshplan/plan"
)

func TestMachinesHaveTheseLevels(t *testing.T) {
	for _, c := range []struct {
		spec  string
		sizes []int
		rates []float64 // GB/s
		nodes int
	}{
		{"gb200-nvl72:288", []int{72, 4}, []float64{722, 48.5}, 72},
		{"gb300-nvl72:1152", []int{72, 8, 2}, []float64{722, 97, 97}, 288},
		{"gb200-nvl64:128", []int{64, 2}, []float64{722, 48.5}, 32},
		{"gb300-nvl72-64:1024", []int{64, 8, 2}, []float64{722, 97, 97}, 256},
		{"a100-4gpu:16", []int{4, 4}, []float64{240, 23.5}, 4},
		{"redstone:2", []int{2}, []float64{80}, 1},
		{"gh200:256", []int{4, 32, 2}, []float64{371, 23.5, 23.5}, 64},
		{"jupiter:1920", []int{4, 240, 2}, []float64{371, 23.5, 23.5}, 480},
		{"perlmutter:1024", []int{4, 128, 2}, []float64{240, 23.5, 23.5}, 256},
		{"a100-pcie-bridged:16", []int{2, 4, 2}, []float64{208, 20, 5.9}, 2},
		{"h100-pcie-bridged:4", []int{2, 2}, []float64{116, 24.7}, 1},
		{"rtx-3090-nvlink:8", []int{2, 4}, []float64{48, 12.2}, 1},
		{"rtx-4090:16", []int{8, 2}, []float64{12.2, 1.5}, 2},
		{"mi250x:16", []int{2, 4, 2}, []float64{149, 37, 11.75}, 2},
		{"Frontier:8", []int{2, 4}, []float64{149, 37}, 1},
		{"mi355x:4", []int{4}, []float64{407 * 3. / 7}, 1},
		{"p4d:64", []int{8, 8}, []float64{240, 6}, 8},
		{"p5.48xlarge:256", []int{8, 32}, []float64{371, 48}, 32},
		{"a2-megagpu-16g:32", []int{16, 2}, []float64{240, 0.75}, 2},
		{"a3-mega:16", []int{8, 2}, []float64{371, 23.5}, 2},
		{"Standard_ND96isr_H100_v5:16", []int{8, 2}, []float64{371, 48.5}, 2},
		{"BM.GPU.H100.8:16", []int{8, 2}, []float64{371, 47}, 2},
		{"nc-a100-v4:8", []int{2, 2, 2}, []float64{208, 20, 2.4}, 2},
	} {
		cl := find(t, c.spec)
		if got := sizes(cl); !slices.Equal(got, c.sizes) || cl.Nodes() != c.nodes {
			t.Errorf("%s: levels %v on %d nodes, want %v on %d", c.spec, got, cl.Nodes(), c.sizes, c.nodes)
			continue
		}
		for i, l := range cl.Levels {
			if math.Abs(float64(l.Bandwidth)/1e9/c.rates[i]-1) > 1e-9 {
				t.Errorf("%s: %s has %v, want %g GB/s", c.spec, l.Name, l.Bandwidth, c.rates[i])
			}
		}
	}
}

func TestARackOf64HasNoPlaceFor72(t *testing.T) {
	for _, spec := range []string{"gb200-nvl64:72", "gb300-nvl64:144"} {
		if c, err := Find(spec); err == nil {
			t.Errorf("%s: levels %v", spec, c.Levels)
		}
	}
}

func TestAGPUsNameStandsForOneSystem(t *testing.T) {
	for name, want := range map[string]string{
		"NVIDIA H100 80GB HBM3": "h100", "H100-SXM5-80GB": "h100", "A100": "a100", "A100-SXM4-40GB": "a100-40gb",
		"A100-PCIe": "a100-pcie", "H100-PCIe": "h100-pcie", "H200-141GB": "h200", "H20-96GB": "h20", "H800-80GB": "h800",
		"B200-192GB": "b200", "B300-288GB": "b300", "GB200": "gb200-nvl72", "GB300": "gb300-nvl72", "GH200": "gh200",
		"GH200-480GB": "gh200", "GH200-144G": "gh200-144gb", "MI250X-64GB": "mi250x", "AMD Instinct MI300X": "mi300x",
		"MI325X-256GB": "mi325x", "MI355X-288GB": "mi355x", "HL-325L": "gaudi3", "L4-24GB": "l4", "L40S-48GB": "l40s",
		"RTX-PRO-6000-Blackwell": "rtx-pro-6000", "NVIDIA GeForce RTX 4090": "rtx-4090", "GeForce RTX 5090": "rtx-5090",
		"A40-48GB": "a40", "A10G": "a10g", "RTX 6000 Ada Generation": "rtx-6000-ada", "V100-SXM2-16GB": "v100-16gb",
	} {
		if c, err := Find(name + ":1"); err != nil || c.Name != want+":1" {
			t.Errorf("%s: %v, %v; want %s", name, c, err, want)
		}
	}
}

// nicRates are the effective rates of a NIC of 80, 100, 200, 400 and 800G.
var nicRates = []float64{9.6, 12, 23.5, 48.5, 97}

func TestTheNICsOfANodeCarryWhatItsGPUsAreGiven(t *testing.T) {
	for _, s := range All() {
		per := float64(s.Network) / 1e9 * float64(s.GPUsPerNode) / float64(s.NICsPerNode)
		if !slices.ContainsFunc(nicRates, func(r float64) bool { return math.Abs(per/r-1) < 0.01 }) {
			t.Errorf("%s: %g GB/s a NIC, want one of %v", s.Name, per, nicRates)
		}
	}
}

func TestNoLinkIsFasterThanItsLabel(t *testing.T) {
	for _, s := range All() {
		g := s.GPU
		if l := s.Inner[0]; l.Bandwidth > max(g.ScaleUpRate, g.PCIe) {
			t.Errorf("%s: %s reaches %v of %v", s.Name, l.Name, l.Bandwidth, g.ScaleUpRate)
		}
		for i, l := range s.Inner[1:] {
			if l.Bandwidth >= s.Inner[i].Bandwidth {
				t.Errorf("%s: %s is no slower than %s", s.Name, l.Name, s.Inner[i].Name)
			}
		}
		label := float64(g.PCIe)
		if slices.Contains([]string{"GH200-96GB", "GH200-144GB", "GB200", "GB300"}, g.Name) {
			label = 450e9
		}
		if share := float64(s.HostLink) / label; !(share > 0.3 && share < 0.95) {
			if !(g.PCIeGen == 6 && s.HostLink == 55e9) { // its CPU has PCIe 5
				t.Errorf("%s: the host link reaches %.2f of its label", s.Name, share)
			}
		}
	}
}

func TestNewGPUsHaveTheFiguresOfTheirSources(t *testing.T) {
	for _, c := range []struct {
		name                      string
		bf16, fp8, hbm, gb, scale float64
	}{
		{"H20", 148, 296, 4000, 96, 450},
		{"A800", 312, 0, 2039, 80, 200},
		{"B300", 2250, 4500, 8000, 288, 900},
		{"MI325X", 1307, 2615, 6000, 256, 448},
		{"MI355X", 2500, 5000, 8000, 288, 535.5},
		{"MI250X-GCD", 191.5, 0, 1640, 64, 175},
		{"Gaudi3", 1677, 1677, 3700, 128, 525},
		{"RTX-4090", 165.2, 330.3, 1008, 24, 31},
		{"RTX-5090", 209.6, 419.2, 1792, 32, 63},
		{"L4", 121, 242, 300, 24, 31},
		{"RTX-PRO-6000", 467.8, 935.6, 1792, 96, 63},
		{"GH200", 989, 1979, 4000, 96, 450},
		{"GH200-144GB", 989, 1979, 4900, 144, 450},
		{"H200-NVL", 835.5, 1670.5, 4800, 141, 450},
		{"A10G", 70, 0, 600, 24, 31},
		{"A40", 149.7, 0, 696, 48, 56.25},
		{"RTX-6000-Ada", 364.2, 728.5, 960, 48, 31},
	} {
		g, err := FindGPU(c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		got := []float64{float64(g.PeakOf(plan.BF16)) / 1e12, float64(g.PeakOf("fp8")) / 1e12, float64(g.HBM) / 1e9, float64(g.Label) / (1 << 30), float64(g.ScaleUpRate) / 1e9}
		for i, want := range []float64{c.bf16, c.fp8, c.hbm, c.gb, c.scale} {
			if math.Abs(got[i]-want) > 1e-9*want {
				t.Errorf("%s: %v, want %v", c.name, got, c)
				break
			}
		}
	}
}

func TestAGPUIsNoFasterInMoreBits(t *testing.T) {
	for _, g := range GPUs() {
		for _, pair := range [][2]plan.Precision{{"fp32", "tf32"}, {"tf32", plan.FP16}, {plan.FP16, "fp8"}, {"fp8", "fp4"}} {
			more, fewer := g.PeakOf(pair[0]), g.PeakOf(pair[1])
			if fewer > 0 && more > 1.01*fewer { // sources round clocks differently
				t.Errorf("%s: %s %v, %s %v", g.Name, pair[0], more, pair[1], fewer)
			}
		}
	}
}
