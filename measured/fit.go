package measured

import "meshplan/cost"

// Fit judges "fits" by runs that ran and runs that ran out of memory, of
// sources that hold both. A borderline plan counts as one that is not said to
// fit.
type Fit struct {
	N          int   `json:"n"`           // runs of both kinds
	Accuracy   Share `json:"accuracy"`    // right over n
	FalseOOM   Share `json:"false_oom"`   // ran but is not said to fit, over those that ran
	FalseFit   Share `json:"false_fit"`   // ran out of memory but is said to fit, over those that did
	Borderline Share `json:"borderline"`  // over n
	RanRefused int   `json:"ran_refused"` // runs of any source that are called "does_not_fit"
}

// labels counts runs by what happened and what was said.
type labels struct{ ran, oom, falseOOM, falseFit, borderline, refused int }

// count adds a scored row.
func (l *labels) count(s *scored) {
	switch {
	case s.oom:
		l.oom++
		if s.fits() {
			l.falseFit++
		}
	case s.ran:
		l.ran++
		if !s.fits() {
			l.falseOOM++
		}
		if s.verdict == cost.DoesNotFit {
			l.refused++
		}
	}
	if s.verdict == cost.Borderline {
		l.borderline++
	}
}

// both reports whether there are runs of both kinds.
func (l *labels) both() bool { return l.ran > 0 && l.oom > 0 }

// add adds the counts of other runs.
func (l *labels) add(o labels) {
	l.ran += o.ran
	l.oom += o.oom
	l.falseOOM += o.falseOOM
	l.falseFit += o.falseFit
	l.borderline += o.borderline
}

// fit is the judgement of the labels, which are of sources with both kinds.
func (l *labels) fit(refused int) Fit {
	n := l.ran + l.oom
	return Fit{
		N: n, Accuracy: ratio(n-l.falseOOM-l.falseFit, n), FalseOOM: ratio(l.falseOOM, l.ran), FalseFit: ratio(l.falseFit, l.oom),
		Borderline: ratio(l.borderline, n), RanRefused: refused,
	}
}

// fitOf judges rows, apart by the part they belong to: only parts with both
// kinds of runs count.
func fitOf(rows []*scored, part func(*scored) string) Fit {
	parts := map[string]*labels{}
	refused := 0
	for _, s := range rows {
		name := part(s)
		if parts[name] == nil {
			parts[name] = new(labels)
		}
		parts[name].count(s)
	}
	var all labels
	for _, l := range parts {
		refused += l.refused
		if l.both() {
			all.add(*l)
		}
	}
	return all.fit(refused)
}
