package measured

import (
	"fmt"
	"regexp"
	"slices"

	"meshplan/strict"
)

// setupColumn is a column that says what was run.
type setupColumn uint8

const (
	colModel setupColumn = iota
	colParams
	colLayers
	colHidden
	colHeads
	colKVHeads
	colFFN
	colVocab
	colExperts
	colTopK
	colMoEFFN
	colGPU
	colGPUMemory
	colGPUs
	colGPUsPerNode
	colNetwork
	colPrecision
	colSeq
	colGlobalBatch
	colMicroBatch
	colTP
	colSP
	colPP
	colVPP
	colCP
	colEP
	colETP
	colDP
	colZero
	colFSDP
	colRecompute
	colFlash
	colKernel
	colRelease
	colFramework
	colTask
	colRunKind
	colOffload
	numSetup
)

var setupNames = [numSetup]string{
	"model", "params_b", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "experts", "topk", "moe_ffn",
	"gpu", "gpu_mem_gib", "gpus", "gpus_per_node", "network", "precision", "seq_len", "global_batch", "micro_batch",
	"tp", "sp", "pp", "vpp", "cp", "ep", "etp", "dp", "zero_stage", "fsdp", "recompute", "flash_attn", "kernel", "release",
	"framework", "task", "kind", "offload",
}

// String is the column's name.
func (c setupColumn) String() string { return setupNames[c] }

// outcomeColumn is a column of what was measured.
type outcomeColumn uint8

const (
	colStep outcomeColumn = iota
	colTokens
	colTFLOPs
	colPeak
	colMemoryKind
	colOOM
	colQuantity
	colValue
	numOutcome
)

var outcomeNames = [numOutcome]string{
	"step_time_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "peak_mem_gib", "mem_kind", "oom", "quantity", "value",
}

// String is the column's name.
func (c outcomeColumn) String() string { return outcomeNames[c] }

// setup is the cells that say what was run, outcome those of what was
// measured.
type (
	setup   [numSetup]string
	outcome [numOutcome]string
)

// shape are the columns that together stand for a model's name.
var shape = []setupColumn{colLayers, colHidden, colHeads}

// needs are the columns that a table of the kind cannot do without.
var needs = map[Kind][]setupColumn{
	Training: {colGPU, colGPUs, colSeq, colGlobalBatch, colMicroBatch, colTP, colPP},
	Memory:   {colGPU, colGPUs, colSeq, colMicroBatch},
}

// kindOf tells by its columns what a table holds.
func kindOf(t *table) (Kind, error) {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !t.has(n) })
	}
	switch {
	case has("ttft_ms") || has("tpot_ms"):
		return "", fmt.Errorf("%s: the header is that of serving runs; this release reads training and memory runs", t.name)
	case has("verdict", "rule_broken"):
		return "", fmt.Errorf("%s: the header is that of launches; this release reads training and memory runs", t.name)
	case has("quantity", "value"):
		return Memory, needed(t, Memory)
	case has("oom") || has("step_time_s") || has("tokens_per_s_per_gpu") || has("peak_mem_gib"):
		return Training, needed(t, Training)
	}
	return "", fmt.Errorf("%s: the header names nothing measured: a training table has step_time_s, tokens_per_s_per_gpu, peak_mem_gib or oom, "+
		"a memory table has quantity and value", t.name)
}

// needed is the error of a table that lacks a column of its kind.
func needed(t *table, kind Kind) error {
	for _, c := range needs[kind] {
		if !t.has(c.String()) {
			return fmt.Errorf("%s: a %s table needs the column %s%s", t.name, kind, c, strict.Suggest(c.String(), t.names, 1, nil))
		}
	}
	if t.has(colModel.String()) {
		return nil
	}
	for _, c := range shape {
		if !t.has(c.String()) {
			return fmt.Errorf("%s: a %s table needs the column model, or layers, hidden and heads%s", t.name, kind,
				strict.Suggest(colModel.String(), t.names, 1, nil))
		}
	}
	return nil
}

// row is a line of a table, its two halves apart.
type row struct {
	line              int // in the file, the header being 1
	id, source, sweep string
	flags             flags
	setup             setup
	outcome           outcome
}

// release is how tables name a release of the software by year and month.
var release = regexp.MustCompile(`(?:^|[^\d.])v?(2\d\.\d\d)\b`)

// releaseIn is the release that a text names; "" where it names none.
func releaseIn(text string) string {
	if found := release.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// split takes the rows apart. A row without an id is named by its line, one
// without a source by the table.
func split(t *table) []row {
	rows := make([]row, len(t.rows))
	for i := range rows {
		r := &rows[i]
		r.line = t.lines[i]
		r.id, r.source, r.sweep = t.cell(i, "id"), t.cell(i, "source"), t.cell(i, "sweep")
		if r.id == "" {
			r.id = fmt.Sprintf("line %d", r.line)
		}
		if r.source == "" {
			r.source = t.base()
		}
		r.flags = flagsOf(t.cell(i, "flags"))
		for c := range numSetup {
			r.setup[c] = t.cell(i, c.String())
		}
		if r.setup[colRelease] == "" {
			r.setup[colRelease] = releaseIn(t.cell(i, "source_where"))
		}
		for c := range numOutcome {
			r.outcome[c] = t.cell(i, c.String())
		}
	}
	return rows
}
