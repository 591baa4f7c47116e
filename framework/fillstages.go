package framework

import (
	"fmt"

	"meshplan/plan"
)

func (w *filling) fillSP() {
	o, tp := &w.plan.Options, w.degrees[plan.TP]
	if o.SP = tp > 1 && !w.PlainTP; w.PlainTP {
		w.say("sp is not given: off")
		return
	}
	w.say("sp is not given: %s, since tp is %d", map[bool]string{true: "on", false: "off"}[o.SP], tp)
}

// fillStages completes the schedule and splits the layers over the chunks.
func (w *filling) fillStages() error {
	o := &w.plan.Options
	o.Schedule = plan.ScheduleOf(o.Schedule.Value(), o.VPP)
	if w.given.Has(plan.StagesField) {
		return nil
	}
	pp, vpp := int(w.degrees[plan.PP]), int(o.VPP)
	if w.ownSplit(pp, vpp) {
		return nil
	}
	for _, form := range w.Forms {
		if split, ok := form.Default(w.f.Model.Layers, pp, vpp); ok {
			o.Stages = plan.Stages{Form: form, Text: plan.RunLength(split)}
			w.say("layers are not given: %s", o.Stages.Text)
			if form != plan.SplitEven && w.SplitFlags != nil {
				w.say("%d layers do not divide over pp*vpp = %d*%d; %s needs %s", w.f.Model.Layers, pp, vpp, w.Name, w.SplitFlags(w.f, &w.plan))
			}
			return nil
		}
	}
	return fmt.Errorf("%d layers cannot be split over pp*vpp = %d*%d chunks; at most %d chunks can be filled",
		w.f.Model.Layers, pp, vpp, w.f.Model.Layers+plan.MaxEmptyChunks)
}

// ownSplit takes the framework's own split, if it has one that a plan can
// describe.
func (w *filling) ownSplit(pp, vpp int) bool {
	if w.Split == nil {
		return false
	}
	split := w.Split(w.f, int(w.degrees[plan.TP]), pp, vpp)
	form, ok := plan.FormOf(plan.AllForms(), split, pp, vpp)
	if !ok {
		return false
	}
	w.plan.Options.Stages = plan.Stages{Form: form, Text: plan.RunLength(split)}
	w.say("layers are not given: %s, %s's own split", plan.RunLength(split), w.Name)
	return true
}
