package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// Memory of one pipeline stage, in bytes allocated on the rank of the stage
// that holds most:
//
//	state        weights, gradients and optimizer state of the stage's layers,
//	             embedding (first stage) and head (last stage, or the first of a V)
//	activations  what a layer keeps for backward x micro-batches in flight
//	head         logits and the head's input, on the last stage
//	transient    buffers of one layer's backward pass
//
// The peak is at one of three times, see phases.go.
//
// Every term is a sum of products, so that a lower bound over a box comes from
// the ends of its intervals; terms that shrink with several dimensions use the
// largest product of those that the GPUs allow.

// perLayer is what one layer of a kind adds to its stage.
type perLayer struct {
	matrices, norms, experts float64 // state: linear matrices; norms, biases, router; routed experts
	kept                     float64 // activations of one micro-batch
	unspared                 float64 // the same without recompute, where weights' gradients may wait for them
	step                     float64 // state and temporaries of the optimizer's step
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
	embedUnit float64 // whole weights of the embedding, throughout
	rootUnit  float64 // whole weights of the head where they stay throughout, on the last stage
	further   float64 // state and activations of multi-token-prediction layers on the last stage
	headUnit  float64 // where they are freed after the head's backward
	headGrads float64 // whole gradients of the head that wait for the root unit's reduction
	buckets   float64 // collectives' buffers, on every stage
	fixed     float64 // workspaces, on every stage
	embedStep float64 // the optimizer's step of the embedding on the first stage
	headStep  float64 // and of the head on the last
	tied      bool
	folded    bool // the head is on the first stage
}

// account is the memory account of a view.
func (m *Model) account(v *view) memory {
	var a memory
	per := m.stateBytes(v)
	onGPU := 1 - percentOf(v.actOffload.Hi)
	tokens := m.divided(v)
	for k := range a.layer {
		if m.layers[k] == 0 {
			continue
		}
		p, l := &m.params[k], &a.layer[k]
		l.matrices = float64(float64(p.Attention+p.MLP+p.Shared)*per.split) + float64(float64(p.Latent)*per.whole)
		l.norms = float64(float64(p.Norms+p.BiasWhole+p.Router)*per.whole) + float64(float64(p.BiasSplit)*per.split)
		l.experts = float64(p.Experts+p.ExpertBias) * per.experts
		l.kept = m.keptBy(v, models.Kind(k), &tokens) * onGPU
		if !v.whole() {
			l.unspared = m.keepsOf(models.Kind(k), plan.RecomputeNone).of(v, &tokens) * onGPU
		}
	}
	h, vocab := float64(m.model.Hidden), m.vocabulary(v)
	a.embedding, a.head, a.finalNorm = m.endState(v, &per)
	a.tied, a.folded = m.model.TieEmbeddings, v.folded
	c := &m.profile.Memory
	logits := tokens.split
	if c.WholeLogits {
		logits = tokens.gathered
	}
	a.headKept = float64(logits*vocab*c.LogitBytes.Value) + float64(tokens.whole*c.HeadNormBytes.Value*h)
	if m.mtp > 0 {
		a.headKept *= 1 + m.mtp
		a.further = m.mtpState(v, &per) + m.mtpKept(v, a.layer[m.lastKind()].kept)
	}
	a.fixed = c.Fixed.Value
	a.transient = m.transient(v, &tokens)
	m.wholeUnits(v, &a)
	m.setStep(v, &a)
	if c.DummyWgrad {
		a.wgrad, a.headWgrad = m.wgrads(v), 2*vocab*h/v.tp.hi
	}
	return a
}

// endState is the state of the embedding, the head and the final norm.
func (m *Model) endState(v *view, per *perParameter) (embedding, head, finalNorm float64) {
	o := m.model
	head = float64(m.wordTable(v) * per.split)
	embedding = head + float64(float64(o.Positions()+o.EmbeddingNorm())*per.whole)
	return embedding, head, float64(float64(o.FinalNorm()) * per.whole)
}

// vocabulary is the padded number of words; padding depends on tp.
func (m *Model) vocabulary(v *view) float64 {
	if v.tp.single() {
		return m.paddedVocab(v.tp.lo)
	}
	return float64(m.model.Vocab)
}

// wordTable is the parameters of the embedding of words, and of the head.
func (m *Model) wordTable(v *view) float64 { return m.vocabulary(v) * float64(m.model.Hidden) }

func (m *Model) paddedVocab(tp float64) float64 {
	return float64(m.model.PaddedVocab(int(m.profile.Memory.VocabMultiple.Value), int(tp)))
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

// common is what every stage has in a layer's backward.
func (a *memory) common() float64 { return a.working() + a.wgrad + a.buckets + a.fixed }

// stage is the memory of rank r of p with the given layers of each kind.
func (a *memory) stage(r, p float64, f *flight, layers [models.NumKinds]float64) float64 {
	return max(a.running(r, p, f, layers), a.stepOf(r, p, layers))
}

// running is that of the forward and backward passes.
func (a *memory) running(r, p float64, f *flight, layers [models.NumKinds]float64) float64 {
	total := a.common()
	for k := range layers {
		l := &a.layer[k]
		total += float64(layers[k] * (l.state() + l.activations(f)))
	}
	return total + a.ends(r, p)
}

// ends is what the embedding and the head add to rank r of p.
func (a *memory) ends(r, p float64) float64 {
	total := 0.0
	if r == 0 {
		total += a.embedding
		if !a.shared(p) {
			total += a.embedUnit
		}
	}
	if r == a.headRank(p) {
		total += a.finalNorm + a.beyond() + a.headWgrad + a.rootUnit + a.further
		if !a.shared(p) {
			total += a.head
		}
	}
	return total
}

// headRank is the rank of p that holds the output head.
func (a *memory) headRank(p float64) float64 {
	if a.folded {
		return 0
	}
	return p - 1
}

// shared reports whether the head is the embedding's own tensor, on one rank.
func (a *memory) shared(p float64) bool { return a.tied && (p == 1 || a.folded) }

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
