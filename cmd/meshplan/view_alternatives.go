package main

import (
	"fmt"
	"strings"

	"meshplan/search"
	"meshplan/units"
)

// fastest are the fastest plans side by side, each with its verdict and that in
// which they differ.
func fastest(p *page, plans []search.Outline) {
	if len(plans) < 2 {
		return
	}
	shared, own := differences(plans)
	if shared == "" {
		p.heading("Fastest plans")
	} else {
		p.heading("Fastest plans, all with %s", shared)
	}
	rows := [][]string{{"", "step", "MFU", "memory GiB", "verdict", "GPUs", "plan"}}
	for i := range plans {
		a := &plans[i]
		rows = append(rows, []string{fmt.Sprint(i + 1), seconds(a.StepSeconds), percent(a.MFU, 1),
			gib(a.PeakReservedBytes), words(a.Verdict), units.Grouped(a.GPUs), own[i]})
	}
	p.table(rows)
}

// differences are the features that all plans share, and those of each plan
// that they do not.
func differences(plans []search.Outline) (shared string, own []string) {
	var common []string
	words := make([][]string, len(plans))
	first := featuresOf(&plans[0])
	for k := range first {
		same := true
		for i := range plans {
			same = same && featuresOf(&plans[i])[k] == first[k]
		}
		if same {
			common = append(common, first[k])
			continue
		}
		for i := range plans {
			words[i] = append(words[i], featuresOf(&plans[i])[k])
		}
	}
	for _, w := range words {
		own = append(own, strings.Join(w, ", "))
	}
	return strings.Join(common, ", "), own
}

func featuresOf(a *search.Outline) []string { return features(&a.Degrees, &a.Options) }

// features are a plan's degrees and those options that differ between plans of
// equal degrees, as many of each plan.
func features(d *search.Degrees, o *search.OptionsResult) []string {
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
