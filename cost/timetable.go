package cost

import (
	"strconv"

	"meshplan/plan"
	"meshplan/units"
)

// Timetable is a pipeline as its ranks' orders of operations were played against
// each other.
type Timetable struct {
	Micro, All int // micro-batches played, and of a step
	Seconds    units.Seconds
	Ranks      []Timeline
	// Priced is how the step's pipeline was priced, where that is not by this order
	// of operations: "".
	Priced string
}

// Timeline is one rank's operations, one after the other.
type Timeline struct {
	Rank       int
	Mirror     int // a rank that does the same from the other end, or Rank
	Busy       units.Seconds
	Operations []Operation
}

// Operation is one operation of a rank.
type Operation struct {
	// Name is F for a forward, B for a whole backward, I for the gradient of the
	// input alone and W for those of the weights, with the micro-batch and, of
	// several chunks a rank, the chunk: "F3", "I3.1"; of a pair "F5.0+B2.1".
	Name       string
	Begin, End units.Seconds
}

// Timetable plays the operations of a plan, at most those of as many micro-batches
// as show how a step begins, goes on and ends. It is false for a plan that cannot be
// built.
func (m *Model) Timetable(p *plan.Plan) (Timetable, bool) {
	s := m.scratch.Get().(*schedule)
	defer m.scratch.Put(s)
	pt := p.Point()
	b := pt.Box()
	v := m.look(&b)
	j := m.newJob(&v)
	if !m.lay(&j, s, p) {
		return Timetable{}, false
	}
	micro := s.shown()
	end, ok := s.play(micro, true)
	if !ok {
		return Timetable{}, false
	}
	t := Timetable{Micro: micro, All: int(s.micro), Seconds: units.Seconds(end)}
	if s.schedule == plan.Interleaved {
		t.Priced = "interleaved 1F1B is priced by three closed forms that this order meets when its ranks are equal, not by the order itself"
	}
	for r := range s.pp {
		line := s.timeline(r)
		if s.schedule == plan.DualPipe {
			line.Mirror = 2*s.pp - 1 - r
		}
		t.Ranks = append(t.Ranks, line)
	}
	if s.schedule == plan.DualPipe {
		t.Micro, t.All = 2*t.Micro, 2*t.All
	}
	return t, true
}

// shown is how many micro-batches show a step's beginning, middle and end: twice as
// many as fill the pipeline, in whole rounds.
func (s *schedule) shown() int {
	m := int(max(1, s.micro))
	if s.schedule.Folded() {
		return min(m, 3*s.pp)
	}
	return min(m, 2*s.pp)
}

// timeline is what a rank did in the last play.
func (s *schedule) timeline(r int) Timeline {
	q := &s.player
	line := Timeline{Rank: r, Mirror: r}
	for i := q.starts[r]; i < q.starts[r+1]; i++ {
		o := &q.list.ops[i]
		span := s.duration(r, o)
		line.Busy += units.Seconds(span)
		line.Operations = append(line.Operations, Operation{
			Name: s.nameOf(o), Begin: units.Seconds(q.begun[i]), End: units.Seconds(q.begun[i] + span),
		})
	}
	return line
}

func (s *schedule) nameOf(o *op) string {
	of := func(pass string, micro, chunk int32) string {
		name := pass + strconv.Itoa(int(micro))
		if s.vpp > 1 {
			name += "." + strconv.Itoa(int(chunk))
		}
		return name
	}
	switch o.kind {
	case backwardOp:
		return of("B", o.micro, o.chunk)
	case inputOp:
		return of("I", o.micro, o.chunk)
	case weightOp:
		return of("W", o.micro, o.chunk)
	case pairOp:
		return of("F", o.micro, o.chunk) + "+" + of("B", o.other, 1-o.chunk)
	}
	return of("F", o.micro, o.chunk)
}
