package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/plan"
)

// contexted is the estimate of a Llama-3 70B plan of cp 4 on 64 H100, by kind
// of context parallelism; sequences of 32,768 tokens.
func contexted(t *testing.T, d degrees) (by [plan.NumCPComm]Estimate) {
	t.Helper()
	m := priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 64, 32768)
	for k := range by {
		p := d.place(m.cluster)
		p.Options.CPComm = plan.CPComm(k)
		by[k] = m.Explain(&p)
	}
	return by
}

var contextPlan = degrees{tp: 2, cp: 4, pp: 1, dp: 8, mb: 1, sp: true, zero: 1, recompute: plan.RecomputeFull}

// row is the row of the traffic table of the dimension.
func row(t *testing.T, e *Estimate, dimension string) Traffic {
	t.Helper()
	for _, f := range e.Traffic {
		if f.Dimension == dimension {
			return f
		}
	}
	t.Fatalf("no traffic of %s", dimension)
	return Traffic{}
}

// Bytes that a rank of tp 2 x cp 4 sends for one sequence and layer and pass:
// its 8,192 tokens hold 32 query heads and 4 key-value heads of 128 in bf16.
func TestVolumesOfContextParallelKinds(t *testing.T) {
	const tokens, queries, keys, layers, micro, size = 8192.0, 32 * 128, 4 * 128, 80, 8, 2
	by := contexted(t, contextPlan) // full recompute: two forward passes and one backward
	for kind, want := range map[plan.CPComm]struct {
		collective string
		bytes      float64
	}{
		// Keys and values leave a rank three times in each pass, and their gradients.
		plan.CPRing: {"ring of keys and values", 3 * (2 * tokens * keys) * (3 + 1)},
		// A gather passes on what the other three ranks hold.
		plan.CPAllGather: {"all-gather of keys and values + reduce-scatter", 3 * (2 * tokens * keys) * (3 + 1)},
		// Three quarters of four tensors leave a rank.
		plan.CPAllToAll: {"all-to-all of heads", 0.75 * (2*tokens*queries + 2*tokens*keys) * 3},
	} {
		f := row(t, &by[kind], "cp")
		sent := 0.0
		for _, l := range f.PerLevel {
			sent += float64(l.Bytes)
		}
		if want := want.bytes * size * layers * micro; math.Abs(sent/want-1) > 1e-9 {
			t.Errorf("%s: %q sends %g bytes, want %g", kind, f.Collective, sent, want)
		}
		if f.Collective != want.collective {
			t.Errorf("%s: %q, want %q", kind, f.Collective, want.collective)
		}
	}
}

func TestWhatNoKernelHidesIsExposed(t *testing.T) {
	by := contexted(t, contextPlan)
	for kind, name := range contextTerms {
		e, got := &by[kind], 0.0
		for _, x := range e.Time.Terms[0].Terms[0].Terms {
			if x.Name == name {
				got = x.Value
			}
		}
		f := row(t, e, "cp")
		t.Logf("%s: %.3f s of %.3f s exposed, step %.2f s", plan.CPComm(kind), float64(f.Exposed), float64(f.Seconds), float64(e.Step))
		if plan.CPComm(kind) == plan.CPRing {
			if f.Exposed > f.Seconds/2 {
				t.Errorf("a ring exposes %v of %v behind 8,192 tokens' attention", f.Exposed, f.Seconds)
			}
			continue
		}
		// The table counts the repeated forward pass, which is a term of its own.
		if math.Abs(float64(f.Exposed/f.Seconds)-1) > 0.02 || got >= float64(f.Seconds) || got < float64(f.Seconds)/2 {
			t.Errorf("%s: %v of %v exposed, term %g", plan.CPComm(kind), f.Exposed, f.Seconds, got)
		}
	}
	core := func(e *Estimate) float64 {
		for _, x := range e.Time.Terms[0].Terms[0].Terms {
			if x.Name == "attention core" {
				return x.Value
			}
		}
		return 0
	}
	if a2a, gather, ring := core(&by[plan.CPAllToAll]), core(&by[plan.CPAllGather]), core(&by[plan.CPRing]); a2a >= gather || gather >= ring {
		t.Errorf("core: all-to-all %g s, all-gather %g s, ring %g s; whole sequences are the most efficient, and only a ring merges", a2a, gather, ring)
	}
}

// Of few key-value heads every rank still needs one whole.
func TestKeyValueHeadsAreCopiedWhereThereAreTooFew(t *testing.T) {
	m := priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 64, 32768)
	sent := func(tp, cp int32) float64 {
		p := degrees{tp: tp, cp: cp, pp: 1, dp: 64 / tp / cp, mb: 1, sp: true, zero: 1}.place(m.cluster)
		p.Options.CPComm = plan.CPAllToAll
		e := m.Explain(&p)
		total := 0.0
		for _, l := range row(t, &e, "cp").PerLevel {
			total += float64(l.Bytes)
		}
		return total / (1 - 1/float64(cp)) / float64(64/tp/cp) // whole messages of all layers, micro-batches and passes
	}
	// tp 8 has one key-value head a rank; cp 8 makes eight of it.
	const tokens = 32768 / 8
	if got, want := sent(8, 8)/(64*80*2*2), float64(tokens*(2*8*128+2*8*128)); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("sends %g elements, want %g", got, want)
	}
}

func TestGatheredKeysAndValuesAreInMemory(t *testing.T) {
	d := degrees{tp: 1, cp: 8, pp: 2, dp: 4, mb: 1, zero: 1}
	by := contexted(t, d)
	ring, gather := term(by[plan.CPRing].Stages[0], "backward buffers"), term(by[plan.CPAllGather].Stages[0], "backward buffers")
	// 8 heads of 128: keys, values and the gradients of both, of 32,768 tokens.
	want := 2 * 2 * 2 * 32768 * 8 * 128.0
	if mlp := 6 * 28672 * 32768 / 8.0; ring != mlp || gather != max(mlp, want) {
		t.Errorf("buffers %g and %g, want %g and %g", ring, gather, mlp, max(mlp, want))
	}
}

// A single rank has nobody to talk to: the kinds are one.
func TestWithoutContextParallelismTheKindsAreOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	m := subjects[0].price(t)
	for n := 0; n < 50; {
		pt, ok := randomPoint(r, m)
		if !ok || pt.Degree(plan.CP) > 1 {
			continue
		}
		n++
		var steps [plan.NumCPComm]Figures
		for k := range steps {
			pt[plan.CPCommC] = int32(k)
			p := pt.Plan(len(m.cluster.Levels))
			steps[k] = m.Price(&p)
		}
		if steps[0] != steps[1] || steps[0] != steps[2] || steps[0] != steps[3] {
			t.Fatalf("%+v", steps)
		}
	}
}

// The all-to-all moves a cp-th of what a gather moves, as the paper of Ulysses
// says, when there is no grouping of heads.
func TestUlyssesVolumeFallsWithTheDegree(t *testing.T) {
	m := priced(t, find(t, "gpt3-175b"), "a100", 64, "megatron-2022", "", 64, 2048)
	volume := func(kind plan.CPComm, cp int32) float64 {
		p := degrees{tp: 1, cp: cp, pp: 1, dp: 64 / cp, mb: 1}.place(m.cluster)
		p.Options.CPComm = kind
		e := m.Explain(&p)
		f := row(t, &e, "cp")
		return float64(f.PerLevel[0].Bytes) / (1 - 1/float64(cp)) / float64(64/(64/cp))
	}
	const h, s, size, layers = 12288, 2048, 2, 96
	if got, want := volume(plan.CPAllGather, 8), 3*2.0*s*h*size*layers; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("gathers %g, want %g", got, want)
	}
	if got, want := volume(plan.CPAllToAll, 8), 2*4.0*s*h*size*layers/8; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("exchanges %g, want %g", got, want)
	}
}

// Hierarchical context parallelism is an all-to-all where all its ranks share a
// domain, and a ring where no two do.
func TestHierarchicalContextHasItsTwoKindsForItsEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, s := range []subject{subjects[0], subjects[3], subjectCalled(t, "dense 70B on 256 H100 by FSDP2")} {
		m := s.price(t)
		price := func(pt plan.Point, kind plan.CPComm) Figures {
			pt[plan.CPCommC] = int32(kind)
			p := pt.Plan(len(m.cluster.Levels))
			return m.Price(&p)
		}
		for ends, n := [2]int{}, 0; n < 400 || min(ends[0], ends[1]) < 5; n++ {
			pt, ok := randomPoint(r, m)
			if !ok || pt.Degree(plan.CP) == 1 {
				continue
			}
			both := price(pt, plan.CPHierarchical)
			switch pt[plan.At(plan.CP, 0)] {
			case pt.Degree(plan.CP):
				ends[0]++
				if alone := price(pt, plan.CPAllToAll); both != alone {
					t.Fatalf("%s: %+v, an all-to-all %+v", s.name, both, alone)
				}
			case 1:
				ends[1]++
				if alone := price(pt, plan.CPRing); both != alone {
					t.Fatalf("%s: %+v, a ring %+v", s.name, both, alone)
				}
			}
		}
	}
}

// Of cp 8 behind tp 2, four ranks share a node: three quarters of their heads'
// tensors stay there, and keys and values of the node's tokens go once to the other
// node, with their gradients in backward.
func TestVolumesOfHierarchicalContext(t *testing.T) {
	const tokens, queries, keys, layers, micro, size = 4096.0, 32 * 128, 4 * 128, 80, 16, 2
	d := contextPlan
	d.cp, d.dp = 8, 4
	by := contexted(t, d)
	f := row(t, &by[plan.CPHierarchical], "cp")
	inside := 0.75 * (2*tokens*queries + 2*tokens*keys) * 3
	between := 1 * (2 * 4 * tokens * keys / 4) * (3 + 1)
	for l, want := range []float64{inside, between} {
		if got := float64(f.PerLevel[l].Bytes) / (size * layers * micro); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: sends %g elements, want %g", f.PerLevel[l].Level, got, want)
		}
	}
	ring, exchange := row(t, &by[plan.CPRing], "cp"), row(t, &by[plan.CPAllToAll], "cp")
	if nic := f.PerLevel[1].Bytes; nic >= ring.PerLevel[1].Bytes || nic >= exchange.PerLevel[1].Bytes {
		t.Errorf("%v between nodes, %v of a ring and %v of an all-to-all", nic, ring.PerLevel[1].Bytes, exchange.PerLevel[1].Bytes)
	}
	sum := 0.0
	for _, x := range by[plan.CPHierarchical].Time.Terms[0].Terms[0].Terms {
		if x.Name == contextTerms[plan.CPHierarchical] {
			sum += x.Value
		}
	}
	if sum <= 0 || sum >= float64(f.Seconds) {
		t.Errorf("term %g of %v", sum, f.Seconds)
	}
}
