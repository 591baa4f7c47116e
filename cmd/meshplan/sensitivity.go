package main

import (
	"context"

	"github.com/spf13/cobra"

	"meshplan/search"
)

// sensitivityCommand is `sensitivity`.
func sensitivityCommand(a *app) *cobra.Command {
	j := newJob()
	c := &cobra.Command{
		Use:   "sensitivity [JOB.toml]",
		Short: "Find what matters most to the best plan, and where another becomes it",
		Long: `sensitivity changes each input of a job alone, to the half, by 10 % either way and to
the double, and finds the best plan anew each time, with its proof. The inputs are
the resources of the cluster that --set can change, and the load factor of experts.
Where another plan is the best then, it finds the change by which it becomes so, to
1 %, and solves both sides.

What matters most is the input whose change by 10 %, and to the half or the double,
changes the step time of the best plan by the largest share, up or down. A change
with which nothing fits counts as the largest.

Each cell is the answer of plan with --set: measured curves are scaled in the same
way. A search that is stopped says which cells are not proven.`,
		Example: `  meshplan sensitivity --model llama-3.1-70b --cluster h100:256 --global-batch 1024 --seq 8192
  meshplan sensitivity job.toml --set nic=200G --time-limit 1m --json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return a.sensitivity(c.Context(), j, args) },
	}
	addFlags(c, j)
	return c
}

// sensitivity answers `sensitivity`.
func (a *app) sensitivity(ctx context.Context, j *job, args []string) error {
	req, err := a.request(ctx, j, args)
	if err != nil {
		return err
	}
	res, err := solve(a, j, func(l search.Limits) (*search.SensitivityResult, error) {
		return search.Sensitivity(ctx, &req.problem, l)
	})
	if err != nil {
		return err
	}
	a.code = exitCodeOf(res.Status, res.UpperBounds)
	return a.answer(j, res, res.Stats, func() string { return sensitivityView(&req.subject, res) })
}
