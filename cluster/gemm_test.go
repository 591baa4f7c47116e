package cluster

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
)

// gemmError is the mean and the largest relative error of the GPU's model on
// measured rows of at least `least` rows.
func gemmError(seconds func(m, n, k float64) float64, rows []gemmRow, least float64) (mean, worst float64) {
	var count float64
	for _, r := range rows {
		if r.m < least {
			continue
		}
		e := math.Abs(seconds(r.m, r.n, r.k)/r.seconds - 1)
		mean, worst, count = mean+e, max(worst, e), count+1
	}
	return mean / count, worst
}

func TestGEMMFitsTheMeasuredRows(t *testing.T) {
	bounds := map[string]float64{ // mean error at 64 rows and more
		"A100-SXM-80GB": 0.045, "H100-SXM": 0.055, "H200-SXM": 0.055, "B200-SXM": 0.05, "B300-SXM": 0.065,
		"GB200": 0.105, "GB300": 0.055, "L40S": 0.08, "RTX-PRO-6000-Blackwell-Server": 0.04,
	}
	measured := gemmRows()
	if len(measured) != len(bounds) {
		t.Errorf("%d GPUs have rows, want %d", len(measured), len(bounds))
	}
	for name, bound := range bounds {
		g, err := FindGPU(name)
		if err != nil {
			t.Fatal(err)
		}
		seconds := func(m, n, k float64) float64 { return float64(g.GEMM(plan.BF16, m, n, k)) }
		mean, worst := gemmError(seconds, measured[name], 64)
		t.Logf("%s: mean error %.1f %%, worst %.0f %%", name, 100*mean, 100*worst)
		if mean > bound || len(measured[name]) != 90 {
			t.Errorf("%s: mean error %.3f on %d rows, want at most %.3f on 90", name, mean, len(measured[name]), bound)
		}
	}
}

func TestGEMMPredictsShapesThatWereLeftOut(t *testing.T) {
	for name, rows := range gemmRows() {
		var total, shapes float64
		for _, left := range rows {
			if left.m != rows[0].m {
				continue // one of each shape
			}
			var rest, out []gemmRow
			for _, r := range rows {
				if r.n == left.n && r.k == left.k {
					out = append(out, r)
				} else {
					rest = append(rest, r)
				}
			}
			model := fitGEMM(rest)
			mean, _ := gemmError(func(m, n, k float64) float64 { return model.seconds(min(m, n), max(m, n)*k) }, out, 64)
			total, shapes = total+mean, shapes+1
		}
		t.Logf("%s: mean error on left-out shapes %.1f %%", name, 100*total/shapes)
		if total/shapes > 0.13 {
			t.Errorf("%s: mean error %.3f on %g left-out shapes", name, total/shapes, shapes)
		}
	}
}

// logUniform draws sizes from tiny to far beyond the tables.
func logUniform(t *rapid.T, what string) float64 {
	return math.Exp(rapid.Float64Range(0, math.Log(3e5)).Draw(t, what))
}

func TestGEMMIsNonDecreasingInEverySize(t *testing.T) {
	gpus := GPUs()
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(gpus).Draw(t, "gpu")
		size := [4]float64{logUniform(t, "experts"), logUniform(t, "m"), logUniform(t, "n"), logUniform(t, "k")}
		more := size
		more[rapid.IntRange(0, 3).Draw(t, "which")] *= 1 + rapid.Float64Range(0, 3).Draw(t, "growth")
		const slack = 1 + 1e-12
		if a, b := g.GEMM(plan.FP16, size[1], size[2], size[3]), g.GEMM(plan.FP16, more[1], more[2], more[3]); a > b*slack {
			t.Fatalf("GEMM %v takes %v, %v takes %v", size, a, more, b)
		}
		if a, b := g.GroupedGEMM(plan.FP16, size[0], size[1], size[2], size[3]), g.GroupedGEMM(plan.FP16, more[0], more[1], more[2], more[3]); a > b*slack {
			t.Fatalf("grouped %v takes %v, %v takes %v", size, a, more, b)
		}
	})
}

func TestGEMMIsNeverFasterThanPeakOrMemory(t *testing.T) {
	gpus := GPUs()
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(gpus).Draw(t, "gpu")
		m, n, k := logUniform(t, "m"), logUniform(t, "n"), logUniform(t, "k")
		got := float64(g.GEMM(plan.FP16, m, n, k))
		least := max(2*m*n*k/float64(g.PeakOf(plan.FP16)), 2*(m*k+n*k+m*n)/float64(g.HBM), leastFloor)
		if !(got >= least*(1-1e-12)) || math.IsInf(got, 1) {
			t.Fatalf("%s %g x %g x %g: %g s, but at least %g", g.Name, m, n, k, got, least)
		}
	})
}

func TestAShardIsNeverMoreEfficientThanTheWhole(t *testing.T) {
	gpus := GPUs()
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(gpus).Draw(t, "gpu")
		size := [3]float64{logUniform(t, "m"), logUniform(t, "n"), logUniform(t, "k")}
		shards := rapid.Float64Range(1, 64).Draw(t, "shards")
		shard := size
		shard[rapid.IntRange(0, 2).Draw(t, "which")] /= shards
		whole, part := g.GEMM(plan.FP16, size[0], size[1], size[2]), g.GEMM(plan.FP16, shard[0], shard[1], shard[2])
		if float64(whole) > shards*float64(part)*(1+1e-12) {
			t.Fatalf("%s: %v takes %v, one of %g shards %v", g.Name, size, whole, shards, part)
		}
	})
}

func TestGroupedGEMMOfOneExpertIsAGEMM(t *testing.T) {
	for _, g := range GPUs() {
		if a, b := g.GroupedGEMM(plan.FP16, 1, 300, 4096, 2048), g.GEMM(plan.FP16, 300, 4096, 2048); a != b {
			t.Errorf("%s: %v and %v", g.Name, a, b)
		}
	}
}

func TestManyExpertsFillTheGPUTogether(t *testing.T) {
	g, err := FindGPU("H100")
	if err != nil {
		t.Fatal(err)
	}
	one, many := g.GEMM(plan.BF16, 256, 2048, 4096), g.GroupedGEMM(plan.BF16, 32, 256, 2048, 4096)
	if many >= 32*one {
		t.Errorf("32 experts in one kernel take %v, one after the other %v", many, 32*one)
	}
}

func TestGEMMOfAFormatThatTheGPULacksNeverEnds(t *testing.T) {
	v100, err := FindGPU("V100")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []plan.Precision{plan.BF16, "fp8", "int3"} {
		if got := v100.GEMM(p, 1024, 1024, 1024); !math.IsInf(float64(got), 1) {
			t.Errorf("%s: %v", p, got)
		}
	}
}

func TestGEMMAllocatesNothing(t *testing.T) {
	g := GPUs()[0]
	if n := testing.AllocsPerRun(100, func() {
		g.GEMM(plan.BF16, 4096, 1280, 8192)
		g.GroupedGEMM(plan.BF16, 8, 300, 1280, 8192)
		g.AttentionEfficiency(3000)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkGEMM(b *testing.B) {
	g := GPUs()[0]
	for i := range b.N {
		g.GEMM(plan.BF16, float64(4096+i%7), 1280, 8192)
	}
}
