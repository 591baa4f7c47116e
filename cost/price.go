package cost

import (
	"meshplan/plan"
	"meshplan/units"
)

// Price is the figures of a plan whose layer split is set: step time, reserved
// memory of the tightest stage, usable memory and the verdict. A plan without a
// split is priced with the split of least step time.
func (m *Model) Price(p *plan.Plan) Figures {
	s := m.scratch.Get().(*schedule)
	defer m.scratch.Put(s)
	pt := p.Point()
	b := pt.Box()
	v := m.look(&b)
	j := m.newJob(&v)
	if !m.lay(&j, s, p) {
		return unbuildable
	}
	return m.figures(&v, &j, s)
}

// figures are those of a plan whose layers have been given to the ranks.
func (m *Model) figures(v *view, j *job, s *schedule) Figures {
	peak := max(m.peakOf(j, s), m.hostPeak(v))
	once, exposed := m.afterSpan(v, j, s)
	step := (s.span() + (exposed + once.optimizer + m.profile.Time.StepSeconds.Value)) * m.waiting(v.all)
	return Figures{
		Step: units.Seconds(step), Peak: units.Bytes(peak), Usable: units.Bytes(j.usable),
		Verdict: m.verdict(peak, j.usable),
	}
}

// huge stands for a plan that cannot be built.
const huge = 1e30

var unbuildable = Figures{Step: huge, Peak: huge, Verdict: DoesNotFit}

// lay fills the schedule with the plan's own split, or the best one.
func (m *Model) lay(j *job, s *schedule, p *plan.Plan) bool {
	if j.pp > maxRanks || j.pp < 1 {
		return false
	}
	chunks, ok := readChunks(p.Options.Stages.Text, s.chunks[:0])
	if ok && len(chunks) == 0 {
		var c candidate
		if c, ok = m.free(j, s); ok {
			chunks = c.chunks
		}
	}
	s.chunks = chunks
	if !ok || len(chunks) != j.pp*j.vpp {
		return false
	}
	if !j.fitting.on {
		m.fill(j, s, chunks)
		return true
	}
	m.fitted(j, s, chunks)
	return m.repeat(j, s, p.Options.Stages.Recompute)
}

// repeat gives the ranks the plan's own numbers of recomputed layers, if it has
// them.
func (m *Model) repeat(j *job, s *schedule, text string) bool {
	numbers, ok := readChunks(text, nil)
	if !ok || len(numbers) != 0 && len(numbers) != j.pp {
		return false
	}
	for r, n := range numbers {
		j.repeat(r, &s.ranks[r], firstOf(float64(n), s.ranks[r].layers))
	}
	return true
}

// readChunks reads a canonical run-length text into a buffer, without
// allocating when the buffer is large enough.
func readChunks(text string, into []int32) ([]int32, bool) {
	for i := 0; i < len(text); {
		value, next, ok := digitsAt(text, i)
		count := int32(1)
		if ok && next < len(text) && text[next] == '*' {
			count, next, ok = digitsAt(text, next+1)
		}
		if !ok || int(count) > plan.MaxChunks-len(into) {
			return into, false
		}
		for range count {
			into = append(into, value)
		}
		if next < len(text) && text[next] != '+' {
			return into, false
		}
		i = next + 1
	}
	return into, true
}

func digitsAt(text string, i int) (value int32, next int, ok bool) {
	start := i
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && i-start < 6; i++ {
		value = value*10 + int32(text[i]-'0')
	}
	return value, i, i > start
}
