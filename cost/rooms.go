package cost

import (
	"math"
	"slices"
	"sort"

	"meshplan/models"
)

// rooms is how many units, of one layer or of several, each rank of a pipeline has
// room for beside each of some sets of layers: room[r*sets+set], -1 if not even for
// the set.
type rooms struct {
	sets   int
	held   []int   // by the limit on memory alone
	larger float64 // the least reserved bytes that keep a rank from one more
	room   []int   // by the threshold on its time as well
}

// measure sets the room of every rank, at most `most`, when so many units beside a
// set are the given layers, and says what stops ranks. Without a threshold it is
// measured how the limit leaves them; with one that is known from the call before.
func (x *rooms) measure(j *job, sets, most int, threshold, limit float64, layers func(set, n int) [models.NumKinds]float64) stops {
	if math.IsInf(threshold, 1) {
		x.measureMemory(j, sets, most, limit, layers)
	}
	stop := stops{math.Inf(1), x.larger}
	x.room = append(x.room[:0], x.held...)
	for i := len(x.room) - 1; i >= 0 && !math.IsInf(threshold, 1); i-- {
		r, set, held := i/sets, i%sets, x.held[i]
		if r < j.pp-2 && !j.fitting.on { // takes the time of the rank behind
			x.room[i] = min(held, x.room[i+sets])
			continue
		}
		time := func(n int) float64 { return j.rankTime(r, layers(set, n)).sum() }
		n := last(held, func(n int) bool { return time(n) <= threshold*(1+slack) })
		if x.room[i] = n; n < held {
			stop.slower = min(stop.slower, time(n+1))
		}
	}
	return stop
}

// measureMemory sets what the limit leaves. A rank between the first and the last
// holds no less than the one before, since it holds fewer micro-batches.
func (x *rooms) measureMemory(j *job, sets, most int, limit float64, layers func(set, n int) [models.NumKinds]float64) {
	x.sets, x.larger = sets, math.Inf(1)
	x.held = slices.Grow(x.held[:0], j.pp*sets)[:j.pp*sets]
	for i := len(x.held) - 1; i >= 0; i-- {
		r, set, at := i/sets, i%sets, most
		if r < j.pp-2 {
			at = x.held[i+sets]
		}
		bytes := func(n int) float64 { return j.allocated(r, layers(set, n)) * j.reserved }
		n := last(at, func(n int) bool { return bytes(n) <= limit*(1+slack) })
		if x.held[i] = n; n < at {
			x.larger = min(x.larger, bytes(n+1))
		}
	}
}

// last is the largest number up to most of which something holds, or -1; where it
// holds of a number it does of all below.
func last(most int, holds func(n int) bool) int {
	if most < 0 || holds(most) {
		return most
	}
	return sort.Search(most, func(n int) bool { return !holds(n) }) - 1
}
