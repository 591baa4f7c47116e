package cost

// axis maps a value to the index of the tabulated values around it.
type axis struct {
	values []int
	floor  []int16 // index of the largest value <= v
	ceil   []int16 // index of the smallest value >= v, or len(values)
}

// newAxis makes the axis of values that rise.
func newAxis(values []int) axis {
	a := axis{values: values}
	last := values[len(values)-1]
	a.floor, a.ceil = make([]int16, last+1), make([]int16, last+1)
	i := 0
	for v := 0; v <= last; v++ {
		for i+1 < len(values) && values[i+1] <= v {
			i++
		}
		a.floor[v] = int16(i)
		a.ceil[v] = int16(i)
		if values[i] < v {
			a.ceil[v] = int16(i + 1)
		}
	}
	return a
}

func (a *axis) below(v float64) int {
	if int(v) >= len(a.floor) {
		return len(a.values) - 1
	}
	return int(a.floor[int(v)])
}

// above is the index of the smallest value at least v; ok is false beyond the
// last one.
func (a *axis) above(v float64) (i int, ok bool) {
	if int(v) >= len(a.ceil) {
		return len(a.values) - 1, false
	}
	return int(a.ceil[int(v)]), true
}

// index is the index of exactly v.
func (a *axis) index(v float64) (int, bool) {
	i := a.below(v)
	return i, float64(a.values[i]) == v
}

// divisorsUpTo lists the divisors of n that are at most limit.
func divisorsUpTo(n int64, limit int) []int {
	var list []int
	for d := 1; d <= limit && int64(d) <= n; d++ {
		if n%int64(d) == 0 {
			list = append(list, d)
		}
	}
	return list
}
