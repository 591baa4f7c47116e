package cost

import (
	"math"

	"meshplan/models"
)

// free is the best explicit list of layers per chunk: the one whose slowest
// rank is fastest within the tightest memory limit that can be met, or else
// the one of least peak memory.
//
// Ranks are filled from the last to the first, each as far as the threshold
// and the limit allow. That is exact: a layer moved to an earlier rank never
// makes room for more. It leaves the slack to the first ranks, which hold the
// most micro-batches, and gives the last but one rank no fewer layers than any
// before it, on which splitSpan relies.
func (m *Model) free(j *job, s *schedule) (candidate, bool) {
	c, ok := m.packed(j, s)
	if ok && m.dealt(j) {
		c = m.improved(j, s, c)
	}
	return c, ok
}

// packed is the split that packing finds.
func (m *Model) packed(j *job, s *schedule) (candidate, bool) {
	for _, limit := range [...]float64{j.fit, j.run} {
		if m.fastest(j, s, limit) {
			return m.judge(j, s, clone(s.chunks)), true
		}
	}
	if j.running && !m.dealt(j) {
		return candidate{}, false
	}
	return m.leastPeak(j, s)
}

// dealt reports whether dealing goes on from the split that packing finds.
func (m *Model) dealt(j *job) bool {
	return j.vpp > 1 && !m.ordered && !j.schedule.Folded() && !m.inTurn(j)
}

func clone(chunks []int32) []int32 { return append([]int32(nil), chunks...) }

// fastest packs with the least threshold that works, found by raising it to
// the next value at which some rank takes one layer more.
func (m *Model) fastest(j *job, s *schedule, limit float64) bool {
	threshold := j.stageTime(m.layers).plus(j.head).sum() / float64(j.pp) * (1 - slack)
	threshold = max(threshold, j.head.sum())
	j.fitting.within = limit
	if ok, _ := m.pack(j, s, math.Inf(1), limit); !ok {
		return false
	}
	for {
		ok, stop := m.pack(j, s, threshold, limit)
		if ok {
			return true
		}
		if math.IsInf(stop.slower, 1) {
			return false
		}
		threshold = stop.slower
	}
}

// stops is what keeps ranks from holding more: the least time of a rank above the
// threshold, and the least reserved bytes above the limit, at which one does.
type stops struct{ slower, larger float64 }

// nothing stops a rank.
var nothing = stops{math.Inf(1), math.Inf(1)}

func (a stops) least(b stops) stops { return stops{min(a.slower, b.slower), min(a.larger, b.larger)} }

// halvings narrows a peak to one part in 10^12.
const halvings = 40

// leastPeak is the split of least peak memory. Limits below the bytes that have
// stopped a rank are not tried again.
func (m *Model) leastPeak(j *job, s *schedule) (candidate, bool) {
	anyTime := math.Inf(1)
	j.fitting.within = 0
	larger := 0.0
	packs := func(limit float64) bool {
		if larger > limit*(1+slack) {
			return false
		}
		ok, stop := m.pack(j, s, anyTime, limit)
		if !ok {
			larger = stop.larger
		}
		return ok
	}
	lo, hi := j.run, max(j.run, 1)
	for !packs(hi) {
		if lo, hi = hi, 2*hi; hi > huge {
			return candidate{}, false
		}
	}
	best := m.judge(j, s, clone(s.chunks))
	for range halvings {
		mid := (lo + hi) / 2
		if !packs(mid) {
			lo = mid
			continue
		}
		if c := m.judge(j, s, clone(s.chunks)); c.peak < best.peak {
			best = c
		}
		hi = min(mid, best.peak)
	}
	return best, true
}

// pack fills the ranks so that none is slower than the threshold or reserves
// more than the limit, and leaves the chunks in s. When layers are left over,
// another threshold or limit changes that only if it reaches one of the stops.
func (m *Model) pack(j *job, s *schedule, threshold, limit float64) (ok bool, stop stops) {
	if j.vpp > 1 && m.ordered && !m.single && !j.schedule.Folded() {
		return m.packMixed(j, s, threshold, limit)
	}
	if m.inTurn(j) {
		return m.packTurns(j, s, threshold, limit)
	}
	stop = nothing
	left := len(m.kinds)
	var totals [maxRanks]int
	for r := j.pp - 1; r >= 0; r-- {
		least, reserve := m.leastLayers(j, r), m.reserved(j, r)
		n, own := m.holds(j, r, left, left-reserve, threshold, limit)
		stop = stop.least(own)
		if n == 0 && !j.bearable(r, limit) {
			return false, stop.least(stops{math.Inf(1), j.allocated(r, [models.NumKinds]float64{}) * j.reserved})
		}
		if n < least {
			return false, stop
		}
		totals[r], left = n, left-n
	}
	if left > 0 {
		return false, stop
	}
	m.deal(j, s, totals[:j.pp])
	return true, stop
}

// holds is how many of the last `left` layers, at most `most`, rank r holds
// within the threshold and the limit, and what stops it from holding one more.
func (m *Model) holds(j *job, r, left, most int, threshold, limit float64) (n int, stop stops) {
	var layers [models.NumKinds]float64
	if m.single && !j.fitting.on {
		n = m.guess(j, r, most, threshold, limit)
		layers[m.kinds[0]] = float64(n)
	}
	for ; n < most; n++ {
		with := m.withLayer(j, layers, r, left-n-1, n+1)
		if t := j.rankTime(r, with).sum(); t > threshold*(1+slack) {
			return n, stops{t, math.Inf(1)}
		}
		if bytes := j.allocated(r, with) * j.reserved; bytes > limit*(1+slack) {
			return n, stops{math.Inf(1), bytes}
		}
		layers = with
	}
	return n, nothing
}

// guess is a number of layers, all of one kind, that rank r surely holds.
func (m *Model) guess(j *job, r, most int, threshold, limit float64) int {
	var none, one [models.NumKinds]float64
	kind, a := m.kinds[0], &j.account
	one[kind] = 1
	rank, p, flight := float64(r), float64(j.pp), j.inFlight(float64(r))
	running, step := a.running(rank, p, &flight, none), a.stepOf(rank, p, none)
	n := (limit/j.reserved - running) / (a.running(rank, p, &flight, one) - running)
	n = min(n, (limit/j.reserved-step)/(a.stepOf(rank, p, one)-step))
	fixed := j.hop.sum()
	if r == j.headRank() {
		fixed += j.head.sum()
	}
	n = min(n, (threshold-fixed)/j.layer[kind].sum(), 1e6)
	held := max(0, min(most, int(n)-1))
	if one[kind] = float64(held); j.rankTime(r, one).sum() > threshold {
		return 0 // its link is its pace
	}
	return held
}

// withLayer adds layer i of the model to rank r, as its n-th. With one chunk a
// rank it is exactly that layer; with several, a rank's layers are taken to be
// of the model's mean composition. The first rank of a V has the model's first
// layers, the others are taken to have those of its last kind.
func (m *Model) withLayer(j *job, layers [models.NumKinds]float64, r, i, n int) [models.NumKinds]float64 {
	switch {
	case j.vpp <= 1:
		layers[m.kinds[i]]++
		return layers
	case j.schedule.Folded() && r == 0:
		layers[m.kinds[n-1]]++
		return layers
	case j.schedule.Folded():
		layers[m.kinds[len(m.kinds)-1]]++
		return layers
	}
	for k := range layers {
		layers[k] = float64(n) * m.layers[k] / float64(len(m.kinds))
	}
	return layers
}

// leastLayers is the fewest layers of rank r: one a chunk, but the first chunk
// of all may hold the embedding alone and the last the head alone.
func (m *Model) leastLayers(j *job, r int) int {
	n := j.vpp
	if j.pp*j.vpp > 1 && r == 0 {
		n--
	}
	if j.pp*j.vpp > 1 && r == j.headRank() {
		n--
	}
	return max(n, 0)
}

// reserved is the fewest layers of all ranks before r.
func (m *Model) reserved(j *job, r int) int {
	if r == 0 {
		return 0
	}
	if j.schedule.Folded() {
		return max(0, r*j.vpp-2)
	}
	return max(0, r*j.vpp-1)
}

// deal spreads each rank's layers over its chunks as evenly as can be. The
// last chunks take what does not divide, since the first ones open and close
// the pipeline; on the head's rank the first ones do, since its last chunk holds
// the head.
func (m *Model) deal(j *job, s *schedule, totals []int) {
	s.chunks = s.chunks[:0]
	for c := range j.vpp {
		for i := range j.pp {
			r := i
			if c == 1 && j.schedule.Folded() {
				r = j.pp - 1 - i
			}
			position := j.vpp - 1 - c
			if r == j.headRank() && (j.pp > 1 || j.schedule.Folded()) {
				position = c
			}
			s.chunks = append(s.chunks, share(totals[r], j.vpp, position))
		}
	}
}
