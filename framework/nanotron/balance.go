package nanotron

import "meshplan/framework"

// split is nanotron's own split or, where a plan cannot describe it, the nearest
// one: where the head comes before the last stage, a last stage with the head
// alone, and the remainder of the layers on the first stages.
func split(f *framework.Facts, tp, pp, vpp int) []int32 {
	if own := Balance(f, tp, pp, vpp); own != nil {
		return own
	}
	if vpp == 1 && pp > 1 && pp <= f.Model.Layers {
		return append(framework.RemainderFirst(f.Model.Layers, pp-1, 0, 0), 0)
	}
	return framework.RemainderFirst(f.Model.Layers, pp*vpp, 0, 0)
}

// Balance is nanotron's own split of the layers over pp stages: blocks go to a
// stage until their cost exceeds the stage's share of the whole, and the block
// that exceeds it still does (build_model in models/base.py). A layer costs
// 4*heads*(hidden/heads)*hidden + 3*ffn*hidden and the output head vocab*hidden
// (get_block_compute_costs in models/llama.py), with the vocabulary padded to a
// multiple of tp (helpers.py). It is nil where stages in the middle hold no
// layer, or the head is not on the last stage, which a plan cannot describe.
func Balance(f *framework.Facts, tp, pp, vpp int) []int32 {
	m := f.Model
	if vpp != 1 || pp < 1 || pp > m.Layers || m.Heads < 1 {
		return nil
	}
	ffn := m.FFN
	if ffn == 0 {
		ffn = m.MoEFFN
	}
	hidden := float64(m.Hidden)
	layer := float64(4*m.Heads*(m.Hidden/m.Heads)+3*ffn) * hidden
	head := float64((m.Vocab+tp-1)/tp*tp) * hidden
	whole := float64(layer*float64(m.Layers)) + head
	split := make([]int32, pp)
	stage := 0
	for i := range m.Layers {
		split[stage]++
		if layer*float64(i+1) > whole*(float64(stage+1)/float64(pp)) && stage < pp-1 {
			stage++
		}
	}
	if stage < pp-1 {
		return nil
	}
	return split
}
