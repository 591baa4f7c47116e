package measured

import (
	"strconv"
	"strings"

	"meshplan/framework"
	"meshplan/plan"
)

// degrees are the numbers of a row's plan that are counts.
type degrees struct{ gpus, tp, pp, cp, dp, vpp, ep, etp, micro int }

// degreesOf reads the degrees and checks that they multiply to the GPUs. What
// the row implies is filled: dp, and 1 for all others that are open.
func degreesOf(s *setup, kind Kind, d *defaults) (degrees, *skip) {
	var g degrees
	for _, f := range []struct {
		to     *int
		from   setupColumn
		open   bool // may be left open
		silent bool // is not counted where it is
	}{
		{&g.gpus, colGPUs, false, false}, {&g.tp, colTP, kind == Memory, false}, {&g.pp, colPP, kind == Memory, false},
		{&g.micro, colMicroBatch, false, false}, {&g.cp, colCP, true, false}, {&g.vpp, colVPP, true, false},
		{&g.ep, colEP, true, true}, {&g.etp, colETP, true, true},
	} {
		n, skip := s.whole(f.from, NoPlan)
		switch {
		case skip != nil:
			return g, skip
		case n == 0 && !f.open:
			return g, skipped(NoPlan, "%s is not given", f.from)
		case n == 0 && !f.silent:
			n = 1
			d.note(s, f.from)
		}
		*f.to = n
	}
	return g, g.rest(s, d)
}

// rest fills dp and checks the product.
func (g *degrees) rest(s *setup, d *defaults) *skip {
	model := int64(g.tp) * int64(g.pp)
	if model <= int64(g.gpus) {
		model *= int64(g.cp)
	}
	var skip *skip
	if g.dp, skip = s.whole(colDP, NoPlan); skip != nil {
		return skip
	}
	if int64(g.gpus)%model != 0 {
		return skipped(Contradiction, "tp*pp*cp = %d does not divide the %d GPUs", model, g.gpus)
	}
	rest := int(int64(g.gpus) / model)
	if g.dp == 0 {
		g.dp = rest
		d.note(s, colDP)
	}
	if g.dp != rest {
		return skipped(Contradiction, "tp*pp*cp*dp = %d, but gpus is %d", model*int64(g.dp), g.gpus)
	}
	return nil
}

// valuesOf is the row's plan as a user would write it, by keys; what it leaves
// open is that of the framework's service where it says so.
func valuesOf(s *setup, g *degrees, moe bool, of *served, d *defaults) (map[string]string, *skip) {
	values := of.given()
	put := func(key string, v int) {
		if v > 0 {
			values[key] = strconv.Itoa(v)
		}
	}
	put("tp", g.tp)
	put("pp", g.pp)
	put("cp", g.cp)
	put("dp", g.dp)
	put("vpp", g.vpp)
	put("micro-batch", g.micro)
	if moe {
		if s[colETP] == "" && g.gpus/g.pp%max(g.ep*g.tp, 1) != 0 {
			g.etp = 1 // the experts' ranks would not divide those of a stage
		}
		put("ep", g.ep)
		put("etp", g.etp)
		d.note(s, colEP, colETP)
	} else if g.ep > 1 || g.etp > 1 {
		return nil, skipped(Contradiction, "ep or etp above 1, but the model has no experts")
	}
	d.note(s, colSP, colRecompute, colZero)
	for _, read := range []func(*setup, *served, map[string]string) *skip{putSP, putRecompute} {
		if skip := read(s, of, values); skip != nil {
			return nil, skip
		}
	}
	if skip := putShards(s, g, values); skip != nil {
		return nil, skip
	}
	return values, nil
}

// given is what runs of the service do unless they say otherwise, by the keys
// of a plan's text.
func (of *served) given() map[string]string {
	values := map[string]string{}
	for item := range strings.SplitSeq(of.plan, ",") {
		if key, value, ok := strings.Cut(strings.TrimSpace(item), "="); ok {
			values[key] = value
		}
	}
	return values
}

// written is the text of a plan, in the order of the coordinates.
func written(values map[string]string) string {
	var items []string
	for _, key := range []string{"tp", "cp", "pp", "vpp", "dp", "dp_shard", "dp_replicate", "ep", "etp", "micro-batch", "sp", "zero", "recompute", "recompute-spare", "activation-offload"} {
		if v, ok := values[key]; ok {
			items = append(items, key+"="+v)
		}
	}
	return strings.Join(items, ",")
}

// putSP reads sequence parallelism.
func putSP(s *setup, _ *served, values map[string]string) *skip {
	switch strings.ToLower(s[colSP]) {
	case "":
	case "0", "no", "false", "off":
		values["sp"] = "off"
	case "1", "yes", "true", "on":
		values["sp"] = "on"
	default:
		return skipped(NoPlan, "sp %q: want 0 or 1", plan.Clip(s[colSP]))
	}
	if values["tp"] == "1" {
		values["sp"] = "off" // it goes along with tp
	}
	return nil
}

// recomputes are the words for what is computed again.
var recomputes = map[string]plan.Recompute{
	"none": plan.RecomputeNone, "no": plan.RecomputeNone, "0": plan.RecomputeNone, "false": plan.RecomputeNone, "selective []": plan.RecomputeNone,
	"selective": plan.RecomputeSelective, "selective core_attn": plan.RecomputeSelective,
	"selective mlp": plan.RecomputeMLP, "selective moe": plan.RecomputeMLP, "mlp": plan.RecomputeMLP, "ops": plan.RecomputeOps,
	"full": plan.RecomputeFull, "yes": plan.RecomputeFull, "1": plan.RecomputeFull, "true": plan.RecomputeFull,
	"gradient_checkpointing": plan.RecomputeFull, "gradient checkpointing": plan.RecomputeFull, "gradient_checkpointing true": plan.RecomputeFull,
}

// putRecompute reads what is computed again. A framework whose selective kind
// is a list of operations means that by the word.
func putRecompute(s *setup, of *served, values map[string]string) *skip {
	cell, _, _ := strings.Cut(strings.ToLower(s[colRecompute]), "(")
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return nil
	}
	r, ok := recomputes[cell]
	if !ok {
		return skipped(NoPlan, "recompute %q is not a kind that a plan has", plan.Clip(s[colRecompute]))
	}
	if r == plan.RecomputeSelective && cell == "selective" && listsOps(of.framework) {
		r = plan.RecomputeOps
	}
	values["recompute"] = r.String()
	return nil
}

func listsOps(fw framework.Framework) bool {
	var ops, selective bool
	for _, v := range fw.Options()[plan.RecomputeC] {
		ops = ops || v == int32(plan.RecomputeOps)
		selective = selective || v == int32(plan.RecomputeSelective)
	}
	return ops && !selective
}

// putShards reads the ZeRO stage and FSDP, and divides dp into shards and
// replicas.
func putShards(s *setup, g *degrees, values map[string]string) *skip {
	stage, group, skip := fsdpOf(s[colFSDP])
	if skip != nil {
		return skip
	}
	if cell := s[colZero]; cell != "" {
		n, err := strconv.Atoi(cell)
		if err != nil || n < plan.ZeroNone || n >= plan.NumZero {
			return skipped(NoPlan, "zero_stage %q: want 0 to %d", plan.Clip(cell), plan.NumZero-1)
		}
		if given := strconv.Itoa(n); stage == "" || group > 0 || given > stage {
			stage = given // a strategy of FSDP that shards more than the stage says is the one that ran
		}
	}
	if stage != "" {
		values["zero"] = stage
	}
	switch {
	case g.dp*g.cp == 1:
		delete(values, "zero") // there is nobody to share with
	case values["zero"] != "0" && group > 1 && group < g.dp && g.dp%group == 0:
		delete(values, "dp")
		values["dp_shard"], values["dp_replicate"] = strconv.Itoa(group), strconv.Itoa(g.dp/group)
	}
	return nil
}

// fsdpOf reads fsdp: a sharding strategy, yes or no, or the ranks that share.
func fsdpOf(cell string) (stage string, group int, s *skip) {
	switch strings.ToUpper(cell) {
	case "", "0", "1", "NO", "FALSE", "NO_SHARD":
		return "", 0, nil
	case "FULL_SHARD", "HYBRID_SHARD", "YES", "TRUE":
		return "3", 0, nil
	case "SHARD_GRAD_OP":
		return "2", 0, nil
	}
	n, ok := whole(cell)
	if !ok {
		return "", 0, skipped(NoPlan, "fsdp %q: want a sharding strategy, yes, no or the number of ranks that share", plan.Clip(cell))
	}
	return "3", n, nil
}
