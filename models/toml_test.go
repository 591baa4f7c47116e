package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"meshplan/strict"
)

const small = `name = "small"
layers = 4
hidden = 64
heads = 8
ffn = 256
vocab = 1000
tie_embeddings = false
gated_mlp = true
`

func TestAWrittenModelReadsBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		text, err := m.TOML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseTOML("written.toml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(m, again); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}

func TestKeysLeftOutGetTheirNaturalValues(t *testing.T) {
	m, err := ParseTOML("small.toml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	want := &Model{
		Name: "small", Layers: 4, Hidden: 64, Heads: 8, KVHeads: 8, HeadDim: 8, FFN: 256, Vocab: 1000,
		GatedMLP: true, AttnBias: BiasNone, QKNorm: QKNormNone, Norm: RMSNorm, NormsPerLayer: 2,
		PosEmbed: Rope, AttnPattern: PatternFull,
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Error(d)
	}
}

func TestAModelFileThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an unknown key names the nearest", small + "kv_head = 2\n", `m.toml:9:1: unknown key "kv_head"; nearest: kv_heads`},
		{"an indented unknown key has its column", small + "   hiden = 2\n", `m.toml:9:4: unknown key "hiden"; nearest: hidden`},
		{"a key like no other gets the list", small + "zzzzzzz = 2\n", `unknown key "zzzzzzz"; known: name, aliases`},
		{"a table is unknown", small + "[model]\nlayers = 3\n", `m.toml:9:2: unknown key "model"`},
		{"a dotted key is unknown", small + "mo.del = 3\n", `m.toml:9:1: unknown key "mo.del"`},
		{"missing keys are all named", "name = \"x\"\nlayers = 2\nhidden = 3\n", "missing: heads, vocab, tie_embeddings, gated_mlp"},
		{"an empty file misses all keys", "", "missing: name, layers"},
		{"text that is no TOML has its place", small + "layers 4\n", "m.toml:9:"},
		{"a key given twice", small + "layers = 4\n", "m.toml:9:"},
		{"a word for a number", strings.Replace(small, "layers = 4", `layers = "4"`, 1), `m.toml:2:1: layers wants a whole number, not "4"`},
		{"a fraction for a count", strings.Replace(small, "layers = 4", "layers = 4.5", 1), "m.toml:2:1: layers wants a whole number, not 4.5"},
		{"not a number", strings.Replace(small, "layers = 4", "layers = nan", 1), "m.toml:2:1: layers wants a whole number, not NaN"},
		{"a count beyond 64 bits", strings.Replace(small, "layers = 4", "layers = 99999999999999999999", 1), "m.toml:2:"},
		{"a negative size has its place", strings.Replace(small, "layers = 4", "layers = -4", 1), "m.toml:2:1: layers is -4; want a whole number from 1 to 10,000"},
		{"a zero size", strings.Replace(small, "vocab = 1000", "vocab = 0", 1), "m.toml:6:1: vocab is 0"},
		{"an absurd size", strings.Replace(small, "hidden = 64", "hidden = 100000000", 1), "m.toml:3:1: hidden is 100000000; want a whole number from 1 to 1,000,000"},
		{"a file that is too large", "#" + strings.Repeat("x", strict.MaxFile), "larger than 256 KiB"},
		{"a key of thousands of parts", small + strings.Repeat("a.", 20_000) + "a = 1\n", "m.toml:9:18: nested too deeply"},
		{"thousands of inline tables", small + "a = " + strings.Repeat("{a=", 9_000), "m.toml:9:29: nested too deeply"},
		{"deeply nested arrays", "a = " + strings.Repeat("[", strict.MaxFile-10), "m.toml:1:13: nested too deeply"},
		{"random bytes", "\x00\xff\xfe\x80", "m.toml"},
	} {
		_, err := ParseTOML("m.toml", []byte(c.text))
		checkError(t, c.name, err, c.want)
	}
}

// checkError wants a short one-line error with the text.
func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: accepted", name)
	case !strings.Contains(err.Error(), want):
		t.Errorf("%s: error %q, want %q in it", name, err, want)
	case len(err.Error()) > 700 || strings.Contains(err.Error(), "\n"):
		t.Errorf("%s: error is not one short line: %q", name, err)
	}
}
