package cost

import (
	"math"

	"meshplan/models"
)

// Where layers of two kinds take turns, every rank holds nearly as many of each as
// the model's mean composition has. Over a window of consecutive layers the number of
// one kind is below its share of the window by no more than the model's drift of that
// kind, and a rank's chunks are as many windows as it has chunks. So a rank of n
// layers takes at least the time of n layers of which as few are of the slower kind as
// the drifts of its chunks allow, and as much for memory.

// driftOf is by how much a window of the layers falls short of its share of a kind,
// at most.
func driftOf(kinds []models.Kind, kind models.Kind, total float64) float64 {
	short, least, drift := 0.0, 0.0, 0.0 // of all layers so far, by how much
	for _, k := range kinds {
		if short += total / float64(len(kinds)); k == kind {
			short--
		}
		drift, least = max(drift, short-least), min(least, short)
	}
	return drift
}

// turnsIn is the most layers that chunks hold within so many bytes when a layer of
// each kind takes the given ones, or one more by rounding alone.
func (m *Model) turnsIn(free float64, each [models.NumKinds]float64, chunks float64) float64 {
	large, small := models.MoE, models.Dense
	if each[large] < each[small] {
		large, small = small, large
	}
	layers := float64(len(m.kinds))
	share, drift := m.layers[large]/layers, chunks*m.drift[large]
	mean := float64(share*each[large]) + float64((1-share)*each[small])
	n := min(layers, layersIn(free+float64(drift*(each[large]-each[small])), mean))
	for ; n > 0; n-- {
		k := fewestOf(n, share, drift)
		if layersIn(free-float64(k*each[large]), each[small]) >= n-k {
			break
		}
	}
	return n
}

// fewestOf is the fewest of n layers that are of a kind, of which they fall short of
// its share by no more than the drift.
func fewestOf(n, share, drift float64) float64 {
	return max(0, math.Ceil(float64(n*share)-drift-slack))
}

// turnCase is what turnSpan knows of a view.
type turnCase struct {
	p, micro     float64
	vpp          interval
	all          pass
	hop          float64
	quick, slow  float64 // a layer of the quicker and of the slower kind
	share, drift float64 // of the slower kind
	ahead        float64 // the largest part of a rank's pass that is forward
}

// turnSpan bounds the pipeline of several chunks a rank for one pp where the model's
// layers take turns. For every number q of layers on the last rank, some rank before
// it holds at least ceil((L-q)/(p-1)); what schedule.span makes of either is a bound.
// Of all q that leave another rank n layers the least is the best.
func (m *Model) turnSpan(v *view, j *job) float64 {
	if !v.pp.single() || v.pp.lo < 2 || v.vpp.lo <= 1 {
		return 0
	}
	c, layers := m.newTurnCase(v, j), float64(len(m.kinds))
	best := math.Inf(1)
	for n := math.Ceil(layers / (c.p - 1)); n >= 0; n-- {
		q := max(0, layers-float64(n*(c.p-1)))
		last := c.opening(c.p-1) + float64(c.micro*(c.rank(q)+j.head.sum()))
		if last >= best {
			break
		}
		best = min(best, max(last, c.late(j, c.rank(n))))
	}
	return best
}

func (m *Model) newTurnCase(v *view, j *job) turnCase {
	c := turnCase{
		p: v.pp.lo, micro: v.micro.lo, vpp: v.vpp, hop: j.hop.sum(),
		all: j.stageTime(m.layers).plus(j.head).plus(j.hop.times(v.pp.lo)),
	}
	slow, quick := models.MoE, models.Dense
	if j.layer[slow].sum() < j.layer[quick].sum() {
		slow, quick = quick, slow
	}
	c.slow, c.quick = j.layer[slow].sum(), j.layer[quick].sum()
	c.share, c.drift = m.layers[slow]/float64(len(m.kinds)), m.drift[slow]
	for _, t := range [...]pass{j.layer[slow], j.layer[quick], j.hop} {
		if t.sum() > 0 {
			c.ahead = max(c.ahead, t.fwd/t.sum())
		}
	}
	return c
}

// rank is the least time of a rank of n layers, without the head.
func (c *turnCase) rank(n float64) float64 {
	slow := fewestOf(n, c.share, c.vpp.hi*c.drift)
	return float64(slow*c.slow) + float64((n-slow)*c.quick) + c.hop
}

// opening is the least time of the first chunks of the first r ranks: each holds a
// layer, but the first of all may be empty.
func (c *turnCase) opening(r float64) float64 {
	return float64(max(0, r-1)*min(c.slow, c.quick)) + float64(r*c.hop/c.vpp.hi)
}

// late is the least span when some rank before the last takes at least so long, the
// least over the ranks that may be it: the opening, turning and passing forms of
// schedule.span. Turning counts a rank's forwards before its first backward out of
// its work; they are no larger a part of it than of any layer's.
func (c *turnCase) late(j *job, rank float64) float64 {
	span := math.Inf(1)
	turns := j.wire <= c.ahead*rank // else the rank's link may be its pace
	for r := 0.0; r < c.p-1; r++ {
		one := c.opening(r) + float64(c.micro*rank)
		if turns {
			before := min(c.micro, max(c.before(r, c.vpp.lo), c.before(r, c.vpp.hi)))
			part := 1/c.vpp.hi + float64(max(0, before-1/c.vpp.hi)*c.ahead)
			one = max(one, c.all.fwd+c.all.bwd/c.vpp.hi+float64(max(0, c.micro-part)*rank))
		}
		span = min(span, one)
	}
	return max(span, c.all.sum()+float64((c.micro-1)*rank/c.vpp.hi))
}

// before is the forwards of rank r, in whole ranks, before its first backward when
// it has v chunks, see warmup.
func (c *turnCase) before(r, v float64) float64 {
	return (float64(2*(c.p-r-1)) + float64((v-1)*c.p) + 1) / v
}
