package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/search"
	"meshplan/units"
)

// defaultTop is the number of plans that `plan` shows.
const defaultTop = 3

// defaultFramework is the framework of a job that names none.
const defaultFramework = "megatron"

// later are frameworks that a later release will know.
var later = []string{"vllm", "sglang", "trtllm"}

// request is a job that has been checked: the problem to search, with the
// defaults taken as its warnings, and the subject of its answer.
type request struct {
	problem search.Problem
	subject subject
	sizes   []*cluster.Cluster // the candidates where the size is asked for
	used    []int              // GPUs of each
}

// request reads the job file, if any, and looks up everything the job names.
func (a *app) request(ctx context.Context, j *job, args []string) (*request, error) {
	if len(args) == 1 {
		if err := j.readFile(ctx, args[0], a.stdin); err != nil {
			return nil, err
		}
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	j.sizes = j.sizes || j.scales()
	r := &request{}
	for _, step := range []func(*job) error{r.facts, r.behaviour, r.pins} {
		if err := step(j); err != nil {
			return nil, usageError(err)
		}
	}
	r.problem.Top, r.problem.Jobs = defaultTop, runtime.GOMAXPROCS(0)
	if j.top > 0 {
		r.problem.Top = int(j.top)
	}
	if j.jobs > 0 {
		r.problem.Jobs = int(j.jobs)
	}
	r.problem.Forced = !j.noForced
	r.problem.Others = r.others
	return r, nil
}

// facts looks up the model and the cluster and fills the workload.
func (r *request) facts(j *job) error {
	m, err := models.Load(j.model)
	if err != nil {
		return j.from("model", err)
	}
	w := plan.Workload{GlobalBatch: j.globalBatch, SeqLen: j.seq, Recipe: j.recipe,
		Precision: plan.DefaultPrecision, LoadFactor: plan.DefaultLoadFactor, MTP: j.mtp}
	if j.given["precision"] {
		w.Precision = plan.Precision(j.precision)
	}
	c, err := r.machines(j, w.Precision)
	if err != nil {
		return err
	}
	if !j.given["precision"] {
		r.byDefault("precision", string(w.Precision))
	}
	if j.given["load-factor"] {
		w.LoadFactor = j.loadFactor
	} else if m.Experts > 0 {
		r.byDefault("load-factor", fmt.Sprintf("%g (balanced routing)", w.LoadFactor))
	}
	r.problem.Facts = framework.Facts{Model: m, Cluster: c, Workload: w}
	return nil
}

// machines looks up the cluster and changes what the job sets of it; where its size
// is what is asked for, the largest of the candidates.
func (r *request) machines(j *job, p plan.Precision) (c *cluster.Cluster, err error) {
	if j.sizes {
		return r.ofEachSize(j, p)
	}
	if c, err = clusterOf(j); err != nil || len(j.changes) == 0 {
		return c, err
	}
	if err := hasRate(c.GPU, p); err != nil {
		return nil, j.from("precision", err)
	}
	c, notes, err := c.With(rateIn(p), j.changes...)
	r.changed(notes)
	return c, j.wrong("set", err)
}

// rateIn is the peak of a GPU in a precision.
func rateIn(p plan.Precision) cluster.PeakRate {
	return func(g *cluster.GPU) units.FLOPsPerSecond { return cost.Rate(g, p) }
}

// changed puts the sentences about a changed cluster before all others.
func (r *request) changed(notes []string) { r.problem.Warnings = append(notes, r.problem.Warnings...) }

// ofEachSize are the clusters of the sizes to look at, of which the largest is returned.
func (r *request) ofEachSize(j *job, p plan.Precision) (c *cluster.Cluster, err error) {
	kind, err := kindOf(j)
	if err != nil {
		return nil, err
	}
	if n := len(j.candidates); n > 0 {
		kind = kind.Reaching(j.candidates[n-1])
	}
	if len(j.changes) > 0 {
		var notes []string
		if kind, notes, err = kind.With(rateIn(p), j.changes...); err != nil {
			return nil, j.wrong("set", err)
		}
		r.changed(notes)
	}
	counts := j.candidates
	if len(counts) == 0 {
		counts = kind.Counts(mostCandidates)
		if kind.Assumed {
			r.warn(fmt.Sprintf("at most %s GPUs by default; --cluster NAME:GPUS or --candidates sets it", units.Grouped(int64(kind.Most))))
		}
	}
	for _, n := range counts {
		if c, err = kind.Cluster(n); err != nil {
			return nil, j.from("candidates", fmt.Errorf("candidates: %w", err))
		}
		r.sizes, r.used = append(r.sizes, c), append(r.used, n)
	}
	return c, nil
}

// behaviour looks up the framework and its profile, and has the cost model
// check that they can price the job.
func (r *request) behaviour(j *job) error {
	name := j.framework
	if name == "" {
		var err error
		if name, err = frameworkOf(j.profile); err != nil {
			return j.from("profile", err)
		}
		r.byDefault("framework", name)
	}
	if slices.Contains(later, name) {
		return j.from("framework", fmt.Errorf("framework %q is not in this release; known: %s", name, strings.Join(all.Names(), ", ")))
	}
	fw, err := all.Find(name)
	if err != nil {
		return j.from("framework", err)
	}
	of := j.profile
	if of == "" {
		of = fw.Profile()
		r.byDefault("profile", of)
	}
	prof, err := profile.Load(of)
	if err != nil {
		return j.from("profile", err)
	}
	if of := prof.Frameworks; len(of) > 0 && fw.Name() != "any" && !slices.Contains(of, fw.Name()) {
		r.warn(fmt.Sprintf("profile %s counts the costs of %s; the rules are those of %s", prof.Name, strings.Join(of, " and "), fw.Name()))
	}
	recipe, err := prof.Recipe(j.recipe)
	if err != nil {
		return j.from("recipe", err)
	}
	if j.recipe == "" {
		r.byDefault("recipe", recipe.Name+" ("+recipe.Bytes()+")")
	}
	f := &r.problem.Facts
	if err := hasRate(f.Cluster.GPU, f.Workload.Precision); err != nil {
		return j.from("precision", err)
	}
	if _, err := cost.New(f.Model, f.Cluster, f.Workload, prof); err != nil {
		return err
	}
	r.problem.Framework, r.problem.Profile = fw, prof
	r.subject = subject{model: f.Model.Name, cluster: f.Cluster.Name, gpu: f.Cluster.GPU.Name, gpus: f.Cluster.GPUs(), present: f.Cluster.Present(),
		batch: f.Workload.GlobalBatch, seq: f.Workload.SeqLen, precision: string(f.Workload.Precision), framework: fw.Name()}
	if changes := f.Cluster.Changes(); changes != "" {
		r.subject.gpu += " with " + changes
	}
	return nil
}

// frameworkOf is the framework of a job that names none: the default, or the
// first of those whose plans the job's profile prices.
func frameworkOf(of string) (string, error) {
	if of == "" {
		return defaultFramework, nil
	}
	p, err := profile.Load(of)
	if err != nil {
		return "", err
	}
	if slices.Contains(p.Frameworks, defaultFramework) {
		return defaultFramework, nil
	}
	return p.Frameworks[0], nil
}

// hasRate is the error of a GPU that lacks the number format; it names the
// formats that it has.
func hasRate(g *cluster.GPU, p plan.Precision) error {
	if cost.Rate(g, p) > 0 {
		return nil
	}
	var flags []string
	for _, other := range plan.Precisions() {
		if cost.Rate(g, other) > 0 {
			flags = append(flags, "--precision "+string(other))
		}
	}
	if len(flags) == 0 {
		return fmt.Errorf("%s has no %s rate", g.Name, p)
	}
	return fmt.Errorf("%s has no %s rate; use %s", g.Name, p, strings.Join(flags, " or "))
}

// pins reads what the user holds fixed.
func (r *request) pins(j *job) error {
	if j.pin == "" {
		return nil
	}
	pins, err := framework.ParsePins(j.pin)
	if err != nil {
		return j.from("pin", err)
	}
	r.problem.Pins = pins
	return j.from("pin", framework.CheckPins(&r.problem.Facts, pins))
}

// byDefault notes a setting that the job left open.
func (r *request) byDefault(flag, value string) {
	r.warn(fmt.Sprintf("%s %s by default; --%s sets it", flag, value, flag))
}

// warn adds sentences to the warnings of the answer.
func (r *request) warn(sentences ...string) {
	r.problem.Warnings = append(r.problem.Warnings, sentences...)
}
