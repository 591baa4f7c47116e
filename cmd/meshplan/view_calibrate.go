package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"meshplan/measured"
	"meshplan/units"
)

// calibrateView is a calibration as text.
func calibrateView(c *measured.Calibration, path, out string) string {
	var p page
	p.line("%s, profile %s: %s", filepath.Base(path), c.Profile, calibrated(c))
	judgements := judgementsOf(c)
	judgedErrors(&p, judgements)
	judgedVerdicts(&p, judgements)
	if len(c.Constants) > 0 {
		constantsTable(&p, c)
		calibrateNotes(&p, c)
	}
	p.line("")
	if out == "" {
		p.line("Nothing was written: give -o FILE.toml to keep the profile.")
	} else {
		p.line("Written to %s", out)
	}
	return p.String()
}

// calibrated says in words what was fitted to how many runs.
func calibrated(c *measured.Calibration) string {
	if c.Anchored > 0 {
		return fmt.Sprintf("step times x %s, the median of measured over predicted of %s; nothing was fitted",
			digits(c.Anchor), count(c.Anchored, "run"))
	}
	pinned := 0
	for i := range c.Constants {
		if c.Constants[i].Pinned {
			pinned++
		}
	}
	return fmt.Sprintf("%d of %s fitted to %s of %s in %s", pinned, count(len(c.Constants), "constant"),
		units.Grouped(int64(c.Used)), count(c.Runs, "run"), count(c.Folds, "fold"))
}

// judgement is how the runs are met by some constants.
type judgement struct {
	name string
	part *measured.Part
}

// judgementsOf are those that there are, from the priors to other folds.
func judgementsOf(c *measured.Calibration) []judgement {
	after := "as fitted"
	if c.Anchored > 0 {
		after = "as anchored"
	}
	var list []judgement
	for _, j := range []judgement{{"at their priors", &c.Unfitted}, {"as they were", &c.Before}, {after, &c.After}, {"fitted to other folds", &c.Held}} {
		if j.part.Rows > 0 {
			list = append(list, j)
		}
	}
	return list
}

// judgedErrors shows the errors of step time and memory under each.
func judgedErrors(p *page, list []judgement) {
	p.heading("Errors, predicted over measured less 1")
	rows := [][]string{{"constants", "of", "n", "mean", "median", "p90", "signed"}}
	for _, j := range list {
		name := j.name
		for _, of := range []struct {
			name   string
			errors measured.Errors
		}{{"step time", j.part.Time}, {"memory", j.part.Memory}} {
			if of.errors.N > 0 {
				rows = append(rows, append([]string{name, of.name}, errorCells(of.errors)...))
				name = ""
			}
		}
	}
	if len(rows) == 1 {
		p.line("  none: the runs have labels alone")
		return
	}
	p.table(rows)
}

// judgedVerdicts shows how right "fits" is and what picks lose under each, where
// the runs say so.
func judgedVerdicts(p *page, list []judgement) {
	rows := [][]string{{"constants", "runs", "\"fits\" right", "ran, not \"fits\"", "out of memory, \"fits\"", "sweeps", "mean regret"}}
	for _, j := range list {
		if f, k := j.part.Fit, j.part.Ranking; f.N > 0 || k.Groups > 0 {
			rows = append(rows, []string{j.name, fmt.Sprint(f.N), fraction(f.Accuracy), fraction(f.FalseOOM), fraction(f.FalseFit),
				fmt.Sprint(k.Groups), fraction(k.MeanRegret)})
		}
	}
	if len(rows) > 1 {
		p.heading("Does it fit, and the share of the best throughput that picks among a sweep's plans lose")
		p.table(rows)
	}
}

// constantsTable shows the constants and which of them the runs pin.
func constantsTable(p *page, c *measured.Calibration) {
	p.heading("Constants")
	rows := [][]string{{"of", "constant", "prior", "from", "to", "was", "now", "pinned by the runs"}}
	last := ""
	for i := range c.Constants {
		f := &c.Constants[i]
		pinned := "yes, " + f.Within()
		if !f.Pinned {
			pinned = "no: stays at its prior"
		}
		owner := ownerOf(c, f)
		rows = append(rows, []string{owner, f.Key(), digits(f.Prior), digits(f.Low), digits(f.High), digits(f.Before), digits(f.Value), pinned})
		if owner == last {
			rows[len(rows)-1][0] = ""
		}
		last = owner
	}
	p.table(rows)
}

// ownerOf is what a constant belongs to: the profile, a variant of it, or GPUs in
// some precisions.
func ownerOf(c *measured.Calibration, f *measured.Fitted) string {
	switch {
	case f.Variant != "":
		return shown(c.Profile + "-" + f.Variant)
	case len(f.GPUs) > 0:
		of := strings.Join(f.GPUs, ", ")
		for i, precision := range f.Precisions {
			of += []string{" in ", ", "}[min(i, 1)] + string(precision)
		}
		return shown(of)
	}
	return c.Profile
}

// calibrateNotes says what the words of the tables mean.
func calibrateNotes(p *page, c *measured.Calibration) {
	p.line("")
	p.hang("  ", fmt.Sprintf("pinned: given the runs, a constant's standard deviation is below %.0f %% of its prior's, "+
		"which is a quarter of the way from the low to the high end; \"within\" is that deviation. A constant that is not "+
		"pinned is left at its prior.", 100*measured.PinnedBelow))
	p.hang("  ", "fold: a sweep, or for runs without one a model on a GPU in a precision. "+
		"\"fitted to other folds\" predicts each by constants fitted without it.")
	if c.Held.Time.N > 0 && c.Held.Time.MAPE > c.Before.Time.MAPE {
		p.hang("  ", "The profile as it was is better on these runs than one fitted to other folds: too few runs to fit constants. "+
			"Keep it, or scale it by --anchor.")
	}
	if c.Used < c.Runs {
		p.hang("  ", count(c.Runs-c.Used, "run")+" taught nothing: flagged, or without a time, a reading of memory or a label.")
	}
}

// digits is a constant in four digits.
func digits(v float64) string { return fmt.Sprintf("%.4g", v) }
