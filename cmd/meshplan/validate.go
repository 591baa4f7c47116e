package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"meshplan/measured"
)

// validation is the settings of `validate`.
type validation struct {
	json bool
	rows string // file for one line a row
	by   string // parts that the text shows

	refit    string // what is left out when constants are fitted to the table; "" fits none
	unfitted bool
}

// validateCommand is `validate`.
func validateCommand(a *app) *cobra.Command {
	v := &validation{by: "source"}
	c := &cobra.Command{
		Use:   "validate FILE.csv",
		Short: "Judge the cost model by a table of measured runs",
		Long: `validate reads a CSV table of measured training runs, prices each run's plan from
what was run, never from what was measured, and says how far step time and
memory are off, whether "fits" is right, and how good the plan is that the
model would pick among those that were tried.

A training table has the columns gpu, gpus, seq_len, global_batch, micro_batch,
tp, pp, a model (model, or layers, hidden and heads), and what was measured:
step_time_s or tokens_per_s_per_gpu, peak_mem_gib, oom (0, 1 or fail). A memory
table has quantity (peak_gib, reserved_gib, oom, fits) and value instead.
Optional columns, such as source, sweep, dp, zero_stage, recompute, framework,
release, precision and network, say more about a run; without a release, one of
year and month that source_where names is taken. What a row leaves open is filled
and counted; a row that cannot be scored is counted under its reason.

Errors are predicted over measured less 1. Beside the error of step time stands
that of a constant rate, the model FLOPs a second and GPU that fit other sweeps of
the same profile, GPU and precision best. Regret is the share of the best measured
throughput that the model's pick loses. Rows with the flags (a column of words)
suspect, composed, slow_state, slow_state_likely, near_limit or embedding_balanced
are also judged apart, and their sources without them; a row flagged inconsistent
is skipped. No flag reaches a prediction.`,
		Example: `  meshplan validate runs.csv
  meshplan validate runs.csv --by sweep --rows rows.csv
  meshplan validate runs.csv --json`,
		Args: oneTable,
		RunE: func(c *cobra.Command, args []string) error { return a.validate(c.Context(), v, args[0]) },
	}
	f := c.Flags()
	f.BoolVar(&v.json, "json", false, "print as JSON")
	f.StringVar(&v.rows, "rows", "", "write one line for each row to this CSV `FILE`")
	f.StringVar(&v.by, "by", v.by, "list the tables by this `WORD`: source or sweep")
	f.StringVar(&v.refit, "refit", "", "judge each `sweep` by constants fitted to the table's other sweeps")
	f.BoolVar(&v.unfitted, "unfitted", false, "judge by constants as they were before any run was seen")
	return c
}

// oneTable takes the name of a table.
func oneTable(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return badUsage("no table given: %s wants a CSV file of measured runs", c.CommandPath())
	case len(args) > 1:
		return badUsage("%s takes one table, got %q as well", c.CommandPath(), clipped(args[1]))
	}
	return nil
}

// validate answers `validate`.
func (a *app) validate(ctx context.Context, v *validation, path string) error {
	if v.by != "source" && v.by != "sweep" {
		return badUsage("--by %q: want source or sweep", clipped(v.by))
	}
	if v.rows != "" && sameFile(v.rows, path) {
		return badUsage("--rows %s is the table itself: give another file", clipped(v.rows))
	}
	switch {
	case v.refit != "" && v.refit != "sweep":
		return badUsage("--refit %q: want sweep", clipped(v.refit))
	case v.refit != "" && v.unfitted:
		return badUsage("--refit and --unfitted exclude each other: the first fits constants, the second wants none fitted")
	}
	r, err := measured.ValidateFile(ctx, path, measured.Options{Refit: v.refit != "", Unfitted: v.unfitted})
	if ctx.Err() != nil {
		return &failure{exitStopped, errors.New("stopped before the table was read to its end")}
	}
	if err != nil {
		return usageError(err)
	}
	if v.rows != "" {
		if err := writeRows(r, v.rows); err != nil {
			return err
		}
	}
	if v.json {
		return a.printJSON(r)
	}
	return a.print(validateView(r, path, v.by))
}

// sameFile reports whether two paths are one existing file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// writeRows writes one line a row to a file.
func writeRows(r *measured.Report, path string) error {
	var text bytes.Buffer
	if err := r.WriteLines(&text); err != nil {
		return internalError(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		return usageError(fmt.Errorf("writing the rows: %w", err))
	}
	return nil
}
