package encode_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"meshplan/cluster"
	"meshplan/encode"
	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/solver"
)

// job is a small random problem: one to three levels, a dense or a MoE model,
// and the rules of a framework.
type job struct {
	facts   *framework.Facts
	domains *framework.Domains
	rules   []framework.Rule
}

func drawJob(t *rapid.T) job {
	pick := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
	c := &cluster.Cluster{}
	for range pick("levels", 1, 2, 3) {
		c.Levels = append(c.Levels, cluster.Level{Name: "level", Size: pick("size", 1, 2, 3, 4, 5, 6, 7)})
	}
	for l := 0; c.GPUs() > 20; l++ { // keep the loops short
		c.Levels[l].Size = 2
	}
	m := &models.Model{Layers: pick("layers", 2, 3, 5, 6, 7), Heads: pick("heads", 2, 4, 6, 10), FFN: 60, HeadDim: 8, Hidden: 32}
	m.KVHeads = pick("kv", 1, 2, m.Heads)
	if rapid.Bool().Draw(t, "moe") {
		m.Experts, m.TopK, m.MoEFFN = pick("experts", 2, 4, 6, 7), 1, pick("moe ffn", 2, 3, 6)
	}
	f := &framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{
		GlobalBatch: int64(pick("batch", 2, 6, 8, 10)), SeqLen: int64(pick("seq", 4, 6, 8)),
	}}
	pins, err := framework.ParsePins(rapid.SampledFrom([]string{"", "tp=3", "gpus<=6", "dp>=2,pp<=3", "tp in nvlink"}).Draw(t, "pins"))
	if err != nil {
		t.Fatal(err)
	}
	fw := rapid.SampledFrom(all.List()).Draw(t, "framework")
	j := job{f, framework.NewDomains(f, fw, pins), framework.Rules(f, fw, pins)}
	trim := func(c plan.Coord, n int) {
		j.domains.Values[c] = j.domains.Values[c][:min(n, len(j.domains.Values[c]))]
	}
	trim(plan.RecomputeC, pick("kinds of recompute", 1, 2))
	trim(plan.VPP, 2)
	trim(plan.MicroBatch, 2)
	return j
}

// enumerate lists the space's points by loops: a chain of cumulative factors
// for each dimension, products within each level's size, equal products of the
// two grids, and every rule's own predicate.
func (j *job) enumerate() []plan.Point {
	levels := len(j.facts.Cluster.Levels)
	chains := make([][][]int32, plan.NumDims)
	for d := range plan.NumDims {
		chains[d] = [][]int32{nil}
		for l := range levels {
			var longer [][]int32
			for _, chain := range chains[d] {
				for _, v := range j.domains.Values[plan.At(d, l)] {
					if l == 0 || v%chain[l-1] == 0 {
						longer = append(longer, append(slices.Clone(chain), v))
					}
				}
			}
			chains[d] = longer
		}
	}
	return j.combine(chains)
}

func (j *job) combine(chains [][][]int32) []plan.Point {
	levels := len(j.facts.Cluster.Levels)
	var points []plan.Point
	var p plan.Point
	factor := func(d plan.Dim, l int) int {
		if l == 0 {
			return int(p[plan.At(d, 0)])
		}
		return int(p[plan.At(d, l)] / p[plan.At(d, l-1)])
	}
	products := func(dims []plan.Dim) (n [plan.MaxLevels]int) {
		for l := range levels {
			n[l] = 1
			for _, d := range dims {
				n[l] *= factor(d, l)
			}
		}
		return n
	}
	fits := func(n [plan.MaxLevels]int) bool {
		for l := range levels {
			if n[l] > j.facts.Cluster.Levels[l].Size {
				return false
			}
		}
		return true
	}
	dense, expert := plan.DenseDims[:], plan.ExpertDims[:]
	order := append(slices.Clone(dense), expert[:3]...)
	var choose func(i int)
	choose = func(i int) {
		if i <= len(dense) && !fits(products(order[:i])) || i > len(dense) && !fits(products(append([]plan.Dim{plan.PP}, order[len(dense):i]...))) {
			return
		}
		if i == len(order) {
			if j.facts.MoE() && products(dense) != products(expert) {
				return
			}
			points = append(points, j.options(p)...)
			return
		}
		for _, chain := range chains[order[i]] {
			for l := range plan.MaxLevels {
				p[plan.At(order[i], l)] = chain[min(l, levels-1)]
			}
			choose(i + 1)
		}
	}
	for c := range p {
		p[c] = 1
	}
	choose(0)
	slices.SortFunc(points, func(a, b plan.Point) int { return a.Compare(&b) })
	return points
}

func (j *job) options(p plan.Point) (points []plan.Point) {
	var choose func(c plan.Coord)
	choose = func(c plan.Coord) {
		if int(c) == plan.NumOptions {
			if len(framework.Broken(j.facts, j.rules, &p)) == 0 {
				points = append(points, p)
			}
			return
		}
		for _, p[c] = range j.domains.Values[c] {
			choose(c + 1)
		}
	}
	choose(plan.VPP)
	return points
}

// collector keeps the points of a whole walk.
type collector struct {
	t      *rapid.T
	space  *encode.Space
	facts  *framework.Facts
	points []plan.Point
}

func (c *collector) Bound(n *solver.Node) (int, bool) { return 0, true }
func (c *collector) Less(a, b int) bool               { return a < b }
func (c *collector) Cut(int) bool                     { return false }

func (c *collector) Leaf(n *solver.Node) error {
	b := c.space.Box(n)
	if !b.Single() {
		c.t.Fatalf("the box of a leaf is not a point: %v", b)
	}
	p := b.Least()
	if len(framework.Broken(c.facts, c.space.Leftover(), &p)) == 0 {
		c.points = append(c.points, p)
	}
	return nil
}

func walk(t *rapid.T, s *encode.Space, f *framework.Facts) []plan.Point {
	c := &collector{t: t, space: s, facts: f}
	order := make([]solver.Int, 0, plan.NumCoords)
	for _, coord := range s.Order() {
		order = append(order, s.Int(coord))
	}
	if err := solver.Walk(context.Background(), s.Session(), s.Groups(), nil, order, c); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(c.points, func(a, b plan.Point) int { return a.Compare(&b) })
	return c.points
}

func TestTheWalkVisitsExactlyTheValidPoints(t *testing.T) {
	largest := 0
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		want := j.enumerate()
		s, err := encode.New(j.facts, j.rules, j.domains)
		if err != nil {
			t.Fatal(err)
		}
		got := walk(t, s, j.facts)
		largest = max(largest, len(got))
		if !slices.Equal(got, want) {
			t.Fatalf("the walk has %d points, the loops %d; %s", len(got), len(want), firstDifference(got, want))
		}
	})
	if largest < 100 {
		t.Errorf("the largest problem has only %d points", largest)
	}
}

func firstDifference(got, want []plan.Point) string {
	for _, p := range got {
		if !slices.Contains(want, p) {
			q := p.Plan(3)
			return "only the walk has " + q.String()
		}
	}
	for _, p := range want {
		if !slices.Contains(got, p) {
			q := p.Plan(3)
			return "only the loops have " + q.String()
		}
	}
	return "points are visited twice"
}

// A box nogood must take away the points of the box and no others.
func TestExcludedBoxesTakeExactlyTheirPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		all := j.enumerate()
		if len(all) == 0 {
			return
		}
		s, err := encode.New(j.facts, j.rules, j.domains)
		if err != nil {
			t.Fatal(err)
		}
		p := all[rapid.IntRange(0, len(all)-1).Draw(t, "point")]
		q := all[rapid.IntRange(0, len(all)-1).Draw(t, "other")]
		spared := slices.DeleteFunc(slices.Clone(all), func(r plan.Point) bool { return r == p })
		cut := func(b *plan.Box) bool { // an arbitrary predicate that holds at p
			return b.Contains(&p) && (q == p || !b.Contains(&q)) && weight(b) < 40
		}
		if b := p.Box(); !cut(&b) {
			return
		}
		order := s.Order()
		slices.SortFunc(order, func(a, b plan.Coord) int { return cmp.Compare((a*7)%11, (b*7)%11) })
		box := s.Widen(p, order, cut)
		if !box.Contains(&p) || !cut(&box) {
			t.Fatalf("the widened box does not contain the point or is not cut: %v", box)
		}
		s.Exclude(solver.Hard, box)
		want := slices.DeleteFunc(spared, func(r plan.Point) bool { return box.Contains(&r) })
		if got := walk(t, s, j.facts); !slices.Equal(got, want) {
			t.Fatalf("%d points remain, expected %d of %d", len(got), len(want), len(all))
		}
	})
}

// weight is not monotone in the box.
func weight(b *plan.Box) int32 {
	n := int32(0)
	for c := range b {
		n += (b[c].Hi - b[c].Lo) % 5
	}
	return n
}

func TestSolutionsAreValidPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		all := j.enumerate()
		s, err := encode.New(j.facts, j.rules, j.domains)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Leftover()) > 0 {
			t.Skip("rules are left to the leaves")
		}
		status, m, err := s.Session().Solve(context.Background(), solver.Budget{}, s.Groups()...)
		if err != nil {
			t.Fatal(err)
		}
		if (status == solver.Sat) != (len(all) > 0) {
			t.Fatalf("%s with %d points", status, len(all))
		}
		if p := (plan.Point{}); status == solver.Sat {
			if p = s.Point(m); !slices.Contains(all, p) {
				t.Fatalf("not a point of the space: %v", p)
			}
		}
	})
}
