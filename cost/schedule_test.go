package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/plan"
)

// operation is one forward or backward of a chunk on a rank.
type operation struct {
	forward      bool
	chunk, micro int
}

// order is Megatron core's own order of operations on one rank (schedules.py):
// 1F1B for one chunk, else interleaved over groups of pp micro-batches, or of all
// where there are fewer (torch.distributed.pipelining).
func order(rank, pp, vpp, micro int) []operation {
	group := min(pp, micro)
	step := func(i int, forward bool) operation {
		if vpp == 1 {
			return operation{forward, 0, i}
		}
		chunk := i % (group * vpp) / group
		if !forward {
			chunk = vpp - 1 - chunk
		}
		return operation{forward, chunk, i/(group*vpp)*group + i%group}
	}
	total := micro * vpp
	warm := min(pp-rank-1, total)
	if vpp > 1 {
		warm = min(2*(pp-rank-1)+(vpp-1)*group, total)
	}
	var list []operation
	for i := range warm {
		list = append(list, step(i, true))
	}
	for i := warm; i < total; i++ {
		list = append(list, step(i, true), step(i-warm, false))
	}
	for i := total - warm; i < total; i++ {
		list = append(list, step(i, false))
	}
	return list
}

// allForwards is GPipe's order: every forward, then every backward.
func allForwards(_, _, _, micro int) []operation {
	var list []operation
	for i := range micro {
		list = append(list, operation{true, 0, i})
	}
	for i := range micro {
		list = append(list, operation{false, 0, i})
	}
	return list
}

// simulate plays the ranks' orders against each other: an operation starts when
// its rank is free and what it depends on is done. It shares no code with
// schedule.
func simulate(t *testing.T, order func(rank, pp, vpp, micro int) []operation, pp, vpp, micro int, fwd, bwd func(rank, chunk int) float64) float64 {
	t.Helper()
	type at struct {
		forward             bool
		rank, chunk, number int
	}
	done := map[at]float64{}
	lists := make([][]operation, pp)
	left, free := 0, make([]float64, pp)
	for r := range lists {
		lists[r] = order(r, pp, vpp, micro)
		left += len(lists[r])
	}
	for left > 0 {
		moved := false
		for r := range lists {
			for len(lists[r]) > 0 {
				o := lists[r][0]
				stage := o.chunk*pp + r
				ready, ok := 0.0, true
				if o.forward && stage > 0 {
					ready, ok = done[at{true, (stage - 1) % pp, (stage - 1) / pp, o.micro}], false
					_, ok = done[at{true, (stage - 1) % pp, (stage - 1) / pp, o.micro}]
				}
				if !o.forward {
					if stage == pp*vpp-1 {
						_, ok = done[at{true, r, o.chunk, o.micro}]
						ready = done[at{true, r, o.chunk, o.micro}]
					} else {
						_, ok = done[at{false, (stage + 1) % pp, (stage + 1) / pp, o.micro}]
						ready = done[at{false, (stage + 1) % pp, (stage + 1) / pp, o.micro}]
					}
				}
				if !ok {
					break
				}
				span := fwd(r, o.chunk)
				if !o.forward {
					span = bwd(r, o.chunk)
				}
				free[r] = max(free[r], ready) + span
				done[at{o.forward, r, o.chunk, o.micro}] = free[r]
				lists[r] = lists[r][1:]
				left, moved = left-1, true
			}
		}
		if !moved {
			t.Fatalf("pp %d vpp %d m %d: the order deadlocks", pp, vpp, micro)
		}
	}
	end := 0.0
	for _, f := range free {
		end = max(end, f)
	}
	return end
}

func TestReplayOf1F1BEqualsAnIndependentSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	s := new(schedule)
	worst := 0.0
	for range 400 {
		pp := 1 + r.IntN(12)
		micro := 1 + r.IntN(60)
		s.pp, s.vpp, s.micro = pp, 1, float64(micro)
		for i := range pp {
			f := 1 + 3*r.Float64()
			s.ranks[i] = rank{time: pass{fwd: f, bwd: 2*f + r.Float64()}}
		}
		want := simulate(t, order, pp, 1, micro,
			func(rank, _ int) float64 { return s.ranks[rank].time.fwd },
			func(rank, _ int) float64 { return s.ranks[rank].time.bwd })
		got := s.span()
		if micro <= settled*pp && math.Abs(got/want-1) > 1e-12 {
			t.Fatalf("pp %d m %d: replay %g, simulation %g", pp, micro, got, want)
		}
		worst = max(worst, math.Abs(got/want-1))
	}
	t.Logf("largest difference where the tail is extrapolated: %.3f %%", 100*worst)
	if worst > 0.02 {
		t.Errorf("extrapolating the tail costs %.2f %%", 100*worst)
	}
}

func TestEqualRanksMeetTheClosedForms(t *testing.T) {
	s := new(schedule)
	for _, c := range []struct{ pp, vpp, micro int }{
		{1, 1, 7}, {4, 1, 2}, {4, 1, 16}, {8, 1, 8}, {4, 2, 8}, {4, 3, 16}, {8, 5, 64}, {16, 2, 16}, {2, 8, 4},
	} {
		s.pp, s.vpp, s.micro = c.pp, c.vpp, float64(c.micro)
		for i := range c.pp {
			s.ranks[i] = rank{time: pass{fwd: 3, bwd: 6}, first: pass{fwd: 3 / float64(c.vpp), bwd: 6 / float64(c.vpp)}}
		}
		want := float64(c.micro*9) + float64(c.pp-1)*9/float64(c.vpp)
		sim := simulate(t, order, c.pp, c.vpp, c.micro,
			func(int, int) float64 { return 3 / float64(c.vpp) },
			func(int, int) float64 { return 6 / float64(c.vpp) })
		if got := s.span(); math.Abs(got-want) > 1e-9 || math.Abs(sim-want) > 1e-9 {
			t.Errorf("pp %d vpp %d m %d: span %g, simulation %g, want %g", c.pp, c.vpp, c.micro, got, sim, want)
		}
	}
}

func TestGPipeEqualsAnIndependentSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 17))
	s := new(schedule)
	for n := range 400 {
		pp, micro := 1+r.IntN(12), 1+r.IntN(60)
		s.pp, s.vpp, s.micro, s.schedule = pp, 1, float64(micro), plan.GPipe
		for i := range pp {
			s.ranks[i] = rank{time: pass{fwd: 1 + 3*r.Float64(), bwd: 1 + 6*r.Float64()}}
			if n%4 == 0 { // equal ranks
				s.ranks[i] = rank{time: pass{fwd: 2, bwd: 5}}
			}
		}
		want := simulate(t, allForwards, pp, 1, micro,
			func(rank, _ int) float64 { return s.ranks[rank].time.fwd },
			func(rank, _ int) float64 { return s.ranks[rank].time.bwd })
		got := s.span()
		if math.Abs(got/want-1) > 1e-12 {
			t.Fatalf("pp %d m %d: %g, simulation %g", pp, micro, got, want)
		}
		if equal := float64(micro+pp-1) * 7; n%4 == 0 && math.Abs(got/equal-1) > 1e-12 {
			t.Fatalf("pp %d m %d: %g, closed form %g", pp, micro, got, equal)
		}
		if s.schedule = plan.OneFOneB; s.span() > got*(1+1e-12) && micro <= settled*pp {
			t.Fatalf("pp %d m %d: 1F1B takes %g, GPipe %g", pp, micro, s.span(), got)
		}
	}
}

// All of a step's micro-batches are in flight on every rank.
func TestGPipeKeepsEveryMicroBatch(t *testing.T) {
	m := priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 64, 8192)
	p := degrees{tp: 8, pp: 4, dp: 2, mb: 1, sp: true, zero: 1}.place(m.cluster)
	even(t, m, &p)
	once := m.Explain(&p)
	p.Options.Schedule = plan.GPipe
	all := m.Explain(&p)
	for r := range 4 {
		a, b := term(once.Stages[r], "layer activations"), term(all.Stages[r], "layer activations")
		if want := 32 / float64(4-r); math.Abs(b/a/want-1) > 1e-12 {
			t.Errorf("rank %d keeps %g times as much as under 1F1B, want %g", r, b/a, want)
		}
	}
	if all.Step < once.Step {
		t.Errorf("GPipe takes %v, 1F1B %v", all.Step, once.Step)
	}
}

// Interleaved pipelines have no replay: their two forms against a simulation of
// the schedule, over splits like those that Split makes (chunks that differ by
// a layer, a head on the last).
func TestInterleavedFormsAgainstASimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 13))
	s := new(schedule)
	var sum, worst float64
	const cases = 200
	for range cases {
		pp, vpp := 2+r.IntN(7), 2+r.IntN(5)
		micro := pp * (1 + r.IntN(8))
		layers := pp*vpp + r.IntN(2*pp*vpp)
		head := 2 * r.Float64()
		s.pp, s.vpp, s.micro = pp, vpp, float64(micro)
		chunk := make([]float64, pp*vpp)
		for i := range chunk {
			chunk[i] = float64(layers / (pp * vpp))
			if i < layers%(pp*vpp) {
				chunk[i]++
			}
		}
		chunk[pp*vpp-1] += head
		for i := range pp {
			total := 0.0
			for c := range vpp {
				total += chunk[c*pp+i]
			}
			s.ranks[i] = rank{time: pass{fwd: total, bwd: 2 * total}, first: pass{fwd: chunk[i], bwd: 2 * chunk[i]}}
		}
		sim := simulate(t, order, pp, vpp, micro,
			func(rank, c int) float64 { return chunk[c*pp+rank] },
			func(rank, c int) float64 { return 2 * chunk[c*pp+rank] })
		miss := s.span()/sim - 1
		sum += math.Abs(miss)
		worst = max(worst, math.Abs(miss))
	}
	t.Logf("mean difference %.2f %%, largest %.2f %%", 100*sum/cases, 100*worst)
	if sum/cases > 0.06 {
		t.Errorf("mean difference %.2f %%", 100*sum/cases)
	}
}

// With fewer micro-batches than ranks an interleaved pipeline is never full.
func TestInterleavingWithFewMicroBatches(t *testing.T) {
	worst := 0.0
	for _, pp := range []int{2, 4, 8} {
		for _, vpp := range []int{2, 3, 8} {
			for micro := 1; micro < pp; micro++ {
				var s schedule
				s.pp, s.vpp, s.micro = pp, vpp, float64(micro)
				for r := range pp {
					s.ranks[r] = rank{first: pass{fwd: 1, bwd: 2}, time: pass{fwd: float64(vpp), bwd: float64(2 * vpp)}}
				}
				want := simulate(t, order, pp, vpp, micro, func(int, int) float64 { return 1 }, func(int, int) float64 { return 2 })
				off := s.span()/want - 1
				if off > 1e-9 {
					t.Errorf("pp %d vpp %d m %d: %g, simulated %g", pp, vpp, micro, s.span(), want)
				}
				worst = min(worst, off)
			}
		}
	}
	if worst < -0.15 {
		t.Errorf("up to %.1f %% below the simulation", 100*worst)
	}
	t.Logf("at most %.1f %% below the simulation", -100*worst)
}
