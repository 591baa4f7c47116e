package search

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
)

// someLeaf draws a leaf from a small space, so that classes and keys repeat.
func someLeaf(t *rapid.T) leaf {
	var l leaf
	l.point[plan.TP] = rapid.Int32Range(1, 3).Draw(t, "tp")
	l.point[plan.MicroBatch] = rapid.Int32Range(1, 2).Draw(t, "micro-batch")
	l.point[plan.At(plan.TP, 0)] = rapid.Int32Range(1, 4).Draw(t, "tp@0")
	l.point[plan.At(plan.EP, 1)] = rapid.Int32Range(1, 2).Draw(t, "ep@1")
	l.first = float64(rapid.IntRange(1, 4).Draw(t, "step"))
	l.second = float64(rapid.IntRange(1, 3).Draw(t, "peak"))
	return l
}

// keyedOnce keeps one leaf for each point, as a search offers it.
func keyedOnce(list []leaf) []leaf {
	seen := map[plan.Point]bool{}
	return slices.DeleteFunc(list, func(l leaf) bool {
		again := seen[l.point]
		seen[l.point] = true
		return again
	})
}

// bestClasses sorts all and takes the first of each class.
func bestClasses(list []leaf, k int) []leaf {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second), slices.Compare(a.point[:], b.point[:]))
	})
	var best []leaf
	for _, l := range sorted {
		held := slices.ContainsFunc(best, func(b leaf) bool { return classOf(&b.point) == classOf(&l.point) })
		if !held && len(best) < k {
			best = append(best, l)
		}
	}
	return best
}

func TestTopKHoldsWhatSortingGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(t, "k")
		offers := keyedOnce(rapid.SliceOfN(rapid.Custom(someLeaf), 0, 40).Draw(t, "offers"))
		top := topK{k: k}
		for _, l := range offers {
			admitted := top.admits(&l.key, true)
			if kept := top.offer(l); kept != admitted {
				t.Fatalf("offer kept: %v, admits: %v", kept, admitted)
			}
		}
		if want := bestClasses(offers, k); !slices.Equal(top.held, want) {
			t.Fatalf("held %v, want %v", top.held, want)
		}
	})
}

// A walk drops a box by its bounds; what it would have offered may not matter.
func TestTopKAdmitsEveryBoxThatHoldsAPlanItWouldKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := topK{k: rapid.IntRange(1, 4).Draw(t, "k")}
		for _, l := range keyedOnce(rapid.SliceOfN(rapid.Custom(someLeaf), 0, 20).Draw(t, "offers")) {
			top.offer(l)
		}
		inside := keyedOnce(rapid.SliceOfN(rapid.Custom(someLeaf), 1, 6).Draw(t, "inside"))
		bound, one := inside[0].key, true
		for _, l := range inside {
			bound.first, bound.second = min(bound.first, l.first), min(bound.second, l.second)
			one = one && classOf(&l.point) == classOf(&inside[0].point)
			for c := range bound.point {
				bound.point[c] = min(bound.point[c], l.point[c])
			}
		}
		if top.admits(&bound, one) {
			return
		}
		for _, l := range inside {
			if top.offer(l) {
				t.Fatalf("dropped a box with %v, which is kept", l.key)
			}
		}
	})
}

func TestTopK(t *testing.T) {
	at := func(tp, placed int32, first float64) leaf {
		var l leaf
		l.point[plan.TP], l.point[plan.At(plan.TP, 0)], l.first = tp, placed, first
		return l
	}
	tests := []struct {
		name   string
		k      int
		offers []leaf
		want   []leaf
	}{
		{"nothing offered", 2, nil, nil},
		{"placements of one class count once", 2, []leaf{at(1, 1, 5), at(1, 2, 4), at(1, 3, 6)}, []leaf{at(1, 2, 4)}},
		{"the k best classes stay", 2, []leaf{at(1, 1, 5), at(2, 1, 3), at(3, 1, 4)}, []leaf{at(2, 1, 3), at(3, 1, 4)}},
		{"an evicted class comes back by a better placement", 1, []leaf{at(1, 1, 5), at(2, 1, 4), at(1, 2, 3)}, []leaf{at(1, 2, 3)}},
		{"the least point wins a tie", 1, []leaf{at(2, 1, 3), at(1, 2, 3), at(1, 1, 3)}, []leaf{at(1, 1, 3)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			top := topK{k: test.k}
			for _, l := range test.offers {
				top.offer(l)
			}
			if !slices.Equal(top.held, test.want) {
				t.Errorf("held %v, want %v", top.held, test.want)
			}
		})
	}
}
