package framework_test

import (
	"fmt"
	"slices"
	"testing"

	"meshplan/framework"
	"meshplan/plan"
)

// Groups worked out by hand from torchtitan's rank = t + tp*(c + cp*(s +
// dp_shard*(r + dp_replicate*p))) and its sparse mesh (pp, dp_replicate, efsdp,
// ep); accelerate's (dp_replicate, dp_shard, cp, tp); DeepSpeed's rank = m +
// mp*(d + dp*p) and its Ulysses mesh; nanotron's rank = t + tp*(c + cp*(d +
// dp*p)).
func TestGroupsOfMeshesWithTPInside(t *testing.T) {
	order := framework.InnerFirst("", "")
	one := framework.Degrees{1, 1, 1, 1, 1, 1, 1, 1}
	of := func(set map[plan.Dim]int32) *framework.Degrees {
		d := one
		for dim, n := range set {
			d[dim] = n
		}
		return &d
	}
	titan := of(map[plan.Dim]int32{plan.TP: 2, plan.CP: 2, plan.DPShard: 2, plan.PP: 2, plan.EP: 4, plan.EDP: 2})
	hybrid := of(map[plan.Dim]int32{plan.TP: 2, plan.DPShard: 2, plan.DPReplicate: 2})
	pipes := of(map[plan.Dim]int32{plan.TP: 2, plan.DPShard: 4, plan.PP: 2})
	uly := of(map[plan.Dim]int32{plan.CP: 4, plan.DPShard: 2})
	for _, c := range []struct {
		name    string
		degrees *framework.Degrees
		dim     plan.Dim
		want    string
	}{
		{"torchtitan's experts are contiguous", titan, plan.EP, "[[0 1 2 3] [4 5 6 7] [8 9 10 11] [12 13 14 15]]"},
		{"its experts' shards step over them", titan, plan.EDP, "[[0 4] [1 5]"},
		{"its tp", titan, plan.TP, "[[0 1] [2 3]"},
		{"its pipelines", titan, plan.PP, "[[0 8] [1 9]"},
		{"accelerate's tp", hybrid, plan.TP, "[[0 1] [2 3] [4 5] [6 7]]"},
		{"accelerate's shards", hybrid, plan.DPShard, "[[0 2] [1 3] [4 6] [5 7]]"},
		{"accelerate's replicas", hybrid, plan.DPReplicate, "[[0 4] [1 5] [2 6] [3 7]]"},
		{"DeepSpeed's model ranks are contiguous", pipes, plan.TP, "[[0 1] [2 3]"},
		{"its data ranks step over them inside a stage", pipes, plan.DPShard, "[[0 2 4 6] [1 3 5 7] [8 10 12 14] [9 11 13 15]]"},
		{"its pipelines step over stages", pipes, plan.PP, "[[0 8] [1 9]"},
		{"Ulysses' sequence ranks are contiguous", uly, plan.CP, "[[0 1 2 3] [4 5 6 7]]"},
		{"its data ranks step over them", uly, plan.DPShard, "[[0 4] [1 5] [2 6] [3 7]]"},
		{"nanotron's context ranks step over tp", titan, plan.CP, "[[0 2] [1 3] [4 6]"},
		{"nanotron's data ranks step over both", titan, plan.DPShard, "[[0 4] [1 5]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fmt.Sprint(order.Groups(c.dim, c.degrees))
			if len(got) < len(c.want) || got[:len(c.want)] != c.want {
				t.Errorf("got %s, want %s...", got, c.want)
			}
		})
	}
}

// torchtitan shards weights over dp_shard and cp together: the groups of both
// that share a rank.
func TestTorchtitansShardGroups(t *testing.T) {
	order := framework.InnerFirst("", "")
	degrees := framework.Degrees{plan.TP: 2, plan.CP: 2, plan.DPShard: 2, plan.DPReplicate: 1, plan.PP: 2, plan.ETP: 1, plan.EP: 4, plan.EDP: 2}
	groupOf := func(d plan.Dim, rank int) []int {
		for _, g := range order.Groups(d, &degrees) {
			if slices.Contains(g, rank) {
				return g
			}
		}
		return nil
	}
	for _, want := range [][]int{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}} {
		var got []int
		for _, r := range groupOf(plan.DPShard, want[0]) {
			got = append(got, groupOf(plan.CP, r)...)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
