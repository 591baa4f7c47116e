package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/search"
	"meshplan/units"
)

// mostCandidates is the number of candidates that are looked at unless the job
// names its own.
const mostCandidates = 64

// minGPUsCommand is `min-gpus`.
func minGPUsCommand(a *app) *cobra.Command {
	j := newJob()
	j.sizes = true
	c := &cobra.Command{
		Use:   "min-gpus [JOB.toml]",
		Short: "Find the fewest GPUs on which a job fits and meets a goal",
		Long: `min-gpus finds the smallest number of GPUs of a cluster's kind on which a job fits
or, with a goal, fits and meets it. The goal is a step time, a number of tokens a
day, or a number of tokens within so many days.

A candidate is used to its last GPU. The candidates are every number up to a node,
whole nodes up to the innermost domain, then whole domains up to the cluster's GPUs
(--cluster h100:256, or h100 alone); where these are more than 64, those above 8
domains are thinned. --candidates names others.

More GPUs do not always do: degrees have to divide what they split. So every
candidate is decided by a search of its own, from the smallest up to the first that
is enough. Each of those before it comes with its reason. --all looks at the rest as
well and, with a price of a GPU-hour, says which is cheapest.`,
		Example: `  meshplan min-gpus --model llama-3.1-70b --cluster h100 --global-batch 1024 --seq 8192
  meshplan min-gpus job.toml --days 30 --tokens 1e12 --all --price-per-gpu-hour 2.5`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return a.minGPUs(c.Context(), j, args) },
	}
	addFlags(c, j)
	return c
}

// minGPUs answers `min-gpus`.
func (a *app) minGPUs(ctx context.Context, j *job, args []string) error {
	req, err := a.request(ctx, j, args)
	if err != nil {
		return err
	}
	q, err := req.sizing(j)
	if err != nil {
		return usageError(err)
	}
	res, err := solve(a, j, func(l search.Limits) (*search.SizingResult, error) { return search.Smallest(ctx, q, l) })
	if err != nil {
		return err
	}
	a.code = exitCodeOf(res.Status, res.UpperBounds)
	return a.answer(j, res, res.Stats, func() string { return sizingView(&req.subject, q, res) })
}

// sizing is the question that a job asks.
func (r *request) sizing(j *job) (*search.Sizing, error) {
	q, err := r.candidates(j)
	if err != nil {
		return nil, err
	}
	q.All = j.all
	return q, r.goal(j, q)
}

// candidates are the numbers of GPUs that a job asks about, with what they cost.
func (r *request) candidates(j *job) (*search.Sizing, error) {
	if i := slices.IndexFunc(r.problem.Pins, func(p framework.Pin) bool { return p.Name == "gpus" }); i >= 0 {
		return nil, j.from("pin", fmt.Errorf("pin %q: a candidate uses all its GPUs; --candidates names the numbers to look at", clipped(r.problem.Pins[i].String())))
	}
	q := &search.Sizing{Problem: &r.problem, Candidates: r.sizes, Used: r.used, Price: r.price(j, r.problem.Facts.Cluster.GPU)}
	if j.given["tokens"] {
		q.Steps = search.StepsOf(&r.problem.Facts.Workload, j.tokens)
	}
	return q, nil
}

// goal is what the job wants besides fitting.
func (r *request) goal(j *job, q *search.Sizing) error {
	var given []string
	for _, name := range []string{"step-time", "tokens-per-day", "days"} {
		if j.given[name] {
			given = append(given, "--"+name)
		}
	}
	w := &r.problem.Facts.Workload
	switch {
	case len(given) > 1:
		return fmt.Errorf("%s are %d goals: give one of them", strings.Join(given, " and "), len(given))
	case j.given["days"] && !j.given["tokens"]:
		return fmt.Errorf("--days without --tokens: give the tokens of the training as well, such as --tokens 1e12")
	case j.given["days"]:
		q.Goal = search.BudgetGoal(w, j.days, j.tokens)
	case j.given["tokens-per-day"]:
		q.Goal = search.RateGoal(w, j.tokensPerDay)
	case j.given["step-time"]:
		q.Goal = search.StepGoal(w, units.Seconds(j.stepTime.Seconds()))
	}
	return nil
}

// price is that of a GPU-hour, the catalogue's unless the job gives one; 0 when
// neither knows.
func (r *request) price(j *job, gpu *cluster.GPU) float64 {
	if j.given["price-per-gpu-hour"] {
		return j.price
	}
	if gpu.PriceUSD > 0 {
		r.warn(fmt.Sprintf("%g USD a GPU-hour by default, %s; --price-per-gpu-hour sets it", gpu.PriceUSD, gpu.PriceSource))
	}
	return gpu.PriceUSD
}
