package cluster

import (
	"strconv"

	"meshplan/units"
)

// rate and size are quantities as a file writes them: "371GB/s", "400Gb/s",
// "2TiB".
type (
	rate units.BytesPerSecond
	size units.Bytes
)

// UnmarshalText reads "371GB/s" or "400Gb/s".
func (r *rate) UnmarshalText(text []byte) error {
	v, err := units.ParseRate(string(text))
	*r = rate(v)
	return err
}

// String is in GB/s where that reads back the same, else in B/s.
func (r rate) String() string {
	text := shortest(float64(r), giga) + "GB/s"
	if back, err := units.ParseRate(text); err == nil && back == units.BytesPerSecond(r) {
		return text
	}
	return shortest(float64(r), 1) + "B/s"
}

// MarshalText is String.
func (r rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads "2TiB", "512GB" or a bare count of bytes.
func (s *size) UnmarshalText(text []byte) error {
	v, err := units.ParseBytes(string(text))
	*s = size(v)
	return err
}

// MarshalText writes GiB where that reads back the same, else bytes.
func (s size) MarshalText() ([]byte, error) {
	text := shortest(float64(s), float64(units.GiB)) + "GiB"
	if back, err := units.ParseBytes(text); err == nil && back == units.Bytes(s) {
		return []byte(text), nil
	}
	return []byte(shortest(float64(s), 1) + "B"), nil
}

// decimal is the number with the fewest digits that times scale gives v back;
// v / scale itself where none does.
func decimal(v, scale float64) float64 {
	d, err := strconv.ParseFloat(shortest(v, scale), 64)
	if err != nil {
		return v / scale
	}
	return d
}

func shortest(v, scale float64) string {
	for digits := 1; digits <= 17; digits++ {
		text := strconv.FormatFloat(v/scale, 'g', digits, 64)
		if d, err := strconv.ParseFloat(text, 64); err == nil && d*scale == v {
			return strconv.FormatFloat(d, 'f', -1, 64)
		}
	}
	return strconv.FormatFloat(v/scale, 'f', -1, 64)
}
