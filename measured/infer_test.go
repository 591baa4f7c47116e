package measured

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"meshplan/cost"
	"meshplan/plan"
)

// large is a run of Llama 2 7B with more tokens in flight than 80 GB hold.
func large(cells ...string) []string {
	return append([]string{"framework=Megatron-Core", "micro_batch=8", "step_time_s=", "oom=0"}, cells...)
}

func TestWhatARowLeavesOpenIsRaisedByTheLeastThatFits(t *testing.T) {
	for _, c := range []struct {
		name, cells, plan string
		verdict           cost.Verdict
		assumed           string
	}{
		{"a plan that fits is not raised", "micro_batch=1", "recompute=none", cost.Fits, ""},
		{"recompute of half of the layers is less than of all", "", "sp=on,zero=1,recompute=full,recompute-spare=50", cost.Fits, "recompute"},
		{"more tokens need more recompute", "micro_batch=16", "sp=on,zero=1,recompute=full,recompute-spare=25", cost.Borderline, "recompute"},
		{"a framework that has only whole layers", "framework=fsdp|tp=1", "zero=3,recompute=full", cost.Fits, "recompute"},
		{"what the row gives stays", "recompute=none", "recompute=none", cost.DoesNotFit, ""},
		{"what the row gives is where it begins", "recompute=selective", "recompute=selective", cost.DoesNotFit, ""},
		{"what the service is known to do stays", "framework=Megatron-LM 2022|recompute=none", "sp=off,zero=0,recompute=none", cost.DoesNotFit, ""},
		{"and of another service", "framework=Megatron-DeepSpeed|precision=bf16|recompute=none", "sp=off,zero=1,recompute=none", cost.DoesNotFit, ""},
		{"a run that nothing open makes fit", "model=llama-2-70b", "sp=on,zero=1,recompute=none", cost.DoesNotFit, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validate(t, edit(t, large(strings.FieldsFunc(c.cells, func(r rune) bool { return r == '|' })...)...))
			l := r.Lines[0]
			if l.Verdict != c.verdict.String() || !strings.Contains(l.Plan, c.plan) {
				t.Errorf("%s %s: %s, %s; want %s, %s", l.Reason, l.Detail, l.Verdict, l.Plan, c.verdict, c.plan)
			}
			var assumed []string
			for _, a := range r.Assumed {
				assumed = append(assumed, a.Column)
				if !slices.Contains(r.Defaults, a) {
					t.Errorf("%v is assumed, but not among the defaults %v", a, r.Defaults)
				}
			}
			if got := strings.Join(assumed, " "); got != c.assumed {
				t.Errorf("assumed %q, want %q", got, c.assumed)
			}
		})
	}
}

// A framework's own defaults have sp and ZeRO on; here they are turned off.
func TestSequenceParallelismIsRaisedBeforeZeROBeforeRecompute(t *testing.T) {
	j, skip := jobOf(lookedUp(t), setupOf(t, large("micro_batch=1")...), Training)
	if skip != nil {
		t.Fatal(skip)
	}
	j.values["sp"], j.values["zero"] = "off", "0"
	if skip := j.complete(); skip != nil {
		t.Fatal(skip)
	}
	raised := func() string {
		var list []string
		light, heavy := j.raised()
		for _, r := range append(light, heavy...) {
			o := &r.plan.Options
			if o.RecomputeSpare > 0 {
				continue
			}
			list = append(list, fmt.Sprintf("%t %d %s", o.SP, o.ZeroStage, o.Recompute))
		}
		return strings.Join(list, ", ")
	}
	for _, c := range []struct {
		name string
		open []setupColumn
		want string
	}{
		{"all open", []setupColumn{colSP, colZero, colRecompute}, "true 0 none, false 1 none, true 1 none, " +
			"false 0 selective, true 0 selective, false 1 selective, true 1 selective, " +
			"false 0 mlp, true 0 mlp, false 1 mlp, true 1 mlp, false 0 full, true 0 full, false 1 full, true 1 full"},
		{"sp and ZeRO", []setupColumn{colSP, colZero}, "true 0 none, false 1 none, true 1 none"},
		{"recompute alone", []setupColumn{colRecompute}, "false 0 selective, false 0 mlp, false 0 full"},
		{"nothing", nil, ""},
	} {
		j.open = [numSetup]bool{}
		for _, column := range c.open {
			j.open[column] = true
		}
		if got := raised(); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
	alone, skip := jobOf(lookedUp(t), setupOf(t, large("gpus=1", "tp=1", "framework=Megatron-LM")...), Training)
	if skip != nil {
		t.Fatal(skip)
	}
	light, heavy := alone.raised()
	for _, r := range append(light, heavy...) {
		if o := &r.plan.Options; o.SP || o.ZeroStage != plan.ZeroNone {
			t.Errorf("one GPU has nobody to share with: %s", r.plan.String())
		}
	}
}
