package plan

import "fmt"

// Coord names one coordinate of the search space. The order of the constants
// is the order in which points are compared: degrees, then options, then
// cumulative placement factors, dimension by dimension and level by level.
type Coord uint8

// The coordinates. The degree of dimension d is Coord(d), which is also its
// cumulative factor on the outermost level.
const (
	VPP            = Coord(NumDims) + iota // chunks per pipeline rank
	MicroBatch                             // sequences per micro-batch
	SP                                     // 0 or 1
	Zero                                   // ZeRO stage
	RecomputeC                             // a Recompute
	CPCommC                                // a CPComm
	ScheduleC                              // a Schedule's Value
	OptOffload                             // percent of the optimizer state in host memory
	ActOffload                             // percent of the kept activations in host memory
	RecomputeSpare                         // percent of the layers that recompute spares, or SpareFitting
	firstPlace                             // placement coordinates start here
)

// NumOptions is the number of coordinates that are degrees or options; those of
// placement come after them.
const NumOptions = int(firstPlace)

// NumCoords is the number of coordinates of a point.
const NumCoords = int(firstPlace) + int(NumDims)*(MaxLevels-1)

// At is the coordinate of the dimension's cumulative factor on the level
// (0 = innermost): the ranks of one group inside a domain of that level. On
// the outermost of MaxLevels it is the degree.
func At(d Dim, level int) Coord {
	if level >= MaxLevels-1 {
		return Coord(d)
	}
	return firstPlace + Coord(int(d)*(MaxLevels-1)+level)
}

// Dim and level of a placement or degree coordinate; ok is false for an
// option.
func (c Coord) Dim() (d Dim, level int, ok bool) {
	switch {
	case c < Coord(NumDims):
		return Dim(c), MaxLevels - 1, true
	case c >= firstPlace:
		i := int(c - firstPlace)
		return Dim(i / (MaxLevels - 1)), i % (MaxLevels - 1), true
	}
	return 0, 0, false
}

// String names the coordinate as a user would: "tp", "micro-batch",
// "tp@1" for tp's cumulative factor on level 1.
func (c Coord) String() string {
	if d, l, ok := c.Dim(); ok {
		if l == MaxLevels-1 {
			return d.String()
		}
		return fmt.Sprintf("%s@%d", d, l)
	}
	return [...]string{"vpp", "micro-batch", "sp", "zero", "recompute",
		"cp-comm", "schedule", "optimizer-offload", "activation-offload", "recompute-spare"}[c-VPP]
}

// Point is a value for each coordinate. Coordinates on levels the cluster
// lacks equal the degree.
type Point [NumCoords]int32

// Degree is the point's degree of the dimension.
func (p *Point) Degree(d Dim) int32 { return p[Coord(d)] }

// DP is the whole data-parallel degree.
func (p *Point) DP() int32 { return p[Coord(DPShard)] * p[Coord(DPReplicate)] }

// Compare orders points coordinate by coordinate.
func (p *Point) Compare(q *Point) int {
	for c := range p {
		if p[c] != q[c] {
			if p[c] < q[c] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// Plan is the plan at the point on a cluster of the given number of levels,
// with no layer split yet. Cumulative factors must divide each other upwards.
func (p *Point) Plan(levels int) Plan {
	var q Plan
	q.Placement.Levels = int8(levels)
	for d := Dim(0); d < NumDims; d++ {
		below := int32(1)
		for l := 0; l < MaxLevels; l++ {
			at := p[At(d, l)]
			q.Placement.Factor[d][l] = at / below
			below = at
		}
	}
	q.Options = Options{
		SP: p[SP] == 1, MicroBatch: p[MicroBatch], VPP: p[VPP],
		ZeroStage: int8(p[Zero]), Recompute: Recompute(p[RecomputeC]), CPComm: CPComm(p[CPCommC]),
		OptimizerOffload: int8(p[OptOffload]), ActivationOffload: int8(p[ActOffload]), RecomputeSpare: int8(p[RecomputeSpare]),
	}
	q.Options.Schedule = ScheduleOf(p[ScheduleC], p[VPP])
	return q
}

// Point is the plan's point; the layer split is not part of it.
func (q *Plan) Point() Point {
	var p Point
	for d := Dim(0); d < NumDims; d++ {
		for l := 0; l < MaxLevels; l++ {
			p[At(d, l)] = q.Placement.Cumulative(d, l)
		}
	}
	p[VPP] = max(1, q.Options.VPP)
	p[MicroBatch] = max(1, q.Options.MicroBatch)
	if q.Options.SP {
		p[SP] = 1
	}
	p[Zero] = int32(q.Options.ZeroStage)
	p[RecomputeC] = int32(q.Options.Recompute)
	p[CPCommC] = int32(q.Options.CPComm)
	p[ScheduleC] = q.Options.Schedule.Value()
	p[OptOffload], p[ActOffload] = int32(q.Options.OptimizerOffload), int32(q.Options.ActivationOffload)
	p[RecomputeSpare] = int32(q.Options.RecomputeSpare)
	return p
}

// Range is a closed interval of a coordinate's values.
type Range struct{ Lo, Hi int32 }

// Single reports whether the interval holds one value.
func (r Range) Single() bool { return r.Lo == r.Hi }

// Contains reports whether v lies in the interval.
func (r Range) Contains(v int32) bool { return r.Lo <= v && v <= r.Hi }

// Box is an interval for each coordinate: a set of points.
type Box [NumCoords]Range

// Box is the degenerate box that holds only the point.
func (p *Point) Box() Box {
	var b Box
	for c, v := range p {
		b[c] = Range{v, v}
	}
	return b
}

// Contains reports whether the point lies in the box.
func (b *Box) Contains(p *Point) bool {
	for c := range b {
		if !b[c].Contains(p[c]) {
			return false
		}
	}
	return true
}

// Least is the box's least corner, which bounds every point in it from below
// in the order of Compare. It need not be a valid point.
func (b *Box) Least() Point {
	var p Point
	for c := range b {
		p[c] = b[c].Lo
	}
	return p
}

// Single reports whether the box holds one point.
func (b *Box) Single() bool {
	for c := range b {
		if !b[c].Single() {
			return false
		}
	}
	return true
}

// Empty reports whether some interval of the box is empty.
func (b *Box) Empty() bool {
	for c := range b {
		if b[c].Lo > b[c].Hi {
			return true
		}
	}
	return false
}
