package plan

import (
	"strings"

	"meshplan/strict"
)

// keys are the names of a plan's fields in text, and spellings other programs
// use for them.
var keys = []struct{ name, canonical string }{
	{"tp", "tp"}, {"cp", "cp"}, {"pp", "pp"}, {"vpp", "vpp"}, {"dp", "dp"},
	{"dp_shard", "dp_shard"}, {"dp_replicate", "dp_replicate"},
	{"ep", "ep"}, {"etp", "etp"}, {"edp", "edp"},
	{"micro-batch", "micro-batch"}, {"mbs", "micro-batch"},
	{"sp", "sp"}, {"zero", "zero"}, {"recompute", "recompute"},
	{"cp-comm", "cp-comm"}, {"schedule", "schedule"},
	{"optimizer-offload", "optimizer-offload"}, {"activation-offload", "activation-offload"},
	{"layers", "layers"}, {"placement", "placement"},
}

// findKey is the canonical name of a key; if there is none, the nearest.
// Dashes and underscores are the same.
func findKey(text string) (name string, ok bool) {
	best := len(text) + 100
	for _, k := range keys {
		n := Distance(dashed(text), dashed(k.name))
		if n == 0 {
			return k.canonical, true
		}
		if n < best {
			best, name = n, k.canonical
		}
	}
	return name, false
}

func dashed(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }

// Distance is strict.Distance, the number of single-letter edits between two
// words, for naming the nearest valid word in an error.
func Distance(a, b string) int { return strict.Distance(a, b) }

// Clip is a text that the user wrote as an error quotes it: cut to 60 bytes.
func Clip(text string) string { return strict.Clip(text, 60) }
