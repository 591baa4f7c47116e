package models

import (
	"fmt"
	"strings"
)

// separators are what a name may have between its parts.
const separators = "-_./ \t"

// plain is a name without its spelling: lower case, without - _ . / and
// spaces. Names with the same plain form are the same name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

// pointed is a name's plain form that keeps the places of separators between
// two digits: opt-1.3b and opt-13b differ in it.
func pointed(name string) string {
	var out []byte
	split := false
	for _, c := range []byte(strings.ToLower(strings.TrimSpace(name))) {
		if strings.IndexByte(separators, c) >= 0 {
			split = true
			continue
		}
		if split && digit(c) && len(out) > 0 && digit(out[len(out)-1]) {
			out = append(out, '.')
		}
		out, split = append(out, c), false
	}
	return string(out)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// oneOf lists names for a sentence: "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return fmt.Sprintf("%s or %s", strings.Join(names[:last], ", "), names[last])
}
