package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// maxRanks bounds the pipeline ranks that the fixed buffers of a schedule hold.
const maxRanks = 1024

// rank is one pipeline rank's part of the model and its time for one
// micro-batch over all its chunks.
type rank struct {
	layers   [models.NumKinds]float64
	first    pass                     // its first chunk, which opens and closes the pipeline
	time     pass                     // all its chunks, head and exposed transfers included
	opening  [models.NumKinds]float64 // layers of the first chunk
	repeated [models.NumKinds]float64 // layers recomputed, where each rank has its own number
	memory   float64                  // bytes allocated
}

// schedule is a pipeline whose layers have been given to ranks, and the
// buffers its evaluation needs.
type schedule struct {
	pp, vpp int
	micro   float64
	ranks   [maxRanks]rank
	chunks  []int32 // layers per chunk, in model order
	passes  []pass  // their times for a micro-batch

	schedule plan.Schedule
	player   player

	fwdDone, bwdDone []float64 // end of each rank's operations
	free             [maxRanks]float64
	fwds, bwds       [maxRanks]int // operations run so far

	mixed mixed
	turns turns
}

// rankOf is the rank of a chunk.
func (s *schedule) rankOf(chunk int) int {
	if s.schedule.Folded() {
		return min(chunk, s.pp*s.vpp-1-chunk)
	}
	return chunk % s.pp
}

// slowest is the rank that takes longest for a micro-batch.
func (s *schedule) slowest() int {
	slow := 0
	for r := range s.pp {
		if s.ranks[r].time.sum() > s.ranks[slow].time.sum() {
			slow = r
		}
	}
	return slow
}

// warmup is the forward chunks that rank r of p has run, at most, when its
// first backward starts: p-r micro-batches under 1F1B, 2(p-r-1) + (v-1)p + 1
// chunks when interleaved.
func warmup(r, p, vpp int, micro float64) float64 {
	if vpp <= 1 {
		return min(micro, float64(p-r))
	}
	return min(micro*float64(vpp), float64(2*(p-r-1)+(vpp-1)*p+1))
}

// span is the time of one step's pipeline; of GPipe, see flow, and of schedules
// that cut the backward in two, see played.
//
// With one chunk a rank it is the makespan of 1F1B, by replaying each rank's
// own order of operations. With several chunks it is the largest of three forms,
// which interleaved 1F1B meets when its ranks are equal or the last one is the
// slowest:
//
//	opening: a rank starts after one forward chunk of every rank before it,
//	  and ends before as many backward chunks: sum_{j<r} first_j + m time_r
//	turning: a rank's first backward follows all forwards of one micro-batch;
//	  all its remaining work comes after.
//	passing: the first micro-batch passes every chunk of every rank, and each
//	  further one keeps the slowest rank busy for a chunk at least.
func (s *schedule) span() float64 {
	switch {
	case s.schedule == plan.GPipe:
		return s.flow()
	case s.schedule >= plan.ZBH1:
		return s.played()
	}
	if s.vpp <= 1 {
		if t, ok := s.equal(); ok {
			return t
		}
		return s.replay()
	}
	return s.forms()
}

// flow is GPipe's makespan: all forwards, then all backwards, of a flow shop
// whose jobs are equal. The last rank ends its forwards after one forward of
// every rank and m - 1 of the slowest; no rank before it is still busy when the
// backwards, which take as long in their own measure, come back to it. Over
// equal ranks it is (m + p - 1)(f + b) (arXiv 1811.06965, section 2.3).
func (s *schedule) flow() float64 {
	var all, slowest pass
	for r := range s.pp {
		t := s.ranks[r].time
		all, slowest = all.plus(t), slowest.atLeast(t)
	}
	return all.sum() + float64((max(1, s.micro)-1)*slowest.sum())
}

// equal is the closed form (m + p - 1) time of 1F1B over equal ranks.
func (s *schedule) equal() (float64, bool) {
	t := s.ranks[0].time
	for r := 1; r < s.pp; r++ {
		if s.ranks[r].time != t {
			return 0, false
		}
	}
	return (s.micro + float64(s.pp) - 1) * t.sum(), true
}

// forms is the largest of the opening and turning forms over the ranks.
func (s *schedule) forms() float64 {
	p, v := s.pp, float64(s.vpp)
	var all, before pass
	for r := range p {
		all = all.plus(s.ranks[r].time)
	}
	slowest := s.ranks[s.slowest()].time.sum()
	worst := all.sum() + float64((s.micro-1)*slowest/v)
	for r := range p {
		k := &s.ranks[r]
		work := float64(s.micro * k.time.sum())
		ahead := min(warmup(r, p, s.vpp, s.micro)/v, s.micro) // forwards done by then, of whole ranks
		turning := all.fwd + (all.bwd-k.time.bwd)/v + work - float64(ahead*k.time.fwd)
		worst = max(worst, before.sum()+work, turning)
		before = before.plus(k.first)
	}
	return worst
}

// settled is how many rounds of the pipeline are replayed; the slowest rank
// then sets the pace of the remaining micro-batches.
const settled = 3

// replay runs 1F1B: every rank does its warm-up forwards, then alternates one
// forward and one backward, then drains. An operation starts when its rank is
// free and the neighbour's matching operation is done.
func (s *schedule) replay() float64 {
	p, m := s.pp, int(max(1, s.micro))
	run := min(m, settled*p)
	s.reserve(p, run)
	for left := 2 * p * run; left > 0; {
		for r := 0; r < p; r++ {
			left -= s.advance(r, run)
		}
		for r := p - 2; r > 0; r-- {
			left -= s.advance(r, run)
		}
	}
	end, slowest := 0.0, 0.0
	for r := range p {
		end = max(end, s.free[r])
		slowest = max(slowest, s.ranks[r].time.sum())
	}
	return end + float64((s.micro-float64(run))*slowest)
}

func (s *schedule) reserve(p, run int) {
	if n := p * run; cap(s.fwdDone) < n {
		s.fwdDone, s.bwdDone = make([]float64, n), make([]float64, n)
	}
	for r := range p {
		s.free[r], s.fwds[r], s.bwds[r] = 0, 0, 0
	}
}

// advance runs the operations of rank r that are ready and says how many.
func (s *schedule) advance(r, run int) (ran int) {
	p := s.pp
	ahead := min(run, p-r) // forwards a rank may be ahead of its backwards
	fwd, bwd := s.fwdDone[:p*run], s.bwdDone[:p*run]
	f, b, free := s.fwds[r], s.bwds[r], s.free[r]
	time := s.ranks[r].time
	for b < run {
		if f < run && f-b < ahead {
			if r > 0 {
				if s.fwds[r-1] <= f {
					break
				}
				free = max(free, fwd[(r-1)*run+f])
			}
			free += time.fwd
			fwd[r*run+f] = free
			f++
		} else {
			if r < p-1 {
				if s.bwds[r+1] <= b {
					break
				}
				free = max(free, bwd[(r+1)*run+b])
			}
			free += time.bwd
			bwd[r*run+b] = free
			b++
		}
		ran++
	}
	s.fwds[r], s.bwds[r], s.free[r] = f, b, free
	return ran
}
