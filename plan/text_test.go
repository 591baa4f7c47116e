package plan_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
)

// plans draws any plan that the text form can carry.
func plans(t *rapid.T) plan.Plan {
	var p plan.Plan
	levels := rapid.IntRange(0, plan.MaxLevels).Draw(t, "levels")
	p.Placement.Levels = int8(levels)
	experts := rapid.Bool().Draw(t, "experts")
	for d := range plan.NumDims {
		for l := range plan.MaxLevels {
			p.Placement.Factor[d][l] = 1
			if l >= max(1, levels) || !experts && (d == plan.ETP || d == plan.EP || d == plan.EDP) {
				continue
			}
			p.Placement.Factor[d][l] = int32(rapid.IntRange(1, 1+2/(l+1)).Draw(t, "factor"))
		}
	}
	o := &p.Options
	o.VPP = int32(rapid.IntRange(1, 4).Draw(t, "vpp"))
	o.Schedule = plan.ScheduleOf(int32(rapid.IntRange(0, int(plan.DualPipeV.Value())).Draw(t, "schedule")), o.VPP)
	if only := o.Schedule.Chunks(); only > 0 {
		o.VPP = only
	}
	o.MicroBatch = int32(rapid.IntRange(1, 64).Draw(t, "micro-batch"))
	o.SP = rapid.Bool().Draw(t, "sp")
	o.ZeroStage = int8(rapid.IntRange(0, 1).Draw(t, "zero"))
	o.Recompute = plan.Recompute(rapid.IntRange(0, 2).Draw(t, "recompute"))
	form := plan.SplitForm(rapid.IntRange(0, int(plan.NumSplitForms)).Draw(t, "form"))
	layers := rapid.IntRange(1, 130).Draw(t, "layers")
	if split, ok := form.Default(layers, int(p.Placement.Degree(plan.PP)), int(o.VPP)); ok {
		o.Stages = plan.Stages{Form: form, Text: plan.RunLength(split)}
		if rapid.Bool().Draw(t, "fitting") {
			o.Recompute, o.RecomputeSpare = plan.RecomputeFull, plan.SpareFitting
			o.Stages.Recompute = plan.RunLength(split[:p.Placement.Degree(plan.PP)]) // of each first chunk
		}
	}
	return p
}

func TestEveryPlanReadsBackFromItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans(t)
		got, err := plan.Parse(p.String())
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if got.Plan != p {
			t.Fatalf("wrote %s\nread  %s", p, got.Plan)
		}
	})
}

func TestPlanText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing given is one GPU", "",
			"tp=1,cp=1,pp=1,vpp=1,dp_shard=1,dp_replicate=1,micro-batch=1,sp=off,zero=0,recompute=none"},
		{"dp alone is dp_shard", "tp=8,dp=128",
			"tp=8,cp=1,pp=1,vpp=1,dp_shard=128,dp_replicate=1,micro-batch=1,sp=off,zero=0,recompute=none"},
		{"dp with zero=0 is dp_replicate", "dp=128,zero=0",
			"tp=1,cp=1,pp=1,vpp=1,dp_shard=1,dp_replicate=128,micro-batch=1,sp=off,zero=0,recompute=none"},
		{"dp over a given dp_shard is dp_replicate", "dp=128,dp_shard=32",
			"tp=1,cp=1,pp=1,vpp=1,dp_shard=32,dp_replicate=4,micro-batch=1,sp=off,zero=0,recompute=none"},
		{"an expert degree brings the expert grid", "ep=8,mbs=2,sp=on",
			"tp=1,cp=1,pp=1,vpp=1,dp_shard=1,dp_replicate=1,ep=8,etp=1,edp=1,micro-batch=2,sp=on,zero=0,recompute=none"},
		{"commas cannot stand inside layers, plus does", "pp=16,layers=8*14+7*2",
			"tp=1,cp=1,pp=16,vpp=1,dp_shard=1,dp_replicate=1,micro-batch=1,sp=off,zero=0,recompute=none,layers=8*14+7*2"},
		{"a form that an earlier one covers is named", "pp=4,layers=layout:2*4",
			"tp=1,cp=1,pp=4,vpp=1,dp_shard=1,dp_replicate=1,micro-batch=1,sp=off,zero=0,recompute=none,layers=layout:2*4"},
		{"a placement gives the degrees", " placement=tp:8/1 ; dp_shard:1/32, dp=32 ",
			"tp=8,cp=1,pp=1,vpp=1,dp_shard=32,dp_replicate=1,micro-batch=1,sp=off,zero=0,recompute=none,placement=tp:8/1;dp_shard:1/32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.Parse(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Plan.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestGivenFields(t *testing.T) {
	p, err := plan.Parse("tp=8,dp=4,sp=off")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []plan.Field{plan.Field(plan.TP), plan.Field(plan.DPShard), plan.Field(plan.DPReplicate), plan.Field(plan.SP)} {
		if !p.Given.Has(f) {
			t.Errorf("field %d is given", f)
		}
	}
	for _, f := range []plan.Field{plan.Field(plan.PP), plan.Field(plan.Zero), plan.StagesField, plan.PlacementField} {
		if p.Given.Has(f) {
			t.Errorf("field %d is not given", f)
		}
	}
}

func TestPlanTextErrorsNameTheFault(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"tp", `"tp" is not key=value`},
		{"tpp=8", `unknown key "tpp"; nearest "tp"`},
		{"micro_batsh=8", `nearest "micro-batch"`},
		{"offload=100", `unknown key "offload"; nearest "optimizer-offload"`},
		{"precision=fp8", `unknown key "precision"; known: tp, cp, pp, vpp, dp, `},
		{"=8", `unknown key ""; known: tp, `},
		{"tp=8,tp=8", "tp is given twice"},
		{"tp=0", "tp=0: expected a whole number from 1 to"},
		{"tp=-1", "tp=-1: expected a whole number"},
		{"tp=99999999999999999999", "expected a whole number"},
		{"tp=1048576,pp=1048576", "tp, cp, dp_shard, dp_replicate, pp multiply to more than 16777216 GPUs"},
		{"dp=64,dp_shard=8,dp_replicate=4", "dp=64 contradicts dp_shard=8 and dp_replicate=4"},
		{"dp=64,dp_shard=7", "dp=64 contradicts dp_shard=7"},
		{"zero=4", "zero=4: expected a ZeRO stage from 0"},
		{"sp=maybe", "sp=maybe: expected on or off"},
		{"recompute=all", "expected none, selective, ops, mlp or full"},
		{"cp-comm=ring", "cp-comm=ring: expected p2p, allgather, a2a or a2a+p2p"},
		{"recompute-spare=101", "recompute-spare=101: expected percent, a whole number from 0 to 100, or fit"},
		{"recompute=full,recompute-layers=1", "recompute-layers=1: expected layers too"},
		{"recompute-layers=1,layers=8", "recompute-layers=1 with recompute=none: expected recompute=full"},
		{"recompute=full,recompute-spare=50,recompute-layers=1,layers=8", "contradicts recompute-spare=50"},
		{"recompute=full,recompute-layers=x,layers=8", `"x" is not a number of layers`},
		{"recompute=full,pp=2,recompute-layers=1*3,layers=4*2", "recompute-layers=1*3 has 3 ranks, but pp is 2"},
		{"recompute=full,pp=2,vpp=2,recompute-layers=8+5,layers=4+2+4+2", "recompute-layers=8+5: rank 1 recomputes 5 of its 4 layers"},
		{"schedule=gpipe,vpp=2", "schedule=gpipe contradicts vpp=2: it runs 1 a rank, so vpp=1"},
		{"schedule=zb-v,vpp=1", "schedule=zb-v contradicts vpp=1: it runs 2 a rank, so vpp=2"},
		{"pp=4,vpp=3,schedule=dualpipe", "schedule=dualpipe contradicts vpp=3"},
		{"vpp=2,schedule=1f1b", "schedule=1f1b contradicts vpp=2: several chunks a rank are interleaved"},
		{"schedule=zbv", `nearest "zb-v"`},
		{"schedule=dualpip", `nearest "dualpipe"`},
		{"schedule=interleaved", "expected vpp above 1"},
		{"optimizer-offload=101", "expected percent, a whole number from 0 to 100"},
		{"pp=4,layers=8*3", "has 3 chunks, but pp*vpp = 4*1 = 4"},
		{"pp=4,layers=even:8*3+7", "is not a split of the form even"},
		{"pp=4,layers=uneven:8*4", `split form "uneven": expected one of even`},
		{"pp=4,layers=8+0+8*2", "only the first and the last chunk may be empty"},
		{"layers=8*20000", "more than 10000 chunks"},
		{"layers=x", `"x" is not a number of layers`},
		{"tp=4,placement=tp:8/1", "placement of tp multiplies to 8, but tp=4"},
		{"tp=4,dp=2,placement=tp:4/1", "dp=2, but dp_shard and dp_replicate are placed as 1*1"},
		{"tp=4,cp=2,placement=tp:4/1", "placement lacks cp=2"},
		{"placement=tp:8/1;cp:2", "placement of cp has 1 levels and the one before 2"},
		{"placement=tp:8/1;tp:8/1", "placement gives tp twice"},
		{"placement=vpp:8", `placement of "vpp": expected one of tp`},
		{"placement=8", `placement "8": expected for example`},
		{"placement=tp:1/1/1/1/1/1/1", "at most 6 levels"},
	} {
		t.Run(c.in, func(t *testing.T) {
			_, err := plan.Parse(c.in)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want it to contain %q", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "tp=8,dp=4", "pp=4,layers=8*3+7", "placement=tp:8/1;dp_shard:1/32", "dp=8,dp_shard=2,zero=0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := plan.Parse(s)
		if err != nil {
			return
		}
		again, err := plan.Parse(p.Plan.String())
		if err != nil || again.Plan != p.Plan {
			t.Fatalf("%q reads as %s, which reads as %s, %v", s, p.Plan, again.Plan, err)
		}
	})
}
