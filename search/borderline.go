package search

import (
	"fmt"
	"slices"

	"meshplan/units"
)

// faster reports whether the best plan that is not refused has a shorter step
// than the best that fits. It is borderline then.
func (o *outcome) faster() bool {
	return len(o.safe.held) > 0 && o.held[0].first < o.safe.held[0].first
}

// borderline is the best borderline plan beside the best plan that fits, nil
// when it is not faster. Warnings that the answer already has are not repeated.
func (s *session) borderline(out *outcome, said []string) (*Borderline, error) {
	if !out.faster() {
		return nil, nil
	}
	best := &out.held[0]
	view, err := s.view(&best.plan)
	if err != nil {
		return nil, err
	}
	s.seat(&view, &best.plan)
	safe, own := out.safe.held[0].figures.Step, best.figures
	b := &Borderline{
		Plan:         view,
		SavedSeconds: float64(safe - own.Step), SavedFraction: 1 - float64(own.Step/safe),
		FreeBytes: float64(own.Usable - own.Peak), MarginBytes: s.price.Margin() * float64(own.Usable),
	}
	b.Status, b.BoundSeconds, b.Gap = out.proof(out.done)
	b.Text = b.sentence()
	b.Warnings = slices.DeleteFunc(s.assumptions(&best.plan, s.price), func(w string) bool { return slices.Contains(said, w) })
	return b, nil
}

// worthwhile is the share of the step from which on a borderline plan is worth a
// try.
const worthwhile = 1 - 1/hardly

// sentence says what the plan means to a reader.
func (b *Borderline) sentence() string {
	usable := units.Bytes(b.Plan.Memory.UsableBytes)
	advice := "try it in a short run first"
	if b.SavedFraction < worthwhile {
		advice = "for so little saved the plan that fits is the better choice"
	}
	proven := "proven"
	switch {
	case b.Plan.Unaligned != nil:
		proven = "not proven, its placement is unaligned"
	case b.Status != Optimal:
		proven = "not proven, the search was stopped"
	}
	free := fmt.Sprintf("it leaves %v of %v free", units.Bytes(b.FreeBytes), usable)
	if b.FreeBytes < 0 {
		free = fmt.Sprintf("it takes %v more than the %v usable", units.Bytes(-b.FreeBytes), usable)
	}
	return fmt.Sprintf("%s where a plan that fits leaves %v for errors of the estimate, and may run out of memory: %s; that no borderline plan is faster is %s",
		free, units.Bytes(b.MarginBytes), advice, proven)
}

// outline is the plan in short.
func (s *session) outline(l *leaf) Outline {
	return Outline{
		Text: l.plan.String(), Verdict: l.figures.Verdict.String(),
		Degrees: degreesOf(&l.plan), Options: s.options(&l.plan), GPUs: l.plan.Placement.GPUs(),
		StepSeconds: float64(l.figures.Step), MFU: s.price.Explain(&l.plan).MFU,
		PeakReservedBytes: float64(l.figures.Peak), UsableBytes: float64(l.figures.Usable),
	}
}
