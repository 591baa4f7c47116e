package units

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestQuantitiesPrintWithFourDigits(t *testing.T) {
	for _, c := range []struct {
		name string
		v    fmt.Stringer
		want string
	}{
		{"no bytes", Bytes(0), "0 B"},
		{"bytes", Bytes(1023), "1023 B"},
		{"a fraction of a byte", Bytes(0.25), "0.250 B"},
		{"binary multiples", Bytes(80e9), "74.51 GiB"},
		{"a multiple just reached", 1 * GiB, "1.000 GiB"},
		{"the largest multiple goes on", Bytes(1 << 62), "4096 PiB"},
		{"negative bytes", -2 * MiB, "-2.000 MiB"},
		{"no time", Seconds(0), "0 s"},
		{"microseconds", Seconds(12.34e-6), "12.34 us"},
		{"nanoseconds", Seconds(86.4e-9), "86.40 ns"},
		{"less than a nanosecond", Seconds(2.2651e-11), "0.02265 ns"},
		{"next to nothing", Seconds(-1e-22), "-1e-13 ns"},
		{"milliseconds", Seconds(0.0123), "12.30 ms"},
		{"seconds", Seconds(5.9134), "5.913 s"},
		{"many seconds", Seconds(86400), "86400 s"},
		{"a negative time", Seconds(-0.5), "-500.0 ms"},
		{"an endless time", Seconds(math.Inf(1)), "+Inf s"},
		{"operations", FLOPs(312e12), "312.0 TFLOP"},
		{"few operations", FLOPs(2), "2.000 FLOP"},
		{"a compute rate", FLOPsPerSecond(989.4e12), "989.4 TFLOP/s"},
		{"a transfer rate", BytesPerSecond(450e9), "450.0 GB/s"},
		{"a transfer rate of no link", BytesPerSecond(1e18), "1.000 EB/s"},
		{"a slow transfer rate", BytesPerSecond(999), "999.0 B/s"},
		{"a rate beyond any unit", BytesPerSecond(1e209), "1e+191 EB/s"},
		{"a rate that is not a number", BytesPerSecond(math.NaN()), "NaN B/s"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTwoTimesPrintWithTheDigitsThatTellThemApart(t *testing.T) {
	for _, c := range []struct {
		name         string
		a, b         Seconds
		wantA, wantB string
	}{
		{"four digits do", 3.001, 3, "3.001 s", "3.000 s"},
		{"five do", 3.0001, 3, "3.0001 s", "3.0000 s"},
		{"a microsecond apart", 3.000001, 3, "3.000001 s", "3.000000 s"},
		{"equal times", 3, 3, "3.000 s", "3.000 s"},
		{"hundreds of seconds", 123.44, 123.42, "123.44 s", "123.42 s"},
		{"milliseconds", 0.5000001, 0.5, "500.0001 ms", "500.0000 ms"},
		{"less apart than twelve digits tell", 3 + 1e-14, 3, "3.00000000000 s", "3.00000000000 s"},
	} {
		if a, b := Apart(c.a, c.b); a != c.wantA || b != c.wantB {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, a, b, c.wantA, c.wantB)
		}
	}
}

func TestWholeNumbersAreGroupedByThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 16384: "16,384", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("%d prints as %q, want %q", n, got, want)
		}
	}
}

func TestSecondsRoundToNanoseconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(-1e15, 1e15).Draw(t, "ns")
		if d := Seconds(float64(ns) / 1e9).Duration(); d != time.Duration(ns) {
			t.Errorf("%d ns are %d", ns, d)
		}
	})
}
