package framework

import (
	"fmt"
	"slices"
)

// divisors of n up to most, ascending; {1} for n < 1.
func divisors(n, most int) []int32 {
	ds := []int32{}
	for d := 1; d*d <= n; d++ {
		if n%d != 0 {
			continue
		}
		if d <= most {
			ds = append(ds, int32(d))
		}
		if d*d != n && n/d <= most {
			ds = append(ds, int32(n/d))
		}
	}
	if len(ds) == 0 {
		return []int32{1}
	}
	slices.Sort(ds)
	return ds
}

func divisorsOfAny(values []int32) []int32 {
	set := map[int32]bool{1: true}
	for _, v := range values {
		for _, d := range divisors(int(v), int(v)) {
			set[d] = true
		}
	}
	return keys(set)
}

// strip divides n by every factor it shares with m.
func strip(n, m int) int {
	for g := gcd(n, m); g > 1; g = gcd(n, m) {
		n /= g
	}
	return n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int64) int64 { return a / int64(gcd(int(a), int(b))) * b }

func upTo(n int) []int32 {
	values := make([]int32, max(1, n))
	for i := range values {
		values[i] = int32(i + 1)
	}
	return values
}

func sorted(values []int32) []int32 {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

func keys(set map[int32]bool) []int32 {
	values := make([]int32, 0, len(set))
	for v := range set {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

func keep(values []int32, ok func(int32) bool) []int32 {
	var kept []int32
	for _, v := range values {
		if ok(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// NearestDivisors names the divisors of n next to v, below and above: "nearest
// 4, 8".
func NearestDivisors(n, v int64) string {
	below, above := int64(0), int64(0)
	for d := int64(1); d <= n/d; d++ {
		if n%d != 0 {
			continue
		}
		for _, x := range []int64{d, n / d} {
			if x < v && x > below {
				below = x
			}
			if x > v && (above == 0 || x < above) {
				above = x
			}
		}
	}
	return nearest(below, above)
}

// nearest prints the valid values below and above; 0 means that there is none.
func nearest(below, above int64) string {
	switch {
	case below > 0 && above > 0:
		return fmt.Sprintf("nearest %d, %d", below, above)
	case below > 0:
		return fmt.Sprintf("nearest %d", below)
	case above > 0:
		return fmt.Sprintf("nearest %d", above)
	}
	return "no value is valid"
}
