package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"meshplan/strict"
)

// keyError is a value of a cluster that cannot be.
type keyError struct {
	key  string // in a cluster file, levels numbered: "level[1].size"
	text string // what is wrong, what was expected, and the nearest valid value
}

// Error is the text.
func (e *keyError) Error() string { return e.text }

func wrong(key, format string, args ...any) error {
	return &keyError{key: key, text: fmt.Sprintf(format, args...)}
}

// levelKey is the key of a level, or its table, numbered from 0.
func levelKey(i int, key string) string {
	return strings.TrimSuffix(fmt.Sprintf("level[%d].%s", i, key), ".")
}

// located gives an error the place of its key, of the table that lacks it, or
// of the file.
func located(doc *strict.Doc, err error) error {
	key := ""
	if k, ok := errors.AsType[*keyError](err); ok {
		key = k.key
	}
	for key != "" && !doc.HasElement(key) {
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
	}
	return fmt.Errorf("%s: %w", doc.AtElement(key), err)
}

// clamp is the value from least to most that is nearest to v.
func clamp[T cmp.Ordered](v, least, most T) T { return min(max(v, least), most) }

// nearest ends the error of a value outside least to most; empty for NaN, to
// which none is near.
func nearest[T ~float64](v, least, most T) string {
	if v != v {
		return ""
	}
	if s, ok := any(clamp(v, least, most)).(fmt.Stringer); ok {
		return "; nearest: " + s.String()
	}
	return fmt.Sprintf("; nearest: %g", float64(clamp(v, least, most)))
}

// nearestName ends the error of an unknown name with the nearest known one, if
// any is near.
func nearestName(name string, known []string) string {
	if near := strict.Nearest(name, known, 1, plain); len(near) > 0 {
		return "; nearest: " + near[0]
	}
	return ""
}
