package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// levelled is a cluster file with levels of those sizes.
func levelled(top string, sizes ...int) string {
	text := "gpu = \"h100\"\n" + top + "\n"
	for i, size := range sizes {
		text += fmt.Sprintf("[[level]]\nname = \"l%d\"\nsize = %d\nbandwidth = \"100GB/s\"\n", i, size)
	}
	return text
}

func TestNodesThatContradictTheLevelsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, top string
		sizes     []int
		want      string // "" is none
	}{
		{"nodes of 7 in domains of 8", "gpus_per_node = 7", []int{8, 8},
			"c.toml:2:1: gpus_per_node = 7: want whole nodes in a domain of l0, which has 8 GPUs, or whole domains in a node; nearest: 4 or 8"},
		{"nodes of 12 in domains of 8", "gpus_per_node = 12", []int{8, 8}, "; nearest: 8 or 16"},
		{"nodes of 63 in domains of 8", "gpus_per_node = 63", []int{8, 8}, "; nearest: 56 or 64"},
		{"nodes of 5 in domains of 72", "gpus_per_node = 5", []int{72, 4}, "; nearest: 4 or 6"},
		{"nodes of 6 that split the second level", "gpus_per_node = 6", []int{2, 4, 10}, "want whole nodes in a domain of l1, which has 8 GPUs, or whole domains in a node; nearest: 4 or 8"},
		{"nodes of 4 in domains of 72", "gpus_per_node = 4", []int{72, 4}, ""},
		{"nodes of 8 in domains of 72", "gpus_per_node = 8", []int{72, 4}, ""},
		{"nodes of 8 GPUs in bridged pairs", "gpus_per_node = 8", []int{2, 4, 8}, ""},
		{"a last node that is not full", "gpus_per_node = 8", []int{4, 3}, ""},
		{"a part of a domain of 72", "gpus_per_node = 4", []int{6}, ""},
		{"no NICs between nodes", "gpus_per_node = 8\nnics_per_node = 0", []int{8, 8}, "c.toml:3:1: nics_per_node = 0: nodes that a network joins have at least 1"},
		{"no NICs in one node", "nics_per_node = 0", []int{8}, ""},
		{"NICs left out", "gpus_per_node = 8", []int{8, 8}, ""},
	} {
		_, err := Parse("c.toml", []byte(levelled(c.top, c.sizes...)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

func TestNodesOfTheCatalogueAreNeverRefused(t *testing.T) {
	for _, s := range All() {
		for n := 1; n <= 300; n++ {
			if c, err := s.Cluster(n); err == nil {
				if err := c.validateNodes(true); err != nil && c.NICsPerNode > 0 {
					t.Errorf("%s: %v", c.Name, err)
				}
			}
		}
	}
}
