package cost

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
)

// priced makes a price model of a job given by name, under constants that were
// fitted to no run.
func priced(t testing.TB, o *models.Model, system string, gpus int, prof, recipe string, batch, seq int64) *Model {
	t.Helper()
	p, err := profile.Find(prof)
	if err != nil {
		t.Fatal(err)
	}
	return pricedBy(t, o, system, gpus, p.Unfitted(), recipe, batch, seq)
}

// shipped is priced under the profile as it is.
func shipped(t testing.TB, o *models.Model, system string, gpus int, prof, recipe string, batch, seq int64) *Model {
	t.Helper()
	p, err := profile.Find(prof)
	if err != nil {
		t.Fatal(err)
	}
	return pricedBy(t, o, system, gpus, p, recipe, batch, seq)
}

func pricedBy(t testing.TB, o *models.Model, system string, gpus int, p *profile.Profile, recipe string, batch, seq int64) *Model {
	t.Helper()
	c := dgx(t, system, gpus/8)
	m, err := New(o, c, plan.Workload{GlobalBatch: batch, SeqLen: seq, Precision: p.Precision, Recipe: recipe, LoadFactor: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func find(t testing.TB, name string) *models.Model {
	t.Helper()
	o, err := models.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// degrees are the figures by which published runs name their plan.
type degrees struct {
	tp, pp, vpp, cp, dp, ep, etp, mb int32
	sp                               bool
	zero                             int8
	recompute                        plan.Recompute
}

// place lays the degrees out as Megatron's rank order does: tp, cp, dp, pp,
// each filling a level before the next begins.
func (d degrees) place(c *cluster.Cluster) plan.Plan {
	var p plan.Plan
	p.Placement.Levels = int8(len(c.Levels))
	for i := range p.Placement.Factor {
		for l := range p.Placement.Factor[i] {
			p.Placement.Factor[i][l] = 1
		}
	}
	one := func(n int32) int32 { return max(1, n) }
	dims := []struct {
		d plan.Dim
		n int32
	}{{plan.TP, one(d.tp)}, {plan.CP, one(d.cp)}, {plan.DPReplicate, one(d.dp)}, {plan.PP, one(d.pp)}}
	if d.zero > 0 {
		dims[2].d = plan.DPShard
	}
	fill := func(list []struct {
		d plan.Dim
		n int32
	}) {
		for l := 0; l < plan.MaxLevels; l++ {
			room := int32(math.MaxInt32)
			if l < len(c.Levels) && l < len(c.Levels)-1 {
				room = int32(c.Levels[l].Size)
			}
			for i := range list {
				f := int32(gcd(int(list[i].n), int(room)))
				if room == math.MaxInt32 {
					f = list[i].n
				}
				p.Placement.Factor[list[i].d][l] = f
				list[i].n /= f
				room /= f
			}
		}
	}
	expert := []struct {
		d plan.Dim
		n int32
	}{{plan.ETP, one(d.etp)}, {plan.EP, one(d.ep)}, {plan.EDP, one(d.tp) * one(d.cp) * one(d.dp) / one(d.etp) / one(d.ep)}}
	fill(dims)
	if d.ep > 0 {
		fill(expert)
	}
	p.Options = plan.Options{SP: d.sp, MicroBatch: one(d.mb), VPP: one(d.vpp), ZeroStage: d.zero, Recompute: d.recompute}
	if d.vpp > 1 {
		p.Options.Schedule = plan.Interleaved
	}
	return p
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// even splits the layers over the chunks in equal numbers.
func even(t testing.TB, m *Model, p *plan.Plan) {
	t.Helper()
	chunks, ok := plan.SplitEven.Default(len(m.kinds), int(p.Placement.Degree(plan.PP)), int(p.Options.VPP))
	if !ok {
		t.Fatalf("%d layers do not divide", len(m.kinds))
	}
	p.Options.Stages = plan.Stages{Text: plan.RunLength(chunks)}
}

// dgx is a cluster of any number of 8-GPU nodes under one leaf.
func dgx(t testing.TB, name string, nodes int) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Find(name + ":16")
	if err != nil {
		t.Fatal(err)
	}
	if nodes == 1 {
		c.Levels = c.Levels[:1]
	} else {
		c.Levels[1].Size = nodes
	}
	return c
}

// term is the value of a stage's named term; 0 when it has none.
func term(s StageMemory, name string) float64 {
	for _, t := range s.Terms {
		if t.Name == name {
			return t.Value
		}
	}
	return 0
}

func TestStateOfSeventyBillionParametersIsFourteenGPUs(t *testing.T) {
	p, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Recipe("bf16-bf16grad")
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(r.State(70e9, 1)); got != 1.12e12 {
		t.Errorf("70e9 parameters at 16 bytes = %g, want 1.12e12", got)
	}
	if got := float64(r.State(70e9, 1)) / 80e9; math.Abs(got-14) > 1e-9 {
		t.Errorf("that is %g GPUs of 80 GB, want 14.0", got)
	}
	r, err = p.Recipe("")
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(r.State(70.6e9/32, 8)) / 1e9; math.Abs(got-16.5) > 0.05 {
		t.Errorf("70.6e9/32 parameters at 6 + 12/8 bytes = %.2f GB, want 16.5", got)
	}
}

// Figure 1 of Korthikanti et al. counts weight matrices and layer activations
// only, at 18 bytes a parameter, with dropout and unfused attention.
func TestKorthikantiFigureOneToFourDigits(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		model                     string
		gpus                      int
		d                         degrees
		batch                     int64
		states, tensor, selective float64
	}{
		{"megatron-22b", 8, degrees{tp: 8, pp: 1, mb: 4}, 4, 45.5625, 0, 0},
		{"gpt3-175b", 64, degrees{tp: 8, pp: 8, vpp: 3, mb: 1}, 64, 45.5625, 0, 0},
		{"megatron-530b", 280, degrees{tp: 8, pp: 35, vpp: 3, mb: 1}, 280, 31.640625, 0, 0},
		{"megatron-1t", 512, degrees{tp: 8, pp: 64, mb: 1}, 512, 32.958984375, 0, 0},
	} {
		t.Run(c.model, func(t *testing.T) {
			o := find(t, c.model)
			m := priced(t, o, "a100", c.gpus, "megatron-2022", "", c.batch, 2048)
			h, a, l := float64(o.Hidden), float64(o.Heads), float64(o.Layers)
			s, b, tp := 2048.0, float64(max(1, c.d.mb)), float64(c.d.tp)
			flight := 1.0
			if c.d.vpp > 1 {
				flight = 1 + (float64(c.d.pp)-1)/(float64(c.d.pp)*float64(c.d.vpp))
			}
			full := s * b * h * l * (10 + 24/tp + 5*a*s/(h*tp)) * flight / gib
			lean := 34 * s * b * h * l / tp * flight / gib
			for _, v := range []struct {
				name            string
				sp              bool
				recompute       plan.Recompute
				wantActivations float64
			}{
				{"tensor parallel", false, plan.RecomputeNone, full},
				{"sequence parallel and selective recompute", true, plan.RecomputeSelective, lean},
			} {
				d := c.d
				d.sp, d.recompute = v.sp, v.recompute
				p := d.place(m.cluster)
				even(t, m, &p)
				e := m.Explain(&p)
				if len(e.Stages) == 0 {
					t.Fatalf("%s: no stages: %v", v.name, e.Warnings)
				}
				close4(t, v.name+" weight matrices", term(e.Stages[0], "weight matrices")/gib, c.states)
				close4(t, v.name+" layer activations", term(e.Stages[0], "layer activations")/gib, v.wantActivations)
			}
		})
	}
}

func close4(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got/want-1) > 5e-5 {
		t.Errorf("%s = %.5f GiB, want %.5f", what, got, want)
	}
}

func TestSeventyBModelByHand(t *testing.T) {
	o := find(t, "llama-3-70b")
	m := priced(t, o, "h100", 8, "megatron", "", 8, 8192)
	p := degrees{tp: 8, pp: 1, mb: 1, sp: true}.place(m.cluster)
	e := m.Explain(&p)
	perLayer := term(e.Stages[0], "layer activations") / 80
	if want := 8192.0 * 274688 / 8; perLayer != want {
		t.Errorf("activations of a layer = %g, want %g", perLayer, want)
	}
	p.Options.Recompute = plan.RecomputeFull
	e = m.Explain(&p)
	if got := term(e.Stages[0], "layer activations") / 1e9; math.Abs(got-1.34) > 0.005 {
		t.Errorf("full recompute keeps %.3f GB, want 1.34", got)
	}
}

func TestFirstStageOfAPipelineKeepsTheWholeModelsActivations(t *testing.T) {
	o := find(t, "llama-3-70b")
	whole := func(d degrees, gpus int) float64 {
		m := priced(t, o, "h100", gpus, "megatron", "", 512, 8192)
		p := d.place(m.cluster)
		even(t, m, &p)
		e := m.Explain(&p)
		return term(e.Stages[0], "layer activations")
	}
	one := whole(degrees{tp: 8, pp: 1, sp: true}, 8)
	for _, pp := range []int32{2, 4, 8, 16} {
		got := whole(degrees{tp: 8, pp: pp, sp: true}, int(8*pp))
		if math.Abs(got/one-1) > 1e-12 {
			t.Errorf("pp %d: stage 0 keeps %g, want %g", pp, got, one)
		}
	}
	if got := whole(degrees{tp: 8, pp: 8, vpp: 2, sp: true}, 64) / one; math.Abs(got-(1+7.0/16)) > 1e-12 {
		t.Errorf("interleaved by 2 keeps %g times as much, want 1.4375", got)
	}
}

func TestLogitsOfALargeVocabulary(t *testing.T) {
	for tp, want := range map[float64]float64{1: 4.20, 8: 0.53} {
		if got := 8192 * 128256 * 4 / tp / 1e9; math.Abs(got-want) > 0.006 {
			t.Errorf("one FP32 copy of the logits at tp %g = %.3f GB, want %.2f", tp, got, want)
		}
	}
	o := find(t, "llama-3-70b")
	m := priced(t, o, "h100", 8, "megatron", "", 8, 8192)
	p := degrees{tp: 1, pp: 1, dp: 8, mb: 1, zero: 1}.place(m.cluster)
	e := m.Explain(&p)
	padded := float64(o.PaddedVocab(128, 1))
	bf16 := 8192*padded*2 + 4*8192*8192
	if got := term(e.Stages[0], "head activations"); math.Abs(got/bf16-1) > 1e-9 {
		t.Errorf("head keeps %g, want bf16 logits and the norm's %g", got, bf16)
	}
}

func TestRoutedTokensOfDeepSeekV3(t *testing.T) {
	o := find(t, "deepseek-v3")
	m := priced(t, o, "h800", 8, "megatron", "", 8, 4096)
	d := degrees{tp: 1, pp: 1, dp: 8, ep: 8, etp: 1, mb: 1, zero: 1}
	p := d.place(m.cluster)
	pt := p.Point()
	b := pt.Box()
	v := m.look(&b)
	token := divided{split: 1}
	moe := m.keepsOf(models.MoE, plan.RecomputeNone).of(&v, &token)
	without := *o
	without.TopK = 0
	m2 := priced(t, &without, "h800", 8, "megatron", "", 8, 4096)
	v2 := m2.look(&b)
	routed := moe - m2.keepsOf(models.MoE, plan.RecomputeNone).of(&v2, &token)
	if routed != 229376+98304 {
		t.Errorf("routed copies keep %g bytes a token, want 229376 + 98304", routed)
	}
	if norms := m.profile.Memory.NormBytes.Value * 7168; norms != 57344 {
		t.Errorf("norms keep %g bytes a token, want 57344", norms)
	}
}

// One dense and three MoE layers of DeepSeek-V3, ep 8 on 8 GPUs: 104.3 GiB measured by
// SimuMax, who publish the runs of TestSimuMaxPeaks too.
func TestDeepSeekSliceOnEightGPUs(t *testing.T) {
	o := *find(t, "deepseek-v3")
	o.Layers, o.FirstKDense = 4, 1
	m := shipped(t, &o, "b200", 8, "megatron", "", 32, 4096)
	p := degrees{tp: 1, pp: 1, dp: 8, ep: 8, etp: 1, mb: 1, zero: 1}.place(m.cluster)
	e := m.Explain(&p)
	got := float64(e.Allocated) / (1 << 30)
	t.Logf("%.2f GiB", got)
	if math.Abs(got/104.3-1) > 0.03 {
		t.Errorf("allocated %.2f GiB, measured 104.3", got)
	}
}

// Peak allocated and reserved memory of Megatron core with Transformer Engine,
// published by SimuMax (B200 release v1.2), 4,096 tokens, micro-batch 1, four
// micro-batches, distributed optimizer, no recompute.
func TestSimuMaxPeaks(t *testing.T) {
	var table strings.Builder
	table.WriteString("| model | tp | pp | dp | allocated GiB, measured | predicted | error | reserved GiB, measured | predicted | error |\n|---|---|---|---|---|---|---|---|---|---|\n")
	defer func() { onPage(t, "memory", table.String()) }()
	for _, c := range []struct {
		model          string
		layers         int
		tp, pp, dp     int32
		peak, reserved float64
	}{
		{"llama-3-70b", 12, 1, 2, 4, 66.55, 70.88},
		{"llama-3-70b", 12, 2, 1, 4, 60.68, 62.53},
		{"llama-3-70b", 12, 4, 1, 2, 39.07, 40.18},
		{"llama-3-70b", 12, 8, 1, 1, 28.29, 29.12},
		{"llama-3.1-405b", 4, 1, 2, 4, 87.08, 92.26},
		{"llama-3.1-405b", 4, 2, 1, 4, 81.59, 84.70},
		{"llama-3.1-405b", 4, 4, 1, 2, 52.89, 54.65},
		{"llama-3.1-405b", 4, 8, 1, 1, 38.57, 39.83},
	} {
		t.Run(fmt.Sprintf("%s cut to %d layers, tp %d pp %d dp %d", c.model, c.layers, c.tp, c.pp, c.dp), func(t *testing.T) {
			o := *find(t, c.model)
			o.Layers = c.layers
			m := shipped(t, &o, "b200", 8, "megatron", "", int64(4*c.dp), 4096)
			p := degrees{tp: c.tp, pp: c.pp, dp: c.dp, sp: c.tp > 1, zero: 1}.place(m.cluster)
			even(t, m, &p)
			e := m.Explain(&p)
			allocated, reserved := float64(e.Allocated)/(1<<30), float64(e.Peak)/(1<<30)
			fmt.Fprintf(&table, "| %s cut to %d layers | %d | %d | %d | %.2f | %.2f | %+.1f %% | %.2f | %.2f | %+.1f %% |\n", c.model, c.layers, c.tp, c.pp, c.dp,
				c.peak, allocated, 100*(allocated/c.peak-1), c.reserved, reserved, 100*(reserved/c.reserved-1))
			if math.Abs(allocated/c.peak-1) > 0.03 {
				t.Errorf("allocated %.2f GiB, measured %.2f", allocated, c.peak)
			}
			if math.Abs(reserved/c.reserved-1) > 0.05 {
				t.Errorf("reserved %.2f GiB, measured %.2f", reserved, c.reserved)
			}
		})
	}
}

func TestStageTermsAddUp(t *testing.T) {
	for _, s := range subjects {
		m := s.price(t)
		d := degrees{tp: 4, pp: 4, dp: 2, sp: true, zero: 1, mb: 1}
		if m.model.Experts > 0 {
			d.ep, d.etp = 8, 1
		}
		p := d.place(m.cluster)
		e := m.Explain(&p)
		if f := m.Price(&p); e.Figures != f {
			t.Errorf("%s: explained %+v, priced %+v", s.name, e.Figures, f)
		}
		for _, st := range e.Stages {
			sum := 0.0
			for _, x := range st.Terms {
				sum += x.Value
			}
			if math.Abs(sum/float64(st.Allocated)-1) > 1e-12 {
				t.Errorf("%s stage %d: terms add up to %g of %g", s.name, st.Stage, sum, float64(st.Allocated))
			}
		}
		addsUp(t, s.name, e.Time)
	}
}

func addsUp(t *testing.T, name string, x Term) {
	t.Helper()
	if len(x.Terms) == 0 {
		return
	}
	sum := 0.0
	for _, y := range x.Terms {
		sum += y.Value
		addsUp(t, name, y)
	}
	if math.Abs(sum-x.Value) > 1e-9*max(1, x.Value) {
		t.Errorf("%s: parts of %q add up to %g of %g", name, x.Name, sum, x.Value)
	}
}
