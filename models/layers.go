package models

import (
	"strconv"
	"strings"
)

// Kinds is the kind of every layer, in model order. Layer i is MoE when the
// model has experts, i >= FirstKDense and i+1 is a multiple of MoEEvery.
func (m *Model) Kinds() []Kind {
	kinds := make([]Kind, m.Layers)
	if m.Experts == 0 {
		return kinds
	}
	every := max(1, m.MoEEvery)
	for i := m.FirstKDense; i < m.Layers; i++ {
		if (i+1)%every == 0 {
			kinds[i] = MoE
		}
	}
	return kinds
}

// Count is the number of layers of each kind.
func (m *Model) Count() (n [NumKinds]int) {
	for _, k := range m.Kinds() {
		n[k]++
	}
	return n
}

// Windows is the attention window of every layer in tokens, 0 for full
// attention.
func (m *Model) Windows() []int {
	windows := make([]int, m.Layers)
	run, ok := windowRun(m.AttnPattern)
	if m.Window == 0 || !ok || run == 0 {
		return windows
	}
	for i := range windows {
		if run < 0 || i%(run+1) < run {
			windows[i] = m.Window
		}
	}
	return windows
}

// windowRun is how many windowed layers precede each full one: 0 for "full",
// -1 for "sliding" (no full one), n for "n:1".
func windowRun(p Pattern) (run int, ok bool) {
	switch p {
	case PatternFull, "":
		return 0, true
	case PatternSliding:
		return -1, true
	}
	digits, ok := strings.CutSuffix(string(p), ":1")
	run, err := strconv.Atoi(digits)
	return run, ok && err == nil && run >= 1 && run <= maxLayers
}

// everyPattern is the pattern of n windowed layers to a full one.
func everyPattern(n int) Pattern { return Pattern(strconv.Itoa(n) + ":1") }
