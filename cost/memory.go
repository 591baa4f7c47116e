package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// Memory of one pipeline stage, in bytes allocated on the rank of the stage
// that holds most:
//
//	state        weights, gradients and optimizer state of the stage's layers,
//	             embedding (first stage) and head (last stage)
//	activations  what a layer keeps for backward x micro-batches in flight
//	head         logits and the head's input, on the last stage
//	transient    buffers of one layer's backward pass
//
// Every term is a sum of products, so that a lower bound over a box comes from
// the ends of its intervals; terms that shrink with several dimensions use the
// largest product of those that the GPUs allow.

// perLayer is what one layer of a kind adds to its stage.
type perLayer struct {
	matrices, norms, experts float64 // state: linear matrices; norms, biases, router; routed experts
	kept                     float64 // activations of one micro-batch
}

func (p *perLayer) state() float64 { return p.matrices + p.norms + p.experts }

// memory is the memory account of a view: the parts from which any stage's
// total is made.
type memory struct {
	layer     [models.NumKinds]perLayer
	embedding float64 // state on the first stage
	head      float64 // state on the last stage, the embedding's copy when tied
	finalNorm float64 // state on the last stage
	headKept  float64 // activations of the head on the last stage
	transient float64 // one layer's backward, on every stage
	wgrad     float64 // weight gradient buffers of a layer's shapes
	headWgrad float64 // of the head
	units     float64 // whole weights and gradients of the layers at work, on every stage
	embedUnit float64 // the same of the embedding
	headUnit  float64 // the same of the head
	buckets   float64 // collectives' buffers, on every stage
	tied      bool
}

// account is the memory account of a view.
func (m *Model) account(v *view) memory {
	var a memory
	per := m.stateBytes(v)
	onGPU := 1 - percentOf(v.actOffload.Hi)
	for k := range a.layer {
		if m.layers[k] == 0 {
			continue
		}
		p, l := &m.params[k], &a.layer[k]
		l.matrices = float64(float64(p.Attention+p.MLP+p.Shared)*per.split) + float64(float64(p.Latent)*per.whole)
		l.norms = float64(float64(p.Norms+p.BiasWhole+p.Router)*per.whole) + float64(float64(p.BiasSplit)*per.split)
		l.experts = float64(p.Experts+p.ExpertBias) * per.experts
		l.kept = m.kept(v, models.Kind(k), plan.Recompute(v.recompute.Hi)) * onGPU
	}
	o, h := m.model, float64(m.model.Hidden)
	vocab := m.vocabulary(v)
	a.embedding = float64(vocab*h*per.split) + float64(float64(o.Positions()+o.EmbeddingNorm())*per.whole)
	a.head, a.finalNorm = vocab*h*per.split, float64(o.FinalNorm())*per.whole
	a.tied = o.TieEmbeddings
	c := &m.profile.Memory
	tokens := m.seq * v.mb.lo
	local := tokens / v.most(v.cp.hi*v.tp.hi, v.pp.lo*v.dp.lo, m.gpus)
	a.headKept = float64(local*vocab*c.LogitBytes.Value) + float64(m.unsharded(v)*c.HeadNormBytes.Value*h)
	a.transient = m.transient(v, local)
	m.gathered(v, &a)
	if c.DummyWgrad {
		a.wgrad, a.headWgrad = m.wgrads(v), 2*vocab*h/v.tp.hi
	}
	return a
}

// vocabulary is the padded number of words; padding depends on tp.
func (m *Model) vocabulary(v *view) float64 {
	if v.tp.single() {
		return m.paddedVocab(v.tp.lo)
	}
	return float64(m.model.Vocab)
}

func (m *Model) paddedVocab(tp float64) float64 {
	return float64(m.model.PaddedVocab(int(m.profile.Memory.VocabMultiple.Value), int(tp)))
}

// unsharded is the tokens of a micro-batch whose hidden states a rank keeps:
// divided by tp under sequence parallelism only.
func (m *Model) unsharded(v *view) float64 {
	tokens := m.seq * v.mb.lo
	if v.sp.Hi == 1 {
		return tokens / v.most(v.cp.hi*v.tp.hi, v.pp.lo*v.dp.lo, m.gpus)
	}
	return tokens / v.cp.hi
}

// kept is the activations that one layer keeps for backward, per micro-batch
// (Korthikanti et al. section 4, generalised to grouped queries, gated MLPs,
// latent attention and experts).
func (m *Model) kept(v *view, kind models.Kind, r plan.Recompute) float64 {
	c, h := &m.profile.Memory, float64(m.model.Hidden)
	whole := m.unsharded(v)
	if r == plan.RecomputeFull {
		return whole * c.CheckpointSize.Value * h
	}
	local := m.seq * v.mb.lo / v.most(v.cp.hi*v.tp.hi, v.pp.lo*v.dp.lo, m.gpus)
	return float64(whole*m.keptWhole()) + float64(local*m.keptSplit(v, kind, r))
}

// keptWhole is bytes per token that tensor parallelism splits only with
// sequence parallelism: the norms' and linears' inputs and the dropout masks.
func (m *Model) keptWhole() float64 {
	c, h := &m.profile.Memory, float64(m.model.Hidden)
	per := c.NormBytes.Value * h * float64(m.model.NormsPerLayer) / 2
	if c.Dropout {
		per += float64(2 * h)
	}
	if m.model.MLA() {
		per += float64(4 * float64(m.model.QLoraRank+m.model.KVLoraRank+m.model.QKRopeDim))
	}
	return per
}

// keptSplit is bytes per token that tensor parallelism splits.
func (m *Model) keptSplit(v *view, kind models.Kind, r plan.Recompute) float64 {
	o, c := m.model, &m.profile.Memory
	a, h := float64(o.Heads), float64(o.Hidden)
	width := float64(2*o.Heads*o.HeadDim + 2*o.KVHeads*o.HeadDim)
	if o.MLA() {
		width = a * 2 * float64(o.QKDim()+o.VHeadDim())
	}
	per := float64(c.HeadBytes.Value*width) + float64(c.FlashStats.Value*a)
	if r == plan.RecomputeNone {
		per += float64(c.ScoreBytes.Value * a * m.seq)
	}
	ffn := c.PlainBytes.Value
	if o.GatedMLP {
		ffn = c.GatedBytes.Value
	}
	if kind == models.Dense {
		return per + float64(ffn*float64(o.FFN))
	}
	routed := m.load * float64(o.TopK) * (float64(c.RoutedBytes.Value*h*v.etp.lo) + float64(ffn*float64(o.MoEFFN)))
	return per + routed + float64(ffn*float64(o.SharedFFN)) + float64(c.RouterBytes.Value*float64(o.Experts))
}

// transient is the buffers of one layer's backward: gradients of the MLP, the
// gathered input under sequence parallelism and, with full recompute, the
// layer's activations. The largest over the model's layer kinds.
func (m *Model) transient(v *view, local float64) float64 {
	c, h := &m.profile.Memory, float64(m.model.Hidden)
	most := 0.0
	for k := range m.layers {
		if m.layers[k] == 0 {
			continue
		}
		t := c.BackwardFFN.Value * local * m.ffnWidth(models.Kind(k))
		if v.recompute.Lo == int32(plan.RecomputeFull) {
			t += m.kept(v, models.Kind(k), plan.RecomputeNone)
		}
		most = max(most, t)
	}
	if v.sp.Lo == 1 && v.tp.lo > 1 {
		most += float64(m.seq * v.mb.lo / v.cp.hi * c.GatherBytes.Value * h)
	}
	return most
}

// ffnWidth is the MLP's width that one token passes in a layer of the kind.
func (m *Model) ffnWidth(kind models.Kind) float64 {
	if kind == models.Dense {
		return float64(m.model.FFN)
	}
	return float64(m.model.SharedFFN) + float64(m.load*float64(m.model.TopK*m.model.MoEFFN))
}

// wgrads is one bf16 weight gradient for each distinct linear shape of the
// model's layers, which Transformer Engine allocates when gradients are
// accumulated in place; of the routed experts, one expert's.
func (m *Model) wgrads(v *view) float64 {
	total := 0.0
	for k := range m.layers {
		if m.layers[k] == 0 {
			continue
		}
		p := &m.params[k]
		if total == 0 {
			total = float64(p.Attention)/v.tp.hi + float64(p.Latent)
		}
		total += float64(p.MLP+p.Shared) / v.tp.hi
		if m.model.Experts > 0 {
			total += float64(p.Experts) / float64(m.model.Experts) / v.etp.hi
		}
	}
	return 2 * total
}

// inFlight is the micro-batches' worth of a stage's activations that the
// schedule holds on rank r of p: 1F1B min(m, p-r); interleaved the warm-up's
// 2(p-r-1) + (v-1)p + 1 chunks of 1/v stage each (Megatron core schedules.py).
func inFlight(r, p, micro, vpp float64) float64 {
	if vpp <= 1 {
		return min(micro, p-r)
	}
	return min(micro, (float64(2*(p-r-1))+float64((vpp-1)*p)+1)/vpp)
}

// leastInFlight is inFlight's lower bound over a view's micro-batches and
// chunks, for p stages.
func (v *view) leastInFlight(r, p float64) float64 {
	f := inFlight(r, p, v.micro.lo, v.vpp.lo)
	if !v.vpp.single() {
		f = min(f, inFlight(r, p, v.micro.lo, v.vpp.hi))
		if v.vpp.lo <= 1 {
			f = min(f, inFlight(r, p, v.micro.lo, 2))
		}
	}
	return f
}

// common is what every stage has.
func (a *memory) common() float64 { return a.transient + a.wgrad + a.units + a.buckets }

// stage is the memory of rank r of p with the given layers of each kind.
func (a *memory) stage(r, p, flight float64, layers [models.NumKinds]float64) float64 {
	total := a.common()
	for k := range layers {
		l := &a.layer[k]
		total += float64(layers[k] * (l.state() + float64(flight*l.kept)))
	}
	return total + a.ends(r, p)
}

// ends is what the embedding and the head add to rank r of p.
func (a *memory) ends(r, p float64) float64 {
	total := 0.0
	if r == 0 {
		total += a.embedding
		if !(a.tied && p == 1) {
			total += a.embedUnit
		}
	}
	if r == p-1 {
		total += a.finalNorm + a.headKept + a.headWgrad + a.headUnit
		if !(a.tied && p == 1) {
			total += a.head
		}
	}
	return total
}

// usable is what the allocator can have: the memory the runtime reports less
// the context and one communicator for each dimension that has a group.
func (m *Model) usable(v *view) float64 {
	groups := 0.0
	for _, n := range [...]float64{v.tp.lo, v.cp.lo, v.dp.lo, v.pp.lo, v.etp.lo, v.ep.lo} {
		if n > 1 {
			groups++
		}
	}
	c := &m.profile.Memory
	return float64(m.gpu.Runtime) - c.Context.Value - float64(groups*c.Communicator.Value)
}
