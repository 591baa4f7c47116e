package measured

import (
	"maps"
	"slices"
	"strconv"

	"meshplan/cost"
	"meshplan/framework"
	"meshplan/plan"
)

// Tables rarely print all of a plan. Where the plan as filled by the defaults
// is called "does not fit", the settings that the row leaves open are raised by
// the least that changes this: sequence parallelism before ZeRO before
// recompute. Before anything is recomputed, activations go to the host where a GPU
// reaches it faster than over PCIe, as the published recipes for such machines
// have it. Of what recomputes, of all layers or of a share of them, the fastest is
// taken. Whether the run ran is not known here; one that is refused with everything
// raised stays as it was filled.

// priced is the job's plan as priced, with its open settings inferred.
func priced(m *cost.Model, j *job) (prediction, *skip) {
	p, skip := price(m, j)
	if skip != nil || p.verdict != cost.DoesNotFit {
		return p, skip
	}
	light, heavy := j.raised()
	for _, raised := range light {
		if q, skip := price(m, raised); skip == nil && q.verdict != cost.DoesNotFit {
			return q, nil
		}
	}
	found := p
	for _, raised := range heavy {
		q, skip := price(m, raised)
		if skip == nil && q.verdict != cost.DoesNotFit && (found.verdict == cost.DoesNotFit || q.seconds < found.seconds) {
			found = q
		}
	}
	return found, nil
}

// raised are the job with its open settings raised in all ways that its
// framework has: those that recompute no more, the least first, and those that
// do.
func (j *job) raised() (light, heavy []*job) {
	o := &j.plan.Options
	rules := framework.Rules(&j.facts, j.of.framework, nil)
	broken := j.broken(rules)
	add := func(list *[]*job, recompute plan.Recompute, offload, spare int8) {
		for zero := o.ZeroStage; zero <= max(o.ZeroStage, plan.ZeroOptimizer); zero++ {
			for _, sp := range slices.Compact([]bool{o.SP, true}) {
				r := j.with(sp, zero, recompute, offload, spare)
				if r != nil && !slices.ContainsFunc(r.broken(rules), func(id string) bool { return !slices.Contains(broken, id) }) {
					*list = append(*list, r)
				}
			}
		}
	}
	add(&light, o.Recompute, 0, 0)
	if float64(j.facts.Cluster.HostLink) > fastHostLink {
		for _, offload := range []int8{25, 50, 75, 100} {
			add(&light, o.Recompute, offload, 0)
		}
	}
	for recompute := o.Recompute + 1; recompute < plan.NumRecompute; recompute++ {
		for _, spare := range []int8{0, 25, 50, 75, 90} {
			add(&heavy, recompute, 0, spare)
		}
	}
	return light, heavy
}

// fastHostLink is more than PCIe 5 x16 reaches, in bytes per second.
const fastHostLink = 100e9

// broken are the rules that the job's plan breaks. A measured run may: rules
// change between versions.
func (j *job) broken(rules []framework.Rule) []string {
	point := j.plan.Point()
	var ids []string
	for _, r := range framework.Broken(&j.facts, rules, &point) {
		ids = append(ids, r.ID)
	}
	return ids
}

// with is the job with other settings; nil if they do not differ, a row gives
// one of them, nobody is there to share with, or another price model is needed.
func (j *job) with(sp bool, zero int8, recompute plan.Recompute, offload, spare int8) *job {
	o := &j.plan.Options
	raised := &job{facts: j.facts, of: j.of, open: j.open, values: maps.Clone(j.values), defaults: j.defaults}
	for _, c := range []struct {
		column   setupColumn
		key      string
		value    string
		differs  bool
		possible bool
	}{
		{colSP, "sp", "on", sp != o.SP, j.plan.Placement.Degree(plan.TP) > 1},
		{colZero, "zero", strconv.Itoa(int(zero)), zero != o.ZeroStage, j.plan.DP()*j.plan.Placement.Degree(plan.CP) > 1},
		{colOffload, "activation-offload", strconv.Itoa(int(offload)), offload != 0, true},
		{colRecompute, "recompute", recompute.String(), recompute != o.Recompute, true},
		{colRecompute, "recompute-spare", strconv.Itoa(int(spare)), spare != 0, true},
	} {
		if !c.differs {
			continue
		}
		if !c.possible || !j.open[c.column] {
			return nil
		}
		raised.values[c.key], raised.defaults.assumed[c.column] = c.value, true
	}
	if raised.defaults == j.defaults || raised.complete() != nil || raised.key() != j.key() {
		return nil
	}
	return raised
}

// openOf marks the settings that neither the row nor the service that it is of
// gives: what such runs are known to do is not open.
func openOf(s *setup, of *served) (open [numSetup]bool) {
	known := of.given()
	_, sp := known["sp"]
	_, zero := known["zero"]
	_, recompute := known["recompute"]
	open[colSP], open[colRecompute] = s[colSP] == "" && !sp, s[colRecompute] == "" && !recompute
	open[colOffload] = s[colOffload] == ""
	open[colZero] = s[colZero] == "" && s[colFSDP] == "" && !zero
	return open
}
