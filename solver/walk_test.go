package solver

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// collector walks without pruning and checks every node against the parent.
type collector struct {
	p      *problem
	leaves [][]int32
	err    error
}

func (c *collector) Bound(n *Node) (int32, bool) {
	lo, _ := n.Interval(c.p.xs[0])
	return -lo, true
}
func (c *collector) Less(a, b int32) bool { return a < b }
func (c *collector) Cut(int32) bool       { return false }
func (c *collector) Leaf(n *Node) error {
	v := make([]int32, len(c.p.xs))
	for i, x := range c.p.xs {
		lo, hi := n.Interval(x)
		if lo != hi {
			return errors.New("an integer of a leaf is not single")
		}
		v[i] = lo
	}
	c.leaves = append(c.leaves, v)
	return c.err
}

func TestWalkVisitsExactlyTheSolutions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		p.s.patience = rapid.SampledFrom([]int{1, 3, defaultPatience}).Draw(t, "patience")
		for range 3 {
			on := p.subset(t)
			want := p.points(on)
			c := &collector{p: p}
			if err := Walk(context.Background(), p.s, on, nil, p.xs, c); err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(c.leaves, slices.Compare[[]int32])
			if !slices.EqualFunc(c.leaves, want, slices.Equal[[]int32]) {
				t.Fatalf("walk visits %v, enumeration finds %v", c.leaves, want)
			}
			p.addRule(t)
		}
	})
}

// wanderer branches on integers out of turn and screens out the even values.
type wanderer struct {
	*collector
	draw   func(n int) int
	failed int
}

func (w *wanderer) Choose(n *Node, first Int) Int {
	open := slices.DeleteFunc(slices.Clone(w.p.xs), n.Single)
	if !slices.Contains(open, first) {
		w.err = errors.New("the first integer is not open")
	}
	return open[w.draw(len(open))]
}
func (w *wanderer) Failed(Int)   { w.failed++ }
func (w *wanderer) Parent(*Node) {}
func (w *wanderer) Screen(x Int, lo, hi int32) bool {
	return lo < hi || lo%2 != 0
}

func TestIntegersChosenOutOfTurnAndValuesScreenedOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		on := p.subset(t)
		w := &wanderer{collector: &collector{p: p}, draw: func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "i") }}
		if err := Walk(context.Background(), p.s, on, nil, p.xs, w); err != nil {
			t.Fatal(err)
		}
		all := p.points(on)
		var seen [][]int32
		for _, v := range w.leaves {
			if !slices.ContainsFunc(all, func(o []int32) bool { return slices.Equal(v, o) }) {
				t.Fatalf("%v is not a solution", v)
			}
			seen = append(seen, v)
		}
		slices.SortFunc(seen, slices.Compare[[]int32])
		if len(slices.CompactFunc(slices.Clone(seen), slices.Equal[[]int32])) != len(seen) {
			t.Fatalf("a solution is visited twice: %v", seen)
		}
		for _, v := range all { // nothing but even values is screened out
			odd := !slices.ContainsFunc(v, func(x int32) bool { return x%2 == 0 })
			if odd && !slices.ContainsFunc(seen, func(o []int32) bool { return slices.Equal(v, o) }) {
				t.Fatalf("%v is not visited", v)
			}
		}
	})
}

func TestWalkOverSomeIntegersVisitsTheirProjection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		on := p.subset(t)
		order := p.pick(p.columns(t))
		var want [][]int32
		for _, v := range p.points(on) {
			want = append(want, project(p, order, v))
		}
		slices.SortFunc(want, slices.Compare[[]int32])
		want = slices.CompactFunc(want, slices.Equal[[]int32])
		c := &collector{p: &problem{s: p.s, xs: order}}
		if err := Walk(context.Background(), p.s, on, nil, order, c); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(c.leaves, slices.Compare[[]int32])
		if !slices.EqualFunc(c.leaves, want, slices.Equal[[]int32]) {
			t.Fatalf("walk visits %v, enumeration finds %v", c.leaves, want)
		}
	})
}

func project(p *problem, order []Int, v []int32) []int32 {
	out := make([]int32, len(order))
	for i, x := range order {
		out[i] = v[slices.Index(p.xs, x)]
	}
	return out
}

// best finds the least cost with an admissible bound: the true bound of the
// interval box minus a drawn slack.
type best struct {
	p       *problem
	weights []int32
	slack   int32
	keep    int     // solutions kept
	costs   []int32 // ascending
}

func (b *best) cost(v []int32) int32 {
	sum := int32(0)
	for i, w := range b.weights {
		sum += w * v[i]
	}
	return sum
}

func (b *best) threshold() int32 {
	if len(b.costs) < b.keep {
		return 1 << 30
	}
	return b.costs[b.keep-1]
}

func (b *best) Bound(n *Node) (int32, bool) {
	least := -b.slack
	for i, w := range b.weights {
		lo, hi := n.Interval(b.p.xs[i])
		least += min(w*lo, w*hi)
	}
	return least, least < b.threshold()
}
func (b *best) Less(x, y int32) bool { return x < y }
func (b *best) Cut(x int32) bool     { return x >= b.threshold() }
func (b *best) Leaf(n *Node) error {
	v := make([]int32, len(b.p.xs))
	for i, x := range b.p.xs {
		v[i], _ = n.Interval(x)
	}
	b.costs = append(b.costs, b.cost(v))
	slices.Sort(b.costs)
	b.costs = b.costs[:min(len(b.costs), b.keep)]
	return nil
}

func TestWalkWithAnAdmissibleBoundFindsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		on := p.subset(t)
		b := &best{p: p, slack: rapid.Int32Range(0, 9).Draw(t, "slack"), keep: rapid.IntRange(1, 4).Draw(t, "keep")}
		for range p.xs {
			b.weights = append(b.weights, rapid.Int32Range(-5, 5).Draw(t, "weight"))
		}
		var want []int32
		for _, v := range p.points(on) {
			want = append(want, b.cost(v))
		}
		slices.Sort(want)
		want = want[:min(len(want), b.keep)]
		if err := Walk(context.Background(), p.s, on, nil, p.xs, b); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.costs, want) {
			t.Fatalf("walk finds %v, enumeration %v", b.costs, want)
		}
	})
}

// watcher checks every node's intervals against what propagation concludes.
type watcher struct {
	collector
	t *rapid.T
}

func (w *watcher) Bound(n *Node) (int32, bool) {
	s := w.p.s
	for _, x := range w.p.xs {
		lo, hi := n.Interval(x)
		again, _ := n.Interval(x)
		if lo > hi || lo != again || n.Single(x) != (lo == hi) {
			w.t.Fatalf("interval [%d, %d] of %s at depth %d", lo, hi, x.Name(), n.Depth)
		}
		if !n.True(s.Ge(x, lo)) || !n.True(s.Le(x, hi)) {
			w.t.Fatalf("interval [%d, %d] of %s is not concluded", lo, hi, x.Name())
		}
		if lo < hi && (n.True(s.Ge(x, lo+1)) || n.True(s.Le(x, hi-1))) {
			w.t.Fatalf("interval [%d, %d] of %s is not the smallest", lo, hi, x.Name())
		}
	}
	return 0, true
}

func (w *watcher) Leaf(n *Node) error { w.Bound(n); return w.collector.Leaf(n) }

func TestIntervalsAreTheSmallestConcluded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProblem(t)
		w := &watcher{collector: collector{p: p}, t: t}
		if err := Walk(context.Background(), p.s, p.groups, nil, p.xs, w); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWalkVisitsChildrenByRisingBoundAndValue(t *testing.T) {
	s := New()
	p := &problem{s: s, xs: []Int{s.Int("x", []int32{1, 2, 3}), s.Int("y", []int32{1, 2})}}
	c := &collector{p: p}
	if err := Walk(context.Background(), s, nil, nil, p.xs, c); err != nil {
		t.Fatal(err)
	}
	want := [][]int32{{3, 1}, {3, 2}, {2, 1}, {2, 2}, {1, 1}, {1, 2}}
	if !slices.EqualFunc(c.leaves, want, slices.Equal[[]int32]) {
		t.Errorf("visited %v, want %v", c.leaves, want)
	}
}

func TestWalkAssumesPins(t *testing.T) {
	s := New()
	p := &problem{s: s, xs: []Int{s.Int("x", []int32{1, 2, 3}), s.Int("y", []int32{1, 2})}}
	c := &collector{p: p}
	pins := []Lit{s.Eq(p.xs[0], 2), s.Le(p.xs[1], 1)}
	if err := Walk(context.Background(), s, nil, pins, p.xs, c); err != nil {
		t.Fatal(err)
	}
	if len(c.leaves) != 1 || !slices.Equal(c.leaves[0], []int32{2, 1}) {
		t.Errorf("visited %v", c.leaves)
	}
}

func TestAnErrorOfALeafEndsTheWalkAndTheSessionStaysUsable(t *testing.T) {
	s := New()
	p := &problem{s: s, xs: []Int{s.Int("x", []int32{1, 2, 3}), s.Int("y", []int32{1, 2, 3})}}
	stop := errors.New("stop")
	for range 3 {
		c := &collector{p: p, err: stop}
		if err := Walk(context.Background(), s, nil, nil, p.xs, c); err != stop || len(c.leaves) != 1 {
			t.Fatalf("error %v after %d leaves", err, len(c.leaves))
		}
		if status, _, err := s.Solve(context.Background(), Budget{}); status != Sat || err != nil {
			t.Fatal(status, err)
		}
	}
}

// canceller cancels the context at its n-th leaf.
type canceller struct {
	collector
	n      int
	cancel context.CancelFunc
}

func (c *canceller) Leaf(n *Node) error {
	if c.n--; c.n == 0 {
		c.cancel()
	}
	return c.collector.Leaf(n)
}

func TestACancelledWalkReturnsTheContextsErrorAndCanBeRepeated(t *testing.T) {
	s := New()
	p := &problem{s: s, xs: []Int{s.Int("x", []int32{1, 2, 3}), s.Int("y", []int32{1, 2, 3})}}
	s.Allow(Hard, p.xs, func(v []int32) bool { return v[0]+v[1] != 4 })
	ctx, cancel := context.WithCancel(context.Background())
	c := &canceller{collector: collector{p: p}, n: 2, cancel: cancel}
	if err := Walk(ctx, s, nil, nil, p.xs, c); !errors.Is(err, context.Canceled) || len(c.leaves) != 2 {
		t.Fatalf("error %v after %d leaves", err, len(c.leaves))
	}
	whole := &collector{p: p}
	if err := Walk(context.Background(), s, nil, nil, p.xs, whole); err != nil || len(whole.leaves) != 6 {
		t.Fatalf("error %v, %d leaves", err, len(whole.leaves))
	}
}

// meddler does what a visitor must not do.
type meddler struct {
	collector
	act func()
}

func (m *meddler) Leaf(*Node) error { m.act(); return nil }

func TestNothingMayBeAddedDuringAWalk(t *testing.T) {
	s := New()
	p := &problem{s: s, xs: []Int{s.Int("x", []int32{1, 2, 3})}}
	y := s.Int("y", []int32{1, 2, 3})
	acts := map[string]func(){
		"clause":   func() { s.Clause(Hard, s.Ge(y, 2)) },
		"variable": func() { s.Bool("b") },
		"question": func() { s.Solve(context.Background(), Budget{}) },
		"walk":     func() { Walk(context.Background(), s, nil, nil, p.xs, &collector{p: p}) },
		"clone":    func() { s.Clone() },
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			mustPanic(t, func() {
				Walk(context.Background(), s, nil, nil, p.xs, &meddler{collector{p: p}, act})
			})
			c := &collector{p: p}
			if err := Walk(context.Background(), s, nil, nil, p.xs, c); err != nil || len(c.leaves) != 3 {
				t.Errorf("afterwards: error %v, %d leaves", err, len(c.leaves))
			}
		})
	}
}
