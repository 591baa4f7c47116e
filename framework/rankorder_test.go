package framework_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"meshplan/framework"
	"meshplan/plan"
)

var (
	outerPP = framework.RankOrder{
		Name:   "tp-cp-ep-dp-pp",
		Dense:  []plan.Dim{plan.TP, plan.CP, plan.DPShard, plan.DPReplicate, plan.PP},
		Expert: []plan.Dim{plan.ETP, plan.EP, plan.EDP, plan.PP},
	}
	innerPP = framework.RankOrder{
		Name:   "tp-cp-ep-pp-dp",
		Dense:  []plan.Dim{plan.TP, plan.CP, plan.PP, plan.DPShard, plan.DPReplicate},
		Expert: []plan.Dim{plan.ETP, plan.EP, plan.PP, plan.EDP},
	}
)

// Groups of 16 ranks, tp 2, cp 2, dp 2, pp 2, worked out by hand from rank =
// t + tp*(c + cp*(d + dp*p)) and rank = t' + etp*(x + ep*(d' + edp*p)).
func TestGroupsOfSixteenRanks(t *testing.T) {
	folded := framework.Degrees{plan.TP: 2, plan.CP: 2, plan.DPShard: 2, plan.DPReplicate: 1, plan.PP: 2, plan.ETP: 1, plan.EP: 4, plan.EDP: 2}
	split := folded
	split[plan.ETP], split[plan.EP] = 2, 2
	for _, c := range []struct {
		name    string
		order   framework.RankOrder
		degrees framework.Degrees
		dim     plan.Dim
		want    string
	}{
		{"tensor parallel ranks are neighbours", outerPP, folded, plan.TP, "[[0 1] [2 3] [4 5]"},
		{"context parallel next", outerPP, folded, plan.CP, "[[0 2] [1 3] [4 6]"},
		{"then data parallel", outerPP, folded, plan.DPShard, "[[0 4] [1 5] [2 6]"},
		{"pipeline ranks are the furthest apart", outerPP, folded, plan.PP, "[[0 8] [1 9]"},
		{"expert groups are contiguous with etp 1", outerPP, folded, plan.EP, "[[0 1 2 3] [4 5 6 7] [8 9 10 11] [12 13 14 15]]"},
		{"expert replicas", outerPP, folded, plan.EDP, "[[0 4] [1 5]"},
		{"expert groups step over etp", outerPP, split, plan.EP, "[[0 2] [1 3] [4 6]"},
		{"expert tensor ranks are neighbours", outerPP, split, plan.ETP, "[[0 1] [2 3]"},
		{"the other order puts dp outermost", innerPP, folded, plan.DPShard, "[[0 8] [1 9]"},
		{"the other order puts pp inside", innerPP, folded, plan.PP, "[[0 4] [1 5]"},
		{"and expert replicas outermost", innerPP, folded, plan.EDP, "[[0 8] [1 9]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := fmt.Sprint(c.order.Groups(c.dim, &c.degrees))
			if len(got) < len(c.want) || got[:len(c.want)] != c.want {
				t.Errorf("got %s, want %s...", got, c.want)
			}
		})
	}
}

// A placement says how many ranks of a group lie inside one domain; counting
// the ranks of the enumerated groups must give the same for every group.
func TestPlacementCountsTheRanksOfEveryGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string) int32 { return int32(rapid.IntRange(1, 4).Draw(t, name)) }
		var degrees framework.Degrees
		for d := range degrees {
			degrees[d] = 1
		}
		world := int32(1)
		for _, d := range plan.DenseDims {
			degrees[d] = small(d.String())
			world *= degrees[d]
		}
		used := []int32{}
		for rest := world; rest > 1 && len(used) < 3; {
			n := small("used")
			if rest%n != 0 {
				n = rest
			}
			used = append(used, n)
			rest /= n
		}
		if len(used) == 0 {
			used = []int32{1}
		}
		order := rapid.SampledFrom([]framework.RankOrder{outerPP, innerPP}).Draw(t, "order")
		p, err := order.Place(used, &degrees, func(int) string { return "level" })
		even := true
		for _, d := range plan.DenseDims {
			block := 1
			for l := range used {
				block *= int(used[l])
				inside, same := countInside(order.Groups(d, &degrees), block)
				even = even && same
				if err == nil && int32(inside) != p.Cumulative(d, l) {
					t.Fatalf("%s on level %d: placed %d, counted %d", d, l, p.Cumulative(d, l), inside)
				}
			}
		}
		if err == nil && !even {
			t.Fatal("placed although groups are cut unevenly")
		}
	})
}

// countInside is the number of ranks that a group has in each block it
// touches, and whether all are the same.
func countInside(groups [][]int, block int) (n int, same bool) {
	same = true
	for _, g := range groups {
		in := map[int]int{}
		for _, r := range g {
			in[r/block]++
		}
		for _, k := range in {
			if n == 0 {
				n = k
			}
			same = same && k == n
		}
	}
	return n, same
}
