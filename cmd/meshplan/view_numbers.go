package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"meshplan/units"
)

// gib prints bytes as GiB with one decimal and without the unit.
func gib(bytes float64) string {
	return fmt.Sprintf("%.1f", bytes/float64(units.GiB))
}

// gibFine prints bytes as GiB with two decimals, "-" for none at all.
func gibFine(bytes float64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", bytes/float64(units.GiB))
}

// percent prints a fraction as a percentage with the given decimals.
func percent(fraction float64, decimals int) string {
	return fmt.Sprintf("%.*f %%", decimals, 100*fraction)
}

// seconds prints a time with its unit, "-" for none at all: below a picosecond
// it is what rounding leaves of a difference.
func seconds(s float64) string {
	if math.Abs(s) < 1e-12 {
		return "-"
	}
	return units.Seconds(s).String()
}

// amount prints bytes with their unit, "-" for none at all.
func amount(b float64) string {
	if b == 0 {
		return "-"
	}
	return units.Bytes(b).String()
}

// short prints a value of ordinary size with two significant digits, or one
// decimal from 1 up.
func short(v float64) string {
	if math.Abs(v) >= 1 {
		return fmt.Sprintf("%.1f", v)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// whole number of a rate, with thousands separators.
func grouped(v float64) string { return units.Grouped(int64(math.Round(v))) }

// count is "1 plan" or "3 plans".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return units.Grouped(int64(n)) + " " + noun + "s"
}

// power prints a large count as "1.2 x 10^14".
func power(v float64) string {
	if v < 1e6 {
		return grouped(v)
	}
	mantissa, exponent, _ := strings.Cut(fmt.Sprintf("%.1e", v), "e+")
	return mantissa + " x 10^" + strings.TrimLeft(exponent, "0")
}
