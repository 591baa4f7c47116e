package cost

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
)

// inPrecision is the price model of a job in the precision on nodes of 8 GPUs.
func inPrecision(t *testing.T, model, system string, gpus int, batch, seq int64, p plan.Precision) *Model {
	t.Helper()
	prof, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	return underProfile(t, model, system, gpus, batch, seq, p, prof)
}

// atCurves is that of a job whose kernels reach the measured curves: rates of
// running jobs were fitted to each precision apart.
func atCurves(t *testing.T, model, system string, gpus int, batch, seq int64, p plan.Precision) *Model {
	t.Helper()
	prof, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	prof.Rates = nil
	return underProfile(t, model, system, gpus, batch, seq, p, prof)
}

func underProfile(t *testing.T, model, system string, gpus int, batch, seq int64, p plan.Precision, prof *profile.Profile) *Model {
	t.Helper()
	m, err := New(find(t, model), dgx(t, system, gpus/8), plan.Workload{GlobalBatch: batch, SeqLen: seq, Precision: p, LoadFactor: 1}, prof)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// linearPass is the time of one layer's dense GEMMs with what quantising costs.
func linearPass(m *Model, kind models.Kind, tokens, tp float64) float64 {
	gemms, quantise := m.launchesOn(tokens).all(m.linears(kind, tp))
	return gemms + m.gemmBackward(gemms, m.denseParams(kind, tp)) + quantise.sum()
}

// A GPU's rates in fp8 slow what runs in fp8, and those in bf16 the rest of the
// same job.
func TestRatesOfAnFP8JobAreThoseOfEachGEMMsOwnPrecision(t *testing.T) {
	prof, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	under := func(bf16, fp8 float64) *Model {
		p := *prof
		p.Rates = []profile.Rate{
			{GPUs: []string{"H100-SXM"}, Precisions: []plan.Precision{plan.BF16}, GEMM: profile.Constant{Value: bf16}},
			{GPUs: []string{"H100-SXM"}, Precisions: []plan.Precision{plan.FP8}, GEMM: profile.Constant{Value: fp8}},
		}
		return underProfile(t, "mixtral-8x7b", "h100", 8, 8, 4096, plan.FP8, &p)
	}
	usual, slow, slow8 := under(1, 1), under(0.5, 1), under(1, 0.5)
	router, linear := func(m *Model) float64 { return m.linearTime(8192, m.router(1)) }, func(m *Model) float64 { return m.linearTime(8192, mm(4096, 4096)) }
	head, expert := func(m *Model) float64 { return m.workOf(headPart, 2, 1, 1).fwd[0] }, func(m *Model) float64 { return m.expertTimes(1).at(2048) }
	for _, c := range []struct {
		name  string
		of    func(*Model) float64
		in8   bool
		least float64 // of its time that follows the rate
	}{
		{"the router", router, false, 1}, {"the head", head, false, 0.8},
		{"a linear", linear, true, 0.8}, {"an expert", expert, true, 0.8},
	} {
		same, longer := slow8, slow
		if c.in8 {
			same, longer = slow, slow8
		}
		was := c.of(usual)
		if got := c.of(same); math.Abs(got/was-1) > 1e-12 {
			t.Errorf("%s takes %g s at the other precision's rate of a half, %g s before", c.name, got, was)
		}
		if got := c.of(longer) / was; got < 1+c.least-1e-9 || got > 2+1e-9 {
			t.Errorf("%s takes %.3f times as long at half the rate", c.name, got)
		}
	}
}

// The same plan in both precisions was published by NVIDIA (dgxc-benchmarking
// v25.02.02, llama3.1/README_70b.md): Llama-3.1 70B on 64 H100, batch 128 of
// 8,192 tokens, tp 4, pp 4, vpp 5, cp 2 takes 14.61 s in bf16 and 10.46 s in fp8,
// a gain of 1.40.
func TestFP8GainsFarLessThanItsPeakSays(t *testing.T) {
	d := degrees{tp: 4, cp: 2, pp: 4, vpp: 5, dp: 2, mb: 1, sp: true, zero: 1}
	measured := map[plan.Precision]float64{plan.BF16: 14.61, plan.FP8: 10.46}
	step, linear := map[plan.Precision]float64{}, map[plan.Precision]float64{}
	for p, want := range measured {
		m := inPrecision(t, "llama-3.1-70b", "h100", 64, 128, 8192, p)
		q := d.place(m.cluster)
		even(t, m, &q)
		step[p], linear[p] = float64(m.Price(&q).Step), linearPass(m, models.Dense, 4096, 4)
		if miss := step[p]/want - 1; math.Abs(miss) > 0.12 {
			t.Errorf("%s: step of %.2f s, measured %.2f s", p, step[p], want)
		}
	}
	gemms, all := linear[plan.BF16]/linear[plan.FP8], step[plan.BF16]/step[plan.FP8]
	curves := linearPass(atCurves(t, "llama-3.1-70b", "h100", 64, 128, 8192, plan.BF16), models.Dense, 4096, 4) /
		linearPass(atCurves(t, "llama-3.1-70b", "h100", 64, 128, 8192, plan.FP8), models.Dense, 4096, 4)
	t.Logf("GEMMs gain %.2f, %.2f at the measured curves, the step %.2f (%.2f s to %.2f s; measured 1.40)", gemms, curves, all, step[plan.BF16], step[plan.FP8])
	if curves < 1.1 || curves > 1.5 {
		t.Errorf("GEMMs at the measured curves gain %.2f, want 1.1 to 1.5", curves)
	}
	if gemms >= 2 {
		t.Errorf("GEMMs gain %.2f, no less than the peak's 2", gemms)
	}
	if all <= 1.1 || all >= gemms {
		t.Errorf("the step gains %.2f, want more than 1.1 and less than its GEMMs' %.2f", all, gemms)
	}
}

// Rows of an inference engine, whose activations are quantised by reading them
// twice and writing one byte. Nothing of the prediction is made from them. Its
// kernels for B200 are a quarter slower than the best shape there says.
func TestFP8GEMMsAgainstMeasuredRows(t *testing.T) {
	text, err := os.ReadFile("testdata/fp8_gemm.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ratios := map[string][]float64{}
	by := map[string]*Model{}
	for _, row := range rows[1:] {
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		if by[row[0]] == nil {
			by[row[0]] = atCurves(t, "llama-3-8b", strings.ToLower(strings.TrimSuffix(row[0], "-SXM")), 8, 8, 8192, plan.FP8)
		}
		m := by[row[0]]
		want := v[3] * 1e-6
		got := m.linearTime(v[0], mm(v[1], v[2])) + 5*v[0]*v[2]/m.hbm
		ratios[row[0]] = append(ratios[row[0]], got/want)
	}
	for gpu, list := range ratios {
		slices.Sort(list)
		middle := list[len(list)/2]
		t.Logf("%s: predicted over measured of %d rows: median %.2f, %.2f to %.2f", gpu, len(list), middle, list[0], list[len(list)-1])
		if middle < 0.7 || middle > 1.2 {
			t.Errorf("%s: median %.2f", gpu, middle)
		}
	}
}

// A token and layer of Llama-3 70B in fp8: both norms' outputs and the
// activation's are of one byte, and the output projection keeps a copy of the
// attention output.
func TestFP8KeepsSmallerInputs(t *testing.T) {
	const h, ffn = 8192, 28672
	of := func(model string, kind models.Kind, p plan.Precision) float64 {
		m := inPrecision(t, model, "h100", 8, 8, 4096, p)
		b := new(plan.Point).Box()
		b[plan.ETP] = plan.Range{Lo: 1, Hi: 1}
		v := m.look(&b)
		return m.keepsOf(kind, plan.RecomputeNone).of(&v, &divided{1, 1, 1})
	}
	if saved := of("llama-3-70b", models.Dense, plan.BF16) - of("llama-3-70b", models.Dense, plan.FP8); saved != 2*h+ffn-h {
		t.Errorf("saves %g bytes, want %d", saved, 2*h+ffn-h)
	}
	// Mixtral: the router reads the second norm in bf16; two experts of 14336
	// receive a token of 4096 each.
	if saved := of("mixtral-8x7b", models.MoE, plan.BF16) - of("mixtral-8x7b", models.MoE, plan.FP8); saved != 4096+2*(4096+14336)-4096 {
		t.Errorf("Mixtral saves %g bytes, want %d", saved, 2*(4096+14336))
	}
}

func TestOnlyTheLinearsOfLayersRunInFP8(t *testing.T) {
	both := func(model string) (bf16, fp8 *Model) {
		return inPrecision(t, model, "h100", 8, 8, 4096, plan.BF16), inPrecision(t, model, "h100", 8, 8, 4096, plan.FP8)
	}
	bf16, fp8 := both("llama-3-70b")
	a, b := bf16.workOf(part(models.Dense), 2, 1, 1), fp8.workOf(part(models.Dense), 2, 1, 1)
	if a.core != b.core || b.fwd[0] >= a.fwd[0] || b.bwd[0] >= a.bwd[0] {
		t.Errorf("a layer takes %+v in bf16 and %+v in fp8", a, b)
	}
	if a, b := bf16.workOf(headPart, 2, 1, 1), fp8.workOf(headPart, 2, 1, 1); a != b {
		t.Errorf("the head takes %+v in bf16 and %+v in fp8", a, b)
	}
	bf16, fp8 = both("mixtral-8x7b")
	if a, b := bf16.linearTime(8192, bf16.router(1)), fp8.linearTime(8192, fp8.router(1)); a != b {
		t.Errorf("the router takes %g s in bf16 and %g s in fp8", a, b)
	}
	if a, b := bf16.expertTimes(1).at(2048), fp8.expertTimes(1).at(2048); b >= a {
		t.Errorf("an expert takes %g s in bf16 and %g s in fp8", a, b)
	}
	bf16, fp8 = atCurves(t, "mixtral-8x7b", "h100", 8, 8, 4096, plan.BF16), atCurves(t, "mixtral-8x7b", "h100", 8, 8, 4096, plan.FP8)
	if a, b := bf16.expertTimes(1).at(2048), fp8.expertTimes(1).at(2048); b >= a || b < a/2 {
		t.Errorf("at the measured curves an expert takes %g s in bf16 and %g s in fp8", a, b)
	}
}

func TestRatesOfFP8Kinds(t *testing.T) {
	for _, c := range []struct {
		gpu  string
		p    plan.Precision
		want float64 // TFLOP/s
	}{
		{"H100-SXM", plan.FP8, 1979}, {"H100-SXM", plan.FP8Block, 1979}, {"H100-SXM", plan.MXFP8, 0},
		{"B200-SXM", plan.MXFP8, 4500}, {"A100-SXM-80GB", plan.FP8, 0}, {"A100-SXM-80GB", plan.BF16, 312},
	} {
		g, err := cluster.FindGPU(c.gpu)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(Rate(g, c.p)) / 1e12; got != c.want {
			t.Errorf("%s in %s: %g TFLOP/s, want %g", c.gpu, c.p, got, c.want)
		}
	}
	prof, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	w := plan.Workload{GlobalBatch: 8, SeqLen: 4096, Precision: plan.FP8, LoadFactor: 1}
	if _, err := New(find(t, "llama-3-8b"), dgx(t, "a100", 1), w, prof); err == nil || !strings.HasSuffix(err.Error(), "has no fp8 rate") {
		t.Errorf("an A100 in fp8: %v", err)
	}
}

// The same job without context parallelism takes 9.86 s in fp8 (NVIDIA
// dgxc-benchmarking v25.04.02, llama3.1/README.md).
func TestFP8StepWithoutContextParallelism(t *testing.T) {
	m := inPrecision(t, "llama-3.1-70b", "h100", 64, 128, 8192, plan.FP8)
	q := degrees{tp: 4, pp: 8, vpp: 5, dp: 2, mb: 1, sp: true, zero: 1}.place(m.cluster)
	even(t, m, &q)
	got := float64(m.Price(&q).Step)
	t.Logf("%.2f s, measured 9.86 s", got)
	if math.Abs(got/9.86-1) > 0.12 {
		t.Errorf("step of %.2f s, measured 9.86 s", got)
	}
}
