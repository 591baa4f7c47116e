package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meshplan/cluster"
	"meshplan/models"
)

// kind is the type of value that a field takes in a job file.
type kind uint8

const (
	text   kind = iota // a string
	whole              // an integer
	real               // an integer or a float
	toggle             // a boolean
	list               // a string that names several, and adds to one given before
)

func (k kind) String() string {
	return [...]string{"a string", "a whole number", "a number", "true or false", "a string"}[k]
}

// field is one setting of a job, defined once: its flag, its key in a job
// file, its help and its check all come from here.
type field struct {
	name  string // the flag; the key has underscores for the dashes
	value string // what the help calls the flag's value
	usage string
	kind  kind
	only  string // the verbs that take it; "" for all that take a job
	set   func(j *job, value string) error
}

// key is the field's name in a job file.
func (f *field) key() string { return strings.ReplaceAll(f.name, "-", "_") }

// of reports whether the verb takes the field.
func (f *field) of(verb string) bool {
	return f.only == "" || slices.Contains(strings.Fields(f.only), verb)
}

// fields are all settings of a job, in the order of the help.
var fields = []field{
	{"model", "NAME", "catalogue name, model TOML file or Hugging Face config.json", text, "",
		func(j *job, v string) error { return setText(&j.model, v) }},
	{"cluster", "NAME:GPUS", "catalogue name and GPUs, such as h100:256, or cluster TOML file", text, "",
		func(j *job, v string) error { return setText(&j.cluster, v) }},
	{"nodes", "LIST", "the nodes there are: a hostlist such as 'gpu[001-030]', a file of nodes with healthy GPUs and leaf, or topology.conf", text, "",
		func(j *job, v string) error { return setText(&j.nodes, v) }},
	{"topology", "FILE", "Slurm's topology.conf: the switches of --nodes, or the nodes themselves without it", text, "",
		func(j *job, v string) error { return setText(&j.topology, v) }},
	{"global-batch", "N", "sequences per optimizer step", whole, "",
		func(j *job, v string) error { return setCount(&j.globalBatch, v, maxBatch) }},
	{"seq", "N", "tokens per sequence", whole, "",
		func(j *job, v string) error { return setCount(&j.seq, v, maxSeq) }},
	{"precision", "NAME", "number format of the GEMMs: bf16, fp16, fp8, fp8-blockwise, mxfp8 or nvfp4 (default bf16)", text, "", setPrecision},
	{"recipe", "NAME", "how parameters and optimizer are kept (default: the profile's own)", text, "",
		func(j *job, v string) error { return setText(&j.recipe, v) }},
	{"load-factor", "X", "load of the busiest expert rank over the mean (default 1)", real, "", setLoadFactor},
	{"mtp", "N", "multi-token-prediction layers that are trained behind the last one (default 0)", whole, "", setMTP},
	{"framework", "NAME", "whose rules and costs hold: megatron, torchtitan, fsdp, deepspeed, nanotron or any (default: the profile's, else megatron)", text, "",
		func(j *job, v string) error { return setText(&j.framework, v) }},
	{"profile", "NAME", "cost profile of the framework (default: its newest)", text, "",
		func(j *job, v string) error { return setText(&j.profile, v) }},
	{"pin", "PINS", "degrees and options to hold, such as 'tp=8,pp<=4,tp in nvlink'; may be repeated", list, "", setPins},
	{"set", "RESOURCE=VALUE", "what if the cluster had other resources, such as nic=200G,hbm=141GB,flops=2x; may be repeated", list, "", setChanges},
	{"plan", "PLAN", "the plan to explain, such as 'tp=8,pp=16,micro-batch=1'", text, "explain",
		func(j *job, v string) error { return setItems(&j.plan, v) }},
	{"fill", "HOW", "who fills what the plan leaves open: framework or best (default framework)", text, "explain", setFill},
	{"schedule", "", "show the order of operations of each pipeline rank", toggle, "explain",
		func(j *job, v string) error { return setToggle(&j.schedule, v) }},
	{"top", "K", "plans to show, each of other degrees or options (default 3)", whole, "plan",
		func(j *job, v string) error { return setCount(&j.top, v, maxTop) }},
	{"against", "WHAT", "what to set against step time: memory, gpus or cost (default memory)", text, "pareto", setAgainst},
	{"points", "N", "points of the front of memory to find, the fastest first (default: all)", whole, "pareto",
		func(j *job, v string) error { return setCount(&j.points, v, maxPoints) }},
	{"all-points", "", "show also the points of a long front that are close to others", toggle, "pareto",
		func(j *job, v string) error { return setToggle(&j.allPoints, v) }},
	{"resolution", "GIB", "memory is counted in steps of so many GiB (default 0.1)", real, "pareto", setResolution},
	{"plot", "FILE", "draw the front into this .svg or .png file", text, "pareto", setPlot},
	{"no-forced", "", "skip the searches that say what forced each degree", toggle, "plan",
		func(j *job, v string) error { return setToggle(&j.noForced, v) }},
	{"step-time", "D", "the goal: a step of at most this time, such as 20s", text, "min-gpus", setStepTime},
	{"tokens-per-day", "X", "the goal: at least so many tokens a day, such as 1e11", real, "min-gpus",
		func(j *job, v string) error { return setAmount(&j.tokensPerDay, v, maxTokens, "1e11") }},
	{"days", "X", "the goal: the training's --tokens within so many days", real, "min-gpus",
		func(j *job, v string) error { return setAmount(&j.days, v, maxDays, "30") }},
	{"tokens", "X", "tokens of the whole training, such as 1e12", real, "min-gpus pareto",
		func(j *job, v string) error { return setAmount(&j.tokens, v, maxTokens, "1e12") }},
	{"candidates", "LIST", "the numbers of GPUs to look at, such as 8,16,32 (default: at most 64); may be repeated", list, "min-gpus pareto", setCandidates},
	{"all", "", "look at the candidates above the answer too", toggle, "min-gpus",
		func(j *job, v string) error { return setToggle(&j.all, v) }},
	{"price-per-gpu-hour", "X", "USD of a GPU-hour (default: the catalogue's, where it has one)", real, "min-gpus pareto",
		func(j *job, v string) error { return setAmount(&j.price, v, maxPrice, "2.5") }},
	{"jobs", "N", "searches that run at once (default: the cores)", whole, "",
		func(j *job, v string) error { return setCount(&j.jobs, v, maxJobs) }},
	{"time-limit", "D", "stop after this time, such as 30s or 5m, with the best so far", text, "", setTimeLimit},
	{"json", "", "print the result as JSON", toggle, "",
		func(j *job, v string) error { return setToggle(&j.json, v) }},
	{"stats", "", "print the search's counters as one JSON line on standard error", toggle, "",
		func(j *job, v string) error { return setToggle(&j.stats, v) }},
}

// keys are the keys a job file may hold.
func keys() []string {
	var names []string
	for i := range fields {
		names = append(names, fields[i].key())
	}
	return names
}

// fieldOf is the field of a job file's key, nil for an unknown key.
func fieldOf(key string) *field {
	for i := range fields {
		if fields[i].key() == key {
			return &fields[i]
		}
	}
	return nil
}

// addFlags gives the command the flags of its verb.
func addFlags(c *cobra.Command, j *job) {
	for i := range fields {
		f := &fields[i]
		if !f.of(c.Name()) {
			continue
		}
		flag := c.Flags().VarPF(&flagValue{f, j}, f.name, "", f.usage)
		if f.kind == toggle {
			flag.NoOptDefVal = "true"
		}
	}
	c.Flags().SortFlags = false
	for flag, names := range map[string]func() []string{"model": models.Names, "cluster": cluster.Names} {
		complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names(), cobra.ShellCompDirectiveNoSpace
		}
		if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic("meshplan: " + err.Error())
		}
	}
}

// flagValue is a field as a flag of the command line.
type flagValue struct {
	field *field
	job   *job
}

// String is the flag's default in the help; fields name theirs in the usage.
func (v *flagValue) String() string { return "" }

// Type is what the help calls the value.
func (v *flagValue) Type() string {
	if v.field.kind == toggle {
		return "bool"
	}
	return v.field.value
}

// Set checks the value and remembers that it was given.
func (v *flagValue) Set(value string) error {
	v.job.given[v.field.name] = true
	if err := v.field.set(v.job, value); err != nil {
		return &settingError{v.field.name, value, err}
	}
	return nil
}
