package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"meshplan/framework"
	"meshplan/plan"
)

// span is the least box that holds both points.
func span(p, q *plan.Point) plan.Box {
	var b plan.Box
	for c := range b {
		b[c] = plan.Range{Lo: min(p[c], q[c]), Hi: max(p[c], q[c])}
	}
	return b
}

func TestTightenLosesNoPoint(t *testing.T) {
	inParts(t, 60, func(t *testing.T, seed uint64) {
		p, e := small(t, seed+70_000)
		var points []plan.Point
		e.Visit(func(p *plan.Point) bool { points = append(points, *p); return true })
		r := rand.New(rand.NewPCG(seed, 3))
		if op := pick(r, "", "=", "<=", ">="); op != "" {
			some := points[r.IntN(len(points))].Plan(len(p.Facts.Cluster.Levels))
			pin := framework.Pin{Name: "gpus", Op: op, Value: int32(some.Placement.GPUs())}
			p.Pins = append(p.Pins, pin)
			pinned := framework.PinRules(&p.Facts, []framework.Pin{pin})[0]
			points = slices.DeleteFunc(points, func(q plan.Point) bool { return !pinned.Holds(&p.Facts, &q) })
		}
		j, s := mustSession(t, p)
		for range 200 {
			before := span(&points[r.IntN(len(points))], &points[r.IntN(len(points))])
			if r.IntN(4) == 0 {
				before = j.root()
			}
			after := before
			ok := s.tight.tighten(&after)
			for range 50 {
				q := &points[r.IntN(len(points))]
				if before.Contains(q) && (!ok || !after.Contains(q)) {
					t.Fatalf("seed %d: %v is lost from %v, which became %v", seed, q, before, after)
				}
			}
		}
	})
}

func TestTightenFindsBoxesWithoutPoints(t *testing.T) {
	tests := []struct { // 16 GPUs, 8 a domain
		name   string
		pins   string
		narrow func(*plan.Box)
		holds  bool
		pp     plan.Range
	}{
		{"everything", "", func(*plan.Box) {}, true, plan.Range{Lo: 1, Hi: 16}},
		{"4 GPUs leave pp 4", "gpus<=4", func(*plan.Box) {}, true, plan.Range{Lo: 1, Hi: 4}},
		{"tp 8 is too much for 4 GPUs", "gpus=4", func(b *plan.Box) { fix(b, plan.TP, 8, 1) }, false, plan.Range{}},
		{"tp 8 and cp 2 leave pp 1", "", func(b *plan.Box) { fix(b, plan.TP, 8, 1); fix(b, plan.CP, 2, 1) }, true, plan.Range{Lo: 1, Hi: 1}},
		{"tp 8 and cp 4 are more than all GPUs", "", func(b *plan.Box) { fix(b, plan.TP, 8, 1); fix(b, plan.CP, 4, 1) }, false, plan.Range{}},
		{"tp 8 in a domain leaves no room for cp there", "", func(b *plan.Box) { fix(b, plan.TP, 8, 8); fix(b, plan.CP, 2, 2) }, false, plan.Range{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, s := mustSession(t, toy(t, test.pins))
			b := s.root()
			test.narrow(&b)
			if ok := s.tight.tighten(&b); ok != test.holds || ok && b[plan.PP] != test.pp {
				t.Errorf("holds points: %v, pp %v; want %v, %v", ok, b[plan.PP], test.holds, test.pp)
			}
		})
	}
}

// fix sets a degree and bounds from below how much of it lies in a domain.
func fix(b *plan.Box, d plan.Dim, degree, inside int32) {
	for l := 1; l < plan.MaxLevels; l++ {
		b[plan.At(d, l)] = plan.Range{Lo: degree, Hi: degree}
	}
	b[plan.At(d, 0)].Lo = inside
}
