package measured

import (
	"fmt"
	"math"

	"meshplan/strict"
	"meshplan/units"
)

// alike is by how much a printed step time and the one that follows from
// printed tokens per second may differ, as a factor.
const alike = 1.2

// disagree is the skip of a step time and tokens per second that cannot both be
// of this run, nil where one of them is not printed.
func (s *scored) disagree() *skip {
	if s.result.step == 0 || s.result.tokens == 0 {
		return nil
	}
	implied := s.prediction.tokens / (s.result.tokens * s.gpus)
	if max(implied, s.result.step) <= alike*min(implied, s.result.step) {
		return nil
	}
	return skipped(Contradiction, "step_time_s is %s, but tokens_per_s_per_gpu gives %s for %s tokens on %g GPUs: one of them, or the batch, is in another unit",
		units.Seconds(s.result.step), units.Seconds(implied), units.Grouped(int64(s.prediction.tokens)), s.gpus)
}

// slow is the ratio of measured to predicted times above which a source's times
// are suspected to be in milliseconds. A single run may be that slow; the median
// of no published source is above 4.
const slow = 200

// suspicions are warnings of sources whose step times look as if they were in
// another unit, which no single row shows.
func suspicions(sources []named) []string {
	list := []string{}
	for _, source := range sources {
		var ratios []float64
		for _, s := range source.rows {
			if s.skip == nil && s.seconds > 0 {
				ratios = append(ratios, s.seconds/s.prediction.seconds)
			}
		}
		if len(ratios) == 0 {
			continue
		}
		if m := median(ratios); m > slow {
			list = append(list, fmt.Sprintf("%s: the step times are %s times the predicted ones (median of %d): are they in seconds?",
				strict.Visible(strict.Clip(source.name, 60)), units.Grouped(int64(math.Round(m))), len(ratios)))
		}
	}
	return list
}
