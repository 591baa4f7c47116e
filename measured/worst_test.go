package measured

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"meshplan/cost"
	"meshplan/plan"
)

func TestSharesAreThePartsOfAStep(t *testing.T) {
	step := cost.Term{Name: "step", Value: 10, Terms: []cost.Term{
		{Name: "pipeline", Value: 8, Terms: []cost.Term{{Name: "work", Value: 3}, {Name: "bubble", Value: 5}}},
		{Name: "optimizer", Value: 2}, {Name: "fixed", Value: 0}, {Name: "rounding", Value: -1e-17},
	}}
	if got := fmt.Sprint(sharesOf(&step)); got != "[{bubble 0.5} {work 0.3} {optimizer 0.2}]" {
		t.Error(got)
	}
}

func TestTheWorstRowsAreTheFurthestByTheirRatio(t *testing.T) {
	text := header + "\n"
	for i, seconds := range []string{"7.5", "0.7", "700", "7", "", "8", "9", "10", "11", "12", "13", "14", "15"} {
		text += strings.Replace(strings.Replace(line, "7.5", seconds, 1), "a,", fmt.Sprintf("r%d,", i), 1) + "\n"
	}
	r := validate(t, text)
	if len(r.Worst) != worstRows || r.Worst[0].ID != "r2" || r.Worst[1].ID != "r12" {
		t.Fatalf("%d rows, %+v", len(r.Worst), r.Worst)
	}
	for i, w := range r.Worst {
		sum := 0.0
		for _, s := range w.Shares {
			sum += float64(s.Share)
		}
		if math.Abs(sum-1) > 0.01 || w.Cause == "" {
			t.Errorf("%s: the shares add up to %g, cause %q", w.ID, sum, w.Cause)
		}
		if i > 0 && math.Abs(float64(w.LogError)) > math.Abs(float64(r.Worst[i-1].LogError)) {
			t.Errorf("%s comes after a better row", w.ID)
		}
	}
}

func TestCausesComeFromTheSharesAndTheSetup(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		shares     string // apart by |
		seq        int64
		measured   float64 // over predicted
		want       string
	}{
		{"exposed communication", "tp=1", "linear 0.6|data-parallel communication, exposed 0.3|gathers and reductions of sharded layers, exposed 0.1", 4096, 1.4,
			"data-parallel communication, exposed 40 %; 2 times as long would explain the time"},
		{"the host", "tp=1", "linear 0.5|host launch floor 0.5", 4096, 2, "host launch floor 50 %; 3 times as long would explain the time"},
		{"a long sequence", "tp=1", "linear 0.5|attention core 0.5", 32768, 1.5, "attention of a long sequence 50 %; 2 times"},
		{"an ordinary sequence", "tp=1", "attention core 0.6|linear 0.4", 4096, 1.6, "largest term: attention core 60 %; 2 times"},
		{"experts", "tp=1", "linear 0.5|routed experts 0.3|permuting routed tokens 0.1|expert-parallel communication 0.1", 4096, 2, "routed experts, their permutation and exchange 50 %; 3 times"},
		{"tp inside a node", "tp=8", "linear 0.7|tensor-parallel communication 0.3", 4096, 1.3, "tensor-parallel communication 30 %; 2 times"},
		{"tp across nodes", "tp=16,placement=tp:8/2", "linear 0.7|tensor-parallel communication 0.3", 4096, 1.3, "tensor parallelism across nodes 30 %; 2 times"},
		{"a little too long", "tp=1", "linear 1", 4096, 0.98, "largest term: linear 100 %; 0.98 times"},
		{"nothing is suspicious", "tp=1", "linear 0.81|bubble 0.19", 4096, 1.81, "largest term: linear 81 %; 2 times"},
		{"beyond belief", "tp=1", "linear 0.5|bubble 0.5", 4096, 100, "pipeline bubble and transfers 50 %; only 199 times as long would explain the time, so that the cause is not in the prediction"},
		{"too long", "tp=1", "linear 0.5|bubble 0.5", 4096, 0.75, "pipeline bubble and transfers 50 %; 0.5 times as long would explain the time"},
		{"too long without it", "tp=1", "linear 0.7|bubble 0.3", 4096, 0.5, "pipeline bubble and transfers 30 %; the step is predicted too long even without it"},
		{"no terms", "tp=1", "", 4096, 2, "no term of the step is known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			s := &scored{seconds: c.measured}
			s.prediction = prediction{plan: p.Plan, seconds: 1}
			s.workload.SeqLen = c.seq
			for item := range strings.SplitSeq(c.shares, "|") {
				if at := strings.LastIndexByte(item, ' '); at > 0 {
					var v float64
					fmt.Sscan(item[at+1:], &v)
					s.shares = append(s.shares, TermShare{item[:at], Share(v)})
				}
			}
			if got := s.cause(); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTheCauseNamesWhatTheSetupAdds(t *testing.T) {
	s := &scored{seconds: 2}
	s.prediction = prediction{seconds: 1, shares: []TermShare{{"linear", 1}}, generic: true, verdict: cost.DoesNotFit}
	if got, want := s.cause(), "largest term: linear 100 %; 2 times as long would explain the time; no profile serves the framework; "+
		"called too large for the memory, so that something else may have been run"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The names of terms by which causes are found are those that plans are
// explained with.
func TestSuspicionsNameTermsThatExist(t *testing.T) {
	source, err := os.ReadFile("../cost/timeterms.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range doubts {
		for _, term := range c.terms {
			if !strings.Contains(string(source), strconv.Quote(term)) {
				t.Errorf("%s: no step has a term %q", c.name, term)
			}
		}
	}
}
