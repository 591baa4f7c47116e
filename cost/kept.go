package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// tokenBytes is memory per token of a micro-batch, by what divides it.
type tokenBytes struct {
	whole     float64 // divided by tp under sequence parallelism only
	scattered float64 // divided by tp, and there under sequence parallelism only
	undivided float64 // not divided by tp, and there under sequence parallelism only
	gathered  float64 // never divided by tp
	split     float64 // divided by tp, as all below
	copies    float64 // routed copies of a token
	routed    float64 // per routed copy and expert tensor-parallel rank
	expert    float64 // per routed copy
	exchanged float64 // per routed copy, there under expert parallelism only
	shared    float64 // shared experts
	router    float64
}

// least is nowhere above either.
func (t *tokenBytes) least(o *tokenBytes) tokenBytes {
	return tokenBytes{
		min(t.whole, o.whole), min(t.scattered, o.scattered), min(t.undivided, o.undivided), min(t.gathered, o.gathered), min(t.split, o.split),
		min(t.copies, o.copies), min(t.routed, o.routed), min(t.expert, o.expert), min(t.exchanged, o.exchanged),
		min(t.shared, o.shared), min(t.router, o.router),
	}
}

// divided is the tokens of a micro-batch that a rank holds, by what divides
// them: the least the view allows.
type divided struct{ whole, gathered, split float64 }

func (m *Model) divided(v *view) divided {
	tokens := m.seq * v.mb.lo
	d := divided{
		gathered: tokens / v.cp.hi,
		split:    tokens / v.most(v.cp.hi*v.tp.hi, v.pp.lo*v.dp.lo),
	}
	d.whole = d.gathered
	if v.sp.Hi == 1 {
		d.whole = d.split
	}
	return d
}

// of is the memory on one rank.
func (t *tokenBytes) of(v *view, d *divided) float64 {
	whole, copy, gathered := t.whole, float64(t.routed*v.etp.lo)+t.expert, t.gathered
	if v.sp.Lo == 1 && v.tp.lo > 1 {
		whole += t.scattered
		gathered += t.undivided
	}
	if v.ep.lo > 1 {
		copy += t.exchanged
	}
	split := t.split + float64(t.copies*copy) + t.shared + t.router
	return float64(d.whole*whole) + float64(d.split*split) + float64(d.gathered*gathered)
}

// recomputes holds, for every range of kinds of recompute, the least over it;
// a single kind's is exact.
type recomputes [plan.NumRecompute][plan.NumRecompute]tokenBytes

func (r *recomputes) least(over plan.Range) *tokenBytes { return &r[over.Lo][over.Hi] }

// set fills the ranges from those of one kind.
func (r *recomputes) set(of func(plan.Recompute) tokenBytes) {
	for lo := range r {
		r[lo][lo] = of(plan.Recompute(lo))
		for hi := lo + 1; hi < len(r); hi++ {
			next := of(plan.Recompute(hi))
			r[lo][hi] = r[lo][hi-1].least(&next)
		}
	}
}

// keptBy is the least that a layer of the kind keeps, in the mean over those that
// recompute spares and those that it does not.
func (m *Model) keptBy(v *view, kind models.Kind, tokens *divided) float64 {
	kept := m.keeps[kind].least(v.recompute).of(v, tokens)
	if v.spare.Lo == 0 {
		return kept
	}
	spared := percentOf(v.spare.Lo)
	return float64(kept*(1-spared)) + float64(spared*m.keepsOf(kind, plan.RecomputeNone).of(v, tokens))
}

// keepsOf is what a layer keeps under one kind of recompute.
func (m *Model) keepsOf(kind models.Kind, r plan.Recompute) *tokenBytes { return &m.keeps[kind][r][r] }

// newKept tabulates what a layer of the kind keeps for backward, and what of it
// its recompute makes again.
func (m *Model) newKept(kind models.Kind) (keeps, remade recomputes) {
	keeps.set(func(r plan.Recompute) tokenBytes { return m.keptPerToken(kind, r) })
	remade.set(func(r plan.Recompute) tokenBytes { return m.remadePerToken(kind, r) })
	return keeps, remade
}

// keptPerToken is the activations that one layer keeps for backward
// (Korthikanti et al. section 4, generalised to grouped queries, gated MLPs,
// latent attention and experts). Of recompute, besides ops (see keptOps):
//
//	selective  the attention core's scores, or the statistics that stand for
//	           them under flash attention, are made again
//	mlp        the MLP or the experts with their router keep their input only
//	           (Megatron core recompute_modules "mlp" and "moe")
//	full       the layer keeps its input only
func (m *Model) keptPerToken(kind models.Kind, r plan.Recompute) tokenBytes {
	c, o := &m.profile.Memory, m.model
	switch r {
	case plan.RecomputeFull:
		return tokenBytes{whole: c.CheckpointSize.Value * float64(o.Hidden)}
	case plan.RecomputeOps:
		return m.keptOps(kind)
	}
	t := tokenBytes{whole: m.keptWhole(kind, r), split: m.keptAttention(), undivided: c.Undivided.Value * float64(o.Hidden)}
	if r != plan.RecomputeSelective {
		t.split += float64(c.FlashStats.Value * float64(o.Heads))
		t.split += float64(c.ScoreBytes.Value * float64(o.Heads) * m.seq)
	}
	if r != plan.RecomputeMLP {
		t = t.plus(m.keptMLP(kind))
	}
	return t
}

// plus adds the memory of an MLP.
func (t tokenBytes) plus(mlp tokenBytes) tokenBytes {
	mlp.whole, mlp.split, mlp.undivided = t.whole, t.split+mlp.split, t.undivided
	return mlp
}

// keptWhole is bytes per token that tensor parallelism splits only with
// sequence parallelism: the norms' and linears' inputs and the dropout masks. In
// fp8 the norms' outputs are smaller, but for one that a router or a recomputed
// MLP reads.
func (m *Model) keptWhole(kind models.Kind, r plan.Recompute) float64 {
	c, h := &m.profile.Memory, float64(m.model.Hidden)
	norm := c.LayerNormBytes.Value
	if m.model.Norm == models.RMSNorm {
		norm = c.NormBytes.Value
	}
	inputs := 1.0
	if kind == models.Dense && r != plan.RecomputeMLP {
		inputs = 2
	}
	per := float64(norm*h*float64(m.model.NormsPerLayer)/2) - float64(m.low.saved*inputs*h)
	if c.Dropout {
		per += float64(2 * h)
	}
	if m.model.MLA() {
		per += float64(4 * float64(m.model.QLoraRank+m.model.KVLoraRank+m.model.QKRopeDim))
		per -= float64(m.low.saved * float64(m.model.QLoraRank+m.model.KVLoraRank))
	}
	return per
}

// keptAttention is bytes per token of queries, keys, values and the output. In
// fp8 the linear behind keeps the output too, beside flash attention's own.
func (m *Model) keptAttention() float64 {
	o := m.model
	width := float64(2*o.Heads*o.HeadDim + 2*o.KVHeads*o.HeadDim)
	if o.MLA() {
		width = float64(o.Heads) * 2 * float64(o.QKDim()+o.VHeadDim())
	}
	again := 0.0
	switch {
	case m.low.on && m.profile.Memory.Flash:
		again = m.low.input
	case m.low.on:
		again = -m.low.saved
	}
	return float64(m.profile.Memory.HeadBytes.Value*width) + float64(again*float64(o.Heads*o.VHeadDim()))
}

// keptMLP is bytes per token of the MLP, or of the experts and their router. In
// fp8 the inputs of the second linear and of the experts are smaller.
func (m *Model) keptMLP(kind models.Kind) tokenBytes {
	o, c := m.model, &m.profile.Memory
	ffn := c.PlainBytes.Value
	if o.GatedMLP {
		ffn = c.GatedBytes.Value
	}
	ffn -= m.low.saved
	if kind == models.Dense {
		return tokenBytes{split: float64(ffn * float64(o.FFN))}
	}
	return tokenBytes{
		copies: m.load * float64(o.TopK),
		routed: float64((c.RoutedBytes.Value - m.low.saved) * float64(o.Hidden)), expert: float64(ffn * float64(o.MoEFFN)),
		shared: float64(ffn * float64(o.SharedFFN)), router: float64(c.RouterBytes.Value * float64(o.Experts)),
	}
}
