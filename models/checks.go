package models

import (
	"slices"
	"strconv"

	"meshplan/strict"
	"meshplan/units"
)

// size is the error of a whole number outside lo..hi.
func size(key string, v, lo, hi int) error {
	if v >= lo && v <= hi {
		return nil
	}
	if lo == hi {
		return wrong(key, "is %d; want %s", v, units.Grouped(int64(lo)))
	}
	return wrong(key, "is %d; want a whole number from %s to %s", v, units.Grouped(int64(lo)), units.Grouped(int64(hi)))
}

// word is the error of a word that is not one of the known ones.
func word[T ~string](key string, v T, known ...T) error {
	if slices.Contains(known, v) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return wrong(key, "is %q; want %s", strict.Clip(string(v), 60), oneOf(names))
}

// absent is the error of the first of the key, value pairs that is not 0.
func absent(why string, pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		if v := pairs[i+1].(int); v != 0 {
			return wrong(pairs[i].(string), "is %d %s; want it left out", v, why)
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// nearestDivisors is the divisors of n next below and above v.
func nearestDivisors(n, v int) []string {
	var near []string
	for d := min(v, n+1) - 1; d >= 1; d-- {
		if n%d == 0 {
			near = append(near, strconv.Itoa(d))
			break
		}
	}
	for d := v + 1; d <= n; d++ {
		if n%d == 0 {
			near = append(near, strconv.Itoa(d))
			break
		}
	}
	return near
}
