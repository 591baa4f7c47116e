package measured

import (
	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/units"
)

// scored is one row: skipped for a reason, or compared.
type scored struct {
	*row
	prediction
	result
	skip    *skip
	seconds float64 // measured; 0 where no step was timed
	order   int     // of the row in its table, while rows are refitted
	byRate  float64 // seconds by a constant rate; 0 where there is none
}

// score compares a row's outcome with what was predicted from its setup.
func score(r *row, kind Kind, p *predicted) scored {
	s := scored{row: r, prediction: p.prediction}
	if r.flags&inconsistent != 0 {
		s.skip = skipped(Contradiction, "the table flags the row as inconsistent")
		return s
	}
	if s.result, s.skip = resultOf(&r.outcome, kind); s.skip != nil {
		return s
	}
	if s.skip = p.skip; s.skip != nil {
		return s
	}
	s.seconds = s.stepTime()
	s.skip = s.contradicts()
	return s
}

// stepTime is the measured time of a step in seconds: as printed, else from
// tokens, else from printed FLOP/s where it is known what they count.
func (s *scored) stepTime() float64 {
	switch {
	case s.result.step > 0:
		return s.result.step
	case s.result.tokens > 0:
		return s.prediction.tokens / (s.result.tokens * s.gpus)
	case s.result.flops > 0 && s.prediction.flops == profile.MegatronFLOPs && countsAsMegatron(s.model):
		m, w := s.model, &s.workload
		step := models.MegatronFLOPs(int(w.GlobalBatch), int(w.SeqLen), m.Layers, m.Hidden, m.Vocab)
		return float64(step) / (s.result.flops * s.gpus)
	}
	return 0
}

// countsAsMegatron reports whether models.MegatronFLOPs holds for the model.
func countsAsMegatron(m *models.Model) bool {
	return !m.GatedMLP && m.Experts == 0 && m.FFN == 4*m.Hidden && m.Heads*m.HeadDim == m.Hidden
}

// contradicts is the skip of figures that cannot be true: a step faster than
// the peak rate allows, more memory than there is, two times that differ.
func (s *scored) contradicts() *skip {
	switch {
	case s.seconds > 0 && s.seconds < s.least:
		return skipped(Contradiction, "a step of %s is faster than the peak rate allows, %s: the time or the batch is in another unit",
			units.Seconds(s.seconds), units.Seconds(s.least))
	case s.result.memory > s.deviceMemory:
		return skipped(Contradiction, "%s is more than a GPU has, %s: the memory is in another unit or of several GPUs",
			units.Bytes(s.result.memory), units.Bytes(s.deviceMemory))
	}
	return s.disagree()
}

// timeError is the relative error of the step time; ok is false where none was
// measured.
func (s *scored) timeError() (e float64, ok bool) {
	if s.seconds == 0 {
		return 0, false
	}
	return s.prediction.seconds/s.seconds - 1, true
}

// memoryError is the relative error of the memory, as it was read.
func (s *scored) memoryError() (e float64, ok bool) {
	if s.result.memory == 0 {
		return 0, false
	}
	return s.prediction.memory[s.read]/s.result.memory - 1, true
}

// fits reports whether the model says "fits".
func (s *scored) fits() bool { return s.verdict == cost.Fits }
