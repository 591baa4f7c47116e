package cost

import (
	"strconv"

	"meshplan/models"
	"meshplan/plan"
)

func plain(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// timeTerms is the step time as a tree: the slowest rank's work for all
// micro-batches, the bubble that completes the pipeline's makespan, and what
// follows it.
func (m *Model) timeTerms(v *view, j *job, s *schedule) Term {
	span := s.span()
	after, exposed := m.afterSpan(v, j, s)
	work := m.rankTerms(v, j, s, s.slowest())
	fixed := m.profile.Time.StepSeconds.Value
	pipeline := Term{Name: "pipeline", Value: span, Terms: []Term{
		work,
		{Name: "bubble", Value: span - work.Value, Note: "filling and draining " + strconv.Itoa(j.pp) + " ranks"},
	}}
	even := span + (exposed + after.optimizer + fixed)
	step := Term{Name: "step", Value: even * m.jitter, Terms: []Term{
		pipeline,
		{Name: "data-parallel communication, exposed", Value: exposed, Note: "of " + plain(after.reduce+after.gather) + " s"},
		{Name: "optimizer", Value: after.optimizer},
		{Name: "fixed", Value: fixed},
	}}
	anchor, waiting := m.profile.Time.Anchor.Value, 0.0
	if m.jitter != anchor {
		waiting = even * (m.jitter/anchor - 1)
		step.Terms = append(step.Terms, Term{Name: "waiting for slower ranks", Value: waiting, Note: "grows with the GPUs"})
	}
	if anchor != 1 {
		step.Terms = append(step.Terms, Term{Name: "anchor", Value: step.Value - even - waiting, Note: "to measured runs"})
	}
	return step
}

// rankTerms is one rank's work for all micro-batches.
func (m *Model) rankTerms(v *view, j *job, s *schedule, r int) Term {
	k := &s.ranks[r]
	t := Term{
		Name: "slowest rank", Value: j.micro * k.time.sum(),
		Note: "rank " + strconv.Itoa(r) + ", " + plain(j.micro) + " micro-batches",
	}
	sum := 0.0
	add := func(name string, perMicro float64) {
		if perMicro > 0 {
			t.Terms = append(t.Terms, Term{Name: name, Value: j.micro * perMicro})
			sum += perMicro
		}
	}
	var total layerParts
	for i, n := range k.layers {
		if n > 0 {
			total.add(m.layerParts(v, models.Kind(i)), n)
		}
	}
	add("linear layers and element-wise kernels", total.linear)
	add("attention core", total.core)
	add("routed experts", total.experts)
	add("recompute", total.recompute)
	add("tensor-parallel communication", total.tp)
	add("expert-parallel communication", total.ep)
	add(contextTerms[v.cpComm.Lo], total.cp)
	add("host launch floor", total.floor)
	add("gathers and reductions of sharded layers, exposed", total.sharded)
	add("activations and gradients to and from the host, exposed", total.offload)
	if r == j.pp-1 {
		add("output head and loss", j.head.sum())
	}
	add("stage-to-stage transfers", k.time.sum()-sum)
	return t
}

// contextTerms names the communication of each kind of context parallelism.
var contextTerms = [plan.NumCPComm]string{
	plan.CPRing:      "context-parallel ring, exposed",
	plan.CPAllGather: "context-parallel all-gather",
	plan.CPAllToAll:  "context-parallel all-to-all",
}

// layerParts is one layer's time for one micro-batch, forward and backward.
type layerParts struct{ linear, core, experts, recompute, tp, ep, cp, floor, sharded, offload float64 }

func (p *layerParts) add(q layerParts, n float64) {
	p.linear += float64(n * q.linear)
	p.core += float64(n * q.core)
	p.experts += float64(n * q.experts)
	p.recompute += float64(n * q.recompute)
	p.tp += float64(n * q.tp)
	p.ep += float64(n * q.ep)
	p.cp += float64(n * q.cp)
	p.floor += float64(n * q.floor)
	p.sharded += float64(n * q.sharded)
	p.offload += float64(n * q.offload)
}

func (m *Model) layerParts(v *view, kind models.Kind) layerParts {
	w := m.slotWork(v, part(kind))
	l := m.layerLinks(v, kind, slot)
	var p layerParts
	fwd := spPick(v, w.fwd)
	p.linear = fwd + spPick(v, w.bwd)
	alone, core := m.core(&w, plan.CPComm(v.cpComm.Lo)), m.attention(v, &w, &l, slot)
	p.core, p.cp = alone.sum(), core.sum()-alone.sum()
	var experts pass
	if kind == models.MoE {
		experts = m.expertPass(v, slot)
		p.experts = experts.sum()
	}
	p.tp, p.ep = 2*(l.tp+l.etp), 2*l.ep
	p.recompute = m.repeated(v, kind, &w, &l, fwd+core.fwd+experts.fwd+l.tp+l.ep+l.etp, core.fwd, experts.fwd)
	work := m.layerWork(v, kind, slot)
	shared := m.withUnit(v, kind, work)
	p.sharded = shared.sum() - work.sum()
	p.offload = m.layerPass(v, kind, slot).sum() - shared.sum()
	p.floor = work.sum() - p.linear - p.core - p.experts - p.recompute - p.tp - p.ep - p.cp
	if p.floor < 1e-12 {
		p.floor = 0
	}
	return p
}
