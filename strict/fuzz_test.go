package strict

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// FuzzDecode wants of any text a value or one short error, and of any valid
// text the same keys in the same order as the parser has.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		good, "\xef\xbb\xbfname = 'a'\n", "a.'b.c'.\"d\\u0041\" = 1\n[x . y]\n[[x.z]]\nk = 1979-05-27 07:32:00\n",
		"a = [ # c\n [1, 2], {b = 1, c.d = {e = 2}}, # c\n]\n", "s = \"\"\"\n[x]\n\\\"\"\"\"\"\"\nt = '''[y]'''''\n",
		"[[a]]\n[[a.b]]\nc = 1\n[[a.b]]\n[a.d]\n", "part = 3\nweight = inf\n", "\"\" = 1\n", "a = {\nb = 1,\n}\n",
		"[[part]]\nwidth = \"x\"\n[[part]]\ninner.depth = 0.5\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Decode("f", []byte(text), new(shape)); err != nil {
			if s := err.Error(); len(s) > 500 || strings.ContainsAny(s, "\n\r") || !utf8.ValidString(s) {
				t.Errorf("not one short line: %q", s)
			}
			_, again := Decode("f", []byte(text), new(shape))
			if again == nil || again.Error() != err.Error() {
				t.Errorf("%v, the second time %v", err, again)
			}
		}
		var tree map[string]any
		if tooDeep(text) >= 0 {
			return
		}
		meta, err := toml.Decode(text, &tree)
		if err != nil {
			return
		}
		keys := scan(text)
		if len(keys) != len(meta.Keys()) {
			t.Fatalf("%d keys, the parser has %d: %v and %v", len(keys), len(meta.Keys()), keys, meta.Keys())
		}
		for i, want := range meta.Keys() {
			if toml.Key(keys[i].path).String() != want.String() {
				t.Errorf("key %d is %q, want %q", i, keys[i].path, want)
			}
		}
	})
}
