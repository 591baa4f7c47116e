package cluster

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/plan"
	"meshplan/strict"
)

// curves are the models fitted to the measured rows, by GPU.
type curves struct {
	gemm      map[string]*gemmModel // bf16
	attention map[string]*attentionModel
}

func fitCurves() *curves {
	c := &curves{map[string]*gemmModel{}, map[string]*attentionModel{}}
	for gpu, rows := range gemmRows() {
		c.gemm[gpu] = fitGEMM(rows)
	}
	for gpu, rows := range attentionRows() {
		c.attention[gpu] = fitAttention(rows)
	}
	return c
}

// attach gives the GPU its curves: its own where there are measured rows,
// else those of the GPU it is like. find looks up the figures of that one.
func (c *curves) attach(g *GPU, find func(string) *GPU) error {
	gemm, err := donor(g, "gemm_like", g.GEMMLike, find, c.gemm)
	if err != nil {
		return err
	}
	attention, err := donor(g, "attention_like", g.AttentionLike, find, c.attention)
	if err != nil {
		return err
	}
	for f := range gemmFormats {
		if g.Peak[formatNames[f]] > 0 {
			g.gemm[f] = c.gemm[gemm.Name].on(g, f, gemm)
		}
	}
	g.attention = c.attention[attention.Name].scaled(g.shareOf(attention))
	g.assumeDonors(gemm, attention)
	g.Fits = []string{
		fmt.Sprintf("GEMM: %d measured rows of %s; making time and efficiency non-decreasing changed a value by at most %.1f %%",
			c.gemm[gemm.Name].rows, gemm.Name, 100*c.gemm[gemm.Name].table.change),
		fmt.Sprintf("attention: medians of %d measured rows of %s; making them non-decreasing changed one by at most %.1f %%",
			c.attention[attention.Name].rows, attention.Name, 100*g.attention.change),
	}
	return nil
}

// donor is the GPU whose measured rows stand for g's: the one that its file
// names, else the one of its own name.
func donor[M any](g *GPU, key, like string, find func(string) *GPU, measured map[string]M) (*GPU, error) {
	if like == "" {
		like = g.Name
	}
	if d := find(like); d != nil {
		if _, ok := measured[d.Name]; ok {
			return d, nil
		}
	}
	var names []string
	for name := range measured {
		names = append(names, name)
	}
	slices.Sort(names)
	return nil, wrong("own_gpu."+key, "GPU %s: %s = %q: want a GPU with measured rows: %s", g.Name, key, strict.Clip(like, 60), strings.Join(names, ", "))
}

// on is the model of format f on g, of the donor's bf16 table: compute scales
// with the peak rates and the best-shape fractions, traffic with the HBM
// rates and the bytes of an element.
func (t *gemmModel) on(g *GPU, f format, donor *GPU) *gemmModel {
	compute := float64(donor.Peak[plan.BF16]/g.Peak[formatNames[f]]) / g.shareOf(donor)
	memory := float64(donor.HBM/g.HBM) * elementBytes[f] / elementBytes[bf16]
	if compute == 1 && memory == 1 {
		return t
	}
	return t.scaled(compute, memory)
}

// shareOf is g's best-shape fraction of peak over the other's; 1 where one of
// them is not known.
func (g *GPU) shareOf(other *GPU) float64 {
	a, b := g.bestFraction(), other.bestFraction()
	if a == 0 || b == 0 {
		return 1
	}
	return a / b
}

func (g *GPU) bestFraction() float64 {
	if g.BestShape == 0 || g.Peak[plan.BF16] == 0 {
		return 0
	}
	return float64(g.BestShape / g.Peak[plan.BF16])
}

// assumeDonors lists whose curves stand for g's.
func (g *GPU) assumeDonors(gemm, attention *GPU) {
	switch {
	case gemm == attention && gemm != g:
		g.assume("GEMM and attention efficiency of %s are not measured: those of %s are used%s", g.Name, gemm.Name, g.shareText(gemm))
		return
	case gemm != g:
		g.assume("GEMM efficiency of %s is not measured: that of %s is used%s", g.Name, gemm.Name, g.shareText(gemm))
	}
	if attention != g {
		g.assume("attention efficiency of %s is not measured: that of %s is used%s", g.Name, attention.Name, g.shareText(attention))
	}
}

func (g *GPU) shareText(donor *GPU) string {
	if share := g.shareOf(donor); share != 1 {
		return fmt.Sprintf(", times %.3f, the ratio of their best-shape fractions of peak", share)
	}
	return ""
}
