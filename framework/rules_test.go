package framework_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/framework/any"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
)

// facts are a dense or a MoE model of awkward numbers on levels of the given
// sizes.
func facts(experts int, sizes ...int) *framework.Facts {
	c := &cluster.Cluster{}
	for i, n := range sizes {
		c.Levels = append(c.Levels, cluster.Level{Name: []string{"nvlink", "leaf", "spine"}[i], Size: n})
	}
	m := &models.Model{Name: "awkward", Layers: 61, Heads: 40, KVHeads: 4, FFN: 11008}
	if experts > 0 {
		m.Experts, m.TopK, m.MoEFFN = experts, 2, 1408
	}
	return &framework.Facts{Model: m, Cluster: c, Workload: plan.Workload{GlobalBatch: 96, SeqLen: 4092}}
}

// pointOf reads a plan's text; without a placement everything is on level 0.
func pointOf(t *testing.T, text string) plan.Point {
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p.Plan.Point()
}

// checkSentence wants a rule to refuse a plan in these words.
func checkSentence(t *testing.T, rules []framework.Rule, f *framework.Facts, id, text, want string) {
	t.Helper()
	i := slices.IndexFunc(rules, func(r framework.Rule) bool { return r.ID == id })
	if i < 0 {
		t.Fatal("no such rule")
	}
	p := pointOf(t, text)
	if got := rules[i].Text(f, &p); rules[i].Holds(f, &p) || got != want {
		t.Errorf("holds %v: %s\nwant %s", rules[i].Holds(f, &p), got, want)
	}
}

func TestSentencesGiveNumbersAndTheNearestValidValues(t *testing.T) {
	for _, c := range []struct {
		id, plan string
		experts  int
		want     string
	}{
		{"megatron/MLM-H1", "tp=16", 0, "40 heads not divisible by tp 16; nearest 10, 20"},
		{"megatron/MLM-H2", "tp=6", 0, "4 key/value heads neither divisible by tp 6 nor a divisor of it; nearest 4, 8"},
		{"megatron/MLM-H6", "tp=10", 0, "11008 columns common to the MLPs not divisible by tp 10; nearest 8, 16"},
		{"megatron/MLM-H6-expert", "etp=5,ep=1", 8, "1408 columns of an expert not divisible by etp 5; nearest 4, 8"},
		{"megatron/MLM-E1", "ep=4", 0, "ep 4 and etp 1 on a model with 0 experts; without experts both are 1"},
		{"megatron/MLM-E2", "ep=8", 60, "60 experts not divisible by ep 8; nearest 6, 10"},
		{"megatron/MLM-E3", "tp=4", 8, "8 experts with tp 4 and sp off; tp above 1 needs sp on, or tp 1"},
		{"megatron/MLM-B1", "dp=10,mbs=2", 0, "96 sequences of the global batch not divisible by micro-batch*dp 20; nearest 16, 24"},
		{"megatron/MLM-C1", "cp=4", 0, "4092 tokens of a sequence not divisible by 2*cp 8; nearest 6, 11"},
		{"megatron/MLM-S1", "sp=on", 0, "sp on with tp 1; sp needs tp above 1"},
		{"megatron/MLM-S2", "tp=8,sp=on", 0, "4092 tokens of a sequence not divisible by tp 8; nearest 6, 11"},
		{"megatron/MLM-C1b", "tp=2,cp=4,sp=on", 0, "4092 tokens of a sequence not divisible by cp*lcm(2, tp) 8; nearest 6, 11"},
		{"megatron/MLM-V1", "vpp=2", 0, "vpp 2 with pp 1; vpp above 1 needs pp above 1"},
		{"megatron/MLM-V3", "vpp=2,pp=8,dp=24", 0, "4 micro-batches with vpp 2 and pp 8; vpp above 1 needs at least pp of them, so pp at most 4"},
		{"megatron/MLM-V4", "vpp=2,pp=8,dp=6,mbs=4", 0, "96 sequences of the global batch not divisible by pp*micro-batch*dp (vpp above 1 runs rounds of pp micro-batches) 192; nearest 96"},
		{"megatron/MLM-L5-chunks", "vpp=8,pp=8", 0, "61 layers, embedding and head do not fill pp*vpp = 8*8 = 64 chunks; at this pp, nearest 7 for vpp"},
		{"megatron/MLM-W1", "tp=8,dp=128", 0, "tp*cp*pp 8 times dp 128 are 1024 GPUs; the cluster has 64"},
		{"megatron/MLM-W2", "tp=2,dp=3,ep=4", 8, "6 ranks of a pipeline stage not divisible by etp*ep 4; nearest 3, 6"},
		{"megatron/MLM-W2", "tp=2,dp=2,ep=2,edp=4", 8, "4 ranks of a pipeline stage over etp*ep 2 leave edp 2, not 4"},
		{"megatron/MLM-W5", "dp_shard=2,dp_replicate=4,zero=1,ep=4,edp=2", 8, "edp 2 not divisible by dp_replicate 4, the number of optimizer instances; dp_replicate 1 is valid"},
		{"zero", "dp=8,dp_replicate=1", 0, "zero 0 with dp_shard 8 and cp 1; zero 0 needs dp_shard 1, its ranks are dp_replicate"},
		{"zero", "zero=1", 0, "zero 1 with dp_shard 1 and cp 1; zero 1 needs dp_shard*cp above 1, else zero 0"},
		{"grid/levels", "placement=tp:8/2;dp_shard:2/2", 0, "level nvlink has room for 8; tp 8 * dp_shard 2 need 16"},
		{"grid/experts", "ep=2", 0, "the model has no experts; etp, ep and edp are 1"},
		{"grid/experts", "placement=tp:4/1;dp_shard:1/8;ep:1/8;etp:4/1;edp:1/2", 8, "on level leaf the dense grid uses 8 and the expert grid 16; they must be equal"},
	} {
		t.Run(c.id+" on "+c.plan, func(t *testing.T) {
			f := facts(c.experts, 8, 8)
			checkSentence(t, framework.Rules(f, megatron.New(), nil), f, c.id, c.plan, c.want)
		})
	}
}

// randomPoint has small values in every coordinate, valid or not.
func randomPoint(t *rapid.T) plan.Point {
	var p plan.Point
	for c := range p {
		p[c] = int32(rapid.IntRange(1, 12).Draw(t, "value"))
	}
	for _, o := range []struct {
		c    plan.Coord
		most int
	}{
		{plan.SP, 1}, {plan.Zero, plan.NumZero - 1}, {plan.RecomputeC, int(plan.NumRecompute) - 1},
		{plan.CPCommC, int(plan.NumCPComm) - 1}, {plan.ScheduleC, 1},
	} {
		p[o.c] = int32(rapid.IntRange(0, o.most).Draw(t, "option"))
	}
	for _, c := range []plan.Coord{plan.OptOffload, plan.ActOffload} {
		p[c] = rapid.SampledFrom([]int32{0, 50, 100}).Draw(t, "percent")
	}
	return p
}

// Where hierarchical context parallelism is not searched, no rule but the grids'
// own reads placement: placements can then be counted apart.
func TestRulesReadPlacementOnlyWhereItMatters(t *testing.T) {
	for _, c := range []struct {
		pin  string
		want bool
	}{{"cp-comm=a2a", false}, {"cp-comm<=a2a", true}, {"cp-comm=a2a+p2p", true}} {
		pins, err := framework.ParsePins(c.pin)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, r := range framework.Rules(facts(0, 8, 4), megatron.New(), pins) {
			got = got || !r.Implied && slices.Contains(r.Reads, plan.At(plan.CP, 0))
		}
		if got != c.want {
			t.Errorf("%s: placement is read: %v", c.pin, got)
		}
	}
}

func TestRulesReadOnlyWhatTheySay(t *testing.T) {
	pins, err := framework.ParsePins("tp=8,dp<=4,gpus>=12,cp in leaf,dp in nvlink,recompute=full,cp-comm>=p2p")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := facts(rapid.SampledFrom([]int{0, 12}).Draw(t, "experts"), 8, 4, 2)
		p, q := randomPoint(t), randomPoint(t)
		for _, fw := range all.List() {
			for _, r := range framework.Rules(f, fw, pins) {
				mixed := q
				for _, c := range r.Reads {
					mixed[c] = p[c]
				}
				if r.Holds(f, &p) != r.Holds(f, &mixed) {
					t.Fatalf("%s depends on a coordinate that it does not read", r.ID)
				}
				if r.Text(f, &p) == "" {
					t.Fatalf("%s says nothing", r.ID)
				}
			}
		}
	})
}

// A rule that is a division or speaks of GPUs alone must say the same in both
// of its forms.
func TestStructuredFormsAgreeWithThePredicate(t *testing.T) {
	pins, _ := framework.ParsePins("gpus<=12")
	rapid.Check(t, func(t *rapid.T) {
		f := facts(12, 8, 4, 2)
		p := randomPoint(t)
		fw := rapid.SampledFrom(all.List()).Draw(t, "framework")
		for _, r := range framework.Rules(f, fw, pins) {
			if d := r.Division; d != nil {
				if want := !d.Applies(&p) || d.Total(f)%d.Product(&p) == 0; r.Holds(f, &p) != want {
					t.Fatalf("%s", r.ID)
				}
			}
			if r.Used != nil {
				n := int32(1)
				for _, d := range plan.DenseDims {
					n *= p.Degree(d)
				}
				if r.Holds(f, &p) != r.Used([]int32{n}) {
					t.Fatalf("%s", r.ID)
				}
			}
		}
	})
}

func TestWhatMegatronAcceptsAnyAccepts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := facts(rapid.SampledFrom([]int{0, 12}).Draw(t, "experts"), 8, 4, 2)
		p := randomPoint(t)
		p[plan.Coord(plan.CP)], p[plan.Coord(plan.DPReplicate)] = 1, 1
		if len(framework.Broken(f, framework.Rules(f, megatron.New(), nil), &p)) > 0 {
			return
		}
		if broken := framework.Broken(f, framework.Rules(f, any.New(), nil), &p); len(broken) > 0 {
			t.Fatalf("%s: %s", broken[0].ID, broken[0].Text(f, &p))
		}
	})
}

func TestRuleIDsAreDistinctAndNameTheirFramework(t *testing.T) {
	for _, fw := range all.List() {
		var ids []string
		for _, r := range fw.Rules() {
			ids = append(ids, r.ID)
		}
		for _, r := range fw.StageRules() {
			ids = append(ids, r.ID)
		}
		slices.Sort(ids)
		if len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%s states an id twice: %v", fw.Name(), ids)
		}
		for _, id := range ids {
			if !strings.HasPrefix(id, fw.Name()+"/") {
				t.Errorf("%s is not named after %s", id, fw.Name())
			}
		}
	}
}

func TestFrameworksAreFoundByName(t *testing.T) {
	if fw, err := all.Find(" Megatron"); err != nil || fw.Name() != "megatron" {
		t.Errorf("got %v, %v", fw, err)
	}
	if _, err := all.Find("megatorn"); err == nil || !strings.Contains(err.Error(), `nearest "megatron"`) {
		t.Errorf("got %v", err)
	}
}
