package measured

import (
	"math"

	"meshplan/cost"
	"meshplan/plan"
)

// sample is one thing that a run tells about the constants: a time, a reading of
// memory, or that it ran or ran out of memory.
type sample struct {
	row    int // of those given
	model  *cost.Model
	served *served
	plan   plan.Plan
	fold   string // what is left out together with it

	gpu       string
	precision plan.Precision
	weight    float64

	memory   bool
	read     reading // of memory; "" is a label
	measured float64 // log of seconds or bytes
	oom      bool
}

// The scales of errors, as standard deviations of a logarithm: of times and
// readings of memory, beyond which an error counts less and less, and of the
// edge between running and running out of memory.
const (
	timeScale   = 0.05
	memoryScale = 0.05
	edgeScale   = 0.03
)

// samplesOf are what the scored rows tell about the members of the families
// that the filter takes.
func samplesOf(rows []scored, takes func(*served) bool) []sample {
	var list []sample
	for i := range rows {
		s := &rows[i]
		if s.skip != nil || s.prediction.price == nil || s.flags&doubtful != 0 || !takes(&s.prediction.job.of) {
			continue
		}
		one := sample{row: i, model: s.prediction.price, served: &s.prediction.job.of, plan: s.prediction.plan, fold: foldOf(s),
			gpu: s.prediction.gpu, precision: s.prediction.workload.Precision}
		if s.seconds > 0 {
			one.measured = math.Log(s.seconds)
			list = append(list, one)
		}
		one.memory = true
		switch {
		case s.result.memory > 0 && !s.readGuess:
			one.read, one.measured = s.read, math.Log(s.result.memory)
			list = append(list, one)
		case s.oom || s.ran:
			one.oom = s.oom
			list = append(list, one)
		}
	}
	weigh(list)
	return list
}

// foldOf names the rows that are left out together: those of one sweep, or for
// want of one of the same model, GPU and precision.
func foldOf(s *scored) string {
	if s.sweep != "" {
		return s.sweep
	}
	f := &s.prediction.job.facts
	return s.source + "|" + s.prediction.model.Name + "|" + f.Cluster.GPU.Name + "|" + string(f.Workload.Precision)
}

// weigh gives each sample the weight by which many samples of one kind count as
// the root of their number, so that no fold drowns the others.
func weigh(list []sample) {
	type kind struct {
		fold         string
		memory, read bool
	}
	of := func(s *sample) kind { return kind{s.fold, s.memory, s.read != ""} }
	count := map[kind]float64{}
	for i := range list {
		count[of(&list[i])]++
	}
	for i := range list {
		list[i].weight = 1 / math.Sqrt(max(1, count[of(&list[i])]/8))
	}
}

// evaluate is the samples' errors under other constants: the logarithm of
// predicted over measured, or of a label the logarithm of the peak over what is
// usable. Samples of one price model follow each other.
func evaluate(samples []sample, list families, out []float64) {
	var base *cost.Model
	var of *served
	var m *cost.Model
	for i := range samples {
		s := &samples[i]
		if s.model != base || s.served.member != of.member || s.served.reattend != of.reattend {
			var err error
			base, of = s.model, s.served
			if m, err = s.model.With(s.served.under(list)); err != nil {
				panic("measured: " + err.Error()) // it was priced before
			}
		}
		p := s.plan
		f := m.Price(&p)
		switch {
		case !s.memory:
			out[i] = math.Log(float64(f.Step)) - s.measured
		case s.read == "":
			out[i] = math.Log(float64(f.Peak) / float64(f.Usable))
		default:
			out[i] = math.Log(readAs(s.read, &f, m)) - s.measured
		}
	}
}

// readAs is the memory of a plan as it is read.
func readAs(r reading, f *cost.Figures, m *cost.Model) float64 {
	switch r {
	case allocated:
		return float64(f.Peak) / m.ReservedRatio()
	case device:
		return float64(f.Peak) + float64(m.Runtime()-f.Usable)
	}
	return float64(f.Peak)
}

// loss is what a sample's error costs, with the slope and the curvature by which
// it is fitted: of times and readings the robust ½ ln(1 + (e/scale)²), of labels
// the logistic loss of the verdict.
func (s *sample) loss(e float64) (value, slope, curvature float64) {
	if s.memory && s.read == "" {
		z := e / edgeScale
		if s.oom {
			z = -z
		}
		p := 1 / (1 + math.Exp(-z)) // chance of the verdict that is wrong
		slope = p / edgeScale
		if s.oom {
			slope = -slope
		}
		return s.weight * softplus(z), s.weight * slope, s.weight * max(p*(1-p), 1e-3) / (edgeScale * edgeScale)
	}
	scale := timeScale
	if s.memory {
		scale = memoryScale
	}
	x := e / scale
	w := 1 / (1 + float64(x*x))
	return s.weight * 0.5 * math.Log1p(x*x), s.weight * w * x / scale, s.weight * w / (scale * scale)
}

func softplus(z float64) float64 {
	if z > 30 {
		return z
	}
	return math.Log1p(math.Exp(z))
}

// memberOf reports whether a run is served by a family of the file.
func memberOf(file int) func(*served) bool {
	return func(s *served) bool { return s.member.file == file }
}
