package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/models"
	"meshplan/plan"
)

// smallModel is a model of at most 12 layers: dense, with experts, with some
// dense layers before those with experts, or with both in turn.
func smallModel(t *testing.T, r *rand.Rand) *models.Model {
	t.Helper()
	name := [...]string{"llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v2-lite", "llama-4-maverick"}[r.IntN(4)]
	o := *find(t, name)
	o.Layers = 2 + r.IntN(11)
	if o.FirstKDense > 0 {
		o.FirstKDense = 1 + r.IntN(o.Layers-1)
	}
	if o.MoEEvery > 1 {
		o.MoEEvery, o.FirstKDense = 2+r.IntN(3), max(0, r.IntN(8)-4)
		o.FirstKDense = min(o.FirstKDense, o.Layers-1)
	}
	return &o
}

// smallJob is a pipeline of at most 12 chunks whose times and memory are drawn
// at random, the limits among them.
func smallJob(t *testing.T, r *rand.Rand) (*Model, job, *schedule) {
	t.Helper()
	m := priced(t, smallModel(t, r), "h100", 64, "megatron", "", 64, 4096)
	d := degrees{tp: 1, pp: 1, vpp: 1, dp: 1, mb: 1}.place(m.cluster)
	pt := d.Point()
	b := pt.Box()
	v := m.look(&b)
	j := m.newJob(&v)
	most := min(12, len(m.kinds)+plan.MaxEmptyChunks)
	j.pp = 1 + r.IntN(most)
	j.vpp = 1
	if j.pp > 1 {
		j.vpp = 1 + r.IntN(most/j.pp)
	}
	j.micro = float64(1 + r.IntN(20))
	if j.vpp == 1 && r.IntN(4) == 0 {
		j.schedule = plan.GPipe
	} else {
		j.schedule = plan.ScheduleOf(0, int32(j.vpp))
	}
	j.reserved, j.account = 1, memory{}
	for k := range j.layer {
		l := &j.account.layer[k]
		j.layer[k] = pass{fwd: r.Float64(), bwd: 2 * r.Float64()}
		*l = perLayer{matrices: r.Float64(), kept: r.Float64(), step: r.Float64()}
	}
	j.head, j.hop, j.wire = pass{fwd: r.Float64() * 3, bwd: r.Float64() * 3}, pass{fwd: r.Float64() / 5, bwd: r.Float64() / 5}, r.Float64()
	a := &j.account
	a.embedding, a.head, a.headKept, a.transient, a.fixed = 3*r.Float64(), 3*r.Float64(), 2*r.Float64(), r.Float64(), r.Float64()
	each := float64(len(m.kinds)) / float64(j.pp)
	j.fit = 2 + each*(1+6*r.Float64())
	j.run = j.fit * (1 + r.Float64()/4)
	return m, j, new(schedule)
}

// exhausted is the best of every list of layers per chunk.
func exhausted(m *Model, j *job, s *schedule) (best candidate) {
	best.tier = 3
	everySplit(j, int32(len(m.kinds)), func(chunks []int32) {
		if one := m.judge(j, s, chunks); best.tier == 3 || one.better(&best) {
			best = one
			best.chunks = clone(chunks)
		}
	})
	return best
}

// everySplit visits every list of layers per chunk.
func everySplit(j *job, layers int32, visit func(chunks []int32)) {
	chunks := make([]int32, j.pp*j.vpp)
	var fill func(c int, left int32)
	fill = func(c int, left int32) {
		least := int32(1)
		if len(chunks) > 1 && (c == 0 || c == len(chunks)-1) {
			least = 0
		}
		if c == len(chunks)-1 {
			if left < least {
				return
			}
			chunks[c] = left
			visit(chunks)
			return
		}
		for n := least; n <= left; n++ {
			chunks[c] = n
			fill(c+1, left-n)
		}
	}
	fill(0, layers)
}

// kindsOf says how the kinds of the model's layers follow each other.
func kindsOf(m *Model) string {
	switch {
	case m.single:
		return "one kind"
	case m.ordered:
		return "dense before MoE"
	}
	return "in turn"
}

// bestCounts is the least time of the slowest rank when each of a split's ranks
// recomputes a number of layers of its own, tried one by one, within a limit.
func bestCounts(j *job, s *schedule, limit float64) float64 {
	slowest := 0.0
	for r := range j.pp {
		k, least := &s.ranks[r], math.Inf(1)
		held := k.layers[models.Dense] + k.layers[models.MoE]
		for n := 0.0; n <= held; n++ {
			repeated, flight := firstOf(n, k.layers), j.inFlight(float64(r))
			memory := max(j.allocated(r, k.layers), j.account.running(float64(r), float64(j.pp), &flight, k.layers)+j.sparing(r, k.layers, repeated))
			if memory*j.reserved <= limit {
				least = min(least, j.timeOf(r, k.layers, repeated).sum())
			}
		}
		slowest = max(slowest, least)
	}
	return slowest
}

// The layers of each rank and how many of them it recomputes, each against all
// choices.
func TestRecomputedLayersEqualExhaustiveSearch(t *testing.T) {
	cases := 6000
	if testing.Short() {
		cases = 600
	}
	r := rand.New(rand.NewPCG(12, 2))
	several := 0
	for range cases {
		m, j, s := smallJob(t, r)
		j.fitting.on = true
		for k := range j.fitting.kept {
			j.fitting.kept[k], j.fitting.again[k] = 2*r.Float64(), pass{bwd: r.Float64()}
		}
		got, ok := m.free(&j, s)
		counts := map[float64]bool{}
		m.fitted(&j, s, got.chunks)
		for i := range j.pp {
			counts[s.ranks[i].repeated[models.Dense]+s.ranks[i].repeated[models.MoE]] = true
		}
		want := [2]float64{math.Inf(1), math.Inf(1)}
		everySplit(&j, int32(len(m.kinds)), func(chunks []int32) {
			m.fill(&j, s, chunks)
			for i, limit := range [...]float64{j.fit, j.run} {
				want[i] = min(want[i], bestCounts(&j, s, limit))
			}
		})
		tier := 2
		for i := 1; i >= 0; i-- {
			if !math.IsInf(want[i], 1) {
				tier = i
			}
		}
		if !ok || got.tier != tier || tier < 2 && math.Abs(got.slowest/want[tier]-1) > 2*slack {
			t.Fatalf("pp %d vpp %d of %v: %+v, exhaustive search %v in tier %d", j.pp, j.vpp, m.kinds, got, want, tier)
		}
		if tier < 2 && len(counts) > 2 {
			several++
		}
	}
	if several < cases/20 {
		t.Errorf("%d of %d cases have ranks of more than two numbers", several, cases)
	}
}

func TestSplitsEqualExhaustiveSearch(t *testing.T) {
	cases := 10000
	if testing.Short() {
		cases = 5000
	}
	r := rand.New(rand.NewPCG(12, 1))
	seen := map[string]int{}
	for range cases {
		m, j, s := smallJob(t, r)
		want := exhausted(m, &j, s)
		got, ok := m.free(&j, s)
		wrong := got.tier < 2 && math.Abs(got.slowest/want.slowest-1) > 2*slack || got.tier == 2 && math.Abs(got.peak/want.peak-1) > 2*slack
		if !ok || got.tier != want.tier || wrong {
			t.Fatalf("pp %d vpp %d of %v: split %+v, exhaustive search %+v", j.pp, j.vpp, m.kinds, got, want)
		}
		if !plan.SplitLayout.Expresses(got.chunks, j.pp, j.vpp) {
			t.Fatalf("pp %d vpp %d: %v is no split", j.pp, j.vpp, got.chunks)
		}
		seen[fmt.Sprint(kindsOf(m), j.vpp > 1, got.tier)]++
	}
	if len(seen) != 3*2*3 {
		t.Errorf("not every kind of case was drawn: %v", seen)
	}
}
