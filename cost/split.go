package cost

import (
	"fmt"

	"meshplan/models"
	"meshplan/plan"
)

// NoForm says that no form in which the framework writes down a layer split
// expresses the pipeline.
type NoForm struct {
	Layers  int
	PP, VPP int32
	Forms   []plan.SplitForm
}

// Error names the layers, the pipeline and the forms that were tried.
func (e *NoForm) Error() string {
	return fmt.Sprintf("%d layers cannot be split over pp %d x vpp %d in any of the forms %v", e.Layers, e.PP, e.VPP, e.Forms)
}

// Split chooses the layers of each chunk for the point: the split whose slowest
// rank is fastest among those whose memory fits, else among those that run at
// all, else the one of least peak memory, so that memory gives the reason. It
// is written in the first of the forms that expresses it; an earlier form's own
// split is taken when it is as fast. The error is a *NoForm when no form
// expresses the point's pp and vpp.
func (m *Model) Split(pt *plan.Point, forms []plan.SplitForm) (plan.Stages, error) {
	stages, _, err := m.split(pt, forms, false)
	return stages, err
}

// SplitRunning is Split where plans that are refused for their memory are of no use:
// ok is false when the point has no other split.
func (m *Model) SplitRunning(pt *plan.Point, forms []plan.SplitForm) (stages plan.Stages, ok bool, err error) {
	return m.split(pt, forms, true)
}

func (m *Model) split(pt *plan.Point, forms []plan.SplitForm, running bool) (stages plan.Stages, ok bool, err error) {
	b := pt.Box()
	v := m.look(&b)
	j := m.newJob(&v)
	j.running = running
	s := m.scratch.Get().(*schedule)
	defer m.scratch.Put(s)
	if j.pp > maxRanks || j.pp < 1 || j.pp*j.vpp > len(m.kinds)+plan.MaxEmptyChunks {
		return plan.Stages{}, false, m.noForm(&v, forms)
	}
	best, found := candidate{}, false
	for _, form := range forms {
		c, ok := m.candidate(&j, s, form)
		if ok && (!found || c.better(&best)) {
			best, found = c, true
		}
	}
	switch {
	case running && (!found || best.tier == refused):
		return plan.Stages{}, false, nil
	case !found:
		return plan.Stages{}, false, m.noForm(&v, forms)
	}
	form, ok := j.formOf(forms, best.chunks)
	if !ok {
		return plan.Stages{}, false, m.noForm(&v, forms)
	}
	stages = plan.Stages{Form: form, Text: plan.RunLength(best.chunks)}
	if j.fitting.on {
		m.fitted(&j, s, best.chunks)
		stages.Recompute = s.perRank()
	}
	return stages, true, nil
}

func (m *Model) noForm(v *view, forms []plan.SplitForm) error {
	return &NoForm{Layers: len(m.kinds), PP: int32(v.pp.lo), VPP: v.box[plan.VPP].Lo, Forms: forms}
}

// formOf is the first of the forms that expresses the chunks. That the ranks are
// alike is not said of a V.
func (j *job) formOf(forms []plan.SplitForm, chunks []int32) (plan.SplitForm, bool) {
	for _, f := range forms {
		if j.writes(f) && f.Expresses(chunks, j.pp, j.vpp) {
			return f, true
		}
	}
	return 0, false
}

// writes reports whether the form is one of the schedule's.
func (j *job) writes(f plan.SplitForm) bool {
	return f != plan.SplitFirstLast || !j.schedule.Folded()
}

// candidate is one split with its figures.
type candidate struct {
	chunks  []int32
	tier    int     // 0 fits, 1 runs, refused
	slowest float64 // time of its slowest rank
	peak    float64
}

// refused is the tier of splits that do not run.
const refused = 2

// slack is the relative difference that counts as none: rounding only.
const slack = 1e-9

func (c *candidate) better(o *candidate) bool {
	if c.tier != o.tier {
		return c.tier < o.tier
	}
	if c.tier == refused {
		return c.peak < o.peak*(1-slack)
	}
	return c.slowest < o.slowest*(1-slack)
}

// candidate is the form's best split; for an explicit layout that is the best
// of all.
func (m *Model) candidate(j *job, s *schedule, form plan.SplitForm) (candidate, bool) {
	if form == plan.SplitLayout {
		return m.free(j, s)
	}
	chunks, ok := form.Default(len(m.kinds), j.pp, j.vpp)
	if !ok || !j.writes(form) || !j.schedule.Folded() && headHeavy(chunks, j.pp) {
		return candidate{}, false
	}
	return m.judge(j, s, chunks), true
}

// headHeavy reports whether the first rank holds more layers than the last but
// one. No best split does: memory and the pipeline's turn both want the first
// rank light.
func headHeavy(chunks []int32, pp int) bool {
	if pp < 3 {
		return false
	}
	first, late := int32(0), int32(0)
	for c, n := range chunks {
		switch c % pp {
		case 0:
			first += n
		case pp - 2:
			late += n
		}
	}
	return first > late
}

// judge prices a given list of layers per chunk.
func (m *Model) judge(j *job, s *schedule, chunks []int32) candidate {
	c := candidate{chunks: chunks}
	if j.fitting.on {
		c.peak = m.fitted(j, s, chunks)
	} else {
		m.fill(j, s, chunks)
		c.peak = m.peakOf(j, s)
	}
	c.tier = j.tier(c.peak)
	for r := range j.pp {
		c.slowest = max(c.slowest, s.ranks[r].time.sum())
	}
	return c
}

func (j *job) tier(peak float64) int {
	switch {
	case peak <= j.fit:
		return 0
	case peak <= j.run:
		return 1
	}
	return refused
}

// fill gives the chunks' layers to the ranks and sums their times.
func (m *Model) fill(j *job, s *schedule, chunks []int32) {
	s.pp, s.vpp, s.micro, s.schedule = j.pp, j.vpp, j.micro, j.schedule
	s.chunks = append(s.chunks[:0], chunks...)
	for r := range j.pp {
		s.ranks[r] = rank{}
	}
	next := 0
	s.passes = s.passes[:0]
	for c, n := range chunks {
		k := &s.ranks[s.rankOf(c)]
		var layers [models.NumKinds]float64
		for ; n > 0 && next < len(m.kinds); n-- {
			layers[m.kinds[next]]++
			next++
		}
		for kind, n := range layers {
			k.layers[kind] += n
		}
		if c < j.pp {
			k.opening, k.first = layers, j.stageTime(layers)
		}
		s.passes = append(s.passes, j.chunkTime(c, layers))
	}
	for r := range j.pp {
		k := &s.ranks[r]
		if k.time = j.rankTime(r, k.layers); j.fitting.on {
			j.repeat(r, k, j.recomputed(r, k.layers))
		}
	}
}

// chunkTime is the time of chunk c for one micro-batch, which is its part of what
// the rank's link takes at least.
func (j *job) chunkTime(c int, layers [models.NumKinds]float64) pass {
	t := j.stageTime(layers).plus(j.hop.times(1 / float64(j.vpp)))
	if c == j.pp*j.vpp-1 {
		t = t.plus(j.head)
	}
	return t.atLeast(j.paced().times(1 / float64(j.vpp)))
}

// peakOf sets the ranks' memory and returns the largest, as reserved bytes.
func (m *Model) peakOf(j *job, s *schedule) float64 {
	peak := 0.0
	for r := range j.pp {
		k := &s.ranks[r]
		if k.memory = j.allocated(r, k.layers); j.fitting.on {
			flight := j.inFlight(float64(r))
			running := j.account.running(float64(r), float64(j.pp), &flight, k.layers)
			k.memory = max(k.memory, running+j.sparing(r, k.layers, k.repeated))
		}
		peak = max(peak, k.memory)
	}
	return peak * j.reserved
}
