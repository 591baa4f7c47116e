package cost

import "meshplan/plan"

// scheduleNotes are the assumptions behind a schedule that cuts the backward in
// two or runs passes beside each other.
func (j *job) scheduleNotes(experts bool) []string {
	if j.schedule < plan.ZBH1 {
		return nil
	}
	notes := []string{"the weights' part of a backward is taken as its matrix multiplications, as many operations as the forward's; " +
		"no run with " + j.schedule.String() + " is among those the profile was fitted to"}
	if j.schedule < plan.DualPipe {
		return notes
	}
	hides := "stage-to-stage transfers"
	if experts {
		hides = "the experts' all-to-all and " + hides
	}
	notes = append(notes, hides+" of a forward beside a backward are taken as hidden as far as the computation of both lasts "+
		"(arXiv 2412.19437, section 3.2.1), which no measured figure confirms")
	if j.schedule == plan.DualPipe {
		notes = append(notes, "rank r and rank pp-1-r each hold and step both of their stages; what their gradients are exchanged "+
			"over is taken as the ranks of dp alone")
	}
	return notes
}
