package strict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNearestNamesOnlyWhatIsNear(t *testing.T) {
	known := []string{"model", "cluster", "global_batch", "mode", "modes"}
	for _, c := range []struct {
		name, given string
		n           int
		want        []string
	}{
		{"a swap of letters", "clutser", 1, []string{"cluster"}},
		{"another case", "CLUSTER", 1, []string{"cluster"}},
		{"a missing letter", "globl_batch", 3, []string{"global_batch"}},
		{"several by distance, then in their order", "mode", 9, []string{"mode", "model", "modes"}},
		{"a misspelt word of a longer name", "glbal", 1, []string{"global_batch"}},
		{"the last word of a longer name", "batch", 3, []string{"global_batch"}},
		{"the beginning of a longer name", "clus", 3, []string{"cluster"}},
		{"a word with a third of its letters changed", "botsh", 3, nil},
		{"nothing alike", "zzzzzzzz", 3, nil},
		{"an empty name", "", 3, nil},
		{"none wanted", "model", 0, nil},
	} {
		if d := cmp.Diff(c.want, Nearest(c.given, known, c.n, nil)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	drop := func(s string) string { return strings.ReplaceAll(s, "-", "") }
	if d := cmp.Diff([]string{"a-b-c"}, Nearest("abc", []string{"a-b-c"}, 1, drop)); d != "" {
		t.Error(d)
	}
}

func TestSuggestEndsTheErrorOfAnUnknownName(t *testing.T) {
	many := strings.Fields(strings.Repeat("abcdefghi ", 50))
	for _, c := range []struct {
		name, given string
		known       []string
		want        string
	}{
		{"near ones", "plam", []string{"plan", "clam", "x"}, "; nearest: plan, clam"},
		{"none near", "zzz", []string{"plan", "x"}, "; known: plan, x"},
		{"none known", "zzz", nil, ""},
		{"too many to list", "zzz", many, "; known: " + strings.Join(many[:18], ", ") + " and 32 more"},
	} {
		if got := Suggest(c.given, c.known, 2, nil); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDistanceIsAMetricOfEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"tp", "tpp", 1}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q is %d, want %d", c.a, c.b, got, c.want)
		}
	}
	word := rapid.StringMatching(`[abc]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		switch {
		case Distance(a, b) != Distance(b, a):
			t.Fatal("not symmetric")
		case (Distance(a, b) == 0) != (a == b):
			t.Fatal("zero for different words, or not for the same")
		case Distance(a, c) > Distance(a, b)+Distance(b, c):
			t.Fatal("longer than the way round")
		case Distance(a, b) != edits(a, b):
			t.Fatalf("%d, by the definition %d", Distance(a, b), edits(a, b))
		}
	})
}

// edits is the distance by its recursive definition.
func edits(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return edits(a[1:], b[1:])
	}
	return 1 + min(edits(a[1:], b), edits(a, b[1:]), edits(a[1:], b[1:]))
}

func TestClipKeepsTextValid(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc..."}, {"aé", 2, "a..."}, {"a\xff", 9, "a?"}} {
		if got := Clip(c.text, c.n); got != c.want {
			t.Errorf("%q to %d bytes is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
