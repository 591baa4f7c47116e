package cost

import (
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/plan"
)

func TestTheNoteOnLowPrecisionNamesThePeakThatIsUsed(t *testing.T) {
	for precision, want := range map[plan.Precision]string{plan.NVFP4: "fp4", plan.MXFP8: "fp8", plan.FP8: "fp8"} {
		m := &Model{gpu: &cluster.GPU{Name: "G"}, workload: plan.Workload{Precision: precision}, low: lowPrecision{on: true}}
		if got := m.fp8Warning(); len(got) != 1 || !strings.HasPrefix(got[0], want+" GEMMs of G") || !strings.Contains(got[0], "at the "+want+" peak") {
			t.Errorf("%s: %q", precision, got)
		}
	}
}
