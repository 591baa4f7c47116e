package cost

import (
	"fmt"
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
	pipeline := Term{Name: "pipeline", Value: span, Terms: []Term{work}}
	hidden := 0.0
	if t := s.ranks[s.slowest()].time; j.schedule >= plan.DualPipe {
		hidden = j.micro * (t.sum() - t.beside())
		pipeline.Terms = append(pipeline.Terms, Term{Name: "hidden beside the other direction", Value: -hidden, Note: "transfers and all-to-all"})
	}
	pipeline.Terms = append(pipeline.Terms,
		Term{Name: "bubble", Value: span - work.Value + hidden, Note: "filling and draining " + strconv.Itoa(int(v.pp.lo)) + " ranks"})
	waits := m.waiting(v.all)
	even := span + (exposed + after.optimizer + fixed)
	step := Term{Name: "step", Value: even * waits, Terms: []Term{
		pipeline,
		{Name: "data-parallel communication, exposed", Value: exposed, Note: "of " + plain(after.reduce+after.gather) + " s"},
		{Name: "optimizer", Value: after.optimizer},
		{Name: "fixed", Value: fixed},
	}}
	anchor, waiting := m.profile.Time.Anchor.Value, 0.0
	if waits != anchor {
		waiting = even * (waits/anchor - 1)
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
	if j.schedule == plan.DualPipe {
		t.Note += " from each end"
	}
	sum := 0.0
	note := func(name string, perMicro float64, format string, args ...any) {
		if perMicro > 0 {
			t.Terms = append(t.Terms, Term{Name: name, Value: j.micro * perMicro, Note: fmt.Sprintf(format, args...)})
			sum += perMicro
		}
	}
	add := func(name string, perMicro float64) { note(name, perMicro, "") }
	var total layerParts
	for i, n := range k.layers {
		if n > 0 {
			total.add(m.layerParts(v, models.Kind(i)), n)
		}
	}
	note("linear layers", total.linear, "%s of the measured GEMM rates", percent(m.gemmReach()))
	add("quantising operands", total.quantise)
	add("element-wise kernels", total.element)
	note("attention core", total.core, "%s of the measured attention rate", percent(m.attends))
	note("routed experts", total.experts, "%s of the measured GEMM rates", percent(m.gemmReach()/m.profile.Time.GroupedSlowdown.Value))
	add("permuting routed tokens", total.permute)
	if j.fitting.on {
		repeated := k.repeated[models.Dense] + k.repeated[models.MoE]
		note("recompute", j.fitting.repeated(k.repeated).sum(), "%g of %g layers", repeated, k.layers[models.Dense]+k.layers[models.MoE])
	}
	add("recompute", total.recompute)
	add("tensor-parallel communication", total.tp)
	add("expert-parallel communication", total.ep)
	add(contextTerms[v.cpComm.Lo], total.cp)
	add("host launch floor", total.floor)
	add("gathers and reductions of sharded layers, exposed", total.sharded)
	add("activations and gradients to and from the host, exposed", total.offload)
	if r == j.headRank() {
		name := "output head and loss"
		if m.mtp > 0 {
			name = fmt.Sprintf("output head, loss and %g multi-token-prediction layers", m.mtp)
		}
		add(name, j.head.sum())
	}
	add("stage-to-stage transfers", k.time.sum()-sum)
	return t
}

// contextTerms names the communication of each kind of context parallelism.
var contextTerms = [plan.NumCPComm]string{
	plan.CPRing:         "context-parallel ring, exposed",
	plan.CPAllGather:    "context-parallel all-gather",
	plan.CPAllToAll:     "context-parallel all-to-all",
	plan.CPHierarchical: "context-parallel all-to-all, and ring, exposed",
}

// layerParts is one layer's time for one micro-batch, forward and backward.
type layerParts struct {
	linear, quantise, element, core, experts, permute, recompute, tp, ep, cp, floor, sharded, offload float64
}

func (p *layerParts) add(q layerParts, n float64) {
	p.linear += float64(n * q.linear)
	p.quantise += float64(n * q.quantise)
	p.element += float64(n * q.element)
	p.permute += float64(n * q.permute)
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
	computed := fwd + spPick(v, w.bwd)
	p.quantise, p.element, p.permute = m.elementwise(v, kind)
	p.linear = computed - p.quantise - p.element - p.permute
	context := plan.CPComm(v.cpComm.Lo)
	alone, core := m.core(v, &w, context, slot), m.attention(v, &w, &l, slot)
	p.core, p.cp = alone.sum(), core.sum()-alone.sum()
	var experts pass
	if kind == models.MoE {
		experts = m.expertPass(v, slot)
		p.experts = experts.sum()
	}
	p.tp, p.ep = 2*(l.tp+l.etp), 2*l.ep
	p.recompute = m.repeated(v, kind, &w, &l, fwd+core.fwd+experts.fwd+l.tp+l.ep+l.etp, core.fwd, experts.fwd)
	work, _ := m.layerWork(v, kind, slot)
	work = work.atLeast(m.hostFloor(v, kind))
	shared := m.withUnit(v, kind, work)
	p.sharded = shared.sum() - work.sum()
	p.offload = m.layerPass(v, kind, slot).sum() - shared.sum()
	p.floor = work.sum() - computed - p.core - p.experts - p.recompute - p.tp - p.ep - p.cp
	if p.floor < 1e-12 {
		p.floor = 0
	}
	return p
}

// elementwise is the parts of one layer's time for one micro-batch, forward and
// backward, that move memory beside the GEMMs: quantising their operands, the
// element-wise kernels, and permuting routed tokens.
func (m *Model) elementwise(v *view, kind models.Kind) (quantise, element, permute float64) {
	tokens, tp := v.tokens.lo, v.tp.lo
	passes := 1 + m.profile.Time.TrafficBackward.Value
	split, whole := m.traffic(kind, tokens, tp)
	if v.sp.Lo == 1 {
		whole /= tp
	}
	if kind == models.MoE {
		permute = tokens * float64(m.model.TopK) * m.load * m.profile.Time.TrafficRouted.Value * float64(m.model.Hidden) / tp
	}
	_, q := m.launchesOn(tokens).all(m.linears(kind, tp))
	return q.sum(), (split + whole - permute) / m.hbm * passes, permute / m.hbm * passes
}

// gemmReach is the share of the measured GEMM rates that the job's linear layers
// reach.
func (m *Model) gemmReach() float64 {
	if m.low.on {
		return 1 / (m.slower * m.low.slower)
	}
	return 1 / m.slower
}

// percent is a share in per cent.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
