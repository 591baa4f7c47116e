package loops

import (
	"math"
	"slices"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// Found is a priced plan.
type Found struct {
	Point plan.Point
	Plan  plan.Plan
	cost.Figures
}

// Before reports whether f comes before g: by step time rounded to 1 ns, then
// peak memory, then point.
func (f *Found) Before(g *Found) bool { return f.key().before(g.key()) }

type key struct {
	step  float64 // nanoseconds
	peak  units.Bytes
	point *plan.Point
}

func (f *Found) key() key { return key{nanoseconds(f.Step), f.Peak, &f.Point} }

func nanoseconds(s units.Seconds) float64 { return math.Round(float64(s) * 1e9) }

func (k key) before(o key) bool {
	if k.step != o.step {
		return k.step < o.step
	}
	if k.peak != o.peak {
		return k.peak < o.peak
	}
	return k.point.Compare(o.point) < 0
}

// ranking holds the best plan of each of the best classes, best first. A class
// is all plans of equal degrees and options.
type ranking struct {
	top  int
	list []Found
}

// sameClass reports whether the points differ in placement at most.
func sameClass(p, q *plan.Point) bool {
	for c := range plan.Coord(plan.NumOptions) {
		if p[c] != q[c] {
			return false
		}
	}
	return true
}

// add keeps a plan if it is among the best.
func (r *ranking) add(f Found) {
	for i := range r.list {
		if sameClass(&r.list[i].Point, &f.Point) {
			if f.Before(&r.list[i]) {
				r.list = slices.Delete(r.list, i, i+1)
				r.insert(f)
			}
			return
		}
	}
	r.insert(f)
	if len(r.list) > r.top {
		r.list = r.list[:r.top]
	}
}

func (r *ranking) insert(f Found) {
	at := 0
	for at < len(r.list) && r.list[at].Before(&f) {
		at++
	}
	r.list = slices.Insert(r.list, at, f)
}

// hopeless reports whether nothing at or behind k can still enter. same says
// that k stands for plans of one class, that of its point.
func (r *ranking) hopeless(k key, same bool) bool {
	if same {
		for i := range r.list {
			if sameClass(&r.list[i].Point, k.point) {
				return !k.before(r.list[i].key())
			}
		}
	}
	return len(r.list) == r.top && !k.before(r.list[r.top-1].key())
}
