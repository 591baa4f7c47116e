package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/framework"
	"meshplan/plan"
	"meshplan/search"
)

// explainCommand is `explain`.
func explainCommand(a *app) *cobra.Command {
	j := newJob()
	c := &cobra.Command{
		Use:   "explain [JOB.toml] --plan PLAN",
		Short: "Price one given plan, term by term, and check it against the rules",
		Long: `explain prices one given plan: every term of the memory of every pipeline stage
and of the step time, the traffic of every dimension, and the rules of the
framework that the plan keeps or breaks.

What the plan leaves open is filled as the framework itself would, and every
such default is named; --fill best lets the search fill it instead, and exits with 4
where that was stopped early.`,
		Example: `  meshplan explain job.toml --plan 'tp=8,pp=16,dp=128,micro-batch=1'
  meshplan explain job.toml --plan 'pp=8,schedule=zb-h1' --schedule
  meshplan explain job.toml --plan 'tp=8,pp=16' --fill best --json`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return a.explain(c.Context(), j, args) },
	}
	addFlags(c, j)
	return c
}

// explain answers `explain`.
func (a *app) explain(ctx context.Context, j *job, args []string) error {
	req, err := a.request(ctx, j, args)
	if err != nil {
		return err
	}
	if j.plan == "" {
		return badUsage("no plan given: use --plan, for example --plan 'tp=8,pp=4,micro-batch=1'")
	}
	partial, err := plan.Parse(j.plan)
	if err != nil {
		return usageError(j.from("plan", err))
	}
	var full plan.Plan
	found := true
	if j.fill == "best" {
		full, found, err = a.fillBest(ctx, req, j, partial)
	} else {
		full, err = fillAsFramework(req, j, partial)
	}
	if err != nil || !found {
		return err
	}
	e, err := search.Explain(ctx, &req.problem, full)
	if err != nil {
		return usageError(j.from("plan", err))
	}
	if j.schedule {
		full, err := plan.Parse(e.Text) // with the layers that were chosen
		if err != nil {
			return internalError(err)
		}
		if e.Timetable, err = search.Schedule(&req.problem, full.Plan); err != nil {
			return usageError(err)
		}
	}
	if j.json {
		return a.printJSON(e)
	}
	return a.print(explainView(&req.subject, e))
}

// fillAsFramework completes the plan with the framework's own defaults.
func fillAsFramework(req *request, j *job, partial plan.Partial) (plan.Plan, error) {
	full, taken, err := req.problem.Framework.Fill(&req.problem.Facts, partial)
	if err != nil {
		return full, usageError(j.from("plan", err))
	}
	req.warn(taken...)
	return full, nil
}

// fillBest completes the plan with the best plan that has what is given, and sets the
// exit code as plan does. When there is none, it prints why.
func (a *app) fillBest(ctx context.Context, req *request, j *job, partial plan.Partial) (full plan.Plan, found bool, err error) {
	text, err := pinText(partial)
	if err != nil {
		return full, false, usageError(j.from("plan", err))
	}
	pins, err := framework.ParsePins(text)
	if err != nil {
		return full, false, usageError(j.from("plan", err))
	}
	open := *req
	open.problem.Pins = append(slices.Clone(open.problem.Pins), pins...)
	open.problem.Top, open.problem.Forced = 1, false
	res, err := a.best(ctx, &open, j)
	if err != nil {
		return full, false, err
	}
	a.code = planCode(res)
	if len(res.Plans) == 0 {
		return full, false, a.answer(j, res, res.Stats, func() string { return planView(&req.subject, res) })
	}
	if j.stats {
		if err := a.printStats(res.Stats); err != nil {
			return full, false, err
		}
	}
	req.warn(leftOpen + string(res.Status))
	filled, err := plan.Parse(res.Plans[0].Text)
	if err != nil {
		return full, false, internalError(err)
	}
	return filled.Plan, true, nil
}

// leftOpen stands before the status of a search that filled a plan.
const leftOpen = "what the plan left open is the search's choice, and that is "

// pinText writes the given fields of a plan as pins.
func pinText(p plan.Partial) (string, error) {
	if p.Given.Has(plan.StagesField) || p.Given.Has(plan.PlacementField) {
		return "", fmt.Errorf("--fill best chooses layers and placement itself: leave them out of the plan, or use --fill framework")
	}
	point := p.Plan.Point()
	var pins []string
	for c := range plan.Coord(plan.NumOptions) {
		if p.Given.Has(plan.Field(c)) {
			pins = append(pins, fmt.Sprintf("%s=%s", c, c.Format(point[c])))
		}
	}
	return strings.Join(pins, ","), nil
}
