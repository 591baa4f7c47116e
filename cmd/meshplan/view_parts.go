package main

import (
	"fmt"
	"strings"

	"meshplan/plan"
	"meshplan/search"
	"meshplan/units"
)

// degrees are the degrees above 1 as an engineer writes them: "TP8 PP4 DP16".
func degrees(d *search.Degrees) string {
	var words []string
	for _, x := range []struct {
		name string
		n    int32
	}{{"TP", d.TP}, {"CP", d.CP}, {"PP", d.PP}, {"VPP", d.VPP}, {"DP", d.DP}, {"EP", d.EP}, {"ETP", d.ETP}} {
		if x.n > 1 || x.name == "DP" {
			words = append(words, fmt.Sprint(x.name, x.n))
		}
	}
	return strings.Join(words, " ")
}

// headline gives the figures that are looked at first.
func headline(p *page, s *subject, a *search.PlanResult, status string) {
	p.heading("%s on %s of %s: %s", degrees(&a.Degrees), units.Grouped(a.GPUs), s.there(), status)
	p.list([][2]string{
		{"step time", seconds(a.StepSeconds)},
		{"throughput", fmt.Sprintf("%s %s, MFU %s, HFU %s", grouped(a.TokensPerSecondPerGPU), perGPU(s, a),
			percent(a.MFU, 1), percent(a.HFU, 1))},
		{"memory", fmt.Sprintf("%s of %s GiB usable on the tightest stage: %s", gib(a.Memory.PeakReservedBytes),
			gib(a.Memory.UsableBytes), verdict(&a.Memory))},
	})
}

// perGPU is the unit of a plan's throughput: GPUs that it leaves idle do not
// count.
func perGPU(s *subject, a *search.PlanResult) string {
	if a.GPUs < int64(s.gpus) {
		return "tokens/s per used GPU"
	}
	return "tokens/s/GPU"
}

// verdict says in words whether the memory fits.
func verdict(m *search.Memory) string { return words(m.Verdict) }

// words are a name of the JSON as a reader says it.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// contextWords says how the ranks of context parallelism communicate.
func contextWords(a *search.PlanResult) string {
	inner := a.Placement[0]
	if a.Options.CPComm != plan.CPHierarchical.String() {
		return a.Options.CPComm
	}
	return fmt.Sprintf("%s, a2a over %d in %s, p2p over %d", a.Options.CPComm, inner.Dense.CP, inner.Level, a.Degrees.CP/inner.Dense.CP)
}

// choices are the options of a plan and the text that gives it again.
func choices(p *page, a *search.PlanResult) {
	o := &a.Options
	recompute := o.Recompute
	if o.RecomputeLayersPerStage != "" {
		recompute += fmt.Sprintf(" (%s: of each stage the first %s)", count(o.RecomputeLayers, "layer"), o.RecomputeLayersPerStage)
	} else if o.RecomputeLayers > 0 {
		recompute += " (" + count(o.RecomputeLayers, "layer")
		if o.RecomputeSparePercent > 0 {
			recompute += fmt.Sprintf(", %d %% are spared", o.RecomputeSparePercent)
		}
		recompute += ")"
	}
	items := [][2]string{
		{"layers/stage", fmt.Sprintf("%s (%s)", o.LayersPerStage, o.SplitForm)},
		{"micro-batch", count(int(o.MicroBatch), "sequence")},
		{"schedule", schedule(a)},
		{"data parallel", dataParallel(a)},
		{"sequence parallel", onOff(o.SP)},
		{"recompute", recompute},
	}
	if a.Degrees.CP > 1 && o.CPComm != plan.CPRing.String() {
		items = append(items, [2]string{"cp communication", contextWords(a)})
	}
	if o.Offload != "" && o.Offload != "none" {
		items = append(items, [2]string{"offload", o.Offload})
	}
	p.heading("Options")
	p.list(append(items, [2]string{"text", strings.ReplaceAll(a.Text, ",", ", ")}))
}

// sharded is what each ZeRO stage shares out.
var sharded = [plan.NumZero]string{
	plan.ZeroOptimizer: "optimizer state",
	plan.ZeroGradients: "optimizer state and gradients",
	plan.ZeroWeights:   "optimizer state, gradients and weights",
}

// dataParallel says what the ZeRO stage shards, and over which ranks: those of
// dp_shard and of cp.
func dataParallel(a *search.PlanResult) string {
	d := &a.Degrees
	if a.Options.ZeroStage == 0 {
		return fmt.Sprintf("ZeRO stage 0, nothing sharded, dp_replicate %d", d.DPReplicate)
	}
	over := fmt.Sprint("dp_shard ", d.DPShard)
	switch {
	case d.CP > 1 && d.DPShard == 1:
		over = fmt.Sprint("cp ", d.CP)
	case d.CP > 1:
		over += fmt.Sprint(" x cp ", d.CP)
	}
	return fmt.Sprintf("ZeRO stage %d, %s over %s, dp_replicate %d", a.Options.ZeroStage, sharded[a.Options.ZeroStage], over, d.DPReplicate)
}

func schedule(a *search.PlanResult) string {
	if a.Degrees.VPP > 1 {
		return fmt.Sprintf("%s, %d chunks a rank", a.Options.Schedule, a.Degrees.VPP)
	}
	return a.Options.Schedule
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// placement says how many ranks of each dimension lie on each level.
func placement(p *page, a *search.PlanResult) {
	p.heading("Placement (factor of each degree on each level, innermost first)")
	moe := a.Degrees.EP > 1 || a.Degrees.ETP > 1
	head := []string{"level", "used", "tp", "cp", "dp_shard", "dp_replicate", "pp"}
	if moe {
		head = append(head, "|", "etp", "ep", "edp")
	}
	rows := [][]string{head}
	for _, l := range a.Placement {
		row := cells(l.Level, l.Used, l.Dense.TP, l.Dense.CP, l.Dense.DPShard, l.Dense.DPReplicate, l.Dense.PP)
		if moe {
			row = append(row, cells("|", l.Expert.ETP, l.Expert.EP, l.Expert.EDP)...)
		}
		rows = append(rows, row)
	}
	p.table(rows)
}

// cells is a label followed by numbers.
func cells(label string, numbers ...int32) []string {
	row := []string{label}
	for _, n := range numbers {
		row = append(row, fmt.Sprint(n))
	}
	return row
}

// forced says what made each degree larger than 1.
func forced(p *page, reasons []search.Forced) {
	if len(reasons) == 0 {
		return
	}
	p.heading("What forced each degree")
	var items [][2]string
	for _, f := range reasons {
		label := fmt.Sprint(f.Degree, " ", f.Value)
		text := strings.TrimPrefix(f.Text, label+": ")
		switch f.By {
		case search.ByMemory, search.ByTime, search.NotProven: // sentences about rules name them
			if !strings.HasPrefix(text, search.HardlyMatters) {
				text = f.By + ": " + text
			}
		}
		items = append(items, [2]string{label, text})
	}
	p.list(items)
}

// tightest is the memory of the stage that reserves most.
func tightest(p *page, m *search.Memory) {
	if len(m.Stages) == 0 {
		return
	}
	most := &m.Stages[0]
	for i := range m.Stages {
		if m.Stages[i].ReservedBytes > most.ReservedBytes {
			most = &m.Stages[i]
		}
	}
	when := ""
	if most.PeakWhen != "" {
		when = ", " + most.PeakWhen
	}
	p.heading("Memory of the tightest stage, %d of 0-%d (%s)%s, GiB a GPU", most.Stage, len(m.Stages)-1, count(most.Layers, "layer"), when)
	var rows [][3]string
	for _, t := range most.Terms {
		rows = append(rows, [3]string{t.Name, gibFine(t.Bytes), t.Note})
	}
	rows = append(rows, [3]string{"allocated", gibFine(most.AllocatedBytes), ""},
		[3]string{"reserved", gibFine(most.ReservedBytes), ""},
		[3]string{"usable", gibFine(m.UsableBytes), ""})
	p.terms(rows)
}
