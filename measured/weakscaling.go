package measured

import (
	"cmp"
	"math"
	"slices"

	"meshplan/plan"
)

// WeakScaling judges how the throughput of a GPU falls as a run grows. A series
// is timed rows of one source and plan that differ in their number of GPUs and,
// with it, in their batch; its loss is the share of the throughput per GPU that
// is lost from the smallest number to the largest, below 0 for a gain.
type WeakScaling struct {
	Series    int   `json:"series"`
	Measured  Share `json:"mean_measured"`     // mean loss
	Predicted Share `json:"mean_predicted"`    // mean loss
	Gap       Share `json:"mean_absolute_gap"` // mean distance of the two losses
}

// seriesKey is what the rows of a series have in common.
type seriesKey struct {
	source, profile, framework, kernel, zero string
	model                                    string
	parameters                               int64
	gpu                                      string
	precision                                plan.Precision
	seq                                      int64
	degrees                                  [5]int32 // tp, pp, cp, ep, etp
	vpp, micro                               int32
	sp                                       bool
	recompute                                plan.Recompute
	each                                     float64 // sequences of a step per GPU
}

// seriesOf is the key of a row's series.
func seriesOf(s *scored) seriesKey {
	o, at := &s.prediction.plan.Options, &s.prediction.plan.Placement
	return seriesKey{
		source: s.source, profile: s.profile, framework: s.setup[colFramework], kernel: s.setup[colKernel], zero: s.setup[colZero],
		model: s.model.Name, parameters: s.model.Total(), gpu: s.gpu, precision: s.workload.Precision, seq: s.workload.SeqLen,
		degrees: [5]int32{at.Degree(plan.TP), at.Degree(plan.PP), at.Degree(plan.CP), at.Degree(plan.EP), at.Degree(plan.ETP)},
		vpp:     o.VPP, micro: o.MicroBatch, sp: o.SP, recompute: o.Recompute,
		each: float64(s.workload.GlobalBatch) / s.gpus,
	}
}

// series divides the timed rows by their keys, in the order in which the keys
// come.
func series(rows []*scored) [][]*scored {
	at := map[seriesKey]int{}
	var list [][]*scored
	for _, s := range rows {
		if s.seconds == 0 {
			continue
		}
		k := seriesOf(s)
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k], list = i, append(list, nil)
		}
		list[i] = append(list[i], s)
	}
	return list
}

// weakScalingOf judges the series among scored rows.
func weakScalingOf(rows []*scored) WeakScaling {
	var measured, predicted, gaps []float64
	for _, of := range series(rows) {
		by := func(a, b *scored) int { return cmp.Compare(a.gpus, b.gpus) }
		least, most := slices.MinFunc(of, by).gpus, slices.MaxFunc(of, by).gpus
		if least == most {
			continue
		}
		loss := func(seconds func(*scored) float64) float64 {
			return 1 - medianAt(of, least, seconds)/medianAt(of, most, seconds)
		}
		m, p := loss(func(s *scored) float64 { return s.seconds }), loss(func(s *scored) float64 { return s.prediction.seconds })
		measured, predicted, gaps = append(measured, m), append(predicted, p), append(gaps, math.Abs(p-m))
	}
	return WeakScaling{len(gaps), mean(measured), mean(predicted), mean(gaps)}
}

// medianAt is the median time of the rows with that many GPUs.
func medianAt(rows []*scored, gpus float64, seconds func(*scored) float64) float64 {
	var times []float64
	for _, s := range rows {
		if s.gpus == gpus {
			times = append(times, seconds(s))
		}
	}
	return median(times)
}
