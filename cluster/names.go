package cluster

import (
	"slices"
	"strings"
)

// plain is a name without its spelling: lower case, letters and digits only,
// without what stands in brackets and without the maker's name. Names with
// the same plain form are the same name.
func plain(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "(")
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	for _, maker := range []string{"nvidia", "amd", "intel", "tesla", "geforce", "instinct"} {
		name = strings.TrimPrefix(name, maker)
	}
	return name
}

// nearest is up to n of the candidates, those closest in spelling first; equal
// distances keep the candidates' order.
func nearest(name string, candidates []string, n int) []string {
	want := plain(clip(name, 100))
	sorted := slices.Clone(candidates)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return distance(want, plain(a)) - distance(want, plain(b))
	})
	return sorted[:min(n, len(sorted))]
}

// distance is the Levenshtein distance of two texts in bytes.
func distance(a, b string) int {
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

// clip cuts a text that an error quotes to n bytes.
func clip(text string, n int) string {
	if len(text) <= n {
		return strings.ToValidUTF8(text, "?")
	}
	return strings.ToValidUTF8(text[:n], "") + "..."
}
