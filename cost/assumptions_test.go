package cost

import (
	"strings"
	"testing"

	"meshplan/plan"
)

func TestAssumptionsAreOfTheConstantsThatAPlanDependsOn(t *testing.T) {
	dense, moe := subjectCalled(t, "dense 70B on 256 H100"), subjectCalled(t, "MoE on 256 H100 by FSDP2")
	short := subject{"8B on 256 H100, short sequences", "llama-3.1-8b", "h100:256", "megatron", 1024, 512, ""}
	for _, c := range []struct {
		name    string
		of      subject
		plan    string
		with    []string
		without []string
	}{
		{"a dense model by Megatron whose optimizer alone is sharded", dense, "tp=8,pp=4,dp_shard=8,zero=1,micro-batch=1,placement=tp:8/1;dp_shard:1/8;pp:1/4",
			[]string{"memory.context_bytes", "memory.fit_margin", "time.step_seconds"}, []string{"time.unit_overlap", "time.host_layer_seconds"}},
		{"the same with its weights sharded", dense, "tp=8,dp_shard=32,zero=3,micro-batch=4,placement=tp:8/1;dp_shard:1/32",
			[]string{"time.unit_overlap"}, []string{"time.host_layer_seconds"}},
		{"layers that end before the host has launched them", short, "tp=8,dp_shard=32,zero=1,micro-batch=1,placement=tp:8/1;dp_shard:1/32",
			[]string{"time.host_layer_seconds"}, []string{"time.unit_overlap"}},
		{"a model whose layers all have experts", moe, "dp_shard=256,ep=8,zero=3,micro-batch=1,placement=dp_shard:8/32;ep:8/1;edp:1/32",
			[]string{"time.unit_overlap"}, []string{"time.host_layer_seconds"}},
	} {
		m := c.of.price(t)
		part, err := plan.Parse(c.plan)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p := part.Plan
		p.Placement.Levels = int8(len(m.cluster.Levels))
		pt := p.Point()
		if p.Options.Stages, err = m.Split(&pt, plan.AllForms()); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text := strings.Join(m.Assumptions(&p), "\n")
		for _, key := range c.with {
			if !strings.Contains(text, " "+key+" ") {
				t.Errorf("%s: %s is missing in\n%s", c.name, key, text)
			}
		}
		for _, key := range c.without {
			if strings.Contains(text, " "+key+" ") {
				t.Errorf("%s: %s takes no part, in\n%s", c.name, key, text)
			}
			if all := strings.Join(m.Assumptions(), "\n"); !strings.Contains(all, " "+key+" ") {
				t.Errorf("%s: without a plan %s is missing in\n%s", c.name, key, all)
			}
		}
	}
}
