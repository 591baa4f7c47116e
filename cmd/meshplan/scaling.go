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
	front, err := solve(a, j, func(l search.Limits) (*search.ScalingFront, error) { return search.Scaling(ctx, q, j.against, l) })
	if err != nil {
		return err
	}
	a.code = exitCodeOf(front.Status, front.UpperBounds)
	if err := a.answer(j, front, front.Stats, func() string { return scalingView(&req.subject, q, front) }); err != nil {
		return err
	}
	return j.draw(len(front.Points), func() *picture { return scalingPicture(&req.subject, front) })
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
