package measured

import (
	"regexp"
	"strconv"
	"strings"

	"meshplan/models"
	"meshplan/strict"
)

// cutText is how tables write a model with fewer layers.
var cutText = regexp.MustCompile(`(?i)[\s,(]*\b(?:cut|reduced)\s+to\s+(\d{1,6})\s+layers?\b\)?`)

// foreign are words of names whose layers the cost model does not have, unless
// the catalogue knows the name.
var foreign = regexp.MustCompile(`(?i)mamba|jamba|nemotron[-_ ]?(?:h\b|v?3\b|3[-_ ])|granite-4|\bt5\b|\bmt0|\bt0[-_]|vision|\brwkv`)

// modelOf is the model of a row: of the catalogue by any spelling of its name,
// overridden by the row's own shape, or of the shape alone.
func modelOf(l *lookup, s *setup, d *defaults) (*models.Model, *skip) {
	name, cut := s[colModel], 0
	if foreign.MatchString(name) && catalogued(l, name, s[colParams]) == nil {
		return nil, skipped(Unsupported, "%s has layers that are not modelled", strict.Clip(name, 60))
	}
	if found := cutText.FindStringSubmatch(name); found != nil {
		cut, _ = strconv.Atoi(found[1]) // at most six digits
		name = strings.TrimSpace(cutText.ReplaceAllString(name, ""))
	}
	own, skip := shapeOf(s)
	if skip != nil {
		return nil, skip
	}
	if own.layers == 0 {
		own.layers = cut
	}
	m := catalogued(l, name, s[colParams])
	if m == nil {
		if m, skip = drawn(l, name, s, &own, d); skip != nil {
			return nil, skip
		}
	}
	if skip := own.override(m); skip != nil {
		return nil, skip
	}
	for c, filled := range map[setupColumn]int{colKVHeads: m.KVHeads, colFFN: m.FFN, colVocab: m.Vocab} {
		if filled > 0 {
			d.note(s, c)
		}
	}
	if err := m.Validate(); err != nil {
		return nil, skipped(NoModel, "the shape is that of no model: %v", err)
	}
	return m, nil
}

// taskWord is a word behind a model's name that says what was done with it.
var taskWord = regexp.MustCompile(`(?i)[\s_-]+(?:sft|pretrain(?:ing)?|fine-?tun(?:e|ing))$`)

// catalogued is the catalogue's model of the name, of its last part behind a
// slash, or of the name with the size that the row gives; nil if there is none.
func catalogued(l *lookup, name, billions string) *models.Model {
	name, _, _ = strings.Cut(name, "(")
	name = taskWord.ReplaceAllString(strings.TrimSpace(name), "")
	spellings := []string{name}
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		spellings = append(spellings, name[at+1:])
	}
	if billions != "" {
		spellings = append(spellings, name+"-"+billions+"b")
	}
	for _, spelling := range spellings {
		if strings.TrimSpace(spelling) == "" {
			continue
		}
		if m := l.model(spelling); m != nil {
			return m
		}
	}
	return nil
}

// sizes is the shape that a row gives itself; zeros are not given.
type sizes struct{ layers, hidden, heads, kv, ffn, vocab, experts, topK, moeFFN int }

func shapeOf(s *setup) (sizes, *skip) {
	var o sizes
	for _, f := range []struct {
		to   *int
		from setupColumn
	}{{&o.layers, colLayers}, {&o.hidden, colHidden}, {&o.heads, colHeads}, {&o.kv, colKVHeads}, {&o.ffn, colFFN},
		{&o.vocab, colVocab}, {&o.experts, colExperts}, {&o.topK, colTopK}, {&o.moeFFN, colMoEFFN}} {
		n, skip := s.whole(f.from, NoModel)
		if skip != nil {
			return o, skip
		}
		*f.to = n
	}
	return o, nil
}

// override puts the row's own sizes over those of the model. Where hidden or
// heads are not the model's, a head is hidden over heads.
func (o *sizes) override(m *models.Model) *skip {
	reshaped := o.hidden > 0 && o.hidden != m.Hidden || o.heads > 0 && o.heads != m.Heads
	for _, f := range []struct {
		to   *int
		from int
	}{{&m.Layers, o.layers}, {&m.Hidden, o.hidden}, {&m.Heads, o.heads}, {&m.FFN, o.ffn}, {&m.Vocab, o.vocab},
		{&m.Experts, o.experts}, {&m.TopK, o.topK}, {&m.MoEFFN, o.moeFFN}} {
		if f.from > 0 {
			*f.to = f.from
		}
	}
	switch {
	case m.MLA():
		m.KVHeads = m.Heads
	case o.kv > 0:
		m.KVHeads = o.kv
	case reshaped:
		m.KVHeads = m.Heads
	}
	switch {
	case !reshaped || m.MLA():
	case m.Hidden%m.Heads != 0:
		return skipped(NoModel, "hidden %d is no multiple of %d heads", m.Hidden, m.Heads)
	default:
		m.HeadDim = m.Hidden / m.Heads
	}
	m.FirstKDense = min(m.FirstKDense, m.Layers)
	m.SetDefaults()
	return nil
}
