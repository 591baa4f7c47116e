package encode_test

import (
	"context"
	"slices"
	"testing"

	"meshplan/cluster"
	"meshplan/encode"
	"meshplan/framework"
	"meshplan/framework/megatron"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/solver"
)

// fortyHeads is a dense model of 40 heads on 8 x 16 GPUs.
func fortyHeads() *framework.Facts {
	return &framework.Facts{
		Model:    &models.Model{Layers: 48, Heads: 40, KVHeads: 8, FFN: 16384},
		Cluster:  &cluster.Cluster{Levels: []cluster.Level{{Name: "nvlink", Size: 8}, {Name: "leaf", Size: 16}}},
		Workload: plan.Workload{GlobalBatch: 512, SeqLen: 4096},
	}
}

func newSpace(t *testing.T, f *framework.Facts, pinText string, further ...framework.Rule) *encode.Space {
	pins, err := framework.ParsePins(pinText)
	if err != nil {
		t.Fatal(err)
	}
	rules := append(framework.Rules(f, megatron.New(), pins), further...)
	s, err := encode.New(f, rules, framework.NewDomains(f, megatron.New(), pins))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCoresNameTheRulesInConflict(t *testing.T) {
	for _, c := range []struct {
		pins string
		want []string
	}{
		{"tp=16", []string{"megatron/MLM-H1", "pin/tp=16"}},
		{"dp=3,cp=1", []string{"megatron/MLM-B1", "pin/dp=3"}},
		{"gpus=53", []string{"pin/gpus=53"}}, // no degree has the prime 53: there are 48 layers
		{"tp=8,tp in nvlink,cp>=2,cp in nvlink", []string{"pin/tp=8", "pin/tp in nvlink", "pin/cp>=2", "pin/cp in nvlink"}},
		{"vpp=2,pp=1", []string{"megatron/MLM-V1", "pin/vpp=2", "pin/pp=1"}},
		{"vpp=2,pp=8,dp=8,micro-batch=16", []string{"megatron/MLM-V4", "pin/vpp=2", "pin/pp=8", "pin/dp=8", "pin/micro-batch=16"}},
		{"gpus=128,pp=1,cp=1,dp<=8", []string{"pin/gpus=128", "pin/pp=1", "pin/cp=1", "pin/dp<=8"}}, // tp 16 is no divisor of 40
	} {
		t.Run(c.pins, func(t *testing.T) {
			s := newSpace(t, fortyHeads(), c.pins)
			core, err := s.Session().Core(context.Background(), solver.Budget{}, s.Groups()...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, g := range core {
				got = append(got, s.RuleOf(g).ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestImpliedRulesHaveNoSelectorAndLargeOnesAreLeftOver(t *testing.T) {
	large := framework.Rule{
		ID: "large", Reads: []plan.Coord{
			plan.Coord(plan.TP), plan.Coord(plan.CP), plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.VPP,
		},
		Holds: func(*framework.Facts, *plan.Point) bool { return true },
		Text:  func(*framework.Facts, *plan.Point) string { return "" },
	}
	s := newSpace(t, fortyHeads(), "", large)
	if left := s.Leftover(); len(left) != 1 || left[0].ID != "large" {
		t.Errorf("left over: %v", left)
	}
	for _, g := range s.Groups() {
		if r := s.RuleOf(g); r.Implied || r.ID != g.Name() {
			t.Errorf("%s has the selector %s", r.ID, g.Name())
		}
	}
}

func TestOrderIsDegreesThenOptionsThenPlacement(t *testing.T) {
	s := newSpace(t, fortyHeads(), "")
	order := s.Order()
	if !slices.IsSorted(order) {
		t.Errorf("not in the order of comparison: %v", order)
	}
	for _, c := range order {
		if len(s.Int(c).Values()) < 2 {
			t.Errorf("%s has no choice", c)
		}
	}
	if s.RawCombinations() < 1e6 {
		t.Errorf("%g combinations", s.RawCombinations())
	}
}

func TestSpacesRefuseClustersThatPlacementsCannotDescribe(t *testing.T) {
	f := fortyHeads()
	d := framework.NewDomains(f, megatron.New(), nil)
	f.Cluster.Levels = make([]cluster.Level, 7)
	if _, err := encode.New(f, nil, d); err == nil {
		t.Error("seven levels are too many")
	}
}

// allocations counts what Box allocates at the nodes of a walk.
type allocations struct {
	space *encode.Space
	most  float64
	nodes int
}

func (a *allocations) Bound(n *solver.Node) (int, bool) {
	if a.nodes++; a.nodes < 20 {
		var b plan.Box
		a.most = max(a.most, testing.AllocsPerRun(5, func() { b = a.space.Box(n) }))
		if b.Empty() {
			a.most = 1e9
		}
	}
	return 0, a.nodes < 200
}
func (a *allocations) Less(x, y int) bool      { return x < y }
func (a *allocations) Cut(int) bool            { return false }
func (a *allocations) Leaf(*solver.Node) error { return nil }

func TestBoxesDoNotAllocate(t *testing.T) {
	s := newSpace(t, fortyHeads(), "")
	var order []solver.Int
	for _, c := range s.Order() {
		order = append(order, s.Int(c))
	}
	a := &allocations{space: s}
	if err := solver.Walk(context.Background(), s.Session(), s.Groups(), nil, order, a); err != nil {
		t.Fatal(err)
	}
	if a.most > 0 {
		t.Errorf("%g allocations a box", a.most)
	}
}
