package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/plan"
)

// event is an operation of the oracle: a pass of one stage of the model and one
// micro-batch. Of overlapped pairs there are two with the same start.
type event struct {
	pass  byte // F, B, I or W
	stage int
	micro int
}

// script is what a rank runs, a step after the other; a step of two events is an
// overlapped pair.
type script [][]event

// scriptOf writes the order of one rank down from the papers, by stages of the
// model and not by chunks of a rank.
func scriptOf(s plan.Schedule, rank, p, v, m int) script {
	switch s {
	case plan.ZBH1:
		return handcrafted(rank, p, v, m)
	case plan.ZBV:
		return vee(rank, p, m)
	}
	return dual(rank, p, m)
}

// handcrafted is ZB-H1: 1F1B's order with the weights' passes taken out, and one of
// them put back behind each input's pass from the (rank+1)-th on (arXiv 2401.10241,
// figure 2).
func handcrafted(rank, p, v, m int) script {
	group := min(p, m)
	var fwd, inp []event
	for g := 0; g < m; g += group {
		for c := range v {
			for i := range min(group, m-g) {
				fwd = append(fwd, event{'F', c*p + rank, g + i})
				inp = append(inp, event{'I', (v-1-c)*p + rank, g + i})
			}
		}
	}
	warm := min((v-1)*group+p-1-rank, len(fwd))
	var list script
	for _, f := range fwd[:warm] {
		list = append(list, []event{f})
	}
	for i, b := range inp {
		if warm+i < len(fwd) {
			list = append(list, []event{fwd[warm+i]})
		}
		list = append(list, []event{b})
		if i >= rank {
			w := inp[i-rank]
			list = append(list, []event{{'W', w.stage, w.micro}})
		}
	}
	for i := max(0, len(inp)-rank); i < len(inp); i++ {
		list = append(list, []event{{'W', inp[i].stage, inp[i].micro}})
	}
	return list
}

// counter numbers the micro-batches of each pass of each stage.
type counter map[event]int

func (c counter) of(pass byte, stage int) event {
	key := event{pass: pass, stage: stage}
	c[key]++
	return event{pass, stage, c[key] - 1}
}

// within leaves out the micro-batches from m on.
func (s script) within(m int) script {
	var list script
	for _, step := range s {
		var kept []event
		for _, e := range step {
			if e.micro < m {
				kept = append(kept, e)
			}
		}
		if len(kept) > 0 {
			list = append(list, kept)
		}
	}
	return list
}

// vee is ZB-V by phases: d is the way down, chunk rank, u the way up.
func vee(rank, p, m int) script {
	d, u, n := rank, 2*p-1-rank, counter{}
	var list script
	add := func(passes string, stages ...int) {
		for i := range passes {
			list = append(list, []event{n.of(passes[i], stages[i])})
		}
	}
	for range 2*(p-rank) - 1 {
		add("F", d)
	}
	for range rank {
		add("FF", u, d)
	}
	for range p - rank {
		add("FIW", u, u, u)
	}
	padded := max(m, 2*p-1)
	for i := 2*p - 1 - rank; i < padded; i++ {
		add("FIWFIW", d, d, d, u, u, u)
	}
	for n[event{pass: 'F', stage: u}] < padded {
		add("IWFIW", d, d, u, u, u)
	}
	for range rank {
		add("II", d, u)
	}
	for range p - rank {
		add("IW", d, d)
	}
	for _, stage := range []int{u, d} {
		for n[event{pass: 'W', stage: stage}] < padded {
			add("W", stage)
		}
	}
	return list.within(m)
}

// dual is DualPipeV by the eight steps of dualpipe.py.
func dual(rank, p, m int) script {
	d, u, n := rank, 2*p-1-rank, counter{}
	padded := max(m, 2*p)
	var list script
	var late []event
	one := func(e event) { list = append(list, []event{e}) }
	backward := func(stage int, zb bool) event {
		e := n.of('B', stage)
		if zb {
			e.pass = 'I'
			late = append(late, event{'W', stage, e.micro})
		}
		return e
	}
	weights := func() {
		if len(late) > 0 {
			one(late[0])
			late = late[1:]
		}
	}
	both := func(f, b int) { list = append(list, []event{n.of('F', f), backward(b, false)}) }
	for range 2 * (p - 1 - rank) {
		one(n.of('F', d))
	}
	for range rank + 1 {
		one(n.of('F', d))
		one(n.of('F', u))
	}
	for range p - 1 - rank {
		one(backward(u, true))
		weights()
		one(n.of('F', u))
	}
	for i := range padded - 2*p + rank + 1 {
		if i == 0 && rank == p-1 {
			one(n.of('F', d))
			one(backward(u, false))
		} else {
			both(d, u)
		}
		both(u, d)
	}
	for range p - 1 - rank {
		one(backward(u, false))
		both(u, d)
	}
	zb := false
	for i := range rank + 1 {
		if i == (rank+1)/2 && rank%2 == 1 {
			zb = true
		}
		one(backward(u, zb))
		if i == (rank+1)/2 && rank%2 == 0 {
			zb = true
		}
		one(backward(d, zb))
	}
	for range p - 1 - rank {
		weights()
		one(backward(d, true))
	}
	for range rank + 1 {
		weights()
	}
	return list.within(m)
}

// times are a stage's.
type times struct{ f, i, w, saved float64 }

// longest is the end of the last event: the longest path over the graph of what
// each waits for, by relaxing until nothing moves. It shares no code with player.
func longest(t *testing.T, scripts []script, stages []times) (end float64, started, ended []float64) {
	t.Helper()
	done := map[event]float64{}
	started, ended = make([]float64, len(scripts)), make([]float64, len(scripts))
	total := 0
	for _, s := range scripts {
		total += len(s)
	}
	for round := 0; ; round++ {
		moved, known := false, 0
		for r, s := range scripts {
			clock := 0.0
		steps:
			for i, step := range s {
				start, span := clock, 0.0
				for _, e := range step {
					at, ok := needs(done, e, len(stages))
					if !ok {
						break steps
					}
					start, span = max(start, at), span+spanOf(e, stages)
				}
				if len(step) == 2 {
					a, b := spanOf(step[0], stages), spanOf(step[1], stages)
					span = max(span-(stages[step[0].stage].saved+stages[step[1].stage].saved)/2, a, b)
				}
				if i == 0 {
					started[r] = start
				}
				clock = start + span
				known++
				for _, e := range step {
					if was, ok := done[e]; !ok || was != clock {
						done[e], moved = clock, true
					}
				}
			}
			ended[r] = clock
		}
		if !moved {
			if known != total {
				t.Fatalf("%d of %d steps can run", known, total)
			}
			break
		}
	}
	for _, e := range ended {
		end = max(end, e)
	}
	return end, started, ended
}

func needs(done map[event]float64, e event, stages int) (float64, bool) {
	first := func(options ...event) (float64, bool) {
		for _, o := range options {
			if at, ok := done[o]; ok {
				return at, true
			}
		}
		return 0, false
	}
	switch {
	case e.pass == 'F' && e.stage == 0:
		return 0, true
	case e.pass == 'F':
		return first(event{'F', e.stage - 1, e.micro})
	case e.pass == 'W':
		return first(event{'I', e.stage, e.micro})
	case e.stage == stages-1:
		return first(event{'F', e.stage, e.micro})
	}
	return first(event{'I', e.stage + 1, e.micro}, event{'B', e.stage + 1, e.micro})
}

func spanOf(e event, stages []times) float64 {
	s := stages[e.stage]
	switch e.pass {
	case 'F':
		return s.f
	case 'I':
		return s.i
	case 'W':
		return s.w
	}
	return s.i + s.w
}

// cutCase is a pipeline of random stages as both sides see it.
func cutCase(s *schedule, of plan.Schedule, p, v, m int, stage func() times) []times {
	s.schedule, s.pp, s.vpp, s.micro = of, p, v, float64(m)
	s.passes = s.passes[:0]
	for r := range p {
		s.ranks[r] = rank{}
	}
	var stages []times
	for c := range p * v {
		t := stage()
		stages = append(stages, t)
		own := pass{fwd: t.f, bwd: t.i + t.w, inp: t.i, wgt: t.w, besideFwd: t.f - t.saved/2, besideBwd: t.i + t.w - t.saved/2}
		s.passes = append(s.passes, own)
		k := &s.ranks[s.rankOf(c)]
		k.time = k.time.plus(own)
	}
	return stages
}

func scripts(s plan.Schedule, p, v, m int) []script {
	var list []script
	for r := range p {
		list = append(list, scriptOf(s, r, p, v, m))
	}
	return list
}

func TestSchedulesThatCutTheBackwardEqualAnIndependentSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 43))
	s := new(schedule)
	worst := map[plan.Schedule]float64{}
	for range 400 {
		of := plan.ZBH1 + plan.Schedule(r.IntN(4))
		p, v, m := 1+r.IntN(8), 2, 1+r.IntN(40)
		if of == plan.ZBH1 {
			if v = 1 + r.IntN(3); v > 1 {
				m = p * (1 + r.IntN(5))
			}
		}
		stages := cutCase(s, of, p, v, m, func() times {
			return times{1 + 2*r.Float64(), 1 + 3*r.Float64(), 2 * r.Float64(), r.Float64()}
		})
		want, _, _ := longest(t, scripts(of, p, v, m), stages)
		end, ok := s.play(m, false)
		if !ok || math.Abs(end/want-1) > 1e-12 {
			t.Fatalf("%s p %d v %d m %d: played %g (%v), simulated %g", of, p, v, m, end, ok, want)
		}
		worst[of] = max(worst[of], math.Abs(s.span()/want-1))
	}
	t.Logf("largest difference where the tail is extrapolated: %v", worst)
	for of, off := range worst {
		if off > 0.03 {
			t.Errorf("%s: extrapolating the tail costs %.2f %%", of, 100*off)
		}
	}
}

func TestPublishedBubbles(t *testing.T) {
	s := new(schedule)
	for _, p := range []int{2, 4, 8, 16} {
		for _, b := range []times{{1, 1, 1, 0}, {2, 3, 1, 0}, {2, 2.5, 2, 0}} {
			m := 4 * p
			t.Run(fmt.Sprintf("p %d, F %g, B %g, W %g", p, b.f, b.i, b.w), func(t *testing.T) {
				all := func() times { return b }
				full := b.f + b.i + b.w
				cutCase(s, plan.ZBH1, p, 1, m, all)
				if got, want := s.span(), float64(m)*full+float64(p-1)*(b.f+b.i-b.w); math.Abs(got-want) > 1e-9 {
					t.Errorf("ZB-H1 takes %g, with its bubble of (p-1)(F+B-W) %g", got, want)
				}
				// DualPipe over 2p ranks has (pp/2-1)(F&B+B-3W), B being the whole
				// backward (arXiv 2412.19437, table 2). Where the three differ, the code
				// that was published is faster by up to one forward.
				cutCase(s, plan.DualPipeV, p, 2, m, all)
				bubble := float64(p-1) * (full + b.i + b.w - 3*b.w)
				got := s.span() - float64(2*m)*full
				if off := bubble - got; off < -1e-9 || off > b.f+1e-9 || b.f == b.w && b.f == b.i && off > 1e-9 {
					t.Errorf("DualPipeV has a bubble of %g, published %g", got, bubble)
				}
			})
		}
	}
}

// A rank of ZB-V that has begun never waits where the three passes take as long;
// the last begins p-1 forwards after the first, as any pipeline's does.
func TestZBVHasNoBubbleWhereThePassesTakeAsLong(t *testing.T) {
	s := new(schedule)
	for _, p := range []int{1, 2, 3, 4, 8, 16} {
		for _, m := range []int{2*p - 1, 2 * p, 5 * p} {
			stages := cutCase(s, plan.ZBV, p, 2, m, func() times { return times{1, 1, 1, 0} })
			_, started, ended := longest(t, scripts(plan.ZBV, p, 2, m), stages)
			for r := range p {
				if work := float64(6 * m); ended[r]-started[r] != work || started[r] != float64(r) {
					t.Errorf("p %d m %d: rank %d works from %g to %g, %g of it", p, m, r, started[r], ended[r], work)
				}
			}
			if got, want := s.span(), float64(6*m+p-1); math.Abs(got-want) > 1e-9 {
				t.Errorf("p %d m %d: %g, want %g", p, m, got, want)
			}
		}
	}
}

// Flight: what is counted in the order is what the account says.
func TestActivationsInFlightAreThoseOfTheOrder(t *testing.T) {
	for _, of := range []plan.Schedule{plan.OneFOneB, plan.Interleaved, plan.GPipe, plan.ZBH1, plan.ZBV, plan.DualPipeV} {
		for p := 1; p <= 9; p++ {
			for v := 1; v <= 3; v++ {
				if only := int(of.Chunks()); only > 0 && v != only || of == plan.OneFOneB && v > 1 || of == plan.Interleaved && v == 1 {
					continue
				}
				for _, m := range []int{1, 2, 3, 5, 2 * p, 3 * p, 4 * p} {
					if v > 1 && m%p > 0 && !of.Folded() || of == plan.DualPipeV && m < 2*p { // refused by every framework
						continue
					}
					for r := range p {
						before, after := 1.0, 3.0
						got := counted(of, r, p, v, m, before, before)
						f := flightOf(of, float64(r), float64(p), float64(m), float64(v))
						if math.Abs(got/float64(v)-f.most) > 1e-9 {
							t.Errorf("%s p %d v %d m %d rank %d: %g in flight, account %g", of, p, v, m, r, got/float64(v), f.most)
						}
						l := perLayer{kept: before, unspared: after}
						if got, acc := counted(of, r, p, v, m, before, after)/float64(v), l.activations(&f); math.Abs(got-acc) > 1e-9 {
							t.Errorf("%s p %d v %d m %d rank %d with recompute: %g, account %g", of, p, v, m, r, got, acc)
						}
					}
				}
			}
		}
	}
}

// counted walks a rank's order: the most that its chunks hold, before their
// backward and while their weights wait.
func counted(of plan.Schedule, rank, p, v, m int, before, after float64) float64 {
	l := listing{p: p, v: v, m: m}
	l.list(of, rank)
	now, most := 0.0, 0.0
	for _, o := range l.ops {
		switch o.kind {
		case forwardOp, pairOp:
			now += before
			most = max(most, now)
			if o.kind == pairOp {
				now -= before
			}
		case inputOp:
			now += after - before
		case weightOp:
			now -= after
		case backwardOp:
			now -= before
		}
		most = max(most, now)
	}
	return most
}
