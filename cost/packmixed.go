package cost

import (
	"math"

	"meshplan/models"
)

// Packing where a rank holds several chunks and the model's dense layers come
// before its MoE layers. Chunks are filled in model order, so that what a rank
// holds of each kind depends on the chunks before it. Let chunk q hold the first
// MoE layer: the chunks before it hold dense layers alone, those behind it MoE
// layers alone. For each q the dense layers are given to the ranks, at least one
// to each chunk before q, so that the ranks have the most room left for MoE
// layers; a rank's room depends on its own dense layers only, which makes that a
// knapsack. The MoE layers then go to the ranks from the last to the first, as
// in pack. Of the q that serve, the one is taken that leaves most first chunks a
// single dense layer, since first chunks open and close the pipeline.

// mixed is the buffers of that packing.
type mixed struct {
	rooms         // for MoE layers beside d dense ones
	most  []int32 // most room of the ranks up to r that hold d dense layers together
	taken []int32 // dense layers of rank r in that case
	ranks []kinds // layers of each rank
}

// kinds is a number of layers of each kind.
type kinds struct{ dense, moe int }

// cannot stands for a number of layers that cannot be given.
const cannot = math.MinInt32

// packMixed is pack for such models.
func (m *Model) packMixed(j *job, s *schedule, threshold, limit float64) (ok bool, stop stops) {
	dense := int(m.layers[models.Dense])
	stop = s.mixed.measure(j, dense+1, int(m.layers[models.MoE]), threshold, limit, func(d, n int) [models.NumKinds]float64 {
		return [models.NumKinds]float64{models.Dense: float64(d), models.MoE: float64(n)}
	})
	for i := range dense + 2 {
		q := dense - i
		if q < 0 {
			q = dense + 1 // the first chunk is empty
		}
		if q < j.pp*j.vpp && m.fillDense(j, s, q) {
			m.fillMoE(j, s, q)
			m.dealMixed(j, s, q)
			return true, stop
		}
	}
	return false, stop
}

// before is how many chunks of rank r lie before chunk q.
func (j *job) before(q, r int) int { return max(0, (q-r+j.pp-1)/j.pp) }

// fewestDense is the fewest dense layers of rank r: one a chunk before q, but
// the very first may be empty.
func (j *job) fewestDense(q, r int) int {
	n := j.before(q, r)
	if r == 0 && n > 0 {
		n--
	}
	return n
}

// fewestMoE is the fewest MoE layers of rank r: one a chunk from q on, but the
// very last may be empty behind q.
func (j *job) fewestMoE(q, r int) int {
	n := j.vpp - j.before(q, r)
	if r == j.pp-1 && q < j.pp*j.vpp-1 {
		n--
	}
	return n
}

// fillDense gives the dense layers to the ranks for the case that chunk q holds
// the first MoE layer; false if that leaves too little room for the others.
func (m *Model) fillDense(j *job, s *schedule, q int) bool {
	dense, moe := int(m.layers[models.Dense]), int(m.layers[models.MoE])
	w, x := dense+1, &s.mixed
	x.most = append(x.most[:0], make([]int32, j.pp*w)...)
	x.taken = append(x.taken[:0], make([]int32, j.pp*w)...)
	fewest := 0
	for r := range j.pp {
		fewest += j.fewestMoE(q, r)
		for all := range w {
			most, taken := int32(cannot), int32(0)
			for d := j.fewestDense(q, r); d <= all && (d == 0 || r <= q); d++ {
				room := m.roomBeside(j, s, q, r, d)
				before := int32(0)
				switch {
				case r > 0:
					before = x.most[(r-1)*w+all-d]
				case d != all:
					before = cannot
				}
				if room != cannot && before != cannot && before+room > most {
					most, taken = before+room, int32(d)
				}
			}
			x.most[r*w+all], x.taken[r*w+all] = most, taken
		}
	}
	return fewest <= moe && x.most[j.pp*w-1] != cannot && int(x.most[j.pp*w-1]) >= moe
}

// roomBeside is rank r's room for MoE layers beside d dense ones, cannot if it
// cannot hold as many as its chunks need.
func (m *Model) roomBeside(j *job, s *schedule, q, r, d int) int32 {
	room := s.mixed.room[r*s.mixed.sets+d]
	switch fewest := j.fewestMoE(q, r); {
	case room < fewest:
		return cannot
	case fewest == 0 && j.before(q, r) == j.vpp:
		return 0
	}
	return int32(room)
}

// fillMoE sets the layers of the ranks: the dense ones as found, the others from
// the last rank to the first.
func (m *Model) fillMoE(j *job, s *schedule, q int) {
	x, w := &s.mixed, int(m.layers[models.Dense])+1
	x.ranks = append(x.ranks[:0], make([]kinds, j.pp)...)
	dense, moe, reserved := w-1, int(m.layers[models.MoE]), 0
	for r := range j.pp {
		reserved += j.fewestMoE(q, r)
	}
	for r := j.pp - 1; r >= 0; r-- {
		reserved -= j.fewestMoE(q, r)
		d := int(x.taken[r*w+dense])
		n := min(int(m.roomBeside(j, s, q, r, d)), moe-reserved)
		x.ranks[r] = kinds{d, n}
		dense, moe = dense-d, moe-n
	}
}

// dealMixed spreads each rank's dense layers over its chunks before q, and its
// MoE layers over the others, as deal does.
func (m *Model) dealMixed(j *job, s *schedule, q int) {
	s.chunks = s.chunks[:0]
	for k := range j.pp * j.vpp {
		r, c := k%j.pp, k/j.pp
		own, before := s.mixed.ranks[r], j.before(q, r)
		if k < q {
			s.chunks = append(s.chunks, share(own.dense, before, before-1-c))
			continue
		}
		parts, position := j.vpp-before, j.vpp-1-c
		if r == j.pp-1 {
			position = c - before
		}
		n := share(own.moe, parts, position)
		if k == q && before == 0 {
			n += int32(own.dense)
		}
		s.chunks = append(s.chunks, n)
	}
}

// share is one of so many even parts of a total; those at the first positions
// take what does not divide.
func share(total, parts, position int) int32 {
	n := total / parts
	if position < total%parts {
		n++
	}
	return int32(n)
}
