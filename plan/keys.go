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
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = dashed(k.name)
	}
	at, distance := strict.Closest(dashed(text), names)
	return keys[at].canonical, distance == 0
}

func dashed(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }

// Clip is a text that the user wrote as an error quotes it: cut to 60 bytes.
func Clip(text string) string { return strict.Clip(text, 60) }
