package models

import (
	"slices"
	"strings"
)

// window reads the attention window of a family whose layers have it unless
// layer_types say otherwise; absent is the family's own default, 0 for none.
func (r *hfReader) window(m *Model, absent int, pattern Pattern) {
	r.windowIn(hfWindow, m, absent, pattern)
}

// windowIn is window with the family's own spelling of it.
func (r *hfReader) windowIn(q quantity, m *Model, absent int, pattern Pattern) {
	m.Window = r.or(q, absent)
	if r.isNull(q.spellings[0]) {
		m.Window = 0 // an explicit null switches it off
	}
	types := r.layerTypes(m)
	if types != "" {
		r.samePattern(m, pattern, types)
		pattern = types
	}
	switch {
	case pattern == PatternFull:
		m.Window = 0
	case m.Window == 0 && types != "":
		r.fail(r.get("layer_types"), "layer_types has sliding layers but there is no %s", q.spellings[0])
	case m.Window == 0:
		pattern = PatternFull
	}
	m.AttnPattern = pattern
}

// period is the pattern of a family of which every n-th layer has full
// attention; absent is the family's own n.
func (r *hfReader) period(absent int) Pattern {
	return everyOrFull(r.or(hfPeriod, absent))
}

// everyOrFull is n-1 windowed layers to a full one.
func everyOrFull(n int) Pattern {
	if n <= 1 {
		return PatternFull
	}
	return everyPattern(n - 1)
}

// samePattern refuses layer_types that disagree with the key that gives the
// order of the layers in another way.
func (r *hfReader) samePattern(m *Model, pattern, types Pattern) {
	windows := func(p Pattern) []int {
		return (&Model{Layers: m.Layers, Window: 1, AttnPattern: p}).Windows()
	}
	for _, key := range []string{"no_rope_layers", "no_rope_layer_interval", "sliding_window_pattern", "_sliding_window_pattern"} {
		other := r.root.get(key)
		if other == nil || !r.used[key] || other.value.trivial() {
			continue
		}
		if !slices.Equal(windows(pattern), windows(types)) {
			r.fail(other, "%s is %s but layer_types has another order: two spellings that disagree", key, other.value.String())
		}
		return
	}
}

// switchedWindow reads the window of the Qwen families: it counts only where
// use_sliding_window is true, and from layer max_window_layers on.
func (r *hfReader) switchedWindow(m *Model) {
	full, given := r.given(hfWindowLayers)
	if !r.flag("use_sliding_window", false) {
		r.given(hfWindow)
		r.fullAttention(m)
		return
	}
	if r.root.get("layer_types") != nil || given && full == 0 {
		r.window(m, 0, PatternSliding)
		return
	}
	if given && full >= m.Layers {
		r.window(m, 0, PatternFull)
		return
	}
	if !given {
		r.fail(r.get("use_sliding_window"), "use_sliding_window is true but there is no max_window_layers")
		return
	}
	r.unmodelled(r.get("max_window_layers"), "the first layers full and the rest windowed; all or none are")
}

// fullAttention is for families without windows: layer_types, where given,
// must say so too.
func (r *hfReader) fullAttention(m *Model) {
	m.AttnPattern = PatternFull
	if types := r.layerTypes(m); types != "" && types != PatternFull {
		r.unmodelled(r.get("layer_types"), "windowed layers without a window in use")
	}
}

// layerTypes is the pattern that layer_types spells out, "" where it is absent.
func (r *hfReader) layerTypes(m *Model) Pattern {
	member := r.get("layer_types")
	if member == nil {
		return ""
	}
	if member.value.kind != jsonArray || len(member.value.items) != m.Layers {
		r.fail(member, "layer_types has %d entries for %d layers", len(member.value.items), m.Layers)
		return ""
	}
	var letters strings.Builder
	for i := range member.value.items {
		switch item := &member.value.items[i]; item.text {
		case "full_attention":
			letters.WriteByte('f')
		case "sliding_attention", "chunked_attention":
			letters.WriteByte('s')
		default:
			r.fail(member, "layer_types has %s, which is not modelled; full_attention and sliding_attention are", item)
			return ""
		}
	}
	pattern, ok := patternOf(letters.String())
	if !ok {
		r.unmodelled(member, "its order is neither all full, all sliding nor n sliding to one full")
	}
	return pattern
}

// patternOf is the pattern of a row of layers, 's' windowed and 'f' full.
func patternOf(row string) (Pattern, bool) {
	run := strings.IndexByte(row, 'f')
	switch {
	case run < 0:
		return PatternSliding, true
	case !strings.Contains(row, "s"):
		return PatternFull, true
	}
	for i := range len(row) {
		if (row[i] == 's') != (i%(run+1) < run) {
			return "", false
		}
	}
	return everyPattern(run), true
}

// isNull reports whether the file has the key with the value null.
func (r *hfReader) isNull(key string) bool {
	return slices.ContainsFunc(r.root.members, func(m jsonMember) bool {
		return m.key == key && m.value.kind == jsonNull
	})
}
