package assign

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// grid are the groups of each axis of a grid of items, the first axis varying
// fastest.
func grid(sizes ...int) (items int, kinds [][][]int) {
	items = 1
	for _, n := range sizes {
		items *= n
	}
	stride := 1
	for _, n := range sizes {
		var groups [][]int
		for first := range items {
			if first/stride%n != 0 {
				continue
			}
			var g []int
			for i := range n {
				g = append(g, first+i*stride)
			}
			groups = append(groups, g)
		}
		kinds, stride = append(kinds, groups), stride*n
	}
	return items, kinds
}

// brute is the best straddling of every assignment.
func brute(p *Problem) (best []int) {
	bin := make([]int, p.Items)
	left := slices.Clone(p.Room)
	var from func(int)
	from = func(i int) {
		if i == p.Items {
			var n []int
			for k := range p.Kinds {
				n = append(n, p.straddling(k, bin))
			}
			if best == nil || slices.Compare(n, best) < 0 {
				best = n
			}
			return
		}
		for b := range left {
			if left[b] > 0 {
				left[b]--
				bin[i] = b
				from(i + 1)
				left[b]++
			}
		}
	}
	from(0)
	return best
}

func TestNoAssignmentStraddlesLess(t *testing.T) {
	solved := 0
	rapid.Check(t, func(t *rapid.T) {
		p := &Problem{}
		var sizes []int
		switch rapid.IntRange(0, 2).Draw(t, "axes") {
		case 0:
			sizes = []int{rapid.IntRange(1, 9).Draw(t, "a")}
		case 1:
			sizes = rapid.SampledFrom([][]int{{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}, {3, 3}, {1, 5}}).Draw(t, "grid")
		case 2:
			sizes = rapid.SampledFrom([][]int{{2, 2, 2}, {1, 2, 3}, {2, 1, 4}}).Draw(t, "grid")
		}
		p.Items, p.Kinds = grid(sizes...)
		if rapid.Bool().Draw(t, "gathered") {
			p.Grid = sizes
		}
		if rapid.Bool().Draw(t, "other groups") { // of a second grid over the same items
			_, other := grid(rapid.Permutation(sizes).Draw(t, "second")...)
			p.Kinds = append(p.Kinds, other...)
		}
		for room := 0; room < p.Items; {
			r := rapid.IntRange(1, p.Items).Draw(t, "room")
			p.Room, room = append(p.Room, r), room+r
		}
		a, err := Best(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		used := make([]int, len(p.Room))
		for _, b := range a.Bin {
			if used[b]++; used[b] > p.Room[b] {
				t.Fatalf("bin %d is over its room: %v of %v", b, a.Bin, p.Room)
			}
		}
		for k := range p.Kinds {
			if n := p.straddling(k, a.Bin); n != a.Straddling[k] {
				t.Fatalf("%d groups of kind %d straddle bins, not %d", n, k, a.Straddling[k])
			}
		}
		want := brute(p)
		proven := !slices.Contains(a.Proven, false)
		if proven && !slices.Equal(a.Straddling, want) {
			t.Fatalf("%v straddle, %v is possible: %+v", a.Straddling, want, p)
		}
		for k := 0; k < len(want) && a.Proven[k]; k++ {
			if a.Straddling[k] != want[k] {
				t.Fatalf("kind %d: %d straddle, %d is possible: %+v", k, a.Straddling[k], want[k], p)
			}
		}
		if proven && slices.ContainsFunc(want, func(n int) bool { return n > 0 }) {
			solved++
		}
	})
	if solved < 10 {
		t.Errorf("only %d problems with groups that have to straddle are proven", solved)
	}
}

func TestItemsThatDoNotFitAreAnError(t *testing.T) {
	if _, err := Best(context.Background(), &Problem{Items: 3, Room: []int{1, 1}}); !errors.Is(err, ErrRoom) {
		t.Error(err)
	}
}

func TestTheSameProblemHasTheSameAnswer(t *testing.T) {
	p := &Problem{Room: []int{30, 24, 17}}
	p.Items, p.Kinds = grid(9, 7)
	a, err := Best(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if b, _ := Best(context.Background(), p); !slices.Equal(a.Bin, b.Bin) {
			t.Fatalf("%v, then %v", a.Bin, b.Bin)
		}
	}
}

func TestNeighboursOfAGridAreGathered(t *testing.T) {
	p := &Problem{Room: []int{30, 24, 17}, Grid: []int{32, 2}}
	p.Items, p.Kinds = grid(32, 2)
	a, err := Best(context.Background(), p)
	if err != nil || !slices.Equal(a.Straddling, []int{2, 0}) || !a.Proven[1] {
		t.Fatalf("%+v, %v", a, err)
	}
	for i := range 31 {
		if a.Bin[i] > a.Bin[i+1] || a.Bin[32+i] != a.Bin[i] {
			t.Fatalf("%v", a.Bin)
		}
	}
}

func TestAStoppedSearchLeavesAnAssignment(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &Problem{Room: []int{7, 7, 7}}
	p.Items, p.Kinds = grid(4, 5)
	a, err := Best(ctx, p)
	if err != nil || len(a.Bin) != 20 || a.Proven[1] {
		t.Errorf("%+v, %v", a, err)
	}
}

func BenchmarkLeaves(b *testing.B) {
	for _, c := range []struct {
		name string
		grid []int
		room []int
	}{
		{"63 in 30+24+17", []int{9, 7}, []int{30, 24, 17}},
		{"64 in 30+24+17", []int{8, 8}, []int{30, 24, 17}},
		{"70 in 30+24+17", []int{7, 10}, []int{30, 24, 17}},
		{"64 in 8 leaves without slack", []int{8, 8}, []int{7, 9, 7, 9, 7, 9, 7, 9}},
		{"60 in 8 leaves", []int{4, 15}, []int{7, 9, 7, 9, 7, 9, 7, 9}},
		{"8 x 16 in 8 leaves", []int{8, 16}, []int{20, 14, 18, 12, 16, 17, 19, 12}},
		{"64 in 3D", []int{4, 4, 4}, []int{15, 17, 15, 18}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := &Problem{Room: c.room, Grid: c.grid}
			p.Items, p.Kinds = grid(c.grid...)
			for b.Loop() {
				a, err := Best(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(a.Straddling[0]), "straddling")
				if !slices.Contains(a.Proven, false) {
					b.ReportMetric(1, "proven")
				}
			}
		})
	}
}
