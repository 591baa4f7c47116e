package cost

import "meshplan/models"

// Packing where a rank holds several chunks and the kinds of the model's layers
// repeat with a period, as where dense and MoE layers alternate. What a chunk holds
// of each kind follows from its size and from its place, which is how far into a
// period it begins. So a rank's layers are some whole periods beside what its chunks
// hold over whole periods, and how many periods a rank has room for depends on that
// remainder alone.
//
// The totals of layers that the first ranks can hold are found rank by rank, for
// the places at which their chunks end: one place for each chunk of a rank, since
// the first chunks of all ranks come one after the other, then the second ones, and
// so on. Where the chunks before end the next ones begin; every choice of these
// places is tried. That is exact.

// mostPlaces is the most choices of places that packing looks at; beyond it dealing
// searches.
const mostPlaces = 16

// periodOf is the least period of the kinds.
func periodOf(kinds []models.Kind) int {
	for period := 1; ; period++ {
		i := period
		for i < len(kinds) && kinds[i] == kinds[i-period] {
			i++
		}
		if i >= len(kinds) {
			return period
		}
	}
}

// inTurn reports whether the kinds of a job's layers repeat so often that packTurns
// splits them.
func (m *Model) inTurn(j *job) bool {
	return j.vpp > 1 && !m.ordered && !j.schedule.Folded() && placesOf(m.period, j.vpp) <= mostPlaces
}

// placesOf is the number of ways in which v chunks can begin, at most one more than
// mostPlaces.
func placesOf(period, v int) int {
	n := 1
	for range v {
		if n *= period; n > mostPlaces {
			return mostPlaces + 1
		}
	}
	return n
}

// turns is the buffers of that packing.
type turns struct {
	period, v, places int
	stays             []stay   // by places before and remainders: stays[before*places+remainders]
	remainders        []kinds  // their layers
	rooms                      // for periods beside a remainder
	least             []int    // layers of each rank
	spare             int      // layers for which there is more room than for all
	words             int      // of a set of totals
	reach             []uint64 // totals of the ranks before r, by places: words from (r*places+places)*words on
}

// stay is how the chunks of a rank lie: they begin at some places and hold some
// layers over whole periods.
type stay struct {
	after     int // the places at which they end
	set       int
	remainder int // layers over whole periods
	bare      int // chunks that hold whole periods alone, as bits
}

// packTurns is pack for such models.
func (m *Model) packTurns(j *job, s *schedule, threshold, limit float64) (ok bool, stop stops) {
	x := &s.turns
	x.setStays(m, j.vpp)
	stop = x.measure(j, len(x.remainders), len(m.kinds)/x.period, threshold, limit, func(set, n int) [models.NumKinds]float64 {
		return x.layers(m, set, n)
	})
	if !x.enough(j, len(m.kinds)) {
		return false, stop
	}
	for begin := 0; begin < x.places; begin += x.period { // the first chunk of all begins at 0
		if end, ok := x.reaches(j, begin, len(m.kinds)); ok {
			x.deal(j, s, end, len(m.kinds))
			return true, stop
		}
	}
	return false, stop
}

// setStays lists the ways in which the chunks of a rank can lie. Places and
// remainders are numbers with one digit for each chunk.
func (x *turns) setStays(m *Model, v int) {
	x.period, x.v, x.places = m.period, v, placesOf(m.period, v)
	x.stays, x.remainders = x.stays[:0], x.remainders[:0]
	for before := range x.places {
		for remainders := range x.places {
			x.stays = append(x.stays, x.stayOf(m, before, remainders))
		}
	}
}

func (x *turns) stayOf(m *Model, before, remainders int) stay {
	var t stay
	var own kinds
	digit := 1
	for c := range x.v {
		begin, n := before/digit%x.period, remainders/digit%x.period
		t.after += (begin + n) % x.period * digit
		t.remainder += n
		if n == 0 {
			t.bare |= 1 << c
		}
		for i := range n {
			if m.kinds[(begin+i)%x.period] == models.Dense {
				own.dense++
			} else {
				own.moe++
			}
		}
		digit *= x.period
	}
	t.set = x.setOf(own)
	return t
}

// setOf is the number of a remainder's layers.
func (x *turns) setOf(own kinds) int {
	for i := range x.remainders {
		if x.remainders[i] == own {
			return i
		}
	}
	x.remainders = append(x.remainders, own)
	return len(x.remainders) - 1
}

// layers is a remainder's layers and those of n periods.
func (x *turns) layers(m *Model, set, n int) [models.NumKinds]float64 {
	own := x.remainders[set]
	for _, kind := range m.kinds[:x.period] {
		if kind == models.Dense {
			own.dense += n
		} else {
			own.moe += n
		}
	}
	return [models.NumKinds]float64{models.Dense: float64(own.dense), models.MoE: float64(own.moe)}
}

// enough reports whether the ranks have room for all layers when each is free to
// have the remainder of its choice. So much more room as there is then, a rank can
// hold less than its most.
func (x *turns) enough(j *job, layers int) bool {
	x.least, x.spare = x.least[:0], -layers
	for r := range j.pp {
		most := 0
		for set, own := range x.remainders {
			if n := x.room[r*x.sets+set]; n >= 0 {
				most = max(most, own.dense+own.moe+n*x.period)
			}
		}
		x.least, x.spare = append(x.least, most), x.spare+most
	}
	for r := range x.least {
		x.least[r] -= x.spare
	}
	return x.spare >= 0
}

// fewest is the fewest periods of a rank: one for each chunk that holds whole
// periods alone, but the first chunk of all may be empty, and so may the last.
func (x *turns) fewest(j *job, r int, t *stay) int {
	n := 0
	for c := range x.v {
		may := r == 0 && c == 0 || r == j.pp-1 && r > 0 && c == x.v-1
		if t.bare>>c&1 == 1 && !may {
			n++
		}
	}
	return n
}

// reaches finds the totals of the first ranks whose chunks begin at the places,
// and reports whether all ranks together can hold all layers so that chunks end
// where the next ones begin; end is where.
func (x *turns) reaches(j *job, begin, layers int) (end int, ok bool) {
	x.words = layers/64 + 1
	x.reach = append(x.reach[:0], make([]uint64, (j.pp+1)*x.places*x.words)...)
	x.totals(0, begin)[0] = 1
	for r := range j.pp {
		for before := range x.places {
			from := x.totals(r, before)
			if empty(from) {
				continue
			}
			for i := range x.places {
				t := &x.stays[before*x.places+i]
				few := max(x.fewest(j, r, t), (x.least[r]-t.remainder+x.period-1)/x.period)
				for n := few; n <= x.room[r*x.sets+t.set]; n++ {
					union(x.totals(r+1, t.after), from, t.remainder+n*x.period)
				}
			}
		}
	}
	end = begin/x.period + layers%x.period*(x.places/x.period)
	return end, has(x.totals(j.pp, end), layers)
}

// totals is the set of totals of the ranks before r whose chunks end at the places.
func (x *turns) totals(r, places int) []uint64 {
	i := (r*x.places + places) * x.words
	return x.reach[i : i+x.words]
}

func empty(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return false
		}
	}
	return true
}

// union adds to a set the elements of another one, each greater by n.
func union(to, from []uint64, n int) {
	shift, low := n/64, uint(n%64)
	for i := len(to) - 1; i >= shift; i-- {
		w := from[i-shift] << low
		if i > shift {
			w |= from[i-shift-1] >> (64 - low) // none of it if low is 0
		}
		to[i] |= w
	}
}

func has(set []uint64, n int) bool { return n >= 0 && set[n/64]>>(n%64)&1 == 1 }

// deal gives the layers to the chunks, from the last rank to the first, as many to
// each rank as leave the others a split. Of the ways to do so it takes the one whose
// chunks are most alike and then the one whose first chunk is smallest, since first
// chunks open and close the pipeline.
func (x *turns) deal(j *job, s *schedule, end, layers int) {
	s.chunks = append(s.chunks[:0], make([]int32, j.pp*x.v)...)
	left := layers
	for r := j.pp - 1; r >= 0; r-- {
		best, from, held := make([]int32, x.v), 0, -1
		for before := range x.places {
			for i := range x.places {
				t := &x.stays[before*x.places+i]
				if t.after != end {
					continue
				}
				n := x.room[r*x.sets+t.set]
				for n >= x.fewest(j, r, t) && !has(x.totals(r, before), left-t.remainder-n*x.period) {
					n--
				}
				total := t.remainder + n*x.period
				if n < x.fewest(j, r, t) || total < held {
					continue
				}
				if own := x.spread(r > 0 && r == j.pp-1, i, n); total > held || moreAlike(own, best) {
					best, from, held = own, before, total
				}
			}
		}
		for c, n := range best {
			s.chunks[c*j.pp+r] = n
		}
		end, left = from, left-held
	}
}

// spread is the chunks of a rank with some remainders and n periods, each of which
// the smallest chunk takes: the last of them, or on the head's rank the first.
func (x *turns) spread(head bool, remainders, n int) []int32 {
	own := make([]int32, x.v)
	for c := range own {
		own[c], remainders = int32(remainders%x.period), remainders/x.period
	}
	for range n {
		least := 0
		for c := range own {
			if own[c] < own[least] || own[c] == own[least] && !head {
				least = c
			}
		}
		own[least] += int32(x.period)
	}
	return own
}

// moreAlike reports whether a's chunks differ less than b's or, if as much, its
// first is smaller.
func moreAlike(a, b []int32) bool {
	if x, y := differ(a), differ(b); x != y {
		return x < y
	}
	return a[0] < b[0]
}

// differ is the largest of the chunks less the smallest.
func differ(chunks []int32) int32 {
	lo, hi := chunks[0], chunks[0]
	for _, n := range chunks {
		lo, hi = min(lo, n), max(hi, n)
	}
	return hi - lo
}
