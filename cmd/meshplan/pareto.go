package main

import (
	"context"
	"fmt"
	"maps"
	"os"

	"github.com/spf13/cobra"

	"meshplan/search"
	"meshplan/units"
)

// paretoCommand is `pareto`.
func paretoCommand(a *app) *cobra.Command {
	j := newJob()
	c := &cobra.Command{
		Use:   "pareto [JOB.toml]",
		Short: "Find the front of memory, GPUs or cost against step time, and prove it",
		Long: `pareto finds the front of peak memory, of the number of GPUs, or of the cost of a
step against step time (--against memory, gpus or cost): the plans than which no
other is as fast and takes as little. It begins with the fastest plan, and proves
that there is nothing better between its points.

Memory is that of the tightest GPU, over all plans that are not refused. It is
counted in steps of 0.1 GiB (--resolution), begun ones in full: of plans within one
step the fastest stands for all. Each plan has the layers that plan would give it.
The fast end is proven first: a search that is stopped says how far the front is
proven, and the gap of the points behind. The table of a front of more than 20 points
leaves out those for which one that is shown takes at most 1 % more time and memory;
--all-points shows them.

Against gpus or cost, the plans are those that fit, each on all GPUs of one of the
candidates of min-gpus (--cluster h100:256, or h100 alone; --candidates names
others). The cost is the price of the step's GPU-hours (--price-per-gpu-hour, or the
catalogue's), with --tokens also that of the whole training. Every candidate is
decided; a search that is stopped says which are not.

The knee is the point furthest below the straight line between the first and the
last point, on logarithmic axes.`,
		Example: `  meshplan pareto --model llama-3.1-70b --cluster h100:256 --global-batch 1024 --seq 8192 --plot front.svg
  meshplan pareto job.toml --pin 'tp<=8' --points 10 --json
  meshplan pareto job.toml --against cost --price-per-gpu-hour 2.5 --plot cost.png`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return a.pareto(c.Context(), j, args) },
	}
	addFlags(c, j)
	return c
}

// pareto answers `pareto`.
func (a *app) pareto(ctx context.Context, j *job, args []string) error {
	flags := maps.Clone(j.given)
	req, err := a.request(ctx, j, args)
	if err != nil {
		return err
	}
	if err := j.fit(flags); err != nil {
		return err
	}
	if j.plot != "" {
		if len(args) == 1 && sameFile(j.plot, args[0]) {
			return badUsage("--plot %s is the job file itself: give another file", clipped(j.plot))
		}
		if err := writable(j.plot); err != nil {
			return err
		}
	}
	if j.scales() {
		return a.scaling(ctx, req, j)
	}
	front, err := a.front(ctx, req, j)
	if err != nil {
		return err
	}
	a.code = exitCodeOf(front.Status, front.UpperBounds)
	if err := a.answer(j, front, front.Stats, func() string { return frontView(&req.subject, front, j.allPoints) }); err != nil {
		return err
	}
	return j.draw(len(front.Points), func() *picture { return memoryPicture(&req.subject, front) })
}

// draw writes the plot of a front that has points, where the job asks for one.
func (j *job) draw(points int, front func() *picture) error {
	if j.plot == "" || points == 0 {
		return nil
	}
	return writePlot(j.plot, front())
}

// fronts are what can be set against step time.
var fronts = []search.Axis{search.MemoryAxis, search.GPUsAxis, search.CostAxis}

// scales reports whether the job asks for a front over numbers of GPUs.
func (j *job) scales() bool {
	return j.against == search.GPUsAxis || j.against == search.CostAxis
}

// fit refuses flags of the other kind of front. A job file may hold them, for other
// questions.
func (j *job) fit(flags map[string]bool) error {
	other, of := []string{"candidates", "price-per-gpu-hour", "tokens"}, "gpus or cost"
	if j.scales() {
		other, of = []string{"points", "all-points", "resolution"}, "memory"
	}
	for _, name := range other {
		if flags[name] {
			return badUsage("--%s goes with --against %s", name, of)
		}
	}
	return nil
}

// front searches for the front of a request.
func (a *app) front(ctx context.Context, req *request, j *job) (*search.Front, error) {
	return solve(a, j, func(l search.Limits) (*search.Front, error) {
		return search.Pareto(ctx, &req.problem, search.FrontLimits{
			Limits: l, Resolution: units.Bytes(j.resolution) * units.GiB, Points: int(j.points),
		})
	})
}

// writable is an error for a file that cannot be written, before a search is spent
// on it. It leaves a file as it is.
func writable(path string) error {
	_, err := os.Stat(path)
	missing := os.IsNotExist(err)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return plotError(err)
	}
	err = f.Close()
	if missing {
		_ = os.Remove(path)
	}
	if err != nil {
		return plotError(err)
	}
	return nil
}

func plotError(err error) error { return usageError(fmt.Errorf("writing the plot: %w", err)) }
