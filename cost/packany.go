package cost

import (
	"math"

	"meshplan/models"
)

// Where dense and MoE layers take turns and a rank holds several chunks, what a
// rank holds of each kind depends on the size of every chunk before its own. If
// they do so with no period, or a rank has too many chunks for packTurns, pack
// takes each layer for one of the model's mean composition, and dealing searches
// from there, chunk by chunk from the last to the first, for a split that is better
// by its own layers. That is exact when the search ends within its steps, as it does
// for a dozen chunks.

// dealingSteps is the most chunks that dealing tries a size of.
const dealingSteps = 1 << 11

// dealing is a search for the fastest split within a limit on reserved bytes or,
// if byPeak is set, for the one of least peak.
type dealing struct {
	m         *Model
	j         *job
	s         *schedule
	near      []int32 // where it starts
	chunks    []int32
	own       [][models.NumKinds]float64 // layers of each rank so far
	dense     []int                      // how many of the first n layers are
	threshold float64                    // a rank's most time
	limit     float64
	within    float64 // see fitting
	byPeak    bool
	steps     int
	best      candidate
	found     bool
}

// improved is the best split that dealing finds, or the given one.
func (m *Model) improved(j *job, s *schedule, c candidate) candidate {
	for tier, limit := range [...]float64{j.fit, j.run} {
		d := m.newDealing(j, s, &c)
		d.limit, d.within, j.fitting.within = limit, limit, limit
		if d.threshold = math.Inf(1); c.tier <= tier {
			d.threshold = c.slowest * (1 - slack)
		}
		if d.visit(len(c.chunks)-1, len(m.kinds), m.allRanks(j)); d.found {
			return d.best
		}
		if c.tier <= tier {
			return c
		}
	}
	d := m.newDealing(j, s, &c)
	d.limit, d.threshold, d.byPeak = c.peak*(1-slack), math.Inf(1), true
	j.fitting.within = 0
	if d.visit(len(c.chunks)-1, len(m.kinds), m.allRanks(j)); d.found {
		return d.best
	}
	return c
}

func (m *Model) newDealing(j *job, s *schedule, c *candidate) *dealing {
	d := &dealing{m: m, j: j, s: s, near: c.chunks, chunks: clone(c.chunks), own: make([][models.NumKinds]float64, j.pp), dense: []int{0}}
	for _, kind := range m.kinds {
		n := d.dense[len(d.dense)-1]
		if kind == models.Dense {
			n++
		}
		d.dense = append(d.dense, n)
	}
	return d
}

// allRanks is the time of all ranks together.
func (m *Model) allRanks(j *job) float64 {
	return j.stageTime(m.layers).plus(j.head).plus(j.hop.times(float64(j.pp))).sum()
}

// visit gives the first `left` layers to the chunks up to c. rest is the time of
// the ranks that do not have all their chunks yet, which the threshold bounds.
func (d *dealing) visit(c, left int, rest float64) {
	if c < 0 {
		d.keep()
		return
	}
	r, before := c%d.j.pp, max(0, c-1)
	least := 1
	if c == 0 || c == len(d.chunks)-1 {
		least = 0
	}
	if c == 0 {
		least = left
	}
	was := d.own[r]
	for i := range 2*left + 2 {
		n := int(d.near[c]) + (i+1)/2*(1-2*(i%2))
		if n < least || n > left-before || d.steps >= dealingSteps {
			continue
		}
		d.steps++
		dense := float64(d.dense[left] - d.dense[left-n])
		d.own[r][models.Dense] = was[models.Dense] + dense
		d.own[r][models.MoE] = was[models.MoE] + float64(n) - dense
		t := d.j.rankTime(r, d.own[r]).sum()
		if t <= d.threshold && d.j.allocated(r, d.own[r])*d.j.reserved <= d.limit*(1+slack) {
			after := rest
			if c < d.j.pp {
				after -= t
			}
			if c == 0 || c >= d.j.pp || after <= float64(c)*d.threshold*(1+slack) {
				d.chunks[c] = int32(n)
				d.visit(c-1, left-n, after)
			}
		}
	}
	d.own[r] = was
}

// keep takes the chunks for the best so far and asks for a better one.
func (d *dealing) keep() {
	c := d.m.judge(d.j, d.s, clone(d.chunks))
	d.j.fitting.within = d.within
	if d.found && !d.better(&c) {
		return
	}
	d.best, d.found = c, true
	if d.byPeak {
		d.limit = c.peak * (1 - slack)
	} else {
		d.threshold = c.slowest * (1 - slack)
	}
}

func (d *dealing) better(c *candidate) bool {
	if d.byPeak {
		return c.peak < d.best.peak
	}
	return c.slowest < d.best.slowest
}
