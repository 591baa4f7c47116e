package strict

import (
	"strings"
	"testing"
)

func TestWhatATerminalDoesNotShowIsNoName(t *testing.T) {
	for _, name := range []string{"", "llama-3.1-8b", "my model (2)", "Größe", "模型"} {
		if err := Printable(name); err != nil {
			t.Errorf("%q %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"a\x1b[31mred": "U+001B", "a\nb": "U+000A", "a\u202eb": "U+202E", "a\u2028b": "U+2028", "a\u00a0b": "U+00A0",
	} {
		if err := Printable(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

func TestVisibleEscapesWhatSteersATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"tp=8, Größe":  "tp=8, Größe",
		"a\x1b[31mred": `a\x1b[31mred`,
		"a\nb\tc":      "a b c",
		"\u202e\u2028": `\u202e\u2028`,
		"\xff":         "?",
	} {
		if got := Visible(in); got != want || Printable(got) != nil {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
