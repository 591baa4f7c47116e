package units

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBytesAreReadInEverySpelling(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Bytes
	}{
		{"a bare count", "80", 80},
		{"bytes", "80B", 80},
		{"decimal gigabytes", "80GB", 80e9},
		{"binary gigabytes", "80GiB", 80 << 30},
		{"a blank before the unit", " 79.2 GiB ", 79.2 * (1 << 30)},
		{"lower case", "1kb", 1000},
		{"mixed case", "1kIB", 1024},
		{"grouped digits", "1_000_000", 1e6},
		{"an exponent", "1e3", 1000},
		{"an exponent and a unit", "1e3MB", 1e9},
		{"zero", "0", 0},
		{"a fraction of a byte", "0.5", 0.5},
		{"petabytes", "2PB", 2e15},
		{"binary petabytes", "2PiB", 2 << 50},
	} {
		if got, err := ParseBytes(c.text); err != nil || got != c.want {
			t.Errorf("%s: %q is %v, %v; want %v", c.name, c.text, float64(got), err, float64(c.want))
		}
	}
}

func TestRatesAreReadInBytesAndBits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       BytesPerSecond
	}{
		{"gigabytes", "50GB/s", 50e9},
		{"gigabits are an eighth", "400Gb/s", 50e9},
		{"a blank before the unit", "371 GB/s", 371e9},
		{"terabits", "1.6Tb/s", 200e9},
		{"megabits", "8Mb/s", 1e6},
		{"kilobits in both spellings", "8kb/s", 1e3},
		{"kilobits with a capital", "8Kb/s", 1e3},
		{"binary units", "1GiB/s", 1 << 30},
		{"bytes", "5B/s", 5},
		{"bits", "8b/s", 1},
		{"zero", "0GB/s", 0},
	} {
		if got, err := ParseRate(c.text); err != nil || got != c.want {
			t.Errorf("%s: %q is %v, %v; want %v", c.name, c.text, float64(got), err, float64(c.want))
		}
	}
}

func TestWhatIsNoQuantityIsRefused(t *testing.T) {
	bytes := func(s string) error { _, err := ParseBytes(s); return err }
	rate := func(s string) error { _, err := ParseRate(s); return err }
	for _, c := range []struct {
		name  string
		parse func(string) error
		text  string
		want  string
	}{
		{"nothing", bytes, "", `"" is not a number`},
		{"a unit alone", bytes, "GB", `"GB" is not a number`},
		{"a unit that is unknown", bytes, "80GX", `unknown unit "GX" in "80GX": want B, kB`},
		{"a negative amount", bytes, "-1GB", `"-1GB" is negative`},
		{"an infinite amount", bytes, "inf", `unknown unit "inf"`},
		{"not a number", bytes, "nan", `unknown unit "nan"`},
		{"two numbers", bytes, "1 2GB", `"1 2GB" is not a number`},
		{"a comma", bytes, "1,5GB", `"1,5GB" is not a number`},
		{"a number beyond any", bytes, "1e999", `"1e999" is not a number`},
		{"a number that its unit takes beyond any", bytes, "1e300PB", `"1e300PB" is not a number`},
		{"random bytes", bytes, "\x00\xff", "is not a number"},
		{"a rate for an amount", bytes, "80GB/s", `unknown unit "s" in "80GB/s"`},
		{"an amount for a rate", rate, "80GB", `rate "80GB" must end in /s`},
		{"a rate without a unit", rate, "80/s", `unknown unit "/s" in "80/s"`},
		{"a rate in bits or bytes", rate, "400gb/s", `unknown unit "gb/s" in "400gb/s": want bytes such as GB/s or bits such as Gb/s`},
		{"a rate in an unknown unit", rate, "400Gbit/s", `unknown unit "Gbit/s"`},
		{"a negative rate", rate, "-1GB/s", `"-1GB/s" is negative`},
		{"a rate beyond any", rate, "1e308TB/s", "is not a number"},
		{"a rate of nothing", rate, "/s", `unknown unit "/s"`},
	} {
		if err := c.parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

// TestWhatIsPrintedReadsBack holds that printing loses no more than the fourth
// digit.
func TestWhatIsPrintedReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Pow(10, rapid.Float64Range(0, 17).Draw(t, "log"))
		b, err := ParseBytes(Bytes(v).String())
		if err != nil || math.Abs(float64(b)/v-1) > 5.001e-4 {
			t.Errorf("%v bytes print as %v and read as %v, %v", v, Bytes(v), float64(b), err)
		}
		r, err := ParseRate(BytesPerSecond(v).String())
		if err != nil || math.Abs(float64(r)/v-1) > 5.001e-4 {
			t.Errorf("%v B/s print as %v and read as %v, %v", v, BytesPerSecond(v), float64(r), err)
		}
	})
}

// FuzzParse wants of any text a finite quantity of at least zero or an error.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"80GB", "79.2 GiB", "400Gb/s", "1e3", "-1GB", "inf", "0x1p4", "1e300PB", "/s", "1_0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBytes(text)
		if err == nil && !(b >= 0 && b <= math.MaxFloat64) {
			t.Errorf("%q is %v bytes", text, float64(b))
		}
		r, err := ParseRate(text)
		if err == nil && !(r >= 0 && r <= math.MaxFloat64) {
			t.Errorf("%q is %v B/s", text, float64(r))
		}
	})
}
