package cluster

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/interp"
)

// AttentionEfficiency is the fraction of the dense peak that the forward pass
// of causal flash attention reaches at a sequence length in tokens (of one
// context-parallel chunk), head dimension 128, with the causal FLOPs counted
// as half of the full square. Between the measured lengths it is straight on
// logarithmic scales; below the first it falls on along the first segment,
// beyond the last it stays. It is non-decreasing and at most 1.
func (g *GPU) AttentionEfficiency(seq float64) float64 {
	return g.attention.at(seq)
}

// attentionRow is one measured attention kernel.
type attentionRow struct{ seq, efficiency float64 }

// attentionModel is efficiency against sequence length.
type attentionModel struct {
	line         interp.PiecewiseLinear // ln efficiency against ln seq
	first, slope float64                // where the line starts and how steep
	fraction     float64                // of the GPU the rows belong to
	change       float64
	rows         int // measured rows it was fitted to
}

// fitAttention takes the median over batch sizes and heads at each length.
func fitAttention(rows []attentionRow) *attentionModel {
	bySeq := map[float64][]float64{}
	var xs, ys []float64
	for _, r := range rows {
		if bySeq[r.seq] == nil {
			xs = append(xs, r.seq)
		}
		bySeq[r.seq] = append(bySeq[r.seq], r.efficiency)
	}
	slices.Sort(xs)
	for _, x := range xs {
		ys = append(ys, math.Log(median(bySeq[x])))
	}
	m := &attentionModel{first: xs[0], fraction: 1, rows: len(rows), change: math.Expm1(isotonic(ys))}
	lnx := logs(xs)
	if err := m.line.Fit(lnx, ys); err != nil {
		panic("cluster: " + err.Error()) // unreachable: Fit reports no errors
	}
	m.slope = (ys[1] - ys[0]) / (lnx[1] - lnx[0])
	return m
}

func (m *attentionModel) at(seq float64) float64 {
	e := m.line.Predict(math.Log(seq))
	if seq < m.first {
		e += float64(m.slope * math.Log(max(seq, 1)/m.first))
	}
	return min(1, m.fraction*math.Exp(e))
}

// scaled is the model of a GPU that reaches `fraction` of this one's
// efficiency.
func (m *attentionModel) scaled(fraction float64) *attentionModel {
	s := *m
	s.fraction *= fraction
	return &s
}
