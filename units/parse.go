package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// multiples are the units of an amount of bytes, in lower case.
var multiples = map[string]float64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15, "eb": 1e18,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "pib": 1 << 50,
}

// bits are the units of a rate that count bits, in bytes.
var bits = map[string]float64{
	"b": 1. / 8, "kb": 1e3 / 8, "Kb": 1e3 / 8, "Mb": 1e6 / 8, "Gb": 1e9 / 8, "Tb": 1e12 / 8, "Pb": 1e15 / 8,
}

// ParseBytes reads "80GB", "79.2 GiB" or a bare count of bytes. GB is 1e9
// bytes and GiB is 2^30; case does not matter. It refuses negative, infinite
// and unreadable values.
func ParseBytes(text string) (Bytes, error) {
	number, unit := split(text)
	factor, ok := multiples[strings.ToLower(unit)]
	if !ok {
		return 0, fmt.Errorf("unknown unit %q in %q: want B, kB, MB, GB, TB, PB, EB, KiB, MiB, GiB, TiB or PiB", unit, text)
	}
	v, err := positive(number, factor, text)
	return Bytes(v), err
}

// ParseRate reads a transfer rate such as "50GB/s" or "400Gb/s": B is a byte
// and b a bit, as network cards are labelled. A unit such as "gb/s", which
// could be either, is refused.
func ParseRate(text string) (BytesPerSecond, error) {
	body, ok := strings.CutSuffix(strings.TrimSpace(text), "/s")
	if !ok {
		return 0, fmt.Errorf("rate %q must end in /s, for example 50GB/s or 400Gb/s", text)
	}
	number, unit := split(body)
	factor, ok := bits[unit]
	if !ok && !strings.HasSuffix(unit, "b") {
		factor, ok = multiples[strings.ToLower(unit)]
	}
	if !ok || unit == "" {
		return 0, fmt.Errorf("unknown unit %q in %q: want bytes such as GB/s or bits such as Gb/s", unit+"/s", text)
	}
	v, err := positive(number, factor, text)
	return BytesPerSecond(v), err
}

// split cuts the letters at the end of a quantity off its number.
func split(text string) (number, unit string) {
	text = strings.TrimSpace(text)
	number = strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return strings.TrimSpace(number), text[len(number):]
}

// positive is a number times the factor of its unit; text is the whole
// quantity, for errors.
func positive(number string, factor float64, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64)
	v *= factor
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number with a unit", text)
	}
	if v < 0 {
		return 0, fmt.Errorf("%q is negative", text)
	}
	return v, nil
}
