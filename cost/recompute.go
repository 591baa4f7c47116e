package cost

import (
	"meshplan/models"
	"meshplan/plan"
)

// Recompute of ops is torchtitan's selective activation checkpointing by op
// (torchtitan/distributed/activation_checkpoint.py). Each layer keeps its input
// and the outputs of
//
//	every other GEMM, in the order of execution, the first among them: of
//	  wq wk wv wo w1 w3 w2 that is wq, wv, w1 and w2. The GEMMs of latent
//	  attention and of shared experts count alike. The router's does not count
//	  and is made again.
//	fused attention, with its log-sum-exp. Attention that is not fused is not on
//	  the list and is made again.
//	reduce-scatters and all-to-alls.
//
// Under tensor parallelism the outputs of wo and w2 are sums yet to be reduced,
// as large on every rank: of Llama-3 70B little is saved at tp 8. Everything
// else is made again. The grouped GEMMs of routed experts are not on the list,
// so the experts are repeated from the tokens they received.

// outlet says how the output of a linear is divided.
type outlet uint8

const (
	byColumns outlet = iota // over tp
	latent                  // under sequence parallelism only
	partial                 // not: a sum that is yet to be reduced over tp
)

// linear is one GEMM as eager code runs it, and the width of its output.
type linear struct {
	gemm
	out   float64
	shape outlet
}

// eager lists the GEMMs of a layer in the order of execution, without the
// router and the routed experts.
func (m *Model) eager(kind models.Kind, tp float64) []linear {
	o := m.model
	h, a := float64(o.Hidden), float64(o.Heads)
	column := func(width, k float64) linear { return linear{mm(width/tp, k), width, byColumns} }
	row := func(k float64) linear { return linear{mm(h, k/tp), h, partial} }
	whole := func(width float64) linear { return linear{mm(width, h), width, latent} }
	var list []linear
	if o.MLA() {
		q, from := a*float64(o.QKDim()), h
		if o.QLoraRank > 0 {
			from = float64(o.QLoraRank)
			list = append(list, whole(from))
		}
		list = append(list, column(q, from), whole(float64(o.KVLoraRank+o.QKRopeDim)),
			column(a*float64(o.QKNopeDim+o.VHeadDim()), float64(o.KVLoraRank)), row(a*float64(o.VHeadDim())))
	} else {
		d, kv := float64(o.HeadDim), max(tp, float64(o.KVHeads))
		list = append(list, column(a*d, h), column(kv*d, h), column(kv*d, h), row(a*d))
	}
	ffn := float64(o.FFN)
	if kind == models.MoE {
		ffn = float64(o.SharedFFN)
	}
	if ffn == 0 {
		return list
	}
	list = append(list, column(ffn, h))
	if o.GatedMLP {
		list = append(list, column(ffn, h))
	}
	return append(list, row(ffn))
}

// keptOps is what a layer keeps under recompute of ops.
func (m *Model) keptOps(kind models.Kind) tokenBytes {
	c, o := &m.profile.Memory, m.model
	h := float64(o.Hidden)
	t := tokenBytes{whole: c.CheckpointSize.Value * h}
	for i, l := range m.eager(kind, 1) {
		if i%2 == 1 {
			continue
		}
		switch l.shape {
		case byColumns:
			t.split += float64(m.bytes * l.out)
		case latent:
			t.whole += float64(m.bytes * l.out)
		case partial:
			t.gathered += float64(m.bytes * l.out)
		}
	}
	t.scattered = m.blocks(kind) * m.bytes * h
	if c.Flash {
		t.split += float64(c.HeadBytes.Value*float64(o.Heads*o.VHeadDim())) + float64(c.FlashStats.Value*float64(o.Heads))
	}
	if kind == models.MoE {
		t.copies, t.exchanged = m.load*float64(o.TopK), float64(c.RoutedBytes.Value*h)
	}
	return t
}

// remadePerToken is the activations of one layer that come to life again in its
// backward, beside those that are kept.
func (m *Model) remadePerToken(kind models.Kind, r plan.Recompute) tokenBytes {
	all := m.keptPerToken(kind, plan.RecomputeNone)
	switch r {
	case plan.RecomputeMLP:
		return m.keptMLP(kind)
	case plan.RecomputeFull:
		return all
	case plan.RecomputeOps:
		kept := m.keptOps(kind)
		all.whole = max(0, all.whole-kept.whole)
		all.split = max(0, all.split-kept.split)
		return all
	}
	return tokenBytes{}
}

// remadeLinears are the GEMMs, but for routed experts, whose outputs recompute
// of ops does not keep. It repeats them and the element-wise kernels of the
// forward pass.
func (m *Model) remadeLinears(kind models.Kind, tp float64) []gemm {
	var list []gemm
	for i, l := range m.eager(kind, tp) {
		if i%2 == 1 {
			list = append(list, l.gemm)
		}
	}
	if kind == models.MoE {
		list = append(list, m.router(tp))
	}
	return list
}

// mlpTime is the device time of the forward pass of an MLP, or of the shared
// experts and the router with the permutation of routed tokens.
func (m *Model) mlpTime(kind models.Kind, g layerGEMMs, l *launches, tp float64) float64 {
	routed, ffn := m.mlpTraffic(kind)
	gemms, quantise := l.all(g.mlp)
	return l.rows*(routed+ffn)/tp/m.hbm + gemms + quantise.fwd
}

// repeated is what recompute adds to a layer's backward pass whose forward pass
// and its attention core take the given times, in the mean over the layers that it
// spares and those that it does not: the least over the view's kinds.
func (m *Model) repeated(v *view, kind models.Kind, w *work, l *links, fwd, core, experts float64) float64 {
	return m.repeatedOnce(v, kind, w, l, fwd, core, experts) * (1 - percentOf(v.spare.Hi))
}

// repeatedOnce is that of a layer that is not spared.
func (m *Model) repeatedOnce(v *view, kind models.Kind, w *work, l *links, fwd, core, experts float64) float64 {
	least := fwd
	for r := v.recompute.Lo; r <= v.recompute.Hi; r++ {
		t := fwd
		switch plan.Recompute(r) {
		case plan.RecomputeNone:
			return 0
		case plan.RecomputeSelective:
			t = core
		case plan.RecomputeOps:
			t = spPick(v, w.again) + experts + l.again.sum()
			if !m.profile.Memory.Flash {
				t += core
			}
		case plan.RecomputeMLP:
			mlp := l.ofMLP(m.blocks(kind))
			t = w.mlp + experts + mlp.sum()
		}
		least = min(least, t)
	}
	return least
}

// blocks is the tensor-parallel blocks of a layer: attention, and the MLP or
// the shared experts.
func (m *Model) blocks(kind models.Kind) float64 {
	if kind == models.MoE && m.model.SharedFFN == 0 {
		return 1
	}
	return 2
}
