package measured

import (
	"slices"

	"meshplan/framework"
	"meshplan/plan"
)

// complete fills the plan as the framework itself would. Ranks that do not
// line up with the leaf groups of the cluster are placed on one flat network of
// the same rates.
func (j *job) complete() *skip {
	part, err := plan.Parse(written(j.values))
	if err != nil {
		return skipped(NoPlan, "%v", err)
	}
	full, _, err := j.of.framework.Fill(&j.facts, part)
	if err != nil {
		if flat := flattened(&j.facts); flat != nil {
			var again error
			if full, _, again = j.of.framework.Fill(flat, part); again == nil {
				j.facts, err = *flat, nil
			}
		}
	}
	if err != nil {
		return skipped(NoPlan, "%v", err)
	}
	j.plan = full
	return nil
}

// flattened is the facts with the outermost two levels as one, nil where they
// are not equally fast.
func flattened(f *framework.Facts) *framework.Facts {
	levels := f.Cluster.Levels
	n := len(levels)
	if n < 3 || levels[n-1].Bandwidth != levels[n-2].Bandwidth || levels[n-1].Latency != levels[n-2].Latency ||
		levels[n-1].Oversubscription > 1 || levels[n-2].Mesh {
		return nil
	}
	c := *f.Cluster
	c.Levels = slices.Clone(levels[:n-1])
	c.Levels[n-2].Size *= levels[n-1].Size
	flat := *f
	flat.Cluster = &c
	return &flat
}
