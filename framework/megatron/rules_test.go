package megatron_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
)

// launch is a row of testdata/launches.csv: launches that NVIDIA publishes or
// tests, and launches that were refused, with the rules that refuse them.
type launch map[string]string

func (l launch) int(key string) int {
	n, err := strconv.Atoi(l[key])
	if err != nil {
		panic(key + " of " + l["id"] + ": " + err.Error())
	}
	return n
}

func launches(t *testing.T) []launch {
	file, err := os.Open("testdata/launches.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []launch
	for _, row := range rows[1:] {
		l := launch{}
		for i, key := range rows[0] {
			l[key] = row[i]
		}
		all = append(all, l)
	}
	return all
}

func (l launch) facts() *framework.Facts {
	return &framework.Facts{
		Model: &models.Model{
			Name: l["id"], Layers: l.int("layers"), Heads: l.int("heads"), KVHeads: l.int("kv_heads"), FFN: l.int("ffn"),
			Experts: l.int("experts"), MoEFFN: l.int("moe_ffn"),
		},
		Cluster:  &cluster.Cluster{Levels: []cluster.Level{{Name: "nvlink", Size: l.int("gpus")}}},
		Workload: plan.Workload{GlobalBatch: int64(l.int("global_batch")), SeqLen: int64(l.int("seq"))},
	}
}

// plan is the launch's plan; degrees are not checked, so that rules can be.
func (l launch) plan(t *testing.T, moe bool) plan.Plan {
	p := plan.Plan{Placement: plan.Placement{Levels: 1}}
	set := func(d plan.Dim, n int) { p.Placement.Factor[d][0] = int32(max(1, n)) }
	stage := max(1, l.int("gpus")/l.int("pp"))
	dp := max(1, stage/(l.int("tp")*l.int("cp")))
	for d, key := range map[plan.Dim]string{plan.TP: "tp", plan.CP: "cp", plan.PP: "pp", plan.EP: "ep", plan.ETP: "etp"} {
		set(d, l.int(key))
	}
	shards := plan.DPReplicate
	if l["zero"] == "1" {
		shards = plan.DPShard
	}
	set(shards, dp)
	set(plan.EDP, 1)
	if moe {
		set(plan.EDP, stage/(l.int("ep")*l.int("etp")))
	}
	p.Options = plan.Options{
		SP: l["sp"] == "1", MicroBatch: int32(l.int("micro_batch")), VPP: int32(l.int("vpp")), ZeroStage: int8(l.int("zero")),
	}
	for _, form := range plan.AllForms() {
		if form.String() == l["form"] {
			list, err := plan.ParseRunLength(l["chunks"])
			if err != nil {
				t.Fatal(err)
			}
			p.Options.Stages = plan.Stages{Form: form, Text: plan.RunLength(list)}
		}
	}
	return p
}

func TestVerdictsOnKnownLaunches(t *testing.T) {
	fw := megatron.New()
	valid := 0
	for _, l := range launches(t) {
		t.Run(l["id"], func(t *testing.T) {
			f := l.facts()
			p := l.plan(t, f.MoE())
			point := p.Point()
			var got []string
			for _, r := range framework.Broken(f, fw.Rules(), &point) {
				got = append(got, strings.TrimPrefix(r.ID, "megatron/"))
				if text := r.Text(f, &point); text == "" {
					t.Errorf("%s says nothing", r.ID)
				}
			}
			for _, r := range fw.StageRules() {
				if !r.Holds(f, &p) {
					got = append(got, strings.TrimPrefix(r.ID, "megatron/"))
				}
			}
			want := strings.Fields(l["rule"])
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("refused by %v, expected %v", got, want)
			}
			if len(want) == 0 {
				valid++
			}
		})
	}
	if valid < 60 {
		t.Errorf("only %d valid launches", valid)
	}
}
