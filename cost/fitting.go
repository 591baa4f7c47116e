package cost

import (
	"math"

	"meshplan/models"
	"meshplan/plan"
)

// Where each rank recomputes a number of layers of its own (plan.SpareFitting), a
// job's layers take the time of layers that are not recomputed and keep the memory
// of layers that are. Both bound what any rank does; what a rank really does follows
// from its layers and a limit on its memory: it spares as many layers as the limit
// allows, the last of its layers first. Less recompute is faster and takes more
// memory, so that this is the fastest choice of each rank by itself.

// fitting is what a spared layer of each kind keeps beside what a recomputed one
// does, per micro-batch in flight, and what a recomputed one takes longer.
type fitting struct {
	on     bool
	within float64 // limit on reserved bytes under which ranks spare layers
	kept   [models.NumKinds]float64
	again  [models.NumKinds]pass
}

// newFitting is that of a view in which each rank has its own number.
func (m *Model) newFitting(v *view, j *job) fitting {
	f := fitting{on: true}
	all := *v
	all.spare = plan.Range{}
	tokens := m.divided(v)
	for k := range m.layers {
		if m.layers[k] > 0 {
			kind := models.Kind(k)
			spared := m.keepsOf(kind, plan.RecomputeNone).of(v, &tokens) * (1 - percentOf(v.actOffload.Hi))
			f.kept[k] = max(0, spared-j.account.layer[k].kept)
			whole := m.layerPass(&all, kind, slot)
			f.again[k] = whole.plus(j.layer[k].times(-1))
		}
	}
	if m.mtp > 0 { // those layers are not recomputed
		j.account.further += m.mtpKept(v, f.kept[m.lastKind()])
	}
	return f
}

// recomputed is how many of rank r's layers of each kind are recomputed: all but
// those, the last first, that fit the limit in effect.
func (j *job) recomputed(r int, layers [models.NumKinds]float64) [models.NumKinds]float64 {
	a, flight := &j.account, j.inFlight(float64(r))
	free := j.fitting.within*(1-slack)/j.reserved - a.running(float64(r), float64(j.pp), &flight, layers)
	for k := len(layers) - 1; k >= 0 && free > 0; k-- {
		spared := layers[k]
		if each := flight.most * j.fitting.kept[k]; each > 0 {
			spared = min(spared, math.Floor(free/each))
			free -= spared * each
		}
		if layers[k] -= spared; layers[k] > 0 {
			break // layers before it are recomputed too
		}
	}
	return layers
}

// firstOf is the first n of a rank's layers, of which those of the first kind come
// first.
func firstOf(n float64, layers [models.NumKinds]float64) [models.NumKinds]float64 {
	var first [models.NumKinds]float64
	for k := range layers {
		first[k] = min(n, layers[k])
		n -= first[k]
	}
	return first
}

// repeated is the time that the given recomputed layers add to a rank's.
func (f *fitting) repeated(layers [models.NumKinds]float64) pass {
	var t pass
	for k, n := range layers {
		t = t.plus(f.again[k].times(n))
	}
	return t
}

// repeat has rank r recompute the given layers.
func (j *job) repeat(r int, k *rank, layers [models.NumKinds]float64) {
	total := 0.0
	for _, n := range layers {
		total += n
	}
	k.repeated, k.time = layers, j.timeOf(r, k.layers, layers)
	k.first = j.stageTime(k.opening).plus(j.fitting.repeated(firstOf(total, k.opening)))
}

// sparing is the memory of activations that rank r keeps since some of its layers
// are not recomputed.
func (j *job) sparing(r int, layers, repeated [models.NumKinds]float64) float64 {
	total, flight := 0.0, j.inFlight(float64(r))
	for k := range layers {
		total += float64((layers[k] - repeated[k]) * float64(flight.most*j.fitting.kept[k]))
	}
	return total
}

// fitted is fill under each of the two limits, until the ranks stay within one: of
// a split that stays within none every layer is recomputed.
func (m *Model) fitted(j *job, s *schedule, chunks []int32) float64 {
	for _, limit := range [...]float64{j.fit, j.run, 0} {
		j.fitting.within = limit
		m.fill(j, s, chunks)
		if peak := m.peakOf(j, s); peak <= limit || limit == 0 {
			return peak
		}
	}
	return huge
}

// share is how much of its layers a rank recomputes.
func (k *rank) share() float64 {
	repeated, layers := 0.0, 0.0
	for i, n := range k.layers {
		repeated, layers = repeated+k.repeated[i], layers+n
	}
	if layers == 0 {
		return 0
	}
	return repeated / layers
}

// perRank is the number of layers that each rank recomputes, as text.
func (s *schedule) perRank() string {
	list := make([]int, s.pp)
	for r := range list {
		for _, n := range s.ranks[r].repeated {
			list[r] += int(n)
		}
	}
	return plan.RunLength(list)
}
