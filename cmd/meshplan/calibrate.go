package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/cost/profile"
	"meshplan/measured"
	"meshplan/strict"
)

// calibration is the settings of `calibrate`.
type calibration struct {
	profile string
	out     string
	anchor  bool
	json    bool
}

// calibrateCommand is `calibrate`.
func calibrateCommand(a *app) *cobra.Command {
	s := new(calibration)
	c := &cobra.Command{
		Use:   "calibrate FILE.csv --profile NAME",
		Short: "Fit a profile's constants to a table of measured runs",
		Long: `calibrate fits the constants of a profile that may be fitted (those with prior,
low and high in its file) to the runs of a table that the profile or one of its
variants serves, and says which of them the runs pin: the others stay at their
priors. Step times and readings of memory are fitted by robust least squares on
logarithms, fit and out-of-memory labels by the verdict they should have had.
The table is that of validate.

Errors are shown before and after, and for each sweep (or, for runs without a
sweep, for each model on a GPU in a precision) by constants fitted without it.
Runs flagged suspect, composed, slow_state, slow_state_likely, near_limit or
embedding_balanced teach nothing.

With --anchor nothing is fitted: the profile's step times are multiplied by the
median of measured over predicted. One measured run is enough.`,
		Example: `  meshplan calibrate runs.csv --profile megatron -o mine.toml
  meshplan calibrate run.csv --profile torchtitan --anchor -o mine.toml
  meshplan plan job.toml --profile mine.toml`,
		Args: oneTable,
		RunE: func(c *cobra.Command, args []string) error { return a.calibrate(c.Context(), s, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.profile, "profile", "", "the `PROFILE` to fit: a name of the catalogue or a file")
	f.StringVarP(&s.out, "output", "o", "", "write the fitted profile to this `FILE`.toml")
	f.BoolVar(&s.anchor, "anchor", false, "scale the step times to the runs; fit nothing")
	f.BoolVar(&s.json, "json", false, "print as JSON")
	return c
}

// calibrate answers `calibrate`.
func (a *app) calibrate(ctx context.Context, s *calibration, path string) error {
	if s.profile == "" {
		return badUsage("--profile is not given: want the profile to fit%s", strict.Suggest("", profileFiles(), len(profileFiles()), nil))
	}
	text, name, err := profileText(s.profile)
	if err != nil {
		return usageError(err)
	}
	file, err := profile.Parse(text, name)
	if err != nil {
		return usageError(err)
	}
	switch {
	case s.out != "" && sameFile(s.out, path):
		return badUsage("--output %s is the table itself: give another file", clipped(s.out))
	case s.out != "" && !strings.HasSuffix(s.out, ".toml"):
		return badUsage("--output %q: want a file that ends in .toml, as --profile reads it", clipped(s.out))
	}
	c, err := measured.CalibrateFile(ctx, path, file, s.anchor)
	if ctx.Err() != nil {
		return &failure{exitStopped, errors.New("stopped before the constants were fitted")}
	}
	if err != nil {
		return usageError(err)
	}
	if s.out != "" {
		fitted, err := c.Text(text, name)
		if err != nil {
			return usageError(err) // constants that are written in a way which cannot be rewritten
		}
		if err := os.WriteFile(s.out, fitted, 0o666); err != nil {
			return usageError(fmt.Errorf("writing the profile: %w", err))
		}
	}
	if s.json {
		return a.printJSON(c)
	}
	return a.print(calibrateView(c, path, s.out))
}

// profileText is the text of a profile file and what errors call it.
func profileText(nameOrPath string) ([]byte, string, error) {
	if strings.HasSuffix(nameOrPath, ".toml") || strings.ContainsAny(nameOrPath, `/\`) {
		text, err := strict.ReadFile(nameOrPath, strict.MaxFile)
		if err != nil {
			return nil, "", fmt.Errorf("profile %w", err)
		}
		return text, nameOrPath, nil
	}
	text, err := profile.FileText(nameOrPath)
	if err != nil {
		return nil, "", fmt.Errorf("no profile file %q%s; a variant is fitted with the file it belongs to", strict.Clip(nameOrPath, 60),
			strict.Suggest(nameOrPath, profileFiles(), 3, nil))
	}
	return text, nameOrPath + ".toml", nil
}

// profileFiles are the names of the catalogue's files.
func profileFiles() []string {
	files, err := profile.Catalogue()
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range files {
		names = append(names, p.Name)
	}
	return names
}
