package strict

import (
	"fmt"
	"slices"
	"strings"
)

// maxListed bounds the bytes of names that Suggest lists when none is near.
const maxListed = 200

// Nearest is up to n of the known names, those closest in spelling first;
// equal distances keep their order. Names that would need two thirds of their
// letters changed are left out, but the given name may also be the beginning or
// about one word of a longer one: "glbal" of "global_batch". fold gives the
// spelling that is compared; nil is strings.ToLower.
func Nearest(name string, known []string, n int, fold func(string) string) []string {
	if fold == nil {
		fold = strings.ToLower
	}
	type scored struct {
		name     string
		distance int
	}
	want := fold(Clip(name, 100))
	var found []scored
	for _, k := range known {
		spelled := fold(k)
		d := Distance(want, spelled)
		if d > shortened && isShort(want, k, spelled, fold) {
			d = shortened
		} else if d > 0 && 3*d >= 2*max(len(want), len(spelled)) {
			continue
		}
		found = append(found, scored{k, d})
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.distance - b.distance })
	var names []string
	for _, s := range found[:min(n, len(found))] {
		names = append(names, s.name)
	}
	return names
}

// shortened is the distance of a name that stands for a longer one.
const shortened = 2

// isShort reports whether a spelling of three letters or more begins a name, or
// is one of its words with less than a third of the letters changed.
func isShort(given, name, spelled string, fold func(string) string) bool {
	if len(given) < 3 {
		return false
	}
	if strings.HasPrefix(spelled, given) {
		return true
	}
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
		w := fold(word)
		if len(w) >= 3 && 3*Distance(given, w) < len(w) {
			return true
		}
	}
	return false
}

// Suggest ends the error of an unknown name: "; nearest: " and up to n names
// (see Nearest), or "; known: " and the known names, as many as fit a line,
// where none is near.
func Suggest(name string, known []string, n int, fold func(string) string) string {
	if near := Nearest(name, known, n, fold); len(near) > 0 {
		return "; nearest: " + strings.Join(near, ", ")
	}
	if len(known) == 0 {
		return ""
	}
	bytes, shown := 0, 0
	for shown < len(known) && (shown == 0 || bytes+len(known[shown]) <= maxListed) {
		bytes += len(known[shown]) + len(", ")
		shown++
	}
	text := "; known: " + strings.Join(known[:shown], ", ")
	if shown < len(known) {
		text += fmt.Sprintf(" and %d more", len(known)-shown)
	}
	return text
}

// Distance is the Levenshtein distance of two words in bytes: the fewest
// letters to insert, delete or change that make one the other.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Clip cuts a text that an error quotes to n bytes and makes it valid UTF-8.
func Clip(text string, n int) string {
	if len(text) <= n {
		return strings.ToValidUTF8(text, "?")
	}
	return strings.ToValidUTF8(text[:n], "") + "..."
}
