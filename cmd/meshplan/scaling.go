package main

import (
	"context"
	"fmt"

	"meshplan/search"
)

// scaling answers `pareto` against GPUs or cost.
func (a *app) scaling(ctx context.Context, req *request, j *job) error {
	q, err := req.candidates(j)
	if err != nil {
		return usageError(err)
	}
	if j.against == search.CostAxis && q.Price == 0 {
		return badUsage("no price of a GPU-hour of %s is known: give --price-per-gpu-hour", req.subject.gpu)
	}
	m := newMeter(a.stderr)
	front, err := search.Scaling(ctx, q, j.against, search.Limits{Time: j.timeLimit, Progress: m.show})
	m.clear()
	if err != nil {
		return usageError(err) // the problem is malformed
	}
	if j.stats {
		if err := a.printStats(front.Stats); err != nil {
			return err
		}
	}
	a.code = exitCodeOf(front.Status, front.UpperBounds)
	if j.plot != "" && len(front.Points) > 0 {
		if err := writePlot(j.plot, scalingPicture(&req.subject, front)); err != nil {
			return err
		}
	}
	if j.json {
		return a.printJSON(front)
	}
	return a.print(scalingView(&req.subject, q, front))
}

// scalingPicture is the front as it is drawn.
func scalingPicture(s *subject, f *search.ScalingFront) *picture {
	pic := &picture{title: plotTitle(s, scalingSpan(f)), x: "GPUs", y: stepAxis(f.UpperBounds)}
	if f.Against == search.CostAxis {
		pic.x = fmt.Sprintf("cost of a step (USD, at %g USD a GPU-hour)", *f.USDPerGPUHour)
	}
	for i := range f.Points {
		p := &f.Points[i]
		s := spot{name: count(int(p.GPUs), "GPU") + ": " + degrees(&p.Degrees), proven: p.Proven || f.UpperBounds.Finished(), fits: true, knee: p.Knee}
		s.at.X, s.at.Y = float64(p.GPUs), p.StepSeconds
		if f.Against == search.CostAxis {
			s.at.X = *p.USDPerStep
		}
		pic.spots = append(pic.spots, s)
	}
	return pic
}
