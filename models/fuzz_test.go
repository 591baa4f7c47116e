package models

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzParseTOML(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("[[a]]\nb.c = {d = 1}\n"))
	for _, name := range []string{"deepseek-v3", "gpt-oss-20b", "bloom-176b", "gemma-3-27b", "opt-66b", "falcon-7b", "command-r-plus"} {
		text, err := must(f, name).TOML()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseTOML("fuzz.toml", text)
		if err != nil {
			return
		}
		checkModel(t, m)
		written, err := m.TOML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseTOML("again.toml", written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if len(m.Aliases) == 0 { // none and an empty list are the same
			m.Aliases = nil
		}
		if d := cmp.Diff(m, again); d != "" {
			t.Fatal(d)
		}
	})
}

var hfFixtures = []string{"testdata/hf/read/*.json", "testdata/hf/published/*.json", "testdata/hf/refused/*.json"}

func FuzzParseHF(f *testing.F) {
	for _, pattern := range hfFixtures {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(err, len(paths))
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseHF("config.json", text)
		if err == nil {
			checkModel(t, m)
		}
		if v, err := parseJSON(text); err == nil && v.kind != jsonNumber && !json.Valid(text) && !pythonic(&v) {
			t.Errorf("accepted what encoding/json refuses: %q", text)
		}
	})
}

// checkModel wants what every accepted model has: valid sizes and counts that
// do not overflow.
func checkModel(t *testing.T, m *Model) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatalf("accepted a model that is not valid: %v", err)
	}
	if m.VisionParams < 0 || m.VisionParams > maxVision {
		t.Fatalf("vision encoder of %d parameters", m.VisionParams)
	}
	if m.Active() <= 0 || m.Total() < m.Active() || m.Total() > 1e18 || m.MTP() < 0 {
		t.Fatalf("total %d, active %d, MTP %d", m.Total(), m.Active(), m.MTP())
	}
	if m.Range(0, m.Layers, true, true) != m.Total() {
		t.Fatal("one stage of all layers is not the model")
	}
	if f := float64(m.FLOPsPerToken(4096)); !(f > 0 && f < 1e20) {
		t.Fatalf("%g FLOPs per token", f)
	}
}

// pythonic reports what encoding/json does not read: NaN, Infinity, and a byte
// order mark before the first value.
func pythonic(v *jsonValue) bool {
	if v.at == 3 || v.kind == jsonNumber && (v.text == "NaN" || v.text[len(v.text)-1] == 'y') {
		return true
	}
	for i := range v.items {
		if pythonic(&v.items[i]) {
			return true
		}
	}
	for i := range v.members {
		if pythonic(&v.members[i].value) {
			return true
		}
	}
	return false
}
