package framework_test

import (
	"slices"
	"strings"
	"testing"

	"meshplan/framework"
	"meshplan/framework/any"
	"meshplan/plan"
)

func TestPinsBecomeRules(t *testing.T) {
	f := facts(0, 8, 4, 2)
	for _, c := range []struct {
		pin, holds, fails string
	}{
		{"tp=8", "tp=8", "tp=4"},
		{"pp<=4", "pp=4", "pp=5"},
		{"dp=64", "dp_shard=16,dp_replicate=4", "dp=32"},
		{"dp>=6", "dp_shard=3,dp_replicate=2", "dp_shard=5"},
		{"gpus=48", "tp=8,pp=3,dp=2", "tp=8,pp=3"},
		{"micro-batch=2", "mbs=2", "mbs=1"},
		{"micro_batch = 2", "mbs=2", "mbs=1"},
		{"recompute=full", "recompute=full", "recompute=selective"},
		{"sp=on", "sp=on", "sp=off"},
		{"zero=0", "zero=0", "zero=1"},
		{"tp in nvlink", "placement=tp:4/1/1;cp:2/4/1", "placement=tp:4/2/1"},
		{"cp in leaf", "placement=tp:4/1/1;cp:2/4/1", "placement=cp:2/4/2"},
		{"dp in spine", "placement=dp_shard:2/4/2", ""},
		{"dp in nvlink", "placement=dp_shard:2/1/1;dp_replicate:2/1/1", "placement=dp_shard:2/1/1;dp_replicate:2/2/1"},
	} {
		t.Run(c.pin, func(t *testing.T) {
			pins, err := framework.ParsePins(c.pin)
			if err != nil {
				t.Fatal(err)
			}
			rules := framework.PinRules(f, pins)
			if p := pointOf(t, c.holds); !rules[0].Holds(f, &p) {
				t.Errorf("refuses %s: %s", c.holds, rules[0].Text(f, &p))
			}
			if p := pointOf(t, c.fails); c.fails != "" && rules[0].Holds(f, &p) {
				t.Errorf("accepts %s", c.fails)
			}
		})
	}
}

func TestPinSentences(t *testing.T) {
	f := facts(0, 8, 4, 2)
	pins, err := framework.ParsePins("tp=8,cp in nvlink")
	if err != nil {
		t.Fatal(err)
	}
	rules := framework.PinRules(f, pins)
	p := pointOf(t, "placement=tp:4/1/1;cp:2/4/1")
	for i, want := range []string{
		"pin/tp=8: tp=8 is pinned; tp is 4",
		"pin/cp in nvlink: cp in nvlink is pinned; 2 of cp 8 lie inside one domain",
	} {
		if got := rules[i].ID + ": " + rules[i].Text(f, &p); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestPinErrorsNameTheFault(t *testing.T) {
	for _, c := range []struct{ pins, want string }{
		{"tp", `pin "tp": expected for example tp=8`},
		{"offload=100", `unknown name "offload"; nearest "optimizer-offload"`},
		{"load-factor=2", `unknown name "load-factor"; known: dp, gpus, tp, `},
		{"tpp=8", `unknown name "tpp"; nearest "tp"`},
		{"tp=0", "expected a whole number from 1"},
		{"tp=8,tp=4", `pins "tp=8" and "tp=4" contradict each other`},
		{"tp>=8,tp<=4", `pins "tp>=8" and "tp<=4" contradict each other`},
		{"dp=4,dp>=8", `pins "dp=4" and "dp>=8" contradict each other`},
		{"tp<8", `pin "tp<8": the comparisons are =, <= and >=`},
		{"tp=>8", `pin "tp=>8": the comparisons are =, <= and >=`},
		{"sp=on,sp=off", "contradict"},
		{"sp=perhaps", "expected on or off"},
		{"zero=4", "expected a ZeRO stage from 0"},
		{"recompute=some", "expected none, selective, ops, mlp or full"},
		{"gpus in nvlink", "expected a dimension such as tp"},
		{"vpp in nvlink", "expected a dimension such as tp"},
	} {
		t.Run(c.pins, func(t *testing.T) {
			if _, err := framework.ParsePins(c.pins); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want it to contain %q", err, c.want)
			}
		})
	}
	pins, err := framework.ParsePins("tp in rack")
	if err != nil {
		t.Fatal(err)
	}
	want := `pin "tp in rack": the cluster has no level "rack"; it has nvlink, leaf`
	if err := framework.CheckPins(facts(0, 8, 4), pins); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestPinsBuiltByHandReadAsTheirCoordinate(t *testing.T) {
	f := facts(0, 8, 4)
	p := pointOf(t, "tp=8")
	r := framework.PinRules(f, []framework.Pin{{Coord: plan.Coord(plan.TP), Op: "<=", Value: 4}})[0]
	if r.ID != "pin/tp<=4" || r.Holds(f, &p) {
		t.Errorf("%s holds at tp=8", r.ID)
	}
}

func FuzzParsePins(f *testing.F) {
	for _, s := range []string{"tp=8,pp<=4", "tp in nvlink", "recompute=full, sp=on", "dp=64,gpus=512"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pins, err := framework.ParsePins(s)
		if err != nil {
			return
		}
		fa := facts(0, 8, 4)
		p := pointOf(t, "tp=2")
		for _, r := range framework.PinRules(fa, pins) {
			if r.Holds(fa, &p); r.Text(fa, &p) == "" || len(r.Reads) == 0 {
				t.Errorf("%q gives a rule that says or reads nothing", s)
			}
		}
		framework.NewDomains(fa, any.New(), pins)
	})
}

// A degree is in its domain if and only if it divides what it splits and some
// choice of factors, one a level, fits the sizes.
func TestDomainsHoldExactlyTheDegreesThatCanBePlaced(t *testing.T) {
	for _, sizes := range [][]int{{8}, {8, 4}, {6, 5}, {7, 3, 2}, {2, 3, 5}, {1, 6}, {5, 1, 7}} {
		f := facts(12, sizes...)
		d := framework.NewDomains(f, any.New(), nil)
		want := map[plan.Dim]int{plan.TP: 40, plan.CP: 4092, plan.DPShard: 96, plan.DPReplicate: 96, plan.EP: 12}
		for dim, total := range want {
			var degrees []int32
			for n := 1; n <= total; n++ {
				if total%n == 0 && placeable(n, sizes) {
					degrees = append(degrees, int32(n))
				}
			}
			if got := d.Values[dim]; !slices.Equal(got, degrees) {
				t.Errorf("%s on %v: got %v, want %v", dim, sizes, got, degrees)
			}
		}
	}
}

func placeable(n int, sizes []int) bool {
	if len(sizes) == 0 {
		return n == 1
	}
	for f := 1; f <= sizes[0]; f++ {
		if n%f == 0 && placeable(n/f, sizes[1:]) {
			return true
		}
	}
	return false
}

func TestDomainsOfADenseModelHaveNoExpertGrid(t *testing.T) {
	d := framework.NewDomains(facts(0, 8, 4), any.New(), nil)
	for _, dim := range []plan.Dim{plan.ETP, plan.EP, plan.EDP} {
		for l := range plan.MaxLevels {
			if got := d.Values[plan.At(dim, l)]; !slices.Equal(got, []int32{1}) {
				t.Errorf("%s on level %d: %v", dim, l, got)
			}
		}
	}
}

func TestPinnedValuesJoinTheDomain(t *testing.T) {
	pins, err := framework.ParsePins("tp=3,dp>=7,pp<=11,micro-batch=5")
	if err != nil {
		t.Fatal(err)
	}
	d := framework.NewDomains(facts(0, 8, 4), any.New(), pins)
	for c, v := range map[plan.Coord]int32{
		plan.Coord(plan.TP): 3, plan.Coord(plan.DPShard): 7, plan.Coord(plan.DPReplicate): 7, plan.MicroBatch: 5,
	} {
		if !slices.Contains(d.Values[c], v) {
			t.Errorf("%s lacks %d: %v", c, v, d.Values[c])
		}
	}
}

func TestABoundOnARareOptionFreesItsUsualValues(t *testing.T) {
	for _, c := range []struct {
		pins  string
		coord plan.Coord
		want  []int32
	}{
		{"", plan.OptOffload, []int32{0}},
		{"optimizer-offload=60", plan.OptOffload, []int32{0, 60}},
		{"optimizer-offload<=100", plan.OptOffload, []int32{0, 25, 50, 75, 100}},
		{"activation-offload>=50", plan.ActOffload, []int32{0, 25, 50, 75, 100}},
		{"cp-comm<=a2a", plan.CPCommC, []int32{0, 1, 2, 3}},
		{"cp-comm=a2a", plan.CPCommC, []int32{0, 2}},
		{"cp-comm>=a2a", plan.CPCommC, []int32{0, 1, 2, 3}},
		{"cp-comm=a2a+p2p", plan.CPCommC, []int32{0, 3}},
		{"schedule<=gpipe", plan.ScheduleC, []int32{0, 1, 2, 3, 4, 5}},
		{"recompute-spare<=75", plan.RecomputeSpare, []int32{0, 25, 50, 75, plan.SpareFitting}},
		{"recompute-spare=fit", plan.RecomputeSpare, []int32{0, plan.SpareFitting}},
	} {
		pins, err := framework.ParsePins(c.pins)
		if err != nil {
			t.Fatal(err)
		}
		if got := framework.NewDomains(facts(0, 8, 4), any.New(), pins).Values[c.coord]; !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.pins, got, c.want)
		}
	}
}
