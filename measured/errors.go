package measured

import (
	"encoding/json"
	"math"
	"slices"
)

// Share is a fraction, or a number without unit; NaN stands for "none" and is
// null in JSON.
type Share float64

// none is the share of nothing.
var none = Share(math.NaN())

// None reports whether there was nothing to take the share of.
func (s Share) None() bool { return math.IsNaN(float64(s)) }

// MarshalJSON writes the number, or null.
func (s Share) MarshalJSON() ([]byte, error) {
	if s.None() || math.IsInf(float64(s), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(s))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Share) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*s = none
		return nil
	}
	return json.Unmarshal(text, (*float64)(s))
}

// ratio is a over b, none where b is 0.
func ratio(a, b int) Share {
	if b == 0 {
		return none
	}
	return Share(float64(a) / float64(b))
}

// mean is the mean of the values, none of no values.
func mean(values []float64) Share {
	if len(values) == 0 {
		return none
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Share(sum / float64(len(values)))
}

// Errors are the relative errors of a quantity, predicted over measured less 1,
// as fractions.
type Errors struct {
	N      int   `json:"n"`
	MAPE   Share `json:"mape"`   // mean of the absolute errors
	Median Share `json:"median"` // of the absolute errors
	P90    Share `json:"p90"`    // of the absolute errors
	Signed Share `json:"signed"` // mean of the errors
}

// errorsOf summarises relative errors.
func errorsOf(errors []float64) Errors {
	sizes := make([]float64, len(errors))
	for i, e := range errors {
		sizes[i] = math.Abs(e)
	}
	slices.Sort(sizes)
	return Errors{N: len(errors), MAPE: mean(sizes), Median: quantile(sizes, 0.5), P90: quantile(sizes, 0.9), Signed: mean(errors)}
}

// quantile interpolates between the sorted values on both sides of q.
func quantile(sorted []float64, q float64) Share {
	if len(sorted) == 0 {
		return none
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return Share(sorted[len(sorted)-1])
	}
	return Share(sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i]))
}
