package cluster

import (
	"strings"

	"meshplan/units"
)

// memoryShare is the mean of what the runtime reports over what the tool
// prints and over the label.
type memoryShare struct{ ofTool, ofLabel float64 }

// memoryKind is the group over which shares are averaged: GDDR cards spend
// more on error correction than those with HBM.
func (g *GPU) memoryKind(vendor string) string {
	kind := "HBM"
	if strings.HasPrefix(g.MemoryType, "GDDR") {
		kind = "GDDR"
	}
	return strings.TrimSpace(vendor + " " + kind)
}

// runtimeShares are the mean shares of the GPUs whose runtime figure is
// known, by vendor and kind of memory ("NVIDIA HBM") and by kind ("HBM").
func runtimeShares(gpus []*GPU) map[string]memoryShare {
	type sum struct{ tool, tools, label, labels float64 }
	sums := map[string]sum{}
	for _, g := range gpus {
		if g.Runtime == 0 {
			continue
		}
		for _, kind := range []string{g.memoryKind(g.Vendor), g.memoryKind("")} {
			s := sums[kind]
			s.label, s.labels = s.label+float64(g.Runtime/g.Label), s.labels+1
			if g.Tool > 0 {
				s.tool, s.tools = s.tool+float64(g.Runtime/g.Tool), s.tools+1
			}
			sums[kind] = s
		}
	}
	shares := map[string]memoryShare{}
	for kind, s := range sums {
		shares[kind] = memoryShare{s.tool / s.tools, s.label / s.labels}
	}
	return shares
}

// assumeRuntime sets the memory that the runtime reports from the tool's
// figure or the label, by the mean of the vendor's GPUs or, where none of
// them is known, of everybody's.
func (g *GPU) assumeRuntime(shares map[string]memoryShare) {
	kind := g.memoryKind(g.Vendor)
	share, ok := shares[kind]
	if !ok {
		kind = g.memoryKind("")
		share = shares[kind]
	}
	from, of, base := "the label", share.ofLabel, g.Label
	if g.Tool > 0 {
		from, of, base = "what the management tool prints", share.ofTool, g.Tool
	}
	g.Runtime, g.runtimeAssumed = units.Bytes(float64(base)*of), true
	g.assume("memory that the runtime reports for %s is not known: %s is taken, %.4f of %s, the mean of %s GPUs", g.Name, g.Runtime, of, from, kind)
}
