package measured

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"meshplan/cost"
	"meshplan/plan"
)

// WorstRow is a row whose time is far off: what takes the time as predicted,
// and what that says about the cause.
type WorstRow struct {
	ID        string      `json:"id"`
	Source    string      `json:"source"`
	Model     string      `json:"model"`
	GPU       string      `json:"gpu"`
	GPUs      int64       `json:"gpus"`
	Profile   string      `json:"profile"`
	Flags     []string    `json:"flags"`
	Measured  Share       `json:"measured_s"`  // seconds of a step
	Predicted Share       `json:"predicted_s"` // seconds of a step
	LogError  Share       `json:"log_error"`   // natural logarithm of predicted over measured
	Shares    []TermShare `json:"shares"`      // of the predicted step, largest first
	Cause     string      `json:"cause"`
}

// worstRows is how many are listed.
const worstRows = 10

// worstOf are the rows whose times are furthest off by the ratio of predicted
// and measured, the worst first.
func worstOf(rows []*scored) []WorstRow {
	timed := slices.DeleteFunc(slices.Clone(rows), func(s *scored) bool { return s.skip != nil || s.seconds == 0 })
	slices.SortFunc(timed, func(a, b *scored) int {
		return cmp.Or(cmp.Compare(math.Abs(b.logError()), math.Abs(a.logError())), strings.Compare(a.source, b.source), strings.Compare(a.id, b.id))
	})
	list := []WorstRow{}
	for _, s := range timed[:min(worstRows, len(timed))] {
		list = append(list, WorstRow{
			ID: s.id, Source: s.source, Model: s.model.Name, GPU: s.gpu, GPUs: int64(s.gpus), Profile: s.profile,
			Flags: append([]string{}, s.flags.words()...), Measured: Share(s.seconds), Predicted: Share(s.prediction.seconds),
			LogError: Share(s.logError()), Shares: s.shares, Cause: s.cause(),
		})
	}
	return list
}

// logError is the logarithm of predicted over measured time.
func (s *scored) logError() float64 { return math.Log(s.prediction.seconds) - math.Log(s.seconds) }

// suspicion is a likely cause of a wrong time: terms that are hard to predict.
type suspicion struct {
	name  string
	terms []string
	when  func(*scored) bool // nil is always
}

// longSequence is the tokens from which attention is called that of a long
// sequence.
const longSequence = 16384

// doubts are the likely causes. Of two with the same share the first is
// named.
var doubts = []suspicion{
	{"data-parallel communication, exposed", []string{"data-parallel communication, exposed", "gathers and reductions of sharded layers, exposed"}, nil},
	{"host launch floor", []string{"host launch floor"}, nil},
	{"attention of a long sequence", []string{"attention core"}, func(s *scored) bool { return s.workload.SeqLen >= longSequence }},
	{"routed experts, their permutation and exchange", []string{"routed experts", "permuting routed tokens", "expert-parallel communication"}, nil},
	{"tensor parallelism across nodes", []string{"tensor-parallel communication"}, (*scored).wideTP},
	{"tensor-parallel communication", []string{"tensor-parallel communication"}, nil},
	{"context-parallel communication", []string{"context-parallel ring, exposed", "context-parallel all-gather", "context-parallel all-to-all"}, nil},
	{"pipeline bubble and transfers", []string{"bubble", "stage-to-stage transfers"}, nil},
	{"recompute", []string{"recompute"}, nil},
	{"offload to the host", []string{"activations and gradients to and from the host, exposed"}, nil},
	{"output head and loss", []string{"output head and loss"}, nil},
	{"optimizer and fixed time of a step", []string{"optimizer", "fixed"}, nil},
	{"waiting for slower ranks", []string{"waiting for slower ranks"}, nil},
}

// wideTP reports whether tensor parallelism leaves the innermost level.
func (s *scored) wideTP() bool {
	at := &s.prediction.plan.Placement
	return at.Degree(plan.TP) > at.Factor[plan.TP][0]
}

// suspicious is the share of the step from which a suspicion is named.
const suspicious = 0.2

// cause says in words what may be wrong with the row's time: the suspicion with
// the largest share of the predicted step, else its largest term; by how much
// that would have to change to explain the measured time; and what the row's
// setup adds. It is arithmetic over the prediction, not a finding.
func (s *scored) cause() string {
	name, share := "", 0.0
	for _, c := range doubts {
		if of := s.share(c.terms); of > share && (c.when == nil || c.when(s)) {
			name, share = c.name, of
		}
	}
	if len(s.shares) == 0 {
		return "no term of the step is known"
	}
	if share < suspicious {
		name, share = "largest term: "+s.shares[0].Term, float64(s.shares[0].Share)
	}
	words := []string{fmt.Sprintf("%s %.0f %%", name, 100*share), s.factor(share)}
	if s.generic {
		words = append(words, "no profile serves the framework")
	}
	if s.verdict == cost.DoesNotFit {
		words = append(words, "called too large for the memory, so that something else may have been run")
	}
	return strings.Join(words, "; ")
}

// share is the share of the step that the terms take together.
func (s *scored) share(terms []string) float64 {
	sum := 0.0
	for _, t := range s.shares {
		if slices.Contains(terms, t.Term) {
			sum += float64(t.Share)
		}
	}
	return sum
}

// implausible is how many times as long as predicted nothing is taken to last.
const implausible = 10

// factor says how a part of the step would have to change if it alone were to
// explain the measured time.
func (s *scored) factor(share float64) string {
	f := 1 + (s.seconds/s.prediction.seconds-1)/share
	switch {
	case f <= 0:
		return "the step is predicted too long even without it"
	case f > implausible:
		return fmt.Sprintf("only %.0f times as long would explain the time, so that the cause is not in the prediction", f)
	}
	return fmt.Sprintf("%.2g times as long would explain the time", f)
}
