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

// job is what a layer split depends on: the pipeline, the time of a layer of
// each kind and of the head, the memory account and its limits.
type job struct {
	pp, vpp  int
	micro    float64
	gpipe    bool
	layer    [models.NumKinds]pass
	head     pass
	hop      pass // exposed transfers of a rank and micro-batch
	wire     float64
	account  memory
	reserved float64 // reserved over allocated
	fit, run float64 // most reserved bytes to fit, and to run at all
}

func (m *Model) newJob(v *view) job {
	j := m.slots(v)
	j.pp, j.vpp, j.micro = int(v.pp.lo), max(1, int(v.vpp.lo)), v.micro.lo
	j.gpipe = v.gpipe
	j.account, j.reserved = m.account(v), m.profile.Memory.Reserved.Value
	j.run = m.usable(v)
	j.fit = m.fitLimit(j.run)
	return j
}

// slots is the part of a job that is the time of one micro-batch.
func (m *Model) slots(v *view) job {
	j := job{head: m.headPass(v, slot)}
	for k := range m.layers {
		if m.layers[k] > 0 {
			j.layer[k] = m.layerPass(v, models.Kind(k), slot)
		}
	}
	j.hop, j.wire = m.transfers(v)
	return j
}

// transfers is the stage-to-stage traffic of a rank and micro-batch: the time
// it is exposed, which is its latency at least, since each chunk waits for its
// input, and the time the rank's link is busy, which bounds its pace.
// Ranks of a tensor-parallel group each send their share of the activations
// (Narayanan et al. section 4.1).
func (m *Model) transfers(v *view) (exposed pass, wire float64) {
	if v.pp.lo <= 1 {
		return pass{}, 0
	}
	t := &m.profile.Time
	share := t.P2PInterleaved.Value
	switch {
	case v.vpp.hi <= 1:
		share = t.P2PExposed.Value
	case v.vpp.lo <= 1:
		share = min(share, t.P2PExposed.Value)
	}
	pp := v.group(plan.PP)
	seconds := v.vpp.lo * m.transferSeconds(v)
	latency := v.vpp.lo * m.nets[plan.PP].hopSeconds(&pp, 0)
	late := max(latency, share*seconds)
	return pass{late, late}, 2 * seconds
}

// transferSeconds is the time of one message between stages.
func (m *Model) transferSeconds(v *view) float64 {
	pp := v.group(plan.PP)
	return m.nets[plan.PP].hopSeconds(&pp, m.transferBytes(v))
}

// transferBytes is the size of one message between stages.
func (m *Model) transferBytes(v *view) float64 {
	return v.tokens.lo / v.tp.hi * m.bytes * float64(m.model.Hidden)
}

// Split chooses the layers of each chunk for the point: the split whose slowest
// rank is fastest among those whose memory fits, else among those that run at
// all, else the one of least peak memory, so that memory gives the reason. It
// is written in the first of the forms that expresses it; an earlier form's own
// split is taken when it is as fast. The error is a *NoForm when no form
// expresses the point's pp and vpp.
func (m *Model) Split(pt *plan.Point, forms []plan.SplitForm) (plan.Stages, error) {
	b := pt.Box()
	v := m.look(&b)
	j := m.newJob(&v)
	s := m.scratch.Get().(*schedule)
	defer m.scratch.Put(s)
	if j.pp > maxRanks || j.pp*j.vpp > len(m.kinds)+plan.MaxEmptyChunks {
		return plan.Stages{}, m.noForm(&j, forms)
	}
	best, found := candidate{}, false
	for _, form := range forms {
		c, ok := m.candidate(&j, s, form)
		if ok && (!found || c.better(&best)) {
			best, found = c, true
		}
	}
	if !found {
		return plan.Stages{}, m.noForm(&j, forms)
	}
	form, ok := plan.FormOf(forms, best.chunks, j.pp, j.vpp)
	if !ok {
		return plan.Stages{}, m.noForm(&j, forms)
	}
	return plan.Stages{Form: form, Text: runLength(best.chunks)}, nil
}

func (m *Model) noForm(j *job, forms []plan.SplitForm) error {
	return &NoForm{Layers: len(m.kinds), PP: int32(j.pp), VPP: int32(j.vpp), Forms: forms}
}

func runLength(chunks []int32) string {
	list := make([]int, len(chunks))
	for i, c := range chunks {
		list[i] = int(c)
	}
	return plan.RunLength(list)
}

// candidate is one split with its figures.
type candidate struct {
	chunks  []int32
	tier    int     // 0 fits, 1 runs, 2 neither
	slowest float64 // time of its slowest rank
	peak    float64
}

// slack is the relative difference that counts as none: rounding only.
const slack = 1e-9

func (c *candidate) better(o *candidate) bool {
	if c.tier != o.tier {
		return c.tier < o.tier
	}
	if c.tier == 2 {
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
	if !ok || headHeavy(chunks, j.pp) {
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
	m.fill(j, s, chunks)
	c := candidate{chunks: chunks, peak: m.peakOf(j, s)}
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
	return 2
}

// fill gives the chunks' layers to the ranks and sums their times.
func (m *Model) fill(j *job, s *schedule, chunks []int32) {
	s.pp, s.vpp, s.micro, s.gpipe = j.pp, j.vpp, j.micro, j.gpipe
	s.chunks = append(s.chunks[:0], chunks...)
	for r := range j.pp {
		s.ranks[r] = rank{}
	}
	next := 0
	for c, n := range chunks {
		k := &s.ranks[c%j.pp]
		for ; n > 0 && next < len(m.kinds); n-- {
			k.layers[m.kinds[next]]++
			next++
		}
		if c < j.pp {
			k.first = j.stageTime(k.layers)
		}
	}
	for r := range j.pp {
		s.ranks[r].time = j.rankTime(r, s.ranks[r].layers)
	}
}

// stageTime is the time of a micro-batch through the layers.
func (j *job) stageTime(layers [models.NumKinds]float64) pass {
	var t pass
	for k, n := range layers {
		t = t.plus(j.layer[k].times(n))
	}
	return t
}

// peakOf sets the ranks' memory and returns the largest, as reserved bytes.
func (m *Model) peakOf(j *job, s *schedule) float64 {
	peak := 0.0
	for r := range j.pp {
		s.ranks[r].memory = j.allocated(r, s.ranks[r].layers)
		peak = max(peak, s.ranks[r].memory)
	}
	return peak * j.reserved
}

func (j *job) allocated(r int, layers [models.NumKinds]float64) float64 {
	return j.account.stage(float64(r), float64(j.pp), j.inFlight(float64(r)), layers)
}

// inFlight is the micro-batches' worth of activations that rank r holds.
func (j *job) inFlight(r float64) float64 {
	if j.gpipe {
		return j.micro
	}
	return inFlight(r, float64(j.pp), j.micro, float64(j.vpp))
}
