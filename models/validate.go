package models

import (
	"fmt"

	"meshplan/strict"
	"meshplan/units"
)

// FieldError is a size or word of a model that can not be.
type FieldError struct {
	Key  string // the field's key in a model file
	Text string // what is wrong and what was expected
}

// Error is the key and the text.
func (e *FieldError) Error() string { return e.Key + " " + e.Text }

func wrong(key, format string, args ...any) error {
	return &FieldError{Key: key, Text: fmt.Sprintf(format, args...)}
}

// Validate reports the first thing that makes m no model: a size that is not
// positive or above the sane limit, heads that are no multiple of kv_heads, a
// word that is not known, parts of MoE or MLA that are missing. The error is a
// *FieldError. After it succeeds no count of m overflows.
func (m *Model) Validate() error {
	checks := []func() error{
		m.checkName, m.checkWords, m.checkSizes, m.checkAttention, m.checkMLA,
		m.checkMLP, m.checkExperts, m.checkWindow, m.checkTotal,
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) checkName() error {
	if plain(m.Name) == "" {
		return wrong("name", "is empty")
	}
	for _, alias := range m.Aliases {
		if err := printable("aliases", alias); err != nil {
			return err
		}
	}
	return firstError(printable("name", m.Name), printable("family", m.Family))
}

func printable(key, name string) error {
	if err := strict.Printable(name); err != nil {
		return wrong(key, "%v", err)
	}
	return nil
}

func (m *Model) checkWords() error {
	return firstError(
		word("attn_bias", m.AttnBias, BiasNone, BiasQKV, BiasQKVO),
		word("qk_norm", m.QKNorm, QKNormNone, QKNormHead, QKNormLayer),
		word("norm", m.Norm, RMSNorm, LayerNorm, LayerNorm1P, LayerNormNoBias),
		word("pos_embed", m.PosEmbed, Rope, Learned, Alibi),
	)
}

func (m *Model) checkSizes() error {
	return firstError(
		size("layers", m.Layers, 1, maxLayers),
		size("hidden", m.Hidden, 1, maxHidden),
		size("heads", m.Heads, 1, maxHeads),
		size("kv_heads", m.KVHeads, 1, maxHeads),
		size("head_dim", m.HeadDim, 1, maxHidden),
		size("ffn", m.FFN, 0, maxWidth),
		size("vocab", m.Vocab, 1, maxVocab),
		size("max_pos", m.MaxPos, 0, maxPositions),
		size("pos_offset", m.PosOffset, 0, maxOffset),
		size("experts", m.Experts, 0, maxExperts),
		size("mtp_layers", m.MTPLayers, 0, maxMTP),
		size("window", m.Window, 0, maxPositions),
		m.checkVision(),
		m.checkNorms(),
	)
}

func (m *Model) checkVision() error {
	if m.VisionParams < 0 || m.VisionParams > maxVision {
		return wrong("vision_params", "is %d; want a whole number from 0 to %s", m.VisionParams, units.Grouped(maxVision))
	}
	return nil
}

// checkNorms is the error of a number of norms that no block structure has: one
// shared by attention and MLP side by side, one before each, or one before and
// behind each of them in a row.
func (m *Model) checkNorms() error {
	switch n := m.NormsPerLayer; {
	case n != 1 && n != 2 && n != 4:
		return wrong("norms_per_layer", "is %d; want 1, 2 or 4", n)
	case n == 1 && !m.Parallel:
		return wrong("norms_per_layer", "is 1 without parallel: blocks in a row have a norm each")
	case n == 4 && m.Parallel:
		return wrong("norms_per_layer", "is 4 with parallel: blocks side by side have at most a norm each")
	}
	return nil
}

func (m *Model) checkAttention() error {
	if m.Heads%m.KVHeads != 0 {
		return wrong("kv_heads", "is %d, which does not divide %d heads; nearest: %s",
			m.KVHeads, m.Heads, oneOf(nearestDivisors(m.Heads, m.KVHeads)))
	}
	if m.PosEmbed == Learned && m.MaxPos == 0 {
		return wrong("max_pos", "is missing: learned positions need it")
	}
	if m.PosEmbed != Learned {
		return absent("without learned positions", "pos_offset", m.PosOffset)
	}
	return nil
}

func (m *Model) checkMLA() error {
	if !m.MLA() {
		return firstError(
			size("kv_lora_rank", m.KVLoraRank, 0, 0),
			absent("without kv_lora_rank", "q_lora_rank", m.QLoraRank, "qk_nope_dim", m.QKNopeDim,
				"qk_rope_dim", m.QKRopeDim, "v_dim", m.VDim))
	}
	if m.KVHeads != m.Heads {
		return wrong("kv_heads", "is %d: latent attention (kv_lora_rank) has as many as heads, %d", m.KVHeads, m.Heads)
	}
	if m.AttnBias != BiasNone {
		return wrong("attn_bias", "is %q: biases of latent attention are not modelled; want none", m.AttnBias)
	}
	if m.QKNorm != QKNormNone {
		return wrong("qk_norm", "is %q: latent attention has no norms but its latents'; want none", m.QKNorm)
	}
	return firstError(
		size("q_lora_rank", m.QLoraRank, 0, maxHidden),
		size("kv_lora_rank", m.KVLoraRank, 1, maxHidden),
		size("qk_nope_dim", m.QKNopeDim, 1, maxHidden),
		size("qk_rope_dim", m.QKRopeDim, 1, maxHidden),
		size("v_dim", m.VDim, 1, maxHidden),
		size("head_dim", m.HeadDim, m.QKDim(), m.QKDim()))
}

func (m *Model) checkWindow() error {
	run, ok := windowRun(m.AttnPattern)
	if !ok {
		return wrong("attn_pattern", "is %q; want full, sliding, or n:1 for n windowed layers to a full one, such as 5:1",
			strict.Clip(string(m.AttnPattern), 60))
	}
	if (run != 0) != (m.Window > 0) {
		return wrong("attn_pattern", "is %q with a window of %d tokens: full has none, all others have one",
			m.AttnPattern, m.Window)
	}
	return nil
}

// checkTotal bounds the parameters, in floating point so that nothing
// overflows before it is refused.
func (m *Model) checkTotal() error {
	widest := max(float64(m.FFN), float64(m.SharedFFN)+float64(float64(m.Experts)*float64(m.MoEFFN)))
	heads := float64(m.Heads) * float64(m.QKDim()+m.VHeadDim())
	perLayer := float64(3*widest) + float64(2*heads) + float64(m.QLoraRank) + float64(m.KVLoraRank) + float64(m.Experts)
	perLayer = float64(perLayer*float64(m.Hidden)) + float64(heads*float64(m.QLoraRank+m.KVLoraRank))
	total := float64(float64(m.Layers+m.MTPLayers)*perLayer) + float64(float64(m.Hidden)*float64(m.Vocab+m.MaxPos))
	if total > maxParameters {
		return wrong("layers", "and widths give about %.3g parameters; at most %.0g are accepted", total, float64(maxParameters))
	}
	return nil
}
