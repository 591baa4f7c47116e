package main

import (
	"fmt"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// alternatives are the top plans side by side, with that in which they differ.
func alternatives(p *page, plans []search.PlanResult) {
	if len(plans) < 2 {
		return
	}
	shared, own := differences(plans)
	if shared == "" {
		p.heading("Alternatives")
	} else {
		p.heading("Alternatives, all with %s", shared)
	}
	rows := [][]string{{"", "step", "MFU", "memory GiB", "GPUs", "plan"}}
	for i := range plans {
		a := &plans[i]
		rows = append(rows, []string{fmt.Sprint(i + 1), seconds(a.StepSeconds), percent(a.MFU, 1),
			gib(a.Memory.PeakReservedBytes), units.Grouped(a.GPUs), own[i]})
	}
	p.table(rows)
}

// differences are the features that all plans share, and those of each plan
// that they do not.
func differences(plans []search.PlanResult) (shared string, own []string) {
	var common []string
	words := make([][]string, len(plans))
	first := features(&plans[0])
	for k := range first {
		same := true
		for i := range plans {
			same = same && features(&plans[i])[k] == first[k]
		}
		if same {
			common = append(common, first[k])
			continue
		}
		for i := range plans {
			words[i] = append(words[i], features(&plans[i])[k])
		}
	}
	for _, w := range words {
		own = append(own, strings.Join(w, ", "))
	}
	return strings.Join(common, ", "), own
}

// features are a plan's degrees and those options that differ between plans of
// equal degrees, as many of each plan.
func features(a *search.PlanResult) []string {
	o, d := &a.Options, &a.Degrees
	shards := fmt.Sprint("dp_shard ", d.DPShard)
	if d.DPReplicate > 1 {
		shards += fmt.Sprint(" x dp_replicate ", d.DPReplicate)
	}
	return []string{
		degrees(d),
		fmt.Sprint("micro-batch ", o.MicroBatch),
		"sp " + onOff(o.SP),
		fmt.Sprint("zero ", o.ZeroStage),
		shards,
		"recompute " + o.Recompute,
	}
}
