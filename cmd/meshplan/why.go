package main

import (
	"context"

	"github.com/spf13/cobra"

	"meshplan/cost/profile"
	"meshplan/framework/all"
	"meshplan/search"
)

// whyCommand is `why`.
func whyCommand(a *app) *cobra.Command {
	j := newJob()
	c := &cobra.Command{
		Use:   "why [JOB.toml]",
		Short: "Say why nothing fits and what helps, or what a pin costs",
		Long: `why explains a job that no plan fits: a set of reasons that cannot hold together,
each of them needed, with their numbers; and the smallest change of each kind after
which a plan fits, cheapest first. A change is another value of a pin or a pin given
up, recompute, offload or another ZeRO stage where the search leaves them alone,
another recipe or framework, the nearest global batch, more GPUs, or GPUs with more
memory. Each is verified by a search of its own.

With pins it answers "why not tp=4?": the reasons if no plan fits under them, else
the best plan under them and the terms by which it loses to the best without them.
Of a job whose best plan leaves GPUs idle it says why, and it names the global
batches nearby with which a step does more.`,
		Example: `  meshplan why --model llama-3.1-405b --cluster h100:64 --global-batch 256 --seq 8192
  meshplan why job.toml --pin tp=4`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return a.why(c.Context(), j, args) },
	}
	addFlags(c, j)
	return c
}

// why answers `why`.
func (a *app) why(ctx context.Context, j *job, args []string) error {
	req, err := a.request(ctx, j, args)
	if err != nil {
		return err
	}
	res, err := solve(a, j, func(l search.Limits) (*search.WhyResult, error) { return search.Why(ctx, &req.problem, l) })
	if err != nil {
		return err
	}
	if !res.Explained() {
		a.code = exitStopped
	}
	return a.answer(j, res, res.Stats, func() string { return whyView(&req.subject, res) })
}

// others are the frameworks that may be offered instead of the job's own.
func (r *request) others() (list []search.Behaviour, err error) {
	for _, fw := range all.List() {
		if fw.Name() == r.problem.Framework.Name() || fw.Name() == "any" {
			continue
		}
		p, err := profile.Load(fw.Profile())
		if err != nil {
			return nil, err
		}
		list = append(list, search.Behaviour{Framework: fw, Profile: p})
	}
	return list, nil
}
