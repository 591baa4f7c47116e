package cost

import (
	"math"

	"meshplan/models"
)

// gemm is one linear layer: how many columns and rows of its matrix a rank
// holds. Rows of the activation come from the tokens.
type gemm struct {
	n, k float64
	high bool // not in fp8
}

func mm(n, k float64) gemm { return gemm{n: n, k: k} }

// workOf is the device time of one layer, or of the output head, on one rank
// for one micro-batch of mb sequences, each cut into cp parts, with the
// matrices cut into tp parts.
func (m *Model) workOf(p part, tp, cp, mb float64) work {
	tokens := m.seq * mb / cp
	if p == headPart {
		return m.headWork(tokens, tp)
	}
	kind := models.Kind(p)
	w := m.besideCore(kind, m.layerGEMMs(kind, tp), m.launchesOn(tokens), tp)
	w.core = m.coreWork(tp, cp, mb)
	return w
}

// besideCore is the work of one layer but for the attention core.
func (m *Model) besideCore(kind models.Kind, g layerGEMMs, l *launches, tp float64) work {
	linear, quantise := l.all(g.all)
	again, requantise := l.all(g.remade)
	w := work{wgt: m.weightBackward(linear, m.denseParams(kind, tp)), mlp: m.mlpTime(kind, g, l, tp)}
	split, whole := m.traffic(kind, l.rows, tp)
	t := &m.profile.Time
	for sp, shard := range [2]float64{1, tp} {
		moved := (split + whole/shard) / m.hbm
		w.fwd[sp] = linear + quantise.fwd + moved
		w.bwd[sp] = m.gemmBackward(linear, m.denseParams(kind, tp)) + quantise.bwd + float64(moved*t.TrafficBackward.Value)
		w.inp[sp] = m.inputBackward(linear) + quantise.bwd + float64(moved*t.TrafficBackward.Value)
		w.again[sp] = moved + again + requantise.fwd
	}
	return w
}

// gemmTime is the time of one GEMM in a running job: the measured curve of
// single launches, but never faster than the best rate that a search over
// shapes sustains, since clocks drop under a steady load.
func (m *Model) gemmTime(rows, n, k float64) float64 {
	t := float64(m.gpu.GEMM(m.precision, rows, n, k))
	if best := float64(m.gpu.BestShape); best > 0 {
		t = max(t, 2*rows*n*k/best)
	}
	return t * m.slower * m.misaligned(n, k)
}

// misaligned is by how much GEMMs are slower whose matrix has sides that no
// multiple of a kernel's tile covers.
func (m *Model) misaligned(n, k float64) float64 {
	const tile = 128
	f := 1.0
	for _, side := range [...]float64{n, k} {
		if side/tile != math.Floor(side/tile) {
			f *= m.profile.Time.Misaligned.Value
		}
	}
	return f
}

// inputBackward is the part of gemmBackward that is the input's gradient. The
// weights' has as many operations as the forward, and so takes its time
// (arXiv 2401.10241, section 2).
func (m *Model) inputBackward(forward float64) float64 {
	return forward * (m.profile.Time.GEMMBackward.Value - 1)
}

// weightBackward is the rest of it.
func (m *Model) weightBackward(forward, params float64) float64 {
	accumulate := params * m.profile.Time.Accumulate.Value / m.hbm
	if m.profile.Time.AccumulateFused {
		return max(forward, accumulate)
	}
	return forward + accumulate
}

// gemmBackward is the backward time of GEMMs that took a forward time and hold
// the given parameters: the input's and the weights' gradient, and adding the
// latter to the accumulated gradient, which moves memory while a fused GEMM
// computes, or afterwards.
func (m *Model) gemmBackward(forward, params float64) float64 {
	t := &m.profile.Time
	accumulate := params * t.Accumulate.Value / m.hbm
	if t.AccumulateFused {
		return float64(forward*(t.GEMMBackward.Value-1)) + max(forward, accumulate)
	}
	return float64(forward*t.GEMMBackward.Value) + accumulate
}

// denseParams is the parameters of a layer's dense GEMMs on one rank.
func (m *Model) denseParams(kind models.Kind, tp float64) float64 {
	p := &m.params[kind]
	return float64(p.Attention+p.MLP+p.Shared)/tp + float64(p.Latent+p.Router)
}

// layerGEMMs are the dense GEMMs of one layer on one rank.
type layerGEMMs struct {
	all    []gemm
	mlp    []gemm // those of the MLP
	remade []gemm // those that recompute of ops repeats
}

func (m *Model) layerGEMMs(kind models.Kind, tp float64) layerGEMMs {
	return layerGEMMs{m.linears(kind, tp), m.mlpLinears(kind, tp), m.remadeLinears(kind, tp)}
}

// linears lists the dense GEMMs of one layer on one rank: attention, and the
// MLP or the shared experts and the router.
func (m *Model) linears(kind models.Kind, tp float64) []gemm {
	o := m.model
	h, a := float64(o.Hidden), float64(o.Heads)
	var list []gemm
	if o.MLA() {
		qk, rope := float64(o.QKDim()), float64(o.QKRopeDim)
		latent := float64(o.KVLoraRank)
		if o.QLoraRank > 0 {
			list = append(list, mm(float64(o.QLoraRank), h), mm(a*qk/tp, float64(o.QLoraRank)))
		} else {
			list = append(list, mm(a*qk/tp, h))
		}
		list = append(list, mm(latent+rope, h),
			mm(a*float64(o.QKNopeDim+o.VHeadDim())/tp, latent),
			mm(h, a*float64(o.VHeadDim())/tp))
	} else {
		d, kv := float64(o.HeadDim), float64(o.KVHeads)
		list = append(list, mm(a*d/tp+float64(2*max(1, kv/tp)*d), h), mm(h, a*d/tp))
	}
	return append(list, m.mlpLinears(kind, tp)...)
}

// mlpLinears are those of the MLP, or of the router and the shared experts.
func (m *Model) mlpLinears(kind models.Kind, tp float64) []gemm {
	o, h := m.model, float64(m.model.Hidden)
	var list []gemm
	ffn := float64(o.FFN)
	if kind == models.MoE {
		list = append(list, m.router(tp))
		ffn = float64(o.SharedFFN)
	}
	if ffn > 0 {
		list = append(list, mm(m.gates*ffn/tp, h), mm(h, ffn/tp))
	}
	return list
}

// router is the router's GEMM, on tp's share of the tokens.
func (m *Model) router(tp float64) gemm {
	return gemm{float64(m.model.Experts), float64(m.model.Hidden) / tp, true}
}

// traffic is the memory traffic in bytes of a layer's element-wise kernels in
// the forward pass: what tensor parallelism splits, and what it splits only
// with sequence parallelism.
func (m *Model) traffic(kind models.Kind, tokens, tp float64) (split, whole float64) {
	o, t := m.model, &m.profile.Time
	h, a := float64(o.Hidden), float64(o.Heads)
	kv := float64(o.KVHeads)
	qk := float64(o.QKDim())
	if o.MLA() {
		kv = a
	}
	per := float64(t.TrafficHead.Value*a*qk) + float64(t.TrafficKV.Value*kv*float64(o.VHeadDim()))
	routed, ffn := m.mlpTraffic(kind)
	per += routed
	per += ffn
	return tokens * per / tp, tokens * t.TrafficHidden.Value * h
}

// mlpTraffic is the part of it, per token, that the MLP has: of routed copies,
// and of the dense MLP or the shared experts.
func (m *Model) mlpTraffic(kind models.Kind) (routed, ffn float64) {
	o, t := m.model, &m.profile.Time
	if kind == models.Dense {
		return 0, float64(t.TrafficFFN.Value * float64(o.FFN))
	}
	copies := float64(o.TopK) * m.load
	routed = copies * (float64(t.TrafficRouted.Value*float64(o.Hidden)) + float64(t.TrafficFFN.Value*float64(o.MoEFFN)))
	return routed, float64(t.TrafficFFN.Value * float64(o.SharedFFN))
}

// coreTime is the forward time of the attention core, whose kernels see sequences
// cut into so many parts. Flash attention is
// compute bound: 2 a (d_qk + d_v) operations per token and attended position,
// half of the s^2 scores under a causal mask. Unfused attention computes all
// scores and moves them through memory.
func (m *Model) coreTime(tp, cp, mb, parts float64) float64 {
	o := m.model
	heads := float64(o.Heads) / tp
	tokens := m.seq * mb / cp
	width := float64(o.QKDim() + o.VHeadDim())
	if m.profile.Memory.Flash {
		flops := 2 * heads * width * tokens * m.context
		return flops / m.coreRate(parts)
	}
	scores := heads * tokens * m.seq
	compute := max(float64(2*scores*width)/(m.peak*m.batched), float64(2*2*scores)/m.hbm)
	return compute/m.attends + float64(m.profile.Time.TrafficScore.Value*scores)/m.hbm
}

// coreRate is the rate at which flash attention runs on sequences cut into so many
// parts.
func (m *Model) coreRate(parts float64) float64 {
	if i := int(parts); i < len(m.cores) && float64(i) == parts && m.cores[i] > 0 {
		return m.cores[i]
	}
	return m.peak * m.attends * m.gpu.AttentionEfficiency(max(1, m.seq/parts))
}

// setCoreRates keeps the rates of the parts into which the sequences divide.
func (m *Model) setCoreRates() {
	parts := divisorsUpTo(m.workload.SeqLen, min(int(m.gpus), maxShares))
	rates := make([]float64, parts[len(parts)-1]+1)
	m.cores = nil
	for _, n := range parts {
		rates[n] = m.coreRate(float64(n))
	}
	m.cores = rates
}

// merging is the memory traffic of ring context parallelism beside the core:
// each step's partial output is merged into a sum.
func (m *Model) merging(tokens, tp, cp float64) float64 {
	width := float64(m.model.Heads*m.model.VHeadDim()) / tp
	return (cp - 1) * tokens * width * m.profile.Time.TrafficRing.Value / m.hbm
}

// headWork is the final GEMM and the loss; also those of multi-token-prediction
// layers, and their projections.
func (m *Model) headWork(tokens, tp float64) work {
	t := &m.profile.Time
	vocab := m.paddedVocab(tp) / tp
	linear := m.gemmTime(tokens, vocab, float64(m.model.Hidden))
	loss := tokens * vocab * t.TrafficLogit.Value / m.hbm
	f, b := linear+loss/3, m.gemmBackward(linear, vocab*float64(m.model.Hidden))+loss*2/3
	i := m.inputBackward(linear) + loss*2/3
	weight := m.weightBackward(linear, vocab*float64(m.model.Hidden))
	if m.mtp > 0 {
		h := float64(m.model.Hidden)
		project := m.gemmTime(tokens, h/tp, 2*h)
		f += float64(m.mtp * (f + project))
		b += float64(m.mtp * (b + m.gemmBackward(project, 2*h*h/tp)))
		i += float64(m.mtp * (i + m.inputBackward(project)))
		weight += float64(m.mtp * (weight + m.weightBackward(project, 2*h*h/tp)))
	}
	return work{fwd: [2]float64{f, f}, bwd: [2]float64{b, b}, inp: [2]float64{i, i}, wgt: weight}
}
