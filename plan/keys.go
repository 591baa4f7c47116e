package plan

import (
	"fmt"
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
	{"recompute-spare", "recompute-spare"},
	{"recompute-layers", "recompute-layers"}, {"layers", "layers"}, {"placement", "placement"},
}

// findKey is the canonical name of a key; if there is none, the end of the
// error that says so. Dashes and underscores are the same.
func findKey(text string) (name, otherwise string) {
	var names []string
	for _, k := range keys {
		if dashed(text) == dashed(k.name) {
			return k.canonical, ""
		}
		names = append(names, k.name)
	}
	return "", Suggest(text, names)
}

// Suggest ends the error of an unknown name: "; nearest " and the name that
// holds the word or is close to it in spelling, or the known names where none is.
// Dashes and underscores are the same.
func Suggest(text string, names []string) string {
	word := dashed(Clip(text))
	for _, n := range names {
		if len(word) >= 4 && strings.Contains(dashed(n), word) {
			return fmt.Sprintf("; nearest %q", n)
		}
	}
	if near := strict.Nearest(word, names, 1, dashed); len(near) > 0 {
		return fmt.Sprintf("; nearest %q", near[0])
	}
	return "; known: " + strings.Join(names, ", ")
}

func dashed(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }

// Clip is a text that the user wrote as an error quotes it: cut to 60 bytes.
func Clip(text string) string { return strict.Clip(text, 60) }
