package cost_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/models"
	"meshplan/plan"
)

const gib = 1 << 30

// measuredRun is one row of testdata/measured: a plan that somebody ran and
// what they read. Metric is what GiB is: "allocated" and "reserved" of the
// allocator, "device" what nvidia-smi prints; rows of "fits" and "oom" have no
// figure and say only that the plan ran or did not.
type measuredRun struct {
	id, model, gpu, note            string
	precision, metric, recompute    string
	gpus, perNode                   int
	seq, micro, batch               int64
	shard, replicate, tp, pp, cp, z int
	stateBytes, gib, params         float64
	// logitBytes is set where the run's loss is not the profile's: what it
	// keeps for each logit at the peak.
	logitBytes *float64
}

// ran reports whether the plan is known to fit.
func (r *measuredRun) ran() bool { return r.metric != "oom" }

// text is the plan as a user would write it.
func (r *measuredRun) text() string {
	return fmt.Sprintf("tp=%d,pp=%d,cp=%d,dp_shard=%d,dp_replicate=%d,zero=%d,micro-batch=%d,recompute=%s",
		r.tp, r.pp, r.cp, r.shard, r.replicate, r.z, r.micro, r.recompute)
}

// table reads a file of testdata/measured, by the names of its columns. Lines
// that start with # are comments.
func table(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "measured", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out := make([]map[string]string, 0, len(rows))
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, key := range rows[0] {
			m[key] = row[i]
		}
		out = append(out, m)
	}
	return out
}

// number is a figure of a row; an empty cell is 0.
func number(t *testing.T, row map[string]string, key string) float64 {
	t.Helper()
	if row[key] == "" {
		return 0
	}
	v, err := strconv.ParseFloat(row[key], 64)
	if err != nil {
		t.Fatalf("%s %s: %v", row["id"], key, err)
	}
	return v
}

func readRuns(t *testing.T, name string) []measuredRun {
	t.Helper()
	var runs []measuredRun
	for _, row := range table(t, name) {
		whole := func(key string) int { return int(number(t, row, key)) }
		r := measuredRun{
			id: row["id"], model: row["model"], gpu: row["gpu"], note: row["note"],
			precision: row["precision"], metric: row["metric"], recompute: row["recompute"],
			gpus: whole("gpus"), perNode: whole("gpus_per_node"),
			seq: int64(whole("seq_len")), micro: int64(whole("micro_batch")), batch: int64(whole("global_batch")),
			shard: whole("dp_shard"), replicate: whole("dp_replicate"), tp: whole("tp"), pp: whole("pp"), cp: whole("cp"), z: whole("zero"),
			stateBytes: number(t, row, "state_bytes"), gib: number(t, row, "measured_gib"), params: number(t, row, "params_b"),
		}
		if row["logit_bytes"] != "" {
			v := number(t, row, "logit_bytes")
			r.logitBytes = &v
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return runs
}

// shapeOf is a model of the catalogue or of shapes.csv.
func shapeOf(t *testing.T, name string, seq int64) *models.Model {
	t.Helper()
	if m, err := models.Find(name); err == nil {
		return m
	}
	for _, row := range table(t, "shapes.csv") {
		if row["name"] != name {
			continue
		}
		whole := func(key string) int { return int(number(t, row, key)) }
		m := &models.Model{
			Name: name, Layers: whole("layers"), Hidden: whole("hidden"), Heads: whole("heads"), KVHeads: whole("kv_heads"),
			HeadDim: whole("head_dim"), FFN: whole("ffn"), Vocab: whole("vocab"), TieEmbeddings: true,
			GatedMLP: row["gated"] == "yes", MLPBias: row["biases"] == "yes", AttnBias: models.BiasNone, QKNorm: models.QKNormNone,
			Norm: models.Norm(row["norm"]), NormsPerLayer: 2, PosEmbed: models.PosEmbed(row["pos_embed"]), MaxPos: whole("max_pos"),
			AttnPattern: models.PatternFull,
		}
		if m.MLPBias {
			m.AttnBias = models.BiasQKVO
		}
		if m.MaxPos == 0 {
			m.MaxPos = int(seq)
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("shapes.csv %s: %v", name, err)
		}
		return m
	}
	t.Fatalf("no model %s in the catalogue or in shapes.csv", name)
	return nil
}

// machineOf is the cluster of a run. The H100 with 96 GB of torchtitan's pages
// is in no catalogue; its runtime memory is taken as the same share of the
// label as the 80 GB part shows.
func machineOf(t *testing.T, gpu string, gpus int) *cluster.Cluster {
	t.Helper()
	system := gpu
	if gpu == "h100-96gb" {
		system = "h100"
	}
	c, err := cluster.Find(fmt.Sprintf("%s:%d", system, gpus))
	if err != nil {
		t.Fatal(err)
	}
	if gpu == "h100-96gb" {
		g := *c.GPU
		g.Runtime = g.Runtime * 96 / 80
		c.GPU = &g
	}
	return c
}

// need is the framework and the profile of those names.
func need(t *testing.T, name, prof string) (framework.Framework, *profile.Profile) {
	t.Helper()
	fw, err := all.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Find(prof)
	if err != nil {
		t.Fatal(err)
	}
	return fw, p
}

// keptBytes is the bytes a parameter that a recipe keeps where weights are
// sharded: without the copy that is cast from the master weights.
func keptBytes(r profile.Recipe) float64 {
	if r.Cast {
		return r.PerParameter() - r.Weight
	}
	return r.PerParameter()
}

// recipeOf is the recipe whose bytes a parameter are those of the run; the
// default when they are its own.
func recipeOf(t *testing.T, p *profile.Profile, bytes float64) string {
	t.Helper()
	def, err := p.Recipe("")
	if err != nil {
		t.Fatal(err)
	}
	if bytes == 0 || keptBytes(def) == bytes {
		return ""
	}
	for _, r := range p.Recipes {
		if keptBytes(r) == bytes {
			return r.Name
		}
	}
	t.Fatalf("profile %s has no recipe of %g bytes a parameter", p.Name, bytes)
	return ""
}

// priceRun prices a run as a user's evaluation does: the plan's text, what the
// framework takes for the rest, the terms.
func priceRun(t *testing.T, r *measuredRun, fw framework.Framework, p *profile.Profile) cost.Estimate {
	t.Helper()
	if r.logitBytes != nil {
		own := *p
		own.Memory.LogitBytes = profile.Constant{Value: *r.logitBytes, Source: "the loss of the run"}
		p = &own
	}
	f := &framework.Facts{
		Model: shapeOf(t, r.model, r.seq), Cluster: machineOf(t, r.gpu, r.gpus),
		Workload: plan.Workload{GlobalBatch: r.batch, SeqLen: r.seq, Precision: plan.BF16, Recipe: recipeOf(t, p, r.stateBytes), LoadFactor: 1},
	}
	return evaluate(t, r.id, f, fw, p, r.text())
}

func evaluate(t *testing.T, id string, f *framework.Facts, fw framework.Framework, p *profile.Profile, text string) cost.Estimate {
	t.Helper()
	part, err := plan.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	full, _, err := fw.Fill(f, part)
	if err != nil {
		t.Fatalf("%s %s: %v", id, text, err)
	}
	m, err := cost.New(f.Model, f.Cluster, f.Workload, p)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	e := m.Explain(&full)
	if len(e.Stages) == 0 {
		t.Fatalf("%s %s: no stages: %s", id, text, strings.Join(e.Warnings, "; "))
	}
	return e
}
