package models

import (
	"fmt"
	"slices"
	"strings"
)

// plain is a name without its spelling: lower case, without - _ . / and
// spaces. Names with the same plain form are the same name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', '.', '/', ' ', '\t':
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

// nearest is up to n of the candidates, those closest in spelling first; equal
// distances keep the candidates' order. Candidates that share less than a
// third of their letters with the name are left out.
func nearest(name string, candidates []string, n int) []string {
	type scored struct {
		name     string
		distance int
	}
	want := plain(clip(name, 100))
	var found []scored
	for _, c := range candidates {
		p := plain(c)
		if d := distance(want, p); 3*d < 2*max(len(want), len(p)) {
			found = append(found, scored{c, d})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.distance - b.distance })
	var names []string
	for _, s := range found[:min(n, len(found))] {
		names = append(names, s.name)
	}
	return names
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

// oneOf lists names for a sentence: "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return fmt.Sprintf("%s or %s", strings.Join(names[:last], ", "), names[last])
}

// clip cuts a text that an error quotes to n bytes.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "..."
}
