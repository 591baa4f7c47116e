package main

import (
	"fmt"
	"path/filepath"

	"meshplan/measured"
	"meshplan/units"
)

// calibrateView is a calibration as text.
func calibrateView(c *measured.Calibration, path, out string) string {
	var p page
	p.line("%s, profile %s: %s runs, %s used, %s folds", filepath.Base(path), c.Profile, units.Grouped(int64(c.Runs)),
		units.Grouped(int64(c.Used)), units.Grouped(int64(c.Folds)))
	p.heading("Errors, predicted over measured less 1")
	rows := [][]string{{"constants", "of", "n", "mean", "median", "p90", "signed"}}
	for _, j := range []struct {
		name string
		part *measured.Part
	}{{"at their priors", &c.Unfitted}, {"as they were", &c.Before}, {"as fitted", &c.After}, {"fitted to other folds", &c.Held}} {
		if j.part.Rows == 0 {
			continue
		}
		rows = append(rows, append([]string{j.name, "step time"}, errorCells(j.part.Time)...))
		if j.part.Memory.N > 0 {
			rows = append(rows, append([]string{"", "memory"}, errorCells(j.part.Memory)...))
		}
	}
	p.table(rows)
	if len(c.Constants) > 0 {
		constantsTable(&p, c)
	}
	if out == "" {
		p.line("")
		p.line("Nothing was written: give -o FILE.toml to keep the profile.")
	} else {
		p.line("")
		p.line("Written to %s", out)
	}
	return p.String()
}

// constantsTable shows the constants and which of them the runs pin.
func constantsTable(p *page, c *measured.Calibration) {
	p.heading("Constants")
	rows := [][]string{{"constant", "prior", "from", "to", "was", "now", "pinned by the runs"}}
	for i := range c.Constants {
		f := &c.Constants[i]
		pinned := "yes, " + f.Within()
		if !f.Pinned {
			pinned = "no: stays at its prior"
		}
		rows = append(rows, []string{f.Path, digits(f.Prior), digits(f.Low), digits(f.High), digits(f.Before), digits(f.Value), pinned})
	}
	p.table(rows)
}

// digits is a constant in four digits.
func digits(v float64) string { return fmt.Sprintf("%.4g", v) }
