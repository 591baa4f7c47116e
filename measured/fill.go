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
	if pp := int(full.Placement.Degree(plan.PP)); j.of.ends && pp > 1 && full.Options.VPP <= 1 {
		if layers := endsAsLayers(j.facts.Model.Layers, pp); layers != nil {
			j.plan.Options.Stages = plan.Stages{Form: plan.SplitLayout, Text: plan.RunLength(layers)}
		}
	}
	return nil
}

// endsAsLayers is the layers of each of pp ranks where the embedding and the head
// count as one each and ranks are filled from the front; nil where a rank would
// hold none.
func endsAsLayers(layers, pp int) []int {
	each := (layers + 2 + pp - 1) / pp
	split, left := make([]int, pp), layers
	for r := range split {
		n := each
		if r == 0 {
			n--
		}
		if r == pp-1 {
			n = left
		}
		if n <= 0 || n > left {
			return nil
		}
		split[r], left = n, left-n
	}
	return split
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
