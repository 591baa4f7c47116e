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
	j.gpipe = j.vpp == 1 && r.IntN(4) == 0
	j.reserved, j.account = 1, memory{}
	for k := range j.layer {
		l := &j.account.layer[k]
		j.layer[k] = pass{r.Float64(), 2 * r.Float64()}
		*l = perLayer{matrices: r.Float64(), kept: r.Float64(), step: r.Float64()}
	}
	j.head, j.hop, j.wire = pass{r.Float64() * 3, r.Float64() * 3}, pass{r.Float64() / 5, r.Float64() / 5}, r.Float64()
	a := &j.account
	a.embedding, a.head, a.headKept, a.transient, a.fixed = 3*r.Float64(), 3*r.Float64(), 2*r.Float64(), r.Float64(), r.Float64()
	each := float64(len(m.kinds)) / float64(j.pp)
	j.fit = 2 + each*(1+6*r.Float64())
	j.run = j.fit * (1 + r.Float64()/4)
	return m, j, new(schedule)
}

// exhausted is the best of every list of layers per chunk.
func exhausted(m *Model, j *job, s *schedule) (best candidate) {
	chunks := make([]int32, j.pp*j.vpp)
	best.tier = 3
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
			if one := m.judge(j, s, chunks); best.tier == 3 || one.better(&best) {
				best = one
				best.chunks = clone(chunks)
			}
			return
		}
		for n := least; n <= left; n++ {
			chunks[c] = n
			fill(c+1, left-n)
		}
	}
	fill(0, int32(len(m.kinds)))
	return best
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

func TestSplitsEqualExhaustiveSearch(t *testing.T) {
	cases := 10000
	if testing.Short() {
		cases = 1000
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
