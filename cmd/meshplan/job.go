package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"meshplan/cluster"
	"meshplan/plan"
	"meshplan/search"
	"meshplan/units"
)

// The largest values that are taken for a job rather than a typing error.
const (
	maxBatch  = 1_000_000_000
	maxSeq    = 100_000_000
	maxTop    = 1000
	maxPoints = 100_000
	maxJobs   = 1024
	maxLoad   = 1e6
	maxMTP    = 100

	maxTokens     = 1e18
	maxDays       = 1e6
	maxPrice      = 1e6
	maxCandidates = 1000
)

// job is what the user asks for, from the flags and the job file.
type job struct {
	model, cluster        string
	nodes, topology       string
	globalBatch, seq      int64
	precision, recipe     string
	loadFactor            float64
	mtp                   int
	framework, profile    string
	pin, plan, fill       string
	top, jobs, points     int64
	resolution            float64 // GiB
	plot                  string
	against               search.Axis // of pareto; "" is memory
	timeLimit             time.Duration
	noForced, json, stats bool
	sizes                 bool // the cluster is one of several sizes: of min-gpus, and of pareto against what they take
	schedule              bool // show it
	stepTime              time.Duration
	tokensPerDay          float64
	days, tokens, price   float64
	candidates            []int
	changes               []cluster.Change
	all, allPoints        bool
	given                 map[string]bool   // by flag name
	at                    map[string]string // file and line of what a job file has set, by flag name
}

func newJob() *job { return &job{given: map[string]bool{}, at: map[string]string{}} }

// named is a setting as the user gave it: its flag, or its key with file and line.
func (j *job) named(flag string) string {
	if at, inFile := j.at[flag]; inFile {
		return at + ": " + strings.ReplaceAll(flag, "-", "_")
	}
	return "--" + flag
}

// wrong is an error that was found in a setting after all were read; it says where the
// setting is from.
func (j *job) wrong(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", j.named(flag), err)
}

// from is wrong of an error that names the setting itself.
func (j *job) from(flag string, err error) error {
	if at, inFile := j.at[flag]; inFile && err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return err
}

// check reports a setting that is missing and settings that make no sense
// together.
func (j *job) check() error {
	for _, name := range []string{"model", "cluster", "global-batch", "seq"} {
		if !j.given[name] {
			return badUsage("no %s given: use --%s, or %s in a job file",
				name, name, strings.ReplaceAll(name, "-", "_"))
		}
	}
	if float64(j.globalBatch)*float64(j.seq) > plan.MaxTokensPerStep {
		return badUsage("global batch %s of %s tokens is %.3g tokens a step; the largest is %.0g",
			units.Grouped(j.globalBatch), units.Grouped(j.seq),
			float64(j.globalBatch)*float64(j.seq), float64(plan.MaxTokensPerStep))
	}
	return nil
}

func setText(to *string, v string) error {
	if strings.TrimSpace(v) == "" {
		return fmt.Errorf("is empty")
	}
	*to = v
	return nil
}

// setItems is setText of a list with commas, which has to hold something else.
func setItems(to *string, v string) error {
	if strings.Trim(v, ", \t\n") == "" {
		return fmt.Errorf("is empty")
	}
	return setText(to, v)
}

func setCount(to *int64, v string, most int64) error {
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("want a whole number from 1 to %s", units.Grouped(most))
	}
	*to = n
	return nil
}

// setAmount takes a number above zero; the error names the most, or an example.
func setAmount(to *float64, v string, most float64, example string) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	switch {
	case x > most:
		return fmt.Errorf("want a number above 0 and at most %.0e; nearest: %.0e", most, most)
	case err != nil || !(x > 0):
		return fmt.Errorf("want a number above 0 and at most %.0e, such as %s", most, example)
	}
	*to = x
	return nil
}

func setToggle(to *bool, v string) error {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("want true or false")
	}
	*to = b
	return nil
}

func setPrecision(j *job, v string) error {
	var known []string
	for _, p := range plan.Precisions() {
		known = append(known, string(p))
	}
	return setChoice(&j.precision, v, known)
}

func setFill(j *job, v string) error {
	return setChoice(&j.fill, v, []string{"framework", "best"})
}

// setChoice takes one of the known words.
func setChoice(to *string, v string, known []string) error {
	for _, k := range known {
		if v == k {
			*to = v
			return nil
		}
	}
	return fmt.Errorf("unknown%s", suggestion(v, known))
}

func setLoadFactor(j *job, v string) error {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) || x < 1 || x > maxLoad {
		return fmt.Errorf("want a number from 1 (balanced) to %s", units.Grouped(maxLoad))
	}
	j.loadFactor = x
	return nil
}

func setMTP(j *job, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > maxMTP {
		return fmt.Errorf("want a whole number from 0 to %d", maxMTP)
	}
	j.mtp = n
	return nil
}

func setStepTime(j *job, v string) error { return setTime(&j.stepTime, v, "20s or 1m30s") }

// longest is the longest time that can be set, in whole hours.
const longest = math.MaxInt64 / time.Hour * time.Hour

// aTime are the texts of times, also of those that are too long.
var aTime = regexp.MustCompile(`^\+?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)

// setTime takes a time above zero.
func setTime(to *time.Duration, v, such string) error {
	d, err := time.ParseDuration(v)
	x, bare := strconv.ParseFloat(v, 64)
	switch {
	case bare == nil && x > 0 && x <= longest.Seconds():
		return fmt.Errorf("has no unit: want a time such as %s; nearest: %ss", such, strconv.FormatFloat(x, 'f', -1, 64))
	case d > longest || err != nil && aTime.MatchString(v):
		return fmt.Errorf("want a time of at most %.0fh", longest.Hours())
	case err != nil || d <= 0:
		return fmt.Errorf("want a time above zero, such as %s", such)
	}
	*to = d
	return nil
}

// setPins adds pins to those that were given before.
func setPins(j *job, v string) error {
	before := j.pin
	if err := setItems(&j.pin, v); err != nil || before == "" {
		return err
	}
	j.pin = before + "," + v
	return nil
}

// setCandidates adds numbers of GPUs, in any order.
func setCandidates(j *job, v string) error {
	for item := range strings.SplitSeq(v, ",") {
		var n int64
		if err := setCount(&n, item, cluster.MaxGPUs); err != nil {
			return fmt.Errorf("%q: %w, such as 8,16,32%s", clipped(item), err, nearestGPUs(item))
		}
		j.candidates = append(j.candidates, int(n))
	}
	slices.Sort(j.candidates)
	if j.candidates = slices.Compact(j.candidates); len(j.candidates) > maxCandidates {
		return fmt.Errorf("%d numbers: want at most %s", len(j.candidates), units.Grouped(maxCandidates))
	}
	return nil
}

// setChanges adds changes of the cluster to those that were given before.
func setChanges(j *job, v string) error {
	for _, c := range j.changes {
		v = c.String() + "," + v
	}
	var err error
	j.changes, err = cluster.ParseChanges(v)
	return err
}

// nearestGPUs names the number of GPUs that is nearest to one out of range.
func nearestGPUs(item string) string {
	x, err := strconv.ParseFloat(strings.TrimSpace(item), 64)
	if err != nil || math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("; nearest: %.0f", min(max(1, math.Round(x)), cluster.MaxGPUs))
}

// The finest and the coarsest resolution of a front, in GiB.
const (
	minResolution = 0.02
	maxResolution = 1000
)

func setResolution(j *job, v string) error {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) || x < minResolution || x > maxResolution {
		return fmt.Errorf("want a number of GiB from %g to %s", minResolution, units.Grouped(maxResolution))
	}
	j.resolution = x
	return nil
}

func setAgainst(j *job, v string) error {
	var known []string
	for _, a := range fronts {
		known = append(known, string(a))
	}
	return setChoice((*string)(&j.against), v, known)
}

// plotTypes are the kinds of file that a front can be drawn into.
var plotTypes = []string{".svg", ".png"}

func setPlot(j *job, v string) error {
	if ext := filepath.Ext(v); !slices.Contains(plotTypes, ext) || filepath.Base(v) == ext {
		return fmt.Errorf("want a file that ends in %s", strings.Join(plotTypes, " or "))
	}
	j.plot = v
	return nil
}

func setTimeLimit(j *job, v string) error { return setTime(&j.timeLimit, v, "30s or 5m") }
