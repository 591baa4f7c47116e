package search

import (
	"slices"

	"meshplan/plan"
)

// The walk may decide coordinates in any order; the answer is the same. Those
// first that move the bound most: what splits the GEMMs, then, with experts,
// edp, which with the degrees before it says how many GPUs are used, and what
// decides how much memory is left. On the benchmarks' named problems an order of
// all degrees, then options, then placement bounds 2 to 9 times as many boxes.
var (
	denseFirst = []plan.Coord{
		plan.Coord(plan.TP), plan.At(plan.TP, 0), plan.Coord(plan.CP), plan.Coord(plan.PP), plan.ScheduleC, plan.MicroBatch, plan.RecomputeC,
		plan.Coord(plan.DPReplicate), plan.Coord(plan.DPShard), plan.VPP, plan.SP,
	}
	expertsFirst = []plan.Coord{
		plan.Coord(plan.TP), plan.Coord(plan.EP), plan.Coord(plan.ETP), plan.Coord(plan.CP), plan.Coord(plan.PP),
		plan.Coord(plan.EDP), plan.ScheduleC, plan.MicroBatch, plan.RecomputeC,
		plan.At(plan.EP, 0), plan.At(plan.ETP, 0), plan.At(plan.EP, 1), plan.At(plan.ETP, 1),
		plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.Zero, plan.At(plan.EDP, 1), plan.At(plan.EDP, 0),
		plan.At(plan.TP, 0), plan.At(plan.CP, 0), plan.VPP, plan.SP, plan.At(plan.PP, 1), plan.At(plan.PP, 0),
	}
)

// branching is the order in which the walk decides the coordinates that are
// open; those not named come last, in the order given.
func (j *job) branching(open []plan.Coord) []plan.Coord {
	first := denseFirst
	if j.facts.MoE() {
		first = expertsFirst
	}
	var order []plan.Coord
	for _, c := range append(slices.Clone(first), open...) {
		if slices.Contains(open, c) && !slices.Contains(order, c) {
			order = append(order, c)
		}
	}
	return order
}
