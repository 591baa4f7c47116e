package cost

import "meshplan/plan"

// flight is the activations that a rank holds, in micro-batches' worth of all its
// chunks, when it holds most. Where a schedule cuts the backward in two, a chunk's
// activations stay until its weights' gradients are made, and what recompute spared
// is there again by then: linears' inputs and their outputs' gradients are about as
// much as all of them (arXiv 2401.10241, table 1: M_W 32sbh of M_B 34sbh).
type flight struct {
	most    float64    // from a chunk's forward to the end of its backward
	waiting [2]waiting // two states between which all others lie
}

// waiting is a state of which some chunks are before their backward and others
// wait for their weights' gradients.
type waiting struct{ before, after float64 }

// flightOf is the activations of rank r of p under a schedule with v chunks a rank,
// counted in its order of operations (see orders.go):
//
//	1F1B         min(m, p-r)
//	interleaved  the warm-up's 2(p-r-1) + (v-1)p + 1 chunks of 1/v rank each
//	             (Megatron core schedules.py)
//	GPipe        all m
//	ZB-H1        p on every rank, of which the last r+1 chunks wait
//	             (arXiv 2401.10241, section 2.2)
//	ZB-V         p on every rank (arXiv 2405.15362)
//	DualPipe(V)  2p+1 chunks: of DualPipe pp+1 stages (arXiv 2412.19437, table 2)
func flightOf(s plan.Schedule, r, p, m, v float64) flight {
	chunks := min(m, 2*p-1-r) + min(m, r+1) // forwards of a V's two chunks before its first weights' gradient
	switch s {
	case plan.GPipe:
		return flight{most: m}
	case plan.ZBH1:
		f := flight{most: min(m, p)}
		f.waiting[0].after = min(m, (r+1)/v)
		f.waiting[0].before = f.most - f.waiting[0].after
		return f
	case plan.ZBV:
		lacks := max(0, 2*p-1-m) // micro-batches that the order leaves out
		after := max(0, min(r+1, p-lacks)) + max(0, r-lacks)
		return flight{chunks / 2, [2]waiting{{(chunks - 1) / 2, 0.5}, {max(0, p-r-1-lacks) / 2, after / 2}}}
	case plan.DualPipe, plan.DualPipeV:
		early := waiting{}
		if r < p-1 {
			early = waiting{(chunks - 1) / 2, 0.5}
		}
		if m >= 2*p {
			chunks++
		}
		return flight{chunks / 2, [2]waiting{early, {(p - r - 1) / 2, (r + 1) / 2}}}
	}
	return flight{most: inFlight(r, p, m, v)}
}

// note says in words how much it is.
func (f *flight) note() string {
	text := "micro-batches in flight: " + plain(f.most)
	if w := max(f.waiting[0].after, f.waiting[1].after); w > 0 {
		text += "; up to " + plain(w) + " wait for their weights' gradients"
	}
	return text
}

// inFlight is that of 1F1B and interleaved 1F1B.
func inFlight(r, p, micro, vpp float64) float64 {
	if vpp <= 1 {
		return min(micro, p-r)
	}
	return min(micro, (float64(2*(p-r-1))+float64((vpp-1)*p)+1)/vpp)
}

// activations is a layer's activations.
func (l *perLayer) activations(f *flight) float64 {
	kept := float64(f.most * l.kept)
	for _, w := range f.waiting {
		kept = max(kept, float64(w.before*l.kept)+float64(w.after*l.unspared))
	}
	return kept
}

// leastFlight bounds the activations on rank r of p columns over a view's
// micro-batches, chunks and schedules. GPipe's are never below 1F1B's; a view of
// several schedules of which some cut the backward counts one micro-batch.
func (v *view) leastFlight(r, p float64) flight {
	switch {
	case v.gpipe:
		return flight{most: v.micro.lo}
	case v.whole():
		return flight{most: v.leastInterleaved(r, p)}
	case v.order.Single():
		return flightOf(plan.ScheduleOf(v.order.Lo, 1), r, p, v.each.lo, v.vpp.hi)
	}
	return flight{most: 1}
}

// leastInterleaved is that of 1F1B, or interleaved.
func (v *view) leastInterleaved(r, p float64) float64 {
	f := inFlight(r, p, v.micro.lo, v.vpp.lo)
	if !v.vpp.single() {
		f = min(f, inFlight(r, p, v.micro.lo, v.vpp.hi))
		if v.vpp.lo <= 1 {
			f = min(f, inFlight(r, p, v.micro.lo, 2))
		}
	}
	return f
}
