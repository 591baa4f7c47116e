package encode

import (
	"slices"

	"meshplan/plan"
)

func degrees() []plan.Coord {
	coords := make([]plan.Coord, plan.NumDims)
	for d := range coords {
		coords[d] = plan.Coord(d)
	}
	return coords
}

// primesOf are the primes of the coordinates' values, ascending.
func (s *Space) primesOf(coords []plan.Coord) []int32 {
	var primes []int32
	for _, c := range coords {
		for _, v := range s.domains.Values[c] {
			primes = factorise(primes, v)
		}
	}
	slices.Sort(primes)
	return primes
}

// factorise appends the primes of n that are not in the list.
func factorise(primes []int32, n int32) []int32 {
	for _, p := range primes {
		for n%p == 0 {
			n /= p
		}
	}
	for p := int32(2); n > 1; p++ {
		if p > n/p {
			p = n
		}
		if n%p != 0 {
			continue
		}
		primes = append(primes, p)
		for n%p == 0 {
			n /= p
		}
	}
	return primes
}

// exponentOf is the exponent of p in n.
func exponentOf(p, n int64) (e int32) {
	for ; n%p == 0; n /= p {
		e++
	}
	return e
}

func mostExponent(p int32, values []int32) (most int32) {
	for _, v := range values {
		most = max(most, exponentOf(int64(p), int64(v)))
	}
	return most
}

// log is the largest exponent of p in a number up to n.
func log(p, n int32) (e int32) {
	for ; n >= p; n /= p {
		e++
	}
	return e
}

// smooth are the numbers up to n that have no other primes.
func smooth(n int, primes []int32) []int32 {
	var values []int32
	for v := int32(1); int(v) <= n; v++ {
		rest := v
		for _, p := range primes {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			values = append(values, v)
		}
	}
	return values
}
