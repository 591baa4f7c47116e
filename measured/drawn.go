package measured

import (
	"math"
	"regexp"
	"strconv"

	"meshplan/models"
	"meshplan/strict"
)

// Models that no catalogue names are drawn after one of these, which stand for
// the two ways in which nearly all dense models are made: GPT-3 (two matrices
// and biases, layer norms, learned positions, tied head) and Llama 2 (three
// matrices, RMS norms, rotary positions).
const (
	plainPattern = "gpt3-175b"
	gatedPattern = "llama-2-7b"
)

var (
	plainNames = regexp.MustCompile(`(?i)gpt|mpt|opt|bloom|megatron|falcon|starcoder|neox`)
	gatedNames = regexp.MustCompile(`(?i)llama|mistral|mixtral|qwen|internlm|gemma|phi|yi-`)
)

// drawn is the model of a row's own shape.
func drawn(l *lookup, name string, s *setup, o *sizes, d *defaults) (*models.Model, *skip) {
	if o.layers == 0 || o.hidden == 0 {
		return nil, skipped(NoModel, "no model %q in the catalogue, and the row does not give layers and hidden", strict.Clip(name, 60))
	}
	if o.heads == 0 {
		if o.heads = headsOf(o.hidden); o.heads == 0 {
			return nil, skipped(NoModel, "heads are not given, and hidden %d is no multiple of a usual head", o.hidden)
		}
		d.note(s, colHeads)
	}
	if o.hidden%o.heads != 0 {
		return nil, skipped(NoModel, "hidden %d is no multiple of %d heads", o.hidden, o.heads)
	}
	plain, gated := draw(l, plainPattern, name, o), draw(l, gatedPattern, name, o)
	if plain == nil || gated == nil {
		return nil, skipped(NoModel, "the catalogue lacks %s or %s", plainPattern, gatedPattern)
	}
	if seq, ok := whole(s[colSeq]); ok && seq > 0 {
		plain.MaxPos = seq // learned positions are as many as the sequence has
	}
	if isPlain(name, s[colParams], plain, gated) {
		return plain, nil
	}
	return gated, nil
}

// headsOf divides the hidden size into heads of 128 or 64, the head sizes of
// the catalogue; 0 if neither fits.
func headsOf(hidden int) int {
	for _, size := range []int{128, 64} {
		if hidden%size == 0 {
			return hidden / size
		}
	}
	return 0
}

// draw is the catalogue's pattern in the row's sizes.
func draw(l *lookup, pattern, name string, o *sizes) *models.Model {
	m := l.model(pattern)
	if m == nil {
		return nil
	}
	m = l.sibling(m, o)
	m.Name, m.Aliases, m.Source, m.Notes = name, nil, "", ""
	if name == "" {
		m.Name = "unnamed"
	}
	m.Layers, m.Hidden, m.Heads, m.KVHeads = o.layers, o.hidden, o.heads, o.heads
	m.HeadDim = o.hidden / o.heads
	m.FFN = 4 * o.hidden
	if m.GatedMLP {
		const multiple = 256 // Llama's multiple_of
		m.FFN = (8*o.hidden/3 + multiple - 1) / multiple * multiple
	}
	if o.experts > 0 && o.moeFFN > 0 {
		m.FFN, m.MoEEvery = 0, 1
	}
	return m
}

// sibling is the model of the pattern's family with the row's layers, hidden
// size and MLP, such as Llama 3.2 1B whose head is tied; the pattern itself if
// there is none.
func (l *lookup) sibling(pattern *models.Model, o *sizes) *models.Model {
	for _, m := range l.models {
		if m.Family == pattern.Family && m.GatedMLP == pattern.GatedMLP && m.Layers == o.layers && m.Hidden == o.hidden && m.FFN == o.ffn {
			return m.Clone()
		}
	}
	return pattern
}

// isPlain reports whether a model is made like GPT-3: by its name, else by the
// number of parameters that the row gives.
func isPlain(name, billions string, plain, gated *models.Model) bool {
	switch {
	case gatedNames.MatchString(name):
		return false
	case plainNames.MatchString(name):
		return true
	}
	want, err := strconv.ParseFloat(billions, 64)
	if err != nil || plain.Validate() != nil || gated.Validate() != nil {
		return false
	}
	off := func(m *models.Model) float64 { return math.Abs(float64(m.Total())/1e9 - want) }
	return off(plain) < off(gated)
}
