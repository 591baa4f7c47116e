package cost

import (
	"math"
	"testing"

	"meshplan/plan"
)

// pipelined is a plan of Llama-3 70B over 4 stages of one schedule.
func pipelined(t *testing.T, m *Model, s plan.Schedule, vpp, pp int32) plan.Plan {
	t.Helper()
	p := degrees{tp: 8, pp: pp, vpp: vpp, dp: 2, mb: 1, sp: true, zero: 1}.place(m.cluster)
	p.Options.Schedule = s
	even(t, m, &p)
	return p
}

func scheduled(t *testing.T) *Model {
	return priced(t, find(t, "llama-3-70b"), "h100", 64, "megatron", "", 32, 8192)
}

// The orders of 1F1B, interleaved and GPipe, which other code prices, are
// Megatron's and PyTorch's, and take as long.
func TestOrdersOfSchedulesThatKeepTheBackwardWhole(t *testing.T) {
	s := new(schedule)
	for _, c := range []struct {
		of    plan.Schedule
		order func(rank, pp, vpp, micro int) []operation
		p, v  int
		micro []int
	}{
		{plan.OneFOneB, order, 5, 1, []int{1, 3, 5, 17}},
		{plan.GPipe, allForwards, 5, 1, []int{1, 3, 5, 17}},
		{plan.Interleaved, order, 4, 3, []int{1, 3, 4, 16}},
	} {
		for _, m := range c.micro {
			stages := cutCase(s, c.of, c.p, c.v, m, func() times { return times{1, 1.5, 0.5, 0} })
			stages[c.p*c.v-1].f = 2 // the head
			s.passes[c.p*c.v-1].fwd = 2
			want := simulate(t, c.order, c.p, c.v, m,
				func(rank, chunk int) float64 { return stages[chunk*c.p+rank].f },
				func(rank, chunk int) float64 { return stages[chunk*c.p+rank].i + stages[chunk*c.p+rank].w })
			end, ok := s.play(m, false)
			if !ok || math.Abs(end-want) > 1e-9 {
				t.Errorf("%s p %d v %d m %d: %g, simulated %g", c.of, c.p, c.v, m, end, want)
			}
		}
	}
}

func TestTimetableIsThePricedPipeline(t *testing.T) {
	m := scheduled(t)
	for _, c := range []struct {
		schedule plan.Schedule
		vpp      int32
	}{{plan.OneFOneB, 1}, {plan.GPipe, 1}, {plan.ZBH1, 1}, {plan.ZBH1, 2}, {plan.ZBV, 2}, {plan.DualPipe, 1}, {plan.DualPipeV, 2}} {
		p := pipelined(t, m, c.schedule, c.vpp, 4)
		e := m.Explain(&p)
		table, ok := m.Timetable(&p)
		if !ok {
			t.Fatalf("%s: no timetable", c.schedule)
		}
		if table.All != 16 {
			t.Errorf("%s: %d micro-batches, want 16", c.schedule, table.All)
		}
		if table.Micro == table.All {
			if got, want := float64(table.Seconds), e.Time.Terms[0].Value; math.Abs(got/want-1) > 1e-12 {
				t.Errorf("%s: played in %g, priced at %g", c.schedule, got, want)
			}
		}
		for _, r := range table.Ranks {
			end := 0.0
			for _, o := range r.Operations {
				if float64(o.Begin) < end || o.End < o.Begin {
					t.Fatalf("%s rank %d: %s from %g to %g, after %g", c.schedule, r.Rank, o.Name, o.Begin, o.End, end)
				}
				end = float64(o.End)
			}
		}
		if want := 4; c.schedule != plan.DualPipe && len(table.Ranks) != want {
			t.Errorf("%s: %d ranks", c.schedule, len(table.Ranks))
		}
	}
}

// The published memory of each schedule, in parameters and activations of the
// first rank under 1F1B (README of deepseek-ai/DualPipe; arXiv 2405.15362, table 1).
func TestPublishedMemory(t *testing.T) {
	m := scheduled(t)
	base := pipelined(t, m, plan.OneFOneB, 1, 4)
	once := m.Explain(&base)
	for _, c := range []struct {
		schedule    plan.Schedule
		vpp         int32
		parameters  float64
		activations float64 // of pp micro-batches
	}{
		{plan.ZBH1, 1, 1, 4},
		{plan.ZBV, 2, 1, 4},
		{plan.DualPipe, 1, 2, 5},
		{plan.DualPipeV, 2, 1, 4.5}, // pp+1 of twice as many stages
	} {
		p := pipelined(t, m, c.schedule, c.vpp, 4)
		e := m.Explain(&p)
		for r, stage := range e.Stages {
			if got := term(stage, "weight matrices") / term(once.Stages[1], "weight matrices"); math.Abs(got-c.parameters) > 1e-12 {
				t.Errorf("%s rank %d: %g times the parameters, want %g", c.schedule, r, got, c.parameters)
			}
			if got := 4 * term(stage, "layer activations") / term(once.Stages[0], "layer activations"); math.Abs(got-c.activations) > 1e-9 {
				t.Errorf("%s rank %d: activations of %g micro-batches, want %g", c.schedule, r, got, c.activations)
			}
		}
	}
}

// A V has the embedding and the head on its first rank, which holds fewer layers for
// it, and a tied embedding once.
func TestAVHasBothEndsOnItsFirstRank(t *testing.T) {
	for _, c := range []struct {
		model string
		tied  bool
	}{{"llama-3-70b", false}, {"gemma-2-27b", true}} {
		m := priced(t, find(t, c.model), "h100", 64, "megatron", "", 64, 4096)
		p := degrees{tp: 8, pp: 4, vpp: 2, dp: 2, mb: 1, sp: true, zero: 1}.place(m.cluster)
		p.Options.Schedule = plan.ZBV
		pt := p.Point()
		var err error
		if p.Options.Stages, err = m.Split(&pt, plan.AllForms()); err != nil {
			t.Fatal(err)
		}
		e := m.Explain(&p)
		if first, second := e.Stages[0].Layers, e.Stages[1].Layers; first > second {
			t.Errorf("%s: %d layers on the first rank, %d on the second", c.model, first, second)
		}
		for r, s := range e.Stages {
			embedding, head := term(s, "embedding") > 0, term(s, "head") > 0
			if embedding != (r == 0) || head != (r == 0 && !c.tied) {
				t.Errorf("%s rank %d: embedding %v, head %v", c.model, r, embedding, head)
			}
		}
	}
}

// What a forward and a backward hide of each other is their all-to-all, so that
// DualPipeV gains more on ZB-V with expert parallelism than without.
func TestOverlapHidesTheAllToAllOfExperts(t *testing.T) {
	m := priced(t, find(t, "deepseek-v3"), "h100", 256, "megatron", "", 1024, 4096)
	for _, ep := range []int32{1, 32} {
		p := degrees{tp: 1, pp: 4, vpp: 2, dp: 64, ep: ep, mb: 1, zero: 1}.place(m.cluster)
		p.Options.Schedule = plan.DualPipeV
		e := m.Explain(&p)
		hidden, all := 0.0, 0.0
		for _, term := range e.Time.Terms[0].Terms {
			if term.Name == "hidden beside the other direction" {
				hidden = -term.Value
			}
			for _, part := range term.Terms {
				if part.Name == "expert-parallel communication" || part.Name == "stage-to-stage transfers" {
					all += part.Value
				}
			}
		}
		if math.Abs(hidden-all) > 1e-6*e.Time.Terms[0].Value || ep > 1 && hidden < 0.05*e.Time.Terms[0].Value {
			t.Errorf("ep %d: %g s hidden of %g s of communication", ep, hidden, all)
		}
	}
}

func TestDualPipeNeedsMirrorImages(t *testing.T) {
	m := scheduled(t)
	p := pipelined(t, m, plan.DualPipe, 1, 4)
	p.Placement.Factor[plan.PP] = [plan.MaxLevels]int32{1, 5, 1, 1, 1, 1}
	p.Options.Stages = plan.Stages{Text: "16*5"}
	if _, ok := m.Timetable(&p); ok || m.Price(&p).Verdict != DoesNotFit {
		t.Error("an odd number of ranks has mirror images")
	}
	pt := p.Point()
	if _, err := m.Split(&pt, plan.AllForms()); err == nil {
		t.Error("an odd number of ranks can be split")
	}
}
