package cost_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"meshplan/cost"
)

// What the memory account must reach on published FSDP runs.
const (
	medianLimit = 0.15 // of the absolute error of allocated or reserved memory, per source
	excessLimit = 0.02 // by which a run that ran may be predicted above the usable memory
)

// measuredSource is a file of runs and the framework that prices them.
type measuredSource struct{ file, framework, profile string }

var measuredSources = []measuredSource{
	{"torchtitan.csv", "torchtitan", "torchtitan"},
	{"fms.csv", "fsdp", "fsdp"},
	{"llm-foundry.csv", "fsdp", "llm-foundry"},
}

// Published runs of FSDP training, testdata/measured. Per source and kind of
// reading the median error of the predicted peak is small, and no plan that
// ran is called too large.
func TestMeasuredFSDPMemory(t *testing.T) {
	var page strings.Builder
	page.WriteString("| source | profile | runs | reading | n | median error | p90 | signed mean | ran, called too large | out of memory, called \"fits\" |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range measuredSources {
		t.Run(strings.TrimSuffix(s.file, ".csv"), func(t *testing.T) {
			fw, p := need(t, s.framework, s.profile)
			var l ledger
			for _, r := range readRuns(t, s.file) {
				l.enter(t, &r, priceRun(t, &r, fw, p))
			}
			l.judge(t)
			l.write(&page, strings.TrimSuffix(s.file, ".csv"), p.Name)
		})
	}
	cost.OnPage(t, "fsdp memory", page.String())
}

// write adds the source's rows to the page.
func (l *ledger) write(page *strings.Builder, source, profile string) {
	tail := fmt.Sprintf("%d of %d | %d of %d |\n", l.tooLarge, l.ran, l.oomsCalledFit, l.ooms)
	metrics := slices.Sorted(maps.Keys(l.errors))
	if len(metrics) == 0 {
		fmt.Fprintf(page, "| %s | %s | %d | none printed | | | | | %s", source, profile, l.ran+l.ooms, tail)
	}
	for _, metric := range metrics {
		s := summaryOf(l.errors[metric])
		fmt.Fprintf(page, "| %s | %s | %d | %s | %d | %.1f %% | %.1f %% | %+.1f %% | %s", source, profile, l.ran+l.ooms,
			metric, s.n, 100*s.median, 100*s.p90, 100*s.mean, tail)
	}
}

// ledger gathers the runs of one source.
type ledger struct {
	errors              map[string][]float64 // by metric, predicted over measured less 1
	ran, tooLarge       int
	ooms, oomsCalledFit int
	most                float64 // excess over the usable memory of a run that ran
}

// device is the reading of nvidia-smi that belongs to an estimate: what the
// allocator reserves and what lies outside it.
func device(e *cost.Estimate, runtime float64) float64 {
	return float64(e.Peak) + runtime - float64(e.Usable)
}

func (l *ledger) enter(t *testing.T, r *measuredRun, e cost.Estimate) {
	t.Helper()
	excess := float64(e.Peak)/float64(e.Usable) - 1
	if r.ran() {
		l.ran++
		l.most = max(l.most, excess)
		if e.Verdict == cost.DoesNotFit && excess > excessLimit {
			l.tooLarge++
			t.Errorf("%s ran, but %.1f GiB are predicted, %.1f %% above the usable %.1f (%s, %s, seq %d)", r.id, float64(e.Peak)/gib, 100*excess, float64(e.Usable)/gib, r.model, r.text(), r.seq)
		}
	} else {
		l.ooms++
		if e.Verdict == cost.Fits {
			l.oomsCalledFit++
		}
	}
	predicted := float64(e.Peak)
	switch r.metric {
	case "allocated":
		predicted = float64(e.Allocated)
	case "device":
		predicted = device(&e, float64(machineOf(t, r.gpu, r.gpus).GPU.Runtime))
	}
	if r.gib == 0 {
		t.Logf("%-9s %-16s %-10s %4d GPUs seq %6d micro-batch %3d recompute %-4s %s: predicted %.1f of %.1f GiB, %s, %s",
			r.id, r.model, r.gpu, r.gpus, r.seq, r.micro, r.recompute, r.note, predicted/gib, float64(e.Usable)/gib, e.Verdict, r.metric)
		return
	}
	if l.errors == nil {
		l.errors = map[string][]float64{}
	}
	off := predicted/gib/r.gib - 1
	l.errors[r.metric] = append(l.errors[r.metric], off)
	t.Logf("%-9s %-16s %-10s %4d GPUs seq %6d micro-batch %3d recompute %-4s %s: %s predicted %.2f, measured %.2f GiB, %+.1f %%",
		r.id, r.model, r.gpu, r.gpus, r.seq, r.micro, r.recompute, r.note, r.metric, predicted/gib, r.gib, 100*off)
}

// judge prints a source's figures and fails where they miss the limits. The
// device readings are reported only: the caching allocator keeps whatever it
// once took, so that runs with one and the same peak differ by half.
func (l *ledger) judge(t *testing.T) {
	t.Helper()
	for metric, errors := range l.errors {
		s := summaryOf(errors)
		t.Logf("%s: %d runs, median error %.1f %%, p90 %.1f %%, signed mean %+.1f %%", metric, s.n, 100*s.median, 100*s.p90, 100*s.mean)
		if metric != "device" && s.median > medianLimit {
			t.Errorf("%s: median error %.1f %% of %d runs, at most %.0f %% is accepted", metric, 100*s.median, s.n, 100*medianLimit)
		}
	}
	t.Logf("%d runs that ran, %d called too large by more than %.0f %%, the most by %.1f %%; %d that ran out of memory, %d called fits", l.ran, l.tooLarge, 100*excessLimit, 100*l.most, l.ooms, l.oomsCalledFit)
	if l.tooLarge > 0 {
		t.Errorf("%d of %d runs that ran are called too large by more than %.0f %%", l.tooLarge, l.ran, 100*excessLimit)
	}
}

// summary is the distribution of relative errors.
type summary struct {
	n                 int
	median, p90, mean float64 // of the absolute, of the absolute, of the signed errors
}

func summaryOf(errors []float64) summary {
	s := summary{n: len(errors)}
	abs := make([]float64, len(errors))
	for i, e := range errors {
		abs[i] = math.Abs(e)
		s.mean += e / float64(s.n)
	}
	sort.Float64s(abs)
	s.median, s.p90 = quantile(abs, 0.5), quantile(abs, 0.9)
	return s
}

// quantile interpolates between the sorted values on both sides of q.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func TestSummaryOfErrors(t *testing.T) {
	got := summaryOf([]float64{-0.4, 0.1, 0.2, -0.3, 0.5})
	want := summary{n: 5, median: 0.3, p90: 0.46, mean: 0.02}
	if got.n != want.n || math.Abs(got.median-want.median) > 1e-12 || math.Abs(got.p90-want.p90) > 1e-12 || math.Abs(got.mean-want.mean) > 1e-12 {
		t.Errorf("summary %+v, want %+v", got, want)
	}
}

// llm-foundry prints every run's parameters to four digits.
func TestShapesOfMeasuredModels(t *testing.T) {
	for _, r := range readRuns(t, "llm-foundry.csv") {
		got := float64(shapeOf(t, r.model, r.seq).Total()) / 1e9
		if math.Abs(got-r.params) > 6e-5 {
			t.Errorf("%s: %s has %.4f billion parameters, printed %.4f", r.id, r.model, got, r.params)
		}
	}
}
