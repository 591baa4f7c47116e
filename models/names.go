package models

import (
	"fmt"
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

// oneOf lists names for a sentence: "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return fmt.Sprintf("%s or %s", strings.Join(names[:last], ", "), names[last])
}
