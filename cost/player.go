package cost

import "meshplan/plan"

// player plays the orders of a pipeline's ranks against each other, and keeps the
// buffers that it needs.
type player struct {
	key     playKey
	list    listing
	starts  []int // of each rank's operations in list.ops, and their end
	next    []int
	free    []float64
	fwd, in []float64 // end of each chunk's forward and input's gradient, by micro-batch
	begun   []float64 // of each operation, where it is asked for
}

// playKey is what orders depend on.
type playKey struct {
	schedule plan.Schedule
	p, v, m  int
}

// played is the makespan of a schedule that cuts the backward in two, by playing
// each rank's own order of operations for as many micro-batches as it takes until
// the slowest rank sets the pace of the remaining ones.
func (s *schedule) played() float64 {
	m := int(max(1, s.micro))
	run := m
	if most := settled * s.pp; m > most {
		run = most
		if s.schedule.Folded() {
			run = most + s.pp
		}
		run = min(run, m)
	}
	end, _ := s.play(run, false)
	if run == m {
		return end
	}
	return end + float64((s.micro-float64(run))*s.pace())
}

// pace is the time of the slowest rank for one micro-batch in the middle of a step.
func (s *schedule) pace() float64 {
	worst := 0.0
	for r := range s.pp {
		worst = max(worst, s.rankPace(r))
	}
	return worst
}

func (s *schedule) rankPace(r int) float64 {
	if s.schedule < plan.DualPipe {
		total := 0.0
		for c := range s.vpp {
			total += s.passOf(r, int32(c)).cut()
		}
		return total
	}
	return s.pairTime(r, 0) + s.pairTime(r, 1)
}

// passOf is the time of a rank's chunk.
func (s *schedule) passOf(r int, chunk int32) *pass { return &s.passes[s.chunkOf(r, chunk)] }

// chunkOf is a rank's chunk in model order.
func (s *schedule) chunkOf(r int, chunk int32) int {
	if chunk == 1 && s.schedule.Folded() {
		return 2*s.pp - 1 - r
	}
	return int(chunk)*s.pp + r
}

// pairTime is the time of a forward of the chunk beside a backward of the rank's
// other one, no less than either alone.
func (s *schedule) pairTime(r int, chunk int32) float64 {
	f, b := s.passOf(r, chunk), s.passOf(r, 1-chunk)
	return max(f.besideFwd+b.besideBwd, f.fwd, b.bwd)
}

// duration is the time of an operation.
func (s *schedule) duration(r int, o *op) float64 {
	t := s.passOf(r, o.chunk)
	switch o.kind {
	case forwardOp:
		return t.fwd
	case backwardOp:
		return t.bwd
	case inputOp:
		return t.inp
	case weightOp:
		return t.wgt
	}
	return s.pairTime(r, o.chunk)
}

// play runs so many micro-batches: each rank its operations one after the other,
// each as soon as what it needs from other ranks is there. It is the time when the
// last rank ends; ok is false if the orders wait for each other. With trace, the
// times when operations begin are kept.
func (s *schedule) play(m int, trace bool) (end float64, ok bool) {
	q := &s.player
	q.prepare(playKey{s.schedule, s.pp, s.vpp, m})
	if q.begun = q.begun[:0]; trace {
		q.begun = append(q.begun, make([]float64, len(q.list.ops))...)
	}
	for left := len(q.list.ops); left > 0; {
		ran := 0
		for r := range s.pp {
			ran += s.run(r, m)
		}
		for r := s.pp - 2; r > 0; r-- {
			ran += s.run(r, m)
		}
		if left -= ran; ran == 0 {
			return end, false
		}
	}
	for _, t := range q.free {
		end = max(end, t)
	}
	return end, true
}

// prepare makes the orders, unless they are those of the last play, and forgets
// what ran.
func (q *player) prepare(key playKey) {
	if q.key != key {
		q.key, q.starts = key, q.starts[:0]
		q.list.p, q.list.v, q.list.m, q.list.ops = key.p, key.v, key.m, q.list.ops[:0]
		for r := range key.p {
			q.starts = append(q.starts, len(q.list.ops))
			q.list.list(key.schedule, r)
		}
		q.starts = append(q.starts, len(q.list.ops))
	}
	q.next = append(q.next[:0], q.starts[:key.p]...)
	q.free = resized(q.free, key.p, 0)
	q.fwd = resized(q.fwd, key.p*key.v*key.m, -1)
	q.in = resized(q.in, key.p*key.v*key.m, -1)
}

// resized is a slice of n times the value.
func resized(s []float64, n int, value float64) []float64 {
	if cap(s) < n {
		s = make([]float64, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = value
	}
	return s
}

// run runs the operations of a rank that are ready and says how many.
func (s *schedule) run(r, m int) (ran int) {
	q := &s.player
	for ; q.next[r] < q.starts[r+1]; q.next[r]++ {
		o := &q.list.ops[q.next[r]]
		ready := s.ready(r, m, o)
		if ready < 0 {
			break
		}
		begin := max(q.free[r], ready)
		if len(q.begun) > 0 {
			q.begun[q.next[r]] = begin
		}
		q.free[r] = begin + s.duration(r, o)
		s.finish(r, m, o)
		ran++
	}
	return ran
}

// ready is when other ranks have what an operation needs, negative if they have
// not yet.
func (s *schedule) ready(r, m int, o *op) float64 {
	switch o.kind {
	case forwardOp:
		return s.arrived(r, m, o.chunk, o.micro)
	case backwardOp, inputOp:
		return s.returned(r, m, o.chunk, o.micro)
	case pairOp:
		f, b := s.arrived(r, m, o.chunk, o.micro), s.returned(r, m, 1-o.chunk, o.other)
		if f < 0 || b < 0 {
			return -1
		}
		return max(f, b)
	}
	return 0
}

// arrived is when a chunk's input is there, and returned when the gradient of its
// output is.
func (s *schedule) arrived(r, m int, chunk, micro int32) float64 {
	c := s.chunkOf(r, chunk)
	if c == 0 {
		return 0
	}
	return s.player.fwd[(c-1)*m+int(micro)]
}

func (s *schedule) returned(r, m int, chunk, micro int32) float64 {
	c := s.chunkOf(r, chunk)
	if c == s.pp*s.vpp-1 {
		return s.player.fwd[c*m+int(micro)]
	}
	return s.player.in[(c+1)*m+int(micro)]
}

// finish notes what an operation that just ended leaves for others.
func (s *schedule) finish(r, m int, o *op) {
	q, c := &s.player, s.chunkOf(r, o.chunk)
	switch o.kind {
	case forwardOp:
		q.fwd[c*m+int(o.micro)] = q.free[r]
	case backwardOp, inputOp:
		q.in[c*m+int(o.micro)] = q.free[r]
	case pairOp:
		q.fwd[c*m+int(o.micro)] = q.free[r]
		q.in[s.chunkOf(r, 1-o.chunk)*m+int(o.other)] = q.free[r]
	}
}
