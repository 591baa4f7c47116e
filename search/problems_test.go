package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/search/loops"
	"meshplan/units"
)

// mostPoints is the size up to which a random problem is enumerated.
const mostPoints = 4_000

// small makes random problems that can be enumerated. The same seed gives the
// same problems.
func small(t testing.TB, seed uint64) (*Problem, *loops.Enumerator) {
	t.Helper()
	return enumerable(t, seed, mostPoints, random)
}

// tiny is small with fewer plans, for oracles that compare each with each.
func tiny(t testing.TB, seed uint64) (*Problem, *loops.Enumerator) {
	t.Helper()
	return enumerable(t, seed, mostPoints/4, random)
}

// real is small at the prices of the cost model.
func real(t testing.TB, seed uint64) (*Problem, *loops.Enumerator) {
	t.Helper()
	return enumerable(t, seed, mostPoints/4, func(r *rand.Rand) *Problem {
		p := random(r)
		p.newPricer = nil
		p.Profile = found(profile.Find(p.Framework.Profile()))
		like := found(cluster.Find(pick(r, "l4", "a100-40gb", "a100", "h100", "rtx-3090") + ":8"))
		c := p.Facts.Cluster
		c.GPU, c.GPUsPerNode, c.NICsPerNode = like.GPU, c.Levels[0].Size, like.NICsPerNode
		c.HostMemory, c.HostLink = like.HostMemory, like.HostLink
		p.Facts.Model.SetDefaults()
		return p
	})
}

// found is for what is known to be in a catalogue.
func found[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func enumerable(t testing.TB, seed uint64, most int, draw func(*rand.Rand) *Problem) (*Problem, *loops.Enumerator) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for {
		p := draw(r)
		j, err := newJob(p)
		if err != nil {
			t.Fatal(err)
		}
		e, n := loopsOf(t, j, without), 0
		if e.Visit(func(*plan.Point) bool { n++; return n <= most }) && n > 0 {
			return p, e
		}
	}
}

// The parts of fixed small problems.
var (
	testProfile   = &profile.Profile{Name: "fake"}
	testFramework = megatron.New()
)

// dense is a model without experts.
func dense(layers, heads, kvHeads int) *models.Model {
	return &models.Model{
		Name: "dense", Layers: layers, Hidden: heads * 128, Heads: heads, KVHeads: kvHeads, HeadDim: 128,
		FFN: 5 * 1024, Vocab: 32000, GatedMLP: true, NormsPerLayer: 2,
	}
}

// Whether loops ask the rules that others entail.
const (
	without = false
	implied = true
)

// loopsOf enumerates the same space by loops.
func loopsOf(t testing.TB, j *job, implied bool) *loops.Enumerator {
	t.Helper()
	price, err := j.Problem.price()
	if err != nil {
		t.Fatal(err)
	}
	rules := slices.DeleteFunc(slices.Clone(j.rules), func(r framework.Rule) bool { return r.Implied && !implied })
	return loops.New(&loops.Problem{
		Facts: j.facts, Domains: j.domains, Rules: rules,
		StageRules: j.stageRules, Forms: j.forms, Price: price, First: j.branching(everyCoord()),
	})
}

func everyCoord() []plan.Coord {
	var list []plan.Coord
	for c := range plan.Coord(plan.NumCoords) {
		list = append(list, c)
	}
	return list
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// random is a problem of any size.
func random(r *rand.Rand) *Problem {
	sizes := pick(r,
		[]int{8}, []int{4, 3}, []int{2, 5}, []int{8, 2}, []int{7, 2}, []int{3, 11}, []int{6, 4},
		[]int{72}, []int{2, 3, 2}, []int{4, 2, 3}, []int{8, 2, 2}, []int{5, 1, 2}, []int{2, 2, 2, 3}, []int{2, 1, 3, 1, 2}, []int{1, 4, 2})
	m := randomModel(r)
	p := &Problem{Facts: framework.Facts{Model: m, Cluster: shape(sizes)}, Profile: testProfile}
	p.Facts.Workload = plan.Workload{
		GlobalBatch: pick[int64](r, 6, 8, 12, 20, 24, 33, 48), SeqLen: pick[int64](r, 2048, 4096, 1536),
		Precision: plan.BF16, LoadFactor: 1,
	}
	p.Framework = pick(r, all.List()...)
	text := fmt.Sprintf("vpp<=%d,micro-batch<=%d", pick(r, 1, 2, 3, 4), pick(r, 1, 2, 4))
	if r.IntN(2) == 0 {
		text += pick(r, ",cp=1", ",recompute=selective", ",tp in nvlink", ",pp<=4", ",dp<=8", ",gpus>=6", ",tp<=4,etp=1", ",zero=1", ",sp=on",
			",zero>=2", ",cp-comm<=a2a+p2p", ",schedule<=gpipe", ",recompute=mlp", ",optimizer-offload<=50", ",recompute=full,recompute-spare>=0", ",activation-offload<=100", ",cp>=2,cp-comm>=allgather",
			",schedule<=dualpipev", ",schedule>=zb-h1", ",schedule=dualpipe", ",schedule>=zb-v,pp>=2")
	}
	p.Pins, _ = framework.ParsePins(text)
	p.Top, p.Jobs = pick(r, 1, 2, 5, 20), pick(r, 1, 2, 3)
	f := fake{facts: &p.Facts, gpus: float64(p.Facts.Cluster.GPUs())}
	f.grain = pick(r, 0, 0, 0.25, 1, 4)
	f.usable = units.Bytes(pick(r, 20, 60, 100, 150, 250, 600))
	if p.Top > 1 { // no draw of its own
		f.refuse = 0.06
	}
	p.newPricer = func(on *Problem) (pricer, error) { return f.of(on), nil }
	p.Pins = append(p.Pins, freed(r, p)...)
	return p
}

// freed are pins that bound options which most jobs leave alone, so that the search
// ranges over some of their values: of each option that can have more values than it
// has, one time in eight.
func freed(r *rand.Rand, p *Problem) []framework.Pin {
	var pins []framework.Pin
	alone := framework.NewDomains(&p.Facts, p.Framework, p.Pins)
	for c := range plan.Coord(plan.NumOptions) {
		pin := framework.Pin{Coord: c, Op: "<=", Value: math.MaxInt8}
		all := framework.NewDomains(&p.Facts, p.Framework, append(p.Pins[:len(p.Pins):len(p.Pins)], pin)).Values[c]
		if len(all) <= len(alone.Values[c]) || r.IntN(8) > 0 {
			continue
		}
		pin.Value = all[1+r.IntN(len(all)-1)]
		if list := append(p.Pins[:len(p.Pins):len(p.Pins)], pin); framework.CheckPins(&p.Facts, list) == nil {
			pins = append(pins, pin)
		}
	}
	return pins
}

func randomModel(r *rand.Rand) *models.Model {
	m := &models.Model{
		Name: "random", Layers: pick(r, 12, 24, 61, 94, 96, 126), Heads: pick(r, 8, 12, 22, 40), HeadDim: 128,
		FFN: 4 * 1024 * pick(r, 3, 5, 7, 11), Vocab: 32000, GatedMLP: true, NormsPerLayer: 2,
	}
	m.Hidden, m.KVHeads = m.Heads*m.HeadDim, pick(r, 2, 4, m.Heads)
	if r.IntN(3) == 0 {
		m.Experts, m.TopK, m.MoEFFN = pick(r, 4, 6, 8), 2, 1024*pick(r, 1, 3)
		m.FirstKDense, m.MoEEvery = pick(r, 0, 1, 3), 1
	}
	return m
}

func shape(sizes []int) *cluster.Cluster {
	c := &cluster.Cluster{Name: "random", GPU: &cluster.GPU{Name: "fake"}}
	for l, n := range sizes {
		c.Levels = append(c.Levels, cluster.Level{
			Name: fmt.Sprintf("level%d", l), Size: n, Bandwidth: units.BytesPerSecond(400e9 / float64(l*l*4+1)),
			Latency: 2e-6, Oversubscription: 1,
		})
	}
	return c
}
