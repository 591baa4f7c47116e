package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/search/loops"
)

// irregular replaces the cluster of a random problem by one of nodes that
// differ: a node is a domain of the innermost level.
func irregular(r *rand.Rand, p *Problem) {
	sizes := pick(r, []int{4, 3}, []int{8, 3}, []int{6, 4}, []int{4, 2, 3}, []int{8, 2, 2}, []int{3, 3, 2}, []int{2, 2, 2, 2}, []int{5, 5})
	for {
		full := shape(sizes)
		full.GPU, full.GPUsPerNode = found(cluster.FindGPU("h100")), sizes[0]
		if c, err := full.WithNodes(randomNodes(r, sizes)); err == nil && c.Irregular() {
			p.Facts.Cluster = c
			return
		}
	}
}

// randomNodes are nodes of a tree of the sizes, some broken, some missing.
func randomNodes(r *rand.Rand, sizes []int) []cluster.Node {
	n := 1
	for _, size := range sizes[1:] {
		n *= size
	}
	var nodes []cluster.Node
	for i := range n {
		var in []string
		for l, rest := 1, i; l < len(sizes)-1; l++ {
			rest /= sizes[l]
			in = append([]string{fmt.Sprint("d", rest)}, in...)
		}
		if r.IntN(4) > 0 {
			nodes = append(nodes, cluster.Node{Name: fmt.Sprint("n", i), GPUs: max(0, sizes[0]-pick(r, 0, 0, 0, 1, 2, sizes[0])), In: in})
		}
	}
	return append(nodes, cluster.Node{Name: "last", GPUs: sizes[0], In: slices.Repeat([]string{"d9"}, len(sizes)-2)})
}

func smallIrregular(t testing.TB, seed uint64) (*Problem, *loops.Enumerator) {
	return enumerable(t, seed, mostPoints/4, func(r *rand.Rand) *Problem {
		p := random(r)
		irregular(r, p)
		return p
	})
}

// irregularProblems is the number of random problems on irregular clusters.
const irregularProblems = 120

func TestWalkFindsWhatSortingAllPlansFindsOnIrregularClusters(t *testing.T) {
	var optimal, cutBack atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, irregularProblems, func(t *testing.T, seed uint64) {
			p, e := smallIrregular(t, seed)
			if r := checkBySorting(t, seed, p, e); r.Status == Optimal {
				optimal.Add(1)
				if r.Plans[0].GPUs < int64(p.Facts.Cluster.GPUs()) {
					cutBack.Add(1)
				}
			}
			if merged := p.Facts.Cluster.Merged(); merged != nil && seed%3 == 0 {
				p.Facts.Cluster = merged
				j, err := newJob(p)
				if err != nil {
					t.Fatal(err)
				}
				if e := loopsOf(t, j, without); e.Visit(countTo(mostPoints / 4)) {
					checkBySorting(t, seed, p, e)
				}
			}
		})
	})
	if !testing.Short() && (optimal.Load() < irregularProblems/3 || cutBack.Load() < irregularProblems/4) {
		t.Errorf("%d optimal, %d of them leave healthy GPUs idle", optimal.Load(), cutBack.Load())
	}
}

// countTo stops a visit after so many points.
func countTo(most int) func(*plan.Point) bool {
	n := 0
	return func(*plan.Point) bool { n++; return n <= most }
}

// bestOf is the step and the text of the fastest aligned plan that runs.
func bestOf(t *testing.T, p *Problem) (step float64, text string) {
	t.Helper()
	_, s := mustSession(t, p)
	r, err := s.best(context.Background(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fastest) == 0 {
		return inf, ""
	}
	return r.Fastest[0].StepSeconds, r.Fastest[0].Text
}

// onNodes is the problem on other nodes of the same full cluster.
func onNodes(t *testing.T, p *Problem, nodes []cluster.Node) *Problem {
	t.Helper()
	full := shape(fullSizes(p))
	full.GPU, full.GPUsPerNode = p.Facts.Cluster.GPU, full.Levels[0].Size
	c, err := full.WithNodes(nodes)
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.Facts.Cluster = c
	return &q
}

// fullSizes leaves room for any nodes of the tests.
func fullSizes(p *Problem) []int {
	sizes := []int{8}
	for range p.Facts.Cluster.Levels[1:] {
		sizes = append(sizes, 20)
	}
	return sizes
}

func TestTheOrderOfNodesDoesNotChangeTheBestPlan(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, _ := smallIrregular(t, seed)
		nodes := slices.Clone(p.Facts.Cluster.Machines.Nodes)
		step, text := bestOf(t, onNodes(t, p, nodes))
		r := rand.New(rand.NewPCG(seed, 9))
		r.Shuffle(len(nodes), func(i, k int) { nodes[i], nodes[k] = nodes[k], nodes[i] })
		if again, other := bestOf(t, onNodes(t, p, nodes)); again != step || other != text {
			t.Fatalf("seed %d: %v %s, in another order %v %s", seed, step, text, again, other)
		}
	})
}

// A healthy node more never makes the best plan worse. The price model of the
// tests does not look at the size of the cluster.
func TestANodeMoreNeverWorsensTheBestPlan(t *testing.T) {
	var better atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 60, func(t *testing.T, seed uint64) {
			p, _ := smallIrregular(t, seed)
			nodes := slices.Clone(p.Facts.Cluster.Machines.Nodes)
			before, _ := bestOf(t, onNodes(t, p, nodes))
			nodes = append(nodes, cluster.Node{Name: "more", GPUs: 8, In: nodes[int(seed)%len(nodes)].In})
			q := onNodes(t, p, nodes)
			if !q.Facts.Cluster.Irregular() {
				return // the space of a regular cluster is another one
			}
			after, _ := bestOf(t, q)
			if after > before {
				t.Fatalf("seed %d: %v, with a node more %v", seed, before, after)
			}
			if after < before {
				better.Add(1)
			}
		})
	})
	if !testing.Short() && better.Load() < 5 {
		t.Errorf("only %d problems gain by a node", better.Load())
	}
}

func TestRegularListsGiveTheSamePlansAsTheirCluster(t *testing.T) {
	for _, c := range []struct{ spec, nodes string }{
		{"h100:256", "gpu[001-032]"}, {"h100:512", "gpu[001-064]"}, {"h100:8", "gpu1"}, {"gb200:144", "n[01-36]"}, {"a100-pcie:16", "x[1-2]"},
	} {
		t.Run(c.spec, func(t *testing.T) {
			nodes := found(cluster.LoadNodes(c.nodes))
			name, _, _ := strings.Cut(c.spec, ":")
			listed := found(cluster.LoadWith(name, nodes))
			plain := found(cluster.Find(c.spec))
			p := Problem{Framework: testFramework, Profile: found(profile.Find("megatron")), Top: 3, Jobs: 1}
			p.Facts.Model = dense(24, 16, 8)
			p.Facts.Model.SetDefaults()
			p.Facts.Workload = plan.Workload{GlobalBatch: 64, SeqLen: 2048, Precision: plan.BF16, LoadFactor: 1}
			var texts []string
			for _, on := range []*cluster.Cluster{plain, listed} {
				p.Facts.Cluster = on
				r := found(Best(context.Background(), &p, Limits{}))
				if on == listed && (len(r.Plans) == 0 || len(r.Plans[0].Hosts) == 0 || r.Machines == nil) {
					t.Fatal("the nodes are not named")
				}
				for i := range r.Plans {
					r.Plans[i].Hosts, r.Plans[i].RankOrder = nil, ""
				}
				if r.Borderline != nil {
					r.Borderline.Plan.Hosts, r.Borderline.Plan.RankOrder = nil, ""
				}
				r.Machines = nil
				var b strings.Builder
				if err := r.WriteJSON(&b); err != nil {
					t.Fatal(err)
				}
				texts = append(texts, b.String())
			}
			if texts[0] != texts[1] {
				t.Errorf("a list of %s gives another answer than %s:\n%s\n%s", c.nodes, c.spec, texts[0], texts[1])
			}
		})
	}
}

// every rank is run once, by a node that has as many healthy GPUs.
func checkHosts(t *testing.T, c *cluster.Cluster, r *PlanResult) {
	t.Helper()
	healthy := map[string]int{}
	for i := range c.Machines.Nodes {
		healthy[c.Machines.Nodes[i].Name] = c.Machines.Nodes[i].GPUs
	}
	seen := map[int]bool{}
	for _, h := range r.Hosts {
		ranks := unfold(t, h.Ranks)
		if len(ranks) != h.GPUs || h.GPUs > healthy[h.Node] {
			t.Fatalf("%s runs %s on %d healthy GPUs", h.Node, h.Ranks, healthy[h.Node])
		}
		healthy[h.Node] = 0
		for _, k := range ranks {
			if seen[k] || k < 0 || int64(k) >= r.GPUs {
				t.Fatalf("rank %d of %d is run twice or is none", k, r.GPUs)
			}
			seen[k] = true
		}
	}
	if int64(len(seen)) != r.GPUs {
		t.Fatalf("%d of %d ranks are run", len(seen), r.GPUs)
	}
}

func unfold(t *testing.T, ranks string) (list []int) {
	t.Helper()
	for part := range strings.SplitSeq(ranks, ",") {
		first, last, isRun := strings.Cut(part, "-")
		if !isRun {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || to < from {
			t.Fatalf("ranks %q", ranks)
		}
		for k := from; k <= to; k++ {
			list = append(list, k)
		}
	}
	return list
}

// The groups of a plan that straddle leaves are counted anew from the ranks of
// each node and the framework's own numbering.
func TestHostsAndStraddlingAreThoseOfTheRanks(t *testing.T) {
	var aligned, unaligned atomic.Int32
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 90, func(t *testing.T, seed uint64) {
			p, _ := smallIrregular(t, seed)
			r, err := Best(context.Background(), p, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Plans) == 0 {
				return
			}
			best := &r.Plans[0]
			checkHosts(t, p.Facts.Cluster, best)
			if best.Unaligned == nil {
				aligned.Add(1)
				return
			}
			unaligned.Add(1)
			if r.Status != Feasible || r.Gap != nil || !strings.Contains(r.Warnings[0], "not proven") {
				t.Fatalf("seed %d: %s, %q", seed, r.Status, r.Warnings[0])
			}
			checkStraddling(t, p, best)
		})
	})
	if !testing.Short() && (aligned.Load() < 10 || unaligned.Load() < 10) {
		t.Errorf("%d plans are aligned, %d are not", aligned.Load(), unaligned.Load())
	}
}

func checkStraddling(t *testing.T, p *Problem, r *PlanResult) {
	t.Helper()
	parsed, err := plan.Parse(r.Text)
	if err != nil {
		t.Fatal(err)
	}
	leaf, node := map[int]string{}, map[int]string{}
	for _, h := range r.Hosts {
		for _, k := range unfold(t, h.Ranks) {
			leaf[k], node[k] = strings.Join(h.In, "/"), h.Node
		}
	}
	q := *p
	q.Facts.Cluster = p.Facts.Cluster.Merged()
	order := p.Framework.RankOrder(&q.Facts, &parsed.Plan)
	for _, s := range r.Unaligned.Straddling {
		d, ok := dimNamed(s.Dimension)
		if !ok || slices.Contains([]plan.Dim{plan.ETP, plan.EP, plan.EDP}, d) {
			continue // whose ranks follow from the placement, not from the order
		}
		straddle := 0
		degrees := framework.Degrees{}
		for e := range degrees {
			degrees[e] = parsed.Plan.Placement.Degree(plan.Dim(e))
		}
		inner := int(parsed.Plan.Placement.Factor[d][0])
		for _, g := range order.Groups(d, &degrees) {
			if slices.ContainsFunc(g, func(k int) bool { return leaf[k] != leaf[g[0]] }) {
				straddle++
			}
		}
		if want := s.Straddle * int(r.GPUs) / int(parsed.Plan.Placement.Degree(d)) / s.Groups; inner >= 1 && straddle != want {
			t.Fatalf("%s: %d groups of ranks straddle leaves; %d of %d groups of blocks do", s.Dimension, straddle, s.Straddle, s.Groups)
		}
	}
}

func dimNamed(name string) (plan.Dim, bool) {
	for d := range plan.NumDims {
		if d.String() == name {
			return d, true
		}
	}
	return 0, false
}

// collapsed is an aligned plan with all levels of the network as one.
func collapsed(p *plan.Plan, box int) plan.Plan {
	q := *p
	q.Placement.Levels = int8(box + 2)
	for d := range q.Placement.Factor {
		for l := box + 2; l < plan.MaxLevels; l++ {
			q.Placement.Factor[d][box+1] *= max(1, q.Placement.Factor[d][l])
			q.Placement.Factor[d][l] = 1
		}
	}
	return q
}

// What a plan takes where all that leaves a node leaves its leaf is no less than
// what it takes aligned. That is why an unaligned plan may replace an aligned one.
func TestThePriceOfAnUnalignedPlanIsAnUpperBound(t *testing.T) {
	var slower, plans atomic.Int64
	t.Run("random problems", func(t *testing.T) {
		inParts(t, 40, func(t *testing.T, seed uint64) {
			p, e := realIrregular(t, seed)
			c := p.Facts.Cluster
			merged := c.Merged()
			if merged == nil {
				return
			}
			q := *p
			q.Facts.Cluster = merged
			over := found(q.price())
			j, _ := mustSession(t, p)
			for _, l := range everything(t, j, e) {
				wide := collapsed(&l.plan, c.Machines.Box)
				if !merged.Holds(usedOf(&wide, len(merged.Levels))) {
					t.Fatalf("seed %d: %s is aligned and has no room unaligned", seed, l.plan.String())
				}
				f := over.Price(&wide)
				if f.Step < l.figures.Step*(1-1e-9) || f.Peak != l.figures.Peak {
					t.Fatalf("seed %d: %s takes %v and %v, as unaligned %v and %v", seed, l.plan.String(), l.figures.Step, l.figures.Peak, f.Step, f.Peak)
				}
				plans.Add(1)
				if f.Step > l.figures.Step*(1+1e-9) {
					slower.Add(1)
				}
			}
		})
	})
	if !testing.Short() && slower.Load() < plans.Load()/20 {
		t.Errorf("%d of %d plans take longer unaligned", slower.Load(), plans.Load())
	}
}

// realIrregular is smallIrregular at the prices of the cost model, with spines
// slower than leaves.
func realIrregular(t testing.TB, seed uint64) (*Problem, *loops.Enumerator) {
	return enumerable(t, seed, mostPoints/8, func(r *rand.Rand) *Problem {
		p := random(r)
		p.newPricer = nil
		p.Profile = found(profile.Find(p.Framework.Profile()))
		p.Facts.Model.SetDefaults()
		irregular(r, p)
		levels := p.Facts.Cluster.Levels
		levels[len(levels)-1].Oversubscription = pick(r, 1, 2.0, 4.0)
		return p
	})
}

func TestAnswersOnIrregularClustersDoNotDependOnTheNumberOfJobs(t *testing.T) {
	inParts(t, 30, func(t *testing.T, seed uint64) {
		p, _ := smallIrregular(t, seed+500)
		p.Forced = true
		var texts []string
		for _, jobs := range []int{1, 4} {
			p.Jobs = jobs
			var b strings.Builder
			if err := found(Best(context.Background(), p, Limits{})).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, b.String())
		}
		if texts[0] != texts[1] {
			t.Fatalf("seed %d: one job:\n%s\nfour jobs:\n%s", seed, texts[0], texts[1])
		}
	})
}

// Wherever a search on an irregular cluster is stopped, what it gives can run,
// and it does not claim more than it knows.
func TestStoppedSearchesOnIrregularClustersLeaveAPlanThatCanRun(t *testing.T) {
	inParts(t, 30, func(t *testing.T, seed uint64) {
		p, _ := smallIrregular(t, seed+700)
		best := found(Best(context.Background(), p, Limits{}))
		for _, boxes := range []int{1, 20, 100, 400, 1500} {
			ctx, cancel := context.WithCancel(context.Background())
			q := *p
			stopAfter(t, &q, boxes, cancel)
			r := found(Best(ctx, &q, Limits{}))
			stopped := ctx.Err() != nil
			cancel()
			if len(r.Plans) == 0 {
				if r.Status == Optimal || r.Status == Feasible || r.Status == Infeasible && best.Status != Infeasible {
					t.Fatalf("seed %d, %d boxes: %s without a plan; the answer is %s", seed, boxes, r.Status, best.Status)
				}
				continue
			}
			checkHosts(t, p.Facts.Cluster, &r.Plans[0])
			if same := r.Plans[0].Text == best.Plans[0].Text; r.Status == Optimal && !same {
				t.Fatalf("seed %d, %d boxes: %s is said to be optimal, %s is the answer", seed, boxes, r.Plans[0].Text, best.Plans[0].Text)
			}
			if u := r.Plans[0].Unaligned; u != nil && (r.Status != Feasible || u.Complete && stopped && r.Plans[0].Text != best.Plans[0].Text) {
				t.Fatalf("seed %d, %d boxes: %s, complete %v", seed, boxes, r.Status, u.Complete)
			}
		}
	})
}
