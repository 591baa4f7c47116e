// Package units holds the quantities meshplan computes with and the one place
// where they are parsed from and printed as text.
//
// Inside the program a quantity is always in its base unit: bytes, seconds,
// floating-point operations, bytes per second. Scaled text such as "61.2 GiB"
// is made at the edge only:
//
//	fmt.Println(units.Bytes(80e9))       // 74.51 GiB
//	b, err := units.ParseBytes("80GB")   // 80e9 bytes
package units

import (
	"math"
	"strconv"
	"time"
)

// Bytes is an amount of memory or traffic in bytes. It is a float64 because
// shares of a parameter's state are not whole bytes.
type Bytes float64

// Seconds is a time span in seconds.
type Seconds float64

// FLOPs is a count of floating-point operations; a multiply-add counts two.
type FLOPs float64

// BytesPerSecond is a transfer rate in bytes per second, one direction.
type BytesPerSecond float64

// FLOPsPerSecond is a compute rate in floating-point operations per second.
type FLOPsPerSecond float64

// Binary and decimal multiples of a byte.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
	GB  Bytes = 1e9
)

// String prints a memory amount in binary multiples with four significant
// digits, such as "61.23 GiB".
func (b Bytes) String() string {
	return scaled(float64(b), 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB")
}

// String prints a time with four significant digits, such as "5.913 s".
func (s Seconds) String() string { return s.text(usualDigits) }

// Apart prints two times with as many digits as tell them apart, four or more, as far
// as twelve do.
func Apart(a, b Seconds) (string, string) {
	n := usualDigits
	for n < 12 && a != b && a.text(n) == b.text(n) {
		n++
	}
	return a.text(n), b.text(n)
}

// text prints a time with n significant digits.
func (s Seconds) text(n int) string {
	v := math.Abs(float64(s))
	switch {
	case v == 0:
		return "0 s"
	case v < 1e-9:
		return strconv.FormatFloat(float64(s)*1e9, 'g', n, 64) + " ns"
	case v < 1e-6:
		return digits(float64(s)*1e9, n) + " ns"
	case v < 1e-3:
		return digits(float64(s)*1e6, n) + " us"
	case v < 1:
		return digits(float64(s)*1e3, n) + " ms"
	default:
		return digits(float64(s), n) + " s"
	}
}

// Duration converts to a time.Duration, rounded to the nanosecond.
func (s Seconds) Duration() time.Duration { return time.Duration(math.Round(float64(s) * 1e9)) }

// String prints a count of operations in decimal multiples, such as
// "312.0 TFLOP".
func (f FLOPs) String() string {
	return scaled(float64(f), 1000, "FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP")
}

// String prints a compute rate in decimal multiples, such as "989.0 TFLOP/s".
func (f FLOPsPerSecond) String() string { return FLOPs(f).String() + "/s" }

// String prints a rate in decimal multiples, such as "450.0 GB/s".
func (r BytesPerSecond) String() string {
	return scaled(float64(r), 1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s")
}

func scaled(v, base float64, names ...string) string {
	i := 0
	for math.Abs(v) >= base && i < len(names)-1 {
		v /= base
		i++
	}
	return digits(v, usualDigits) + " " + names[i]
}

// usualDigits is the number of significant digits of a quantity.
const usualDigits = 4

// digits prints v with n significant digits, and without an exponent up to 1e15.
func digits(v float64, n int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	decimals := max(0, n-max(whole, 1))
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Grouped prints a whole number with thousands separators: 16384 -> "16,384".
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
