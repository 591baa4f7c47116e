package main

import (
	"strings"
	"testing"

	"meshplan/search"
)

func TestUnalignedPlansAreCountedInWords(t *testing.T) {
	for _, c := range []struct {
		name string
		u    search.Unaligned
		want []string
	}{
		{"blocks of one GPU", search.Unaligned{Blocks: 42, GPUsPerBlock: 1}, []string{"Unaligned: 42 blocks of 1 GPU, wherever"}},
		{"one group", search.Unaligned{Blocks: 1, GPUsPerBlock: 8, Level: "leaf",
			Straddling: []search.Straddling{{Dimension: "dp", Groups: 1, Straddle: 1, Least: true}}},
			[]string{"Unaligned: 1 block of 8 GPUs", "1 of 1 group straddles leaf domains"}},
		{"several groups", search.Unaligned{Blocks: 3, GPUsPerBlock: 8, Level: "leaf",
			Straddling: []search.Straddling{{Dimension: "dp", Groups: 2, Straddle: 1, Least: true}}},
			[]string{"1 of 2 groups straddle leaf domains"}},
	} {
		var p page
		hosts(&p, &search.PlanResult{Unaligned: &c.u})
		for _, want := range c.want {
			if !strings.Contains(p.String(), want) {
				t.Errorf("%s: %q lacks %q", c.name, p.String(), want)
			}
		}
	}
}
