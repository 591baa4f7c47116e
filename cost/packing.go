package cost

import (
	"math"

	"meshplan/models"
)

// free is the best split of all lists of layers per chunk: the least threshold
// that greedy packing meets (exact, since moving a layer to an earlier rank
// never raises a later rank's time), under the tightest memory limit that can
// be met at all.
func (m *Model) free(j *job, s *schedule) (candidate, bool) {
	for _, limit := range [...]float64{j.fit, j.run} {
		if c, ok := m.packed(j, s, limit); ok {
			return c, true
		}
	}
	return m.leastPeak(j, s)
}

// packed is the fastest split whose peak stays within the limit.
func (m *Model) packed(j *job, s *schedule, limit float64) (candidate, bool) {
	if !m.pack(j, s, math.Inf(1), limit) {
		return candidate{}, false
	}
	lo, hi := 0.0, m.judge(j, s, append([]int32(nil), s.chunks...)).span
	best := append([]int32(nil), s.chunks...)
	for range 40 {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			break
		}
		if m.pack(j, s, mid, limit) {
			best = append(best[:0], s.chunks...)
			hi = min(mid, m.judge(j, s, append([]int32(nil), s.chunks...)).span)
		} else {
			lo = mid
		}
		if hi-lo < slack*hi {
			break
		}
	}
	return m.judge(j, s, best), true
}

// leastPeak is the split of least peak memory.
func (m *Model) leastPeak(j *job, s *schedule) (candidate, bool) {
	lo, hi := j.run, j.run
	for !m.pack(j, s, math.Inf(1), hi) {
		if hi = 2 * max(hi, 1); math.IsInf(hi, 1) || hi > 1e24 {
			return candidate{}, false
		}
	}
	best := append([]int32(nil), s.chunks...)
	for range 60 {
		mid := (lo + hi) / 2
		if hi-lo < slack*hi {
			break
		}
		if m.pack(j, s, math.Inf(1), mid) {
			best = append(best[:0], s.chunks...)
			hi = mid
		} else {
			lo = mid
		}
	}
	return m.judge(j, s, best), true
}

// pack gives layers to ranks greedily so that no rank's form of the step time
// exceeds the threshold and no rank's reserved memory the limit. It leaves the
// chunks in s and reports whether all layers found a place.
func (m *Model) pack(j *job, s *schedule, threshold, limit float64) bool {
	if j.vpp > 1 {
		return m.packChunks(j, s, threshold, limit)
	}
	left, next, before := len(m.kinds), 0, 0.0
	all := j.stageTime(m.layers).plus(j.head).sum() + float64(float64(j.pp)*j.hop.sum())
	s.chunks = s.chunks[:0]
	for r := range j.pp {
		var layers [models.NumKinds]float64
		t := j.hop
		if r == j.pp-1 {
			t = t.plus(j.head)
		}
		run := warmup(r, j.pp, 1, j.micro)
		taken, reserve := 0, m.needed(j, r+1)
		fits := func(layers [models.NumKinds]float64, t pass) bool {
			opening := before + float64(j.micro*t.sum())
			turning := all - t.sum() + float64(j.micro*t.sum()) - float64((run-1)*t.fwd)
			return opening <= threshold && turning <= threshold && j.allocated(r, layers)*j.reserved <= limit
		}
		for left > reserve {
			layers[m.kinds[next]]++
			with := t.plus(j.layer[m.kinds[next]])
			if !fits(layers, with) {
				break
			}
			t, left, next, taken = with, left-1, next+1, taken+1
		}
		if taken < m.needed(j, r)-reserve || taken == 0 && !fits([models.NumKinds]float64{}, t) {
			return false
		}
		before += t.sum()
		s.chunks = append(s.chunks, int32(taken))
	}
	return left == 0
}

// needed is the fewest layers that ranks r and later must hold: one each, but
// the last may hold the head alone and the first the embedding alone.
func (m *Model) needed(j *job, r int) int {
	n := j.pp*j.vpp - r
	if r < j.pp*j.vpp {
		n-- // the last chunk
	}
	if r == 0 && n > 0 {
		n--
	}
	return max(0, n)
}

// packChunks is pack for several chunks a rank. Each rank's layers are dealt
// over its chunks as evenly as can be, so a rank is described by its total;
// ranks are filled from the last, which holds the fewest micro-batches.
func (m *Model) packChunks(j *job, s *schedule, threshold, limit float64) bool {
	p, v := j.pp, j.vpp
	mean := j.stageTime(m.layers).times(1 / float64(len(m.kinds)))
	left := len(m.kinds)
	var totals [maxRanks]int
	for r := p - 1; r >= 0; r-- {
		least, reserve := v, r*v
		if r == p-1 {
			least--
		}
		if r == 0 {
			least--
		} else {
			reserve--
		}
		n := 0
		for left-n > max(0, reserve) {
			var layers [models.NumKinds]float64
			for k := range layers {
				layers[k] = float64(n+1) * m.layers[k] / float64(len(m.kinds))
			}
			t := mean.times(float64(n + 1))
			if r == p-1 {
				t = t.plus(j.head)
			}
			if n+1 > least && (float64(j.micro*t.sum()) > threshold || j.allocated(r, layers)*j.reserved > limit) {
				break
			}
			n++
		}
		if n < least {
			return false
		}
		totals[r], left = n, left-n
	}
	if left != 0 {
		return false
	}
	m.deal(j, s, totals[:p])
	m.fill(j, s, append([]int32(nil), s.chunks...))
	return m.peakOf(j, s) <= limit && s.forms() <= threshold
}

// deal spreads each rank's layers over its chunks; the first chunks take what
// does not divide, except that the first chunk of all and the last, which hold
// the embedding and the head, go short first.
func (m *Model) deal(j *job, s *schedule, totals []int) {
	s.chunks = s.chunks[:0]
	for c := range j.vpp {
		for r := range j.pp {
			share, extra := totals[r]/j.vpp, totals[r]%j.vpp
			position := c
			if r == 0 {
				position = j.vpp - 1 - c
			}
			if position < extra {
				share++
			}
			s.chunks = append(s.chunks, int32(share))
		}
	}
}
