package cost

import (
	"sync"
	"sync/atomic"

	"meshplan/models"
	"meshplan/plan"
)

// work is the device time of one layer (or of the head) for one micro-batch on
// one rank, without communication. Index 1 of a pair is with sequence
// parallelism.
type work struct {
	fwd, bwd [2]float64              // everything but the attention core
	inp      [2]float64              // of bwd, what is not the weights' gradients
	wgt      float64                 // the rest of bwd
	core     [plan.NumCPComm]float64 // attention core, forward, by kind of context parallelism; of hierarchical the least
	again    [2]float64              // what recompute of ops repeats, but for routed experts
	mlp      float64                 // forward pass of the MLP, but for routed experts
}

func (w *work) scale(f float64) work {
	return work{
		fwd: [2]float64{w.fwd[0] * f, w.fwd[1] * f}, bwd: [2]float64{w.bwd[0] * f, w.bwd[1] * f},
		inp:   [2]float64{w.inp[0] * f, w.inp[1] * f},
		core:  [plan.NumCPComm]float64{w.core[0] * f, w.core[1] * f, w.core[2] * f, w.core[3] * f},
		again: [2]float64{w.again[0] * f, w.again[1] * f}, mlp: w.mlp * f, wgt: w.wgt * f,
	}
}

// lower takes the lesser of each part.
func (w *work) lower(o *work) {
	for sp := range w.fwd {
		w.fwd[sp], w.bwd[sp], w.inp[sp] = min(w.fwd[sp], o.fwd[sp]), min(w.bwd[sp], o.bwd[sp]), min(w.inp[sp], o.inp[sp])
		w.again[sp] = min(w.again[sp], o.again[sp])
	}
	for kind := range w.core {
		w.core[kind] = min(w.core[kind], o.core[kind])
	}
	w.mlp, w.wgt = min(w.mlp, o.mlp), min(w.wgt, o.wgt)
}

// part is what a work table describes: a layer kind or the head.
type part int

const (
	headPart = part(models.MoE) + 1
	numParts = int(headPart) + 1
)

// workTable holds, for every tp, cp and micro-batch the search can ask about,
// the exact work of each part and two lower bounds: of the work itself for any
// smaller tp and cp and larger micro-batch, and of the GPU time per sequence
// (work x tp x cp / micro-batch) for any larger tp and cp and smaller
// micro-batch. The bounds are running minima, so they hold whatever the shape
// of the efficiency curves.
type workTable struct {
	tp, cp, mb            axis
	exact, slot, sequence [numParts][]work
}

// tables are what bounds need and plans do not: made when they are first asked
// for.
type tables struct {
	once    sync.Once
	ready   atomic.Bool
	work    *workTable
	experts expertTable

	guard sync.Mutex
	first expertTable // up to the largest degree that a plan asked for before
}

// expertsUpTo is the table of experts up to a degree, when no bound was asked for
// yet.
func (t *tables) expertsUpTo(m *Model, etp int) expertTable {
	t.guard.Lock()
	defer t.guard.Unlock()
	if len(t.first) <= etp {
		t.first = m.newExpertTable(etp)
	}
	return t.first
}

// tabulated are the model's tables.
func (m *Model) tabulated() *tables {
	t := m.lazy
	if !t.ready.Load() {
		t.once.Do(func() {
			t.experts = m.newExpertTable(maxETP)
			t.work = m.newWorkTable()
			t.ready.Store(true)
		})
	}
	return t
}

// maxShares is the largest tp and cp that are tabulated.
const maxShares = 256

func (m *Model) newWorkTable() *workTable {
	t := &workTable{
		tp: newAxis(divisorsUpTo(int64(m.model.Heads), min(int(m.gpus), maxShares))),
		cp: newAxis(divisorsUpTo(m.workload.SeqLen, min(int(m.gpus), maxShares))),
		mb: newAxis(divisorsUpTo(m.workload.GlobalBatch, 64)),
	}
	m.tabulate(t)
	for p := range t.exact {
		if !m.has(part(p)) {
			continue
		}
		t.slot[p] = t.running(t.exact[p], 1, nil)
		t.sequence[p] = t.running(t.exact[p], -1, func(i, j, k int) float64 {
			return float64(t.tp.values[i]*t.cp.values[j]) / float64(t.mb.values[k])
		})
	}
	return t
}

// tabulate sets the exact work of every part. What is beside the attention core
// depends on the tokens alone, and the core is the same in all kinds of layers.
func (m *Model) tabulate(t *workTable) {
	for p := range t.exact {
		if m.has(part(p)) {
			t.exact[p] = make([]work, len(t.tp.values)*len(t.cp.values)*len(t.mb.values))
		}
	}
	for i, tp := range t.tp.values {
		var gemms [models.NumKinds]layerGEMMs
		for k := range gemms {
			gemms[k] = m.layerGEMMs(models.Kind(k), float64(tp))
		}
		byTokens := map[float64]*[numParts]work{}
		for j, cp := range t.cp.values {
			for k, mb := range t.mb.values {
				tp, cp, mb := float64(tp), float64(cp), float64(mb)
				tokens := m.seq * mb / cp
				if byTokens[tokens] == nil {
					byTokens[tokens] = m.partsOn(tokens, tp, &gemms)
				}
				core := m.coreWork(tp, cp, mb)
				for p, w := range byTokens[tokens] {
					if t.exact[p] == nil {
						continue
					}
					if part(p) != headPart {
						w.core = core
					}
					t.exact[p][t.at(i, j, k)] = w
				}
			}
		}
	}
}

// partsOn is the work of all parts on so many tokens, without the attention core.
func (m *Model) partsOn(tokens, tp float64, gemms *[models.NumKinds]layerGEMMs) *[numParts]work {
	parts := [numParts]work{headPart: m.headWork(tokens, tp)}
	l := m.launchesOn(tokens)
	for k := range m.layers {
		if m.layers[k] > 0 {
			parts[k] = m.besideCore(models.Kind(k), gemms[k], l, tp)
		}
	}
	return &parts
}

func (t *workTable) at(i, j, k int) int {
	return (i*len(t.cp.values)+j)*len(t.mb.values) + k
}

// running is the table of entries, scaled if they are to be, each replaced by the least of itself
// and its predecessors: with direction 1 those of smaller tp and cp and larger
// micro-batch, with -1 the opposite.
func (t *workTable) running(exact []work, direction int, scale func(i, j, k int) float64) []work {
	nt, nc, nb := len(t.tp.values), len(t.cp.values), len(t.mb.values)
	out := make([]work, len(exact))
	pick := func(x, n int) int {
		if direction > 0 {
			return x
		}
		return n - 1 - x
	}
	for x := range nt {
		for y := range nc {
			for z := range nb {
				i, j, k := pick(x, nt), pick(y, nc), pick(nb-1-z, nb)
				at := t.at(i, j, k)
				w := &out[at]
				if *w = exact[at]; scale != nil {
					*w = w.scale(scale(i, j, k))
				}
				if x > 0 {
					w.lower(&out[t.at(i-direction, j, k)])
				}
				if y > 0 {
					w.lower(&out[t.at(i, j-direction, k)])
				}
				if z > 0 {
					w.lower(&out[t.at(i, j, k+direction)])
				}
			}
		}
	}
	return out
}

func (m *Model) has(p part) bool {
	return p == headPart || m.layers[p] > 0
}

// workIn is a part's work in the given measure.
func (m *Model) workIn(v *view, p part, what measure) work {
	if what == slot {
		return m.slotWork(v, p)
	}
	return m.sequenceWork(v, p)
}

// slotWork bounds the work of one micro-batch from below; exact on a plan.
func (m *Model) slotWork(v *view, p part) work {
	if v.tp.single() && v.cp.single() && v.mb.single() {
		return m.exactWork(p, v.tp.lo, v.cp.lo, v.mb.lo)
	}
	t := m.tabulated().work
	i, ok := t.tp.above(v.tp.hi)
	j, ok2 := t.cp.above(v.cp.hi)
	if !ok || !ok2 {
		return work{}
	}
	return t.slot[p][t.at(i, j, t.mb.below(v.mb.lo))]
}

// sequenceWork bounds work x tp x cp / micro-batch, the GPU time of one
// sequence, from below; exact on a plan.
func (m *Model) sequenceWork(v *view, p part) work {
	if v.tp.single() && v.cp.single() && v.mb.single() {
		w := m.exactWork(p, v.tp.lo, v.cp.lo, v.mb.lo)
		return w.scale(v.tp.lo * v.cp.lo / v.mb.lo)
	}
	t := m.tabulated().work
	k, ok := t.mb.above(v.mb.hi)
	if !ok {
		k = len(t.mb.values) - 1
	}
	w := t.sequence[p][t.at(t.tp.below(v.tp.lo), t.cp.below(v.cp.lo), k)]
	if !ok { // beyond the table a micro-batch can at best amortise everything
		return w.scale(float64(t.mb.values[k]) / v.mb.hi)
	}
	return w
}

func (m *Model) exactWork(p part, tp, cp, mb float64) work {
	if !m.lazy.ready.Load() {
		return m.workOf(p, tp, cp, mb)
	}
	t := m.lazy.work
	i, ok := t.tp.index(tp)
	j, ok2 := t.cp.index(cp)
	k, ok3 := t.mb.index(mb)
	if ok && ok2 && ok3 {
		return t.exact[p][t.at(i, j, k)]
	}
	return m.workOf(p, tp, cp, mb)
}
