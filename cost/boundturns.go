package cost

import (
	"math"

	"meshplan/models"
)

// Where layers of two kinds take turns, every rank holds nearly as many of each as
// the model's mean composition has. Over a window of consecutive layers the number of
// one kind is below its share of the window by no more than the model's drift of that
// kind, and a rank's chunks are as many windows as it has chunks. So of a rank's
// n layers as few are of the larger kind as the drifts of its chunks allow.

// driftOf is by how much a window of the layers falls short of its share of a kind,
// at most.
func driftOf(kinds []models.Kind, kind models.Kind, total float64) float64 {
	short, least, drift := 0.0, 0.0, 0.0 // of all layers so far, by how much
	for _, k := range kinds {
		if short += total / float64(len(kinds)); k == kind {
			short--
		}
		drift, least = max(drift, short-least), min(least, short)
	}
	return drift
}

// turnsIn is the most layers that chunks hold within so many bytes when a layer of
// each kind takes the given ones, or one more by rounding alone.
func (m *Model) turnsIn(free float64, each [models.NumKinds]float64, chunks float64) float64 {
	large, small := models.MoE, models.Dense
	if each[large] < each[small] {
		large, small = small, large
	}
	layers := float64(len(m.kinds))
	share, drift := m.layers[large]/layers, chunks*m.drift[large]
	mean := float64(share*each[large]) + float64((1-share)*each[small])
	n := min(layers, layersIn(free+float64(drift*(each[large]-each[small])), mean))
	for ; n > 0; n-- {
		k := fewestOf(n, share, drift)
		if layersIn(free-float64(k*each[large]), each[small]) >= n-k {
			break
		}
	}
	return n
}

// fewestOf is the fewest of n layers that are of a kind, of which they fall short of
// its share by no more than the drift.
func fewestOf(n, share, drift float64) float64 {
	return max(0, math.Ceil(float64(n*share)-drift-slack))
}
