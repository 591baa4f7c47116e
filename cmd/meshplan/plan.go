package main

import (
	"context"

	"github.com/spf13/cobra"

	"meshplan/search"
)

// planCommand is `plan`.
func planCommand(a *app) *cobra.Command {
	j := newJob()
	c := &cobra.Command{
		Use:   "plan [JOB.toml]",
		Short: "Find the fastest plan of a job on a cluster, and prove it",
		Long: `plan finds the fastest plan of a training job on a cluster: the degrees of every
parallel dimension, their placement on the levels of the network and the options
of a step. It proves that no plan of the space that fits is faster, and says what
forced each degree: either the job does not fit without it, or it takes too long.

A plan fits when it leaves the profile's margin of the memory free. Where one that
leaves less is faster, the fastest such plan stands beside the best that fits,
proven in the same search.

--set asks what if the cluster had other resources: nic, nic-latency, nvlink,
nvlink-latency, oversubscription, domain, hbm, hbm-bandwidth, flops, host-memory,
host-link, or a level by its name, each with a value and its unit or a factor (2x,
+10%). Measured curves are scaled with them.

Every flag is a key of a job file too, with underscores for the dashes; a flag
wins over the file. "-" reads the job file from standard input.`,
		Example: `  meshplan plan --model llama-3.1-70b --cluster h100:256 --global-batch 1024 --seq 8192
  meshplan plan job.toml --pin 'tp=8,pp<=4' --top 5 --json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return a.plan(c.Context(), j, args) },
	}
	addFlags(c, j)
	return c
}

// plan answers `plan`.
func (a *app) plan(ctx context.Context, j *job, args []string) error {
	req, err := a.request(ctx, j, args)
	if err != nil {
		return err
	}
	res, err := a.best(ctx, req, j)
	if err != nil {
		return err
	}
	a.code = planCode(res)
	return a.answer(j, res, res.Stats, func() string { return planView(&req.subject, res) })
}

// planCode is the exit code of an answer of plan: that of its status, but for plans on
// any nodes, which are an answer when the search came to its end, and for what forced
// each degree, which may have been cut short.
func planCode(r *search.Result) int {
	code := exitCode(r.Status)
	if u := unaligned(r); u != nil && u.Complete {
		code = exitAnswer
	}
	if code == exitAnswer && !r.Explained() {
		return exitStopped
	}
	return code
}

// unaligned is how the best plan lies on the nodes where that is not alike in
// each domain.
func unaligned(r *search.Result) *search.Unaligned {
	if len(r.Plans) == 0 {
		return nil
	}
	return r.Plans[0].Unaligned
}

// best searches for the best plans of a request.
func (a *app) best(ctx context.Context, req *request, j *job) (*search.Result, error) {
	return solve(a, j, func(l search.Limits) (*search.Result, error) { return search.Best(ctx, &req.problem, l) })
}
