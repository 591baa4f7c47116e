package cost

import "meshplan/plan"

// opKind is what an operation of a rank does.
type opKind uint8

// The kinds of operation.
const (
	forwardOp  opKind = iota
	backwardOp        // of the input and the weights
	inputOp           // the gradient of the chunk's input
	weightOp          // the gradients of its weights
	pairOp            // a forward of one chunk beside a backward of the rank's other one
)

// op is one operation of a rank on one of its chunks and one micro-batch. Of a pair
// they are the forward's, and other is the backward's micro-batch.
type op struct {
	kind         opKind
	chunk        int32
	micro, other int32
}

// listing makes the orders of a pipeline's ranks: m micro-batches over p ranks with
// v chunks each. Micro-batches from m on fill orders that need more, and are left
// out.
type listing struct {
	p, v, m int
	ops     []op
	counts  [5][2]int32 // of a V: operations so far by kind and chunk
	pending []op        // weights' gradients that wait, the oldest first
	waiting int         // how many of them are made
}

// list appends the order of one rank.
func (l *listing) list(s plan.Schedule, rank int) {
	switch s {
	case plan.GPipe:
		l.allForwards()
	case plan.ZBH1:
		l.rounds(rank, l.p-1-rank, rank)
	case plan.Interleaved:
		l.rounds(rank, 2*(l.p-1-rank), -1)
	case plan.ZBV:
		l.zeroBubbleV(rank)
	case plan.DualPipe, plan.DualPipeV:
		l.dualPipeV(rank)
	default:
		l.rounds(rank, l.p-1-rank, -1)
	}
}

// put appends an operation unless its micro-batch is beyond the last.
func (l *listing) put(o op) {
	if int(o.micro) < l.m {
		l.ops = append(l.ops, o)
	}
}

// allForwards is GPipe.
func (l *listing) allForwards() {
	for _, kind := range [...]opKind{forwardOp, backwardOp} {
		for i := range l.m {
			l.put(op{kind: kind, micro: int32(i)})
		}
	}
}

// round is the number of micro-batches that pass a chunk before the next chunk has
// its turn: m over max(1, m div p) rounds, or p where that leaves a rest
// (ScheduleInterleaved1F1B in PyTorch; Megatron core schedules.py has p).
func (l *listing) round() int {
	if rounds := max(1, l.m/l.p); l.v > 1 && l.m%rounds == 0 {
		return l.m / rounds
	}
	return l.p
}

// rounds is 1F1B, interleaved and ZB-H1: so many forwards more than the last rank
// runs before its first backward, then one forward and one backward in turn. With
// late >= 0 the backward is cut, and the weights' gradients begin that many
// backwards late (ZB-H1, arXiv 2401.10241, section 2.2, and
// ScheduleInterleavedZeroBubble in PyTorch).
func (l *listing) rounds(rank, ahead, late int) {
	round := l.round()
	total := (l.m + round - 1) / round * round * l.v
	if l.v == 1 {
		total = l.m
	}
	step := func(kind opKind, i int) op {
		chunk := i / round % l.v
		if kind != forwardOp {
			chunk = l.v - 1 - chunk
		}
		return op{kind: kind, chunk: int32(chunk), micro: int32(i/(round*l.v)*round + i%round)}
	}
	warm := min((l.v-1)*round+ahead, total)
	back, made := backwardOp, 0
	if late >= 0 {
		back = inputOp
	}
	for i := range total + warm {
		if i < total {
			l.put(step(forwardOp, i))
		}
		if i < warm {
			continue
		}
		l.put(step(back, i-warm))
		if late >= 0 && i-warm >= late {
			l.put(step(weightOp, made))
			made++
		}
	}
	for ; late >= 0 && made < total; made++ {
		l.put(step(weightOp, made))
	}
}

// next appends the next operation of a kind on a chunk of a V.
func (l *listing) next(kind opKind, chunk int32) {
	l.put(op{kind: kind, chunk: chunk, micro: l.count(kind, chunk)})
}

// count is the micro-batch of the next operation of a kind on a chunk.
func (l *listing) count(kind opKind, chunk int32) int32 {
	if kind == backwardOp {
		kind = inputOp // the two count together
	}
	l.counts[kind][chunk]++
	return l.counts[kind][chunk] - 1
}

// cut appends the gradient of a chunk's input; its weights' waits.
func (l *listing) cut(chunk int32) {
	micro := l.count(inputOp, chunk)
	l.put(op{kind: inputOp, chunk: chunk, micro: micro})
	l.pending = append(l.pending, op{kind: weightOp, chunk: chunk, micro: micro})
}

// oldest appends the weights' gradients that have waited longest.
func (l *listing) oldest() {
	if l.waiting < len(l.pending) {
		l.put(l.pending[l.waiting])
		l.waiting++
	}
}

// start forgets what earlier ranks ran.
func (l *listing) start() {
	l.counts, l.pending, l.waiting = [5][2]int32{}, l.pending[:0], 0
}

// zeroBubbleV is ZB-V (arXiv 2405.15362; ScheduleZBVZeroBubble in PyTorch): with as
// long a forward, input's and weights' gradient no rank waits once it has begun.
func (l *listing) zeroBubbleV(rank int) {
	l.start()
	p, m := l.p, int32(max(l.m, 2*l.p-1))
	for range 2*(p-rank) - 1 {
		l.next(forwardOp, 0)
	}
	for range rank {
		l.next(forwardOp, 1)
		l.next(forwardOp, 0)
	}
	for range p - rank {
		l.next(forwardOp, 1)
		l.next(inputOp, 1)
		l.next(weightOp, 1)
	}
	f := &l.counts[forwardOp]
	for f[1] < f[0] || f[0] < m {
		if f[0] < m {
			l.next(forwardOp, 0)
		}
		l.next(inputOp, 0)
		l.next(weightOp, 0)
		l.next(forwardOp, 1)
		l.next(inputOp, 1)
		l.next(weightOp, 1)
	}
	for range rank {
		l.next(inputOp, 0)
		l.next(inputOp, 1)
	}
	for range p - rank {
		l.next(inputOp, 0)
		l.next(weightOp, 0)
	}
	for _, chunk := range [...]int32{1, 0} {
		for l.counts[weightOp][chunk] < l.counts[inputOp][chunk] {
			l.next(weightOp, chunk)
		}
	}
}

// dualPipeV is DualPipeV (ScheduleDualPipeV in PyTorch), and one half of DualPipe
// (dualpipe.py of deepseek-ai/DualPipe): chunk 0 stands for one direction, chunk 1
// for the other.
func (l *listing) dualPipeV(rank int) {
	l.start()
	p, m := l.p, max(l.m, 2*l.p)
	for range 2 * (p - rank - 1) {
		l.next(forwardOp, 0)
	}
	for range rank + 1 {
		l.next(forwardOp, 0)
		l.next(forwardOp, 1)
	}
	for range p - rank - 1 {
		l.cut(1)
		l.oldest()
		l.next(forwardOp, 1)
	}
	for i := range m - 2*p + rank + 1 {
		if i == 0 && rank == p-1 { // these two are not paired, which makes the bubble smaller
			l.next(forwardOp, 0)
			l.next(backwardOp, 1)
		} else {
			l.pair(0)
		}
		l.pair(1)
	}
	for range p - rank - 1 {
		l.next(backwardOp, 1)
		l.pair(1)
	}
	l.drain(rank)
}

// drain is the end of DualPipeV. From the middle of its first part on, weights'
// gradients wait.
func (l *listing) drain(rank int) {
	half, cut := (rank+1)/2, false
	back := func(chunk int32) {
		if cut {
			l.cut(chunk)
		} else {
			l.next(backwardOp, chunk)
		}
	}
	for i := range rank + 1 {
		cut = cut || i == half && rank%2 == 1
		back(1)
		cut = cut || i == half && rank%2 == 0
		back(0)
	}
	for range l.p - rank - 1 {
		l.oldest()
		back(0)
	}
	for range rank + 1 {
		l.oldest()
	}
}

// pair appends a forward of the chunk beside a backward of the other one. Where one
// of them is beyond the last micro-batch, the other runs alone.
func (l *listing) pair(chunk int32) {
	f, b := l.count(forwardOp, chunk), l.count(inputOp, 1-chunk)
	switch {
	case int(f) >= l.m:
		l.put(op{kind: backwardOp, chunk: 1 - chunk, micro: b})
	case int(b) >= l.m:
		l.put(op{kind: forwardOp, chunk: chunk, micro: f})
	default:
		l.put(op{kind: pairOp, chunk: chunk, micro: f, other: b})
	}
}
