package measured

import (
	"fmt"
	"strings"

	"meshplan/framework"
	"meshplan/models"
	"meshplan/plan"
)

// job is a row's setup, looked up: what is to be priced.
type job struct {
	facts    framework.Facts
	of       served
	values   map[string]string // of the plan as far as it is given, by the keys of its text
	open     [numSetup]bool    // settings that the row leaves open
	plan     plan.Plan         // as the framework fills it
	defaults defaults
}

// maxTokens bounds the tokens of a step, some ten times what anybody trains
// with: a batch beyond it is one of tokens.
const maxTokens = 1e9

// jobOf looks up everything a row names. It sees the setup only.
func jobOf(l *lookup, s *setup, kind Kind) (*job, *skip) {
	j := new(job)
	if skip := trains(s); skip != nil {
		return nil, skip
	}
	var skip *skip
	if j.facts.Cluster, skip = machineOf(s, &j.defaults); skip != nil {
		return nil, skip
	}
	if j.facts.Model, skip = modelOf(l, s, &j.defaults); skip != nil {
		return nil, skip
	}
	g, skip := degreesOf(s, kind, &j.defaults)
	if skip != nil {
		return nil, skip
	}
	var err error
	if j.of, err = profileOf(l.profiles, s, g.tp > 1 || g.pp > 1); err != nil {
		return nil, skipped(NoPlan, "%v", err)
	}
	j.pack(s)
	r := published(s, j.facts.Model.Name)
	if skip := j.workload(s, &g, &r, kind); skip != nil {
		return nil, skip
	}
	j.of.plan += "," + r.plan // of two that set the same, the last holds
	if j.values, skip = valuesOf(s, &g, j.facts.MoE(), &j.of, &j.defaults); skip != nil {
		return nil, skip
	}
	j.open = openOf(s, &j.of)
	return j, j.complete()
}

// trains refuses runs whose parameters are not all trained as a plan has it:
// serving, adapters on a frozen model, and offload of unstated parts.
func trains(s *setup) *skip {
	for _, c := range []setupColumn{colTask, colRunKind} {
		switch task := strings.ToLower(s[c]); task {
		case "", "pretrain", "train", "sft", "finetune":
		default:
			return skipped(NoPlan, "%s %q: only runs that train all parameters can be priced", c, plan.Clip(task))
		}
	}
	if off := strings.ToLower(s[colOffload]); off != "" && off != "0" && off != "no" && off != "none" && off != "false" {
		return skipped(NoPlan, "offload %q does not say what is offloaded", plan.Clip(off))
	}
	return nil
}

// pack shortens what a token attends to in a fine-tuning run whose sequences hold
// many documents: to half a document in the mean.
func (j *job) pack(s *setup) {
	m := j.facts.Model
	if task := strings.ToLower(s[colTask]); task != "sft" && task != "finetune" {
		return
	}
	if half := j.of.documents / 2; half > 0 && (m.Window == 0 || m.Window > half) {
		m.Window, m.AttnPattern = half, models.PatternSliding
	}
}

// workload reads the batch, the sequence and the precision. What is left open
// is that of the framework's published recipe; a memory table has no batch: it
// is taken to be large enough to fill the pipeline.
func (j *job) workload(s *setup, g *degrees, r *recipe, kind Kind) *skip {
	seq, skip := s.whole(colSeq, NoPlan)
	if skip != nil {
		return skip
	}
	batch, skip := s.whole(colGlobalBatch, NoPlan)
	if skip != nil {
		return skip
	}
	each := int64(g.micro) * int64(g.dp)
	total := int64(batch)
	if seq == 0 {
		seq = r.seq
	}
	if total == 0 {
		total = r.batch(g)
	}
	if total == 0 && kind == Memory {
		total = each * fillingMicroBatches(g.pp)
	}
	switch {
	case seq == 0:
		return skipped(NoPlan, "seq_len is not given")
	case total == 0:
		return skipped(NoPlan, "global_batch is not given")
	case total%each != 0:
		return skipped(Contradiction, "global_batch %d is no multiple of micro_batch*dp = %d", total, each)
	case float64(total)*float64(seq) > maxTokens:
		return skipped(NoPlan, "a step of %d sequences of %d tokens is too large: the batch is counted in sequences", total, seq)
	}
	w := plan.Workload{GlobalBatch: total, SeqLen: int64(seq), LoadFactor: plan.DefaultLoadFactor}
	if w.Precision, skip = precisionOf(s, j.of.profile); skip != nil {
		return skip
	}
	j.defaults.note(s, colSeq, colGlobalBatch, colPrecision, colFlash)
	j.facts.Workload = w
	return nil
}

// fillingMicroBatches is a number of micro-batches with which a pipeline of any
// schedule holds as many as it ever does: four times its stages. Without a
// pipeline one is enough.
func fillingMicroBatches(pp int) int64 {
	if pp == 1 {
		return 1
	}
	return 4 * int64(pp)
}

// key names the price model that the job needs: equal keys, equal models.
func (j *job) key() string {
	f := &j.facts
	levels := ""
	for _, l := range f.Cluster.Levels {
		levels += fmt.Sprintf("%s %d %g;", l.Name, l.Size, float64(l.Bandwidth))
	}
	return fmt.Sprintf("%+v|%s %s %d|%+v|%s %t", *f.Model, f.Cluster.GPU.Name, levels, f.Cluster.NICsPerNode, f.Workload, j.of.profile.Name, j.of.profile.Memory.Flash)
}
