package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
)

// subject is a job whose random boxes and points are tried.
type subject struct {
	name, model, cluster, profile string
	batch, seq                    int64
	precision                     plan.Precision // "" is the profile's
}

var subjects = []subject{
	{"dense 70B on 256 H100", "llama-3.1-70b", "h100:256", "megatron", 1024, 8192, ""},
	{"dense 405B with 126 layers on 16,384 H100", "llama-3.1-405b", "h100:16384", "megatron", 2048, 8192, ""},
	{"GPT-3 on 1,024 A100 in 2022", "gpt3-175b", "a100:1024", "megatron-2022", 1536, 2048, ""},
	{"DeepSeek-V3 on 2,048 H800", "deepseek-v3", "h800:2048", "megatron", 15360, 4096, ""},
	{"94-layer MoE on 72-GPU domains", "qwen3-235b-a22b", "gb200-nvl72:288", "megatron", 1152, 4096, ""},
	{"dense 70B on 256 H100 by FSDP2", "llama-3.1-70b", "h100:256", "torchtitan", 1024, 8192, ""},
	{"MoE on 256 H100 by FSDP2", "qwen3-235b-a22b", "h100:256", "torchtitan", 512, 8192, ""},
	{"8B on 64 A100 by FSDP", "llama-3.1-8b", "a100:64", "fsdp", 256, 4096, ""},
	{"Mixtral on 64 H100 under DeepSpeed", "mixtral-8x7b", "h100:64", "deepspeed", 256, 4096, ""},
	{"Mixtral with a window of none", "mixtral-8x7b", "h100:64", "megatron", 128, 4096, ""},
	{"Llama 4 Maverick on 512 H100", "llama-4-maverick", "h100:512", "megatron", 1024, 4096, ""},
	{"dense 70B in fp8", "llama-3.1-70b", "h100:256", "megatron", 1024, 8192, plan.FP8},
	{"Qwen3-30B in mxfp8", "qwen3-30b-a3b", "gb200-nvl72:288", "megatron", 1152, 4096, plan.MXFP8},
}

// subjectCalled is the subject of that name.
func subjectCalled(t testing.TB, name string) subject {
	t.Helper()
	for _, s := range subjects {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("no subject %q", name)
	return subject{}
}

func (s subject) price(t testing.TB) *Model {
	t.Helper()
	return s.priceOf(t, find(t, s.model))
}

// priceOf is the job with another model.
func (s subject) priceOf(t testing.TB, o *models.Model) *Model {
	t.Helper()
	c, err := cluster.Find(s.cluster)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Find(s.profile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(o, c, plan.Workload{GlobalBatch: s.batch, SeqLen: s.seq, Precision: s.precision, LoadFactor: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomPoint draws degrees, placement and options that satisfy the space's own
// arithmetic: factors within the levels' sizes, both grids alike, a batch that
// divides.
func randomPoint(r *rand.Rand, m *Model) (plan.Point, bool) {
	var q plan.Plan
	q.Placement.Levels = int8(len(m.cluster.Levels))
	for d := range q.Placement.Factor {
		for l := range q.Placement.Factor[d] {
			q.Placement.Factor[d][l] = 1
		}
	}
	for l, level := range m.cluster.Levels {
		used := int32(1)
		dims := []plan.Dim{plan.TP, plan.CP, plan.DPShard, plan.DPReplicate, plan.PP}
		r.Shuffle(len(dims), func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
		stage := int32(1)
		for _, d := range dims {
			f := int32(1) << r.IntN(4)
			if r.IntN(12) == 0 {
				f *= 3
			}
			if r.IntN(3) == 0 || int(used*f) > level.Size || level.Size%int(used*f) != 0 {
				continue
			}
			used *= f
			q.Placement.Factor[d][l] = f
			if d != plan.PP {
				stage *= f
			}
		}
		if m.model.Experts > 0 {
			for _, d := range []plan.Dim{plan.EP, plan.ETP} {
				f := int32(1) << r.IntN(4)
				if stage%f == 0 {
					q.Placement.Factor[d][l] = f
					stage /= f
				}
			}
			q.Placement.Factor[plan.EDP][l] = stage
		}
	}
	dp := q.DP()
	q.Options.MicroBatch = int32(1) << r.IntN(3)
	q.Options.VPP = 1
	pp := q.Placement.Degree(plan.PP)
	if pp > 1 && r.IntN(2) == 0 {
		q.Options.VPP = int32(1 + r.IntN(8))
	}
	cutting := drawSchedule(r, m, &q, pp)
	q.Options.ZeroStage = int8(r.IntN(plan.NumZero))
	if r.IntN(4) == 0 {
		q.Options.OptimizerOffload, q.Options.ActivationOffload = int8(25*r.IntN(5)), int8(25*r.IntN(5))
	}
	if q.Options.ZeroStage == 0 {
		for l := range q.Placement.Factor[plan.DPShard] {
			q.Placement.Factor[plan.DPReplicate][l] *= q.Placement.Factor[plan.DPShard][l]
			q.Placement.Factor[plan.DPShard][l] = 1
		}
	}
	q.Options.SP = q.Placement.Degree(plan.TP) > 1 && r.IntN(2) == 0
	q.Options.CPComm = plan.CPComm(r.IntN(int(plan.NumCPComm)))
	q.Options.Recompute = plan.Recompute(r.IntN(int(plan.NumRecompute)))
	if q.Options.Recompute == plan.RecomputeFull {
		if q.Options.RecomputeSpare = int8(25 * r.IntN(5)); q.Options.RecomputeSpare == 100 && q.Options.Schedule >= plan.ZBH1 {
			q.Options.RecomputeSpare = 0 // refused
		} else if q.Options.RecomputeSpare == 100 {
			q.Options.RecomputeSpare = plan.SpareFitting
		}
	}
	pt := q.Point()
	tp := q.Placement.Degree(plan.TP)
	ok := cutting && m.workload.GlobalBatch%int64(dp*q.Options.MicroBatch) == 0 &&
		m.model.Heads%int(tp) == 0 && int(pp*q.Options.VPP) <= len(m.kinds)+plan.MaxEmptyChunks &&
		m.workload.SeqLen%int64(2*q.Placement.Degree(plan.CP)*tp) == 0 &&
		(m.model.Experts == 0 || m.model.Experts%int(q.Placement.Degree(plan.EP)) == 0 && m.model.MoEFFN%int(q.Placement.Degree(plan.ETP)) == 0)
	return pt, ok
}

// drawSchedule sets any schedule, of which half are 1F1B or interleaved, and says
// whether the pipeline suits it.
func drawSchedule(r *rand.Rand, m *Model, q *plan.Plan, pp int32) bool {
	s := plan.Schedule(r.IntN(2 * int(plan.NumSchedules)))
	if s < plan.GPipe || s >= plan.NumSchedules {
		q.Options.Schedule = plan.ScheduleOf(0, q.Options.VPP)
		return true
	}
	if only := s.Chunks(); only > 0 {
		q.Options.VPP = only
	}
	q.Options.Schedule = s
	micro := m.workload.GlobalBatch / int64(q.DP()*q.Options.MicroBatch)
	return s == plan.GPipe || pp > 1 && (s != plan.DualPipe || pp%2 == 0 && micro%2 == 0) && (s < plan.DualPipe || micro >= 2*int64(pp))
}

// randomBox draws a box round the point: a third of the boxes are wide in every
// coordinate, others widen a few.
func randomBox(r *rand.Rand, m *Model, pt *plan.Point) plan.Box {
	b := pt.Box()
	wide := r.IntN(3) == 0
	for c := range b {
		if !wide && r.IntN(3) > 0 {
			continue
		}
		switch plan.Coord(c) {
		case plan.SP:
			b[c] = plan.Range{Lo: 0, Hi: 1}
			continue
		case plan.Zero:
			b[c] = plan.Range{Lo: int32(r.IntN(int(pt[c]) + 1)), Hi: pt[c] + int32(r.IntN(plan.NumZero-int(pt[c])))}
			continue
		case plan.RecomputeSpare:
			b[c] = around(r, pt[c], plan.SpareFitting+1)
			continue
		case plan.OptOffload, plan.ActOffload:
			b[c] = plan.Range{Lo: pt[c] / int32(1+r.IntN(3)), Hi: pt[c] + int32(r.IntN(101-int(pt[c])))}
			continue
		case plan.RecomputeC:
			b[c] = around(r, pt[c], int32(plan.NumRecompute))
			continue
		case plan.CPCommC:
			b[c] = around(r, pt[c], int32(plan.NumCPComm))
			continue
		case plan.ScheduleC:
			b[c] = around(r, pt[c], int32(plan.NumSchedules)-1)
			continue
		}
		if r.IntN(2) == 0 {
			b[c].Lo = max(1, b[c].Lo>>r.IntN(4))
		}
		if r.IntN(2) == 0 {
			b[c].Hi <<= r.IntN(5)
		}
	}
	return b
}

// around is an interval of the values below n that holds v.
func around(r *rand.Rand, v, n int32) plan.Range {
	return plan.Range{Lo: r.Int32N(v + 1), Hi: v + r.Int32N(n-v)}
}

func TestNoPlanOfABoxIsBelowItsBound(t *testing.T) {
	boxes := 20000
	if testing.Short() {
		boxes = 2000
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(len(s.name))))
			noneBelow(t, s.price(t), r, boxes/20)
		})
	}
}

// The bound of a pipeline counts the layers of the last kind only.
func TestNoPlanOfABoxIsBelowItsBoundWithDenseLayersFirst(t *testing.T) {
	for _, c := range []struct{ layers, dense int }{{16, 1}, {16, 14}, {30, 3}, {61, 6}, {61, 14}} {
		s := subjectCalled(t, "DeepSeek-V3 on 2,048 H800")
		o := *find(t, s.model)
		o.Layers, o.FirstKDense = c.layers, c.dense
		noneBelow(t, s.priceOf(t, &o), rand.New(rand.NewPCG(uint64(c.layers), uint64(c.dense))), 100)
	}
}

// The bound where kinds take turns counts what the windows of a rank's chunks hold.
func TestNoPlanOfABoxIsBelowItsBoundWithKindsInTurn(t *testing.T) {
	for _, c := range []struct{ layers, dense, every int }{{48, 0, 2}, {128, 0, 2}, {30, 0, 3}, {61, 0, 4}, {21, 4, 2}, {40, 1, 3}} {
		s := subjectCalled(t, "Llama 4 Maverick on 512 H100")
		o := *find(t, s.model)
		o.Layers, o.FirstKDense, o.MoEEvery = c.layers, c.dense, c.every
		noneBelow(t, s.priceOf(t, &o), rand.New(rand.NewPCG(uint64(c.layers), uint64(c.every))), 300)
	}
}

// noneBelow tries the bounds of 20 boxes round each of so many random points.
func noneBelow(t *testing.T, m *Model, r *rand.Rand, want int) {
	t.Helper()
	var tightest float64
	for range want {
		pt, q := randomPlan(r, m)
		f := m.Price(&q)
		at := pt.Box()
		own := m.Bound(&at)
		tightest += float64(own.Step / f.Step)
		for range 20 {
			b := randomBox(r, m, &pt)
			g := m.Bound(&b)
			if f.Verdict != DoesNotFit {
				share := 1 + m.RefuseMargin()
				if f.Verdict == Fits {
					share = 1 - m.Margin()
				}
				if w := m.BoundWithin(&b, share); float64(w.Step) > float64(f.Step)*(1+1e-12) {
					t.Fatalf("bound %+v of %v within %g is above %+v of\n%s", w, b, share, f, q.String())
				}
			}
			if float64(g.Step) > float64(f.Step)*(1+1e-12) || float64(g.Peak) > float64(f.Peak)*(1+1e-12) || float64(g.Usable) < float64(f.Usable)*(1-1e-12) {
				t.Fatalf("bound %+v of %v is above %+v of\n%s", g, b, f, q.String())
			}
		}
	}
	t.Logf("step bound at a point over its price, mean of %d: %.4f", want, tightest/float64(want))
}

// randomPlan draws a point that can be split over its ranks, with that split.
func randomPlan(r *rand.Rand, m *Model) (plan.Point, plan.Plan) {
	for {
		pt, ok := randomPoint(r, m)
		if !ok {
			continue
		}
		st, err := m.Split(&pt, plan.AllForms())
		if err != nil {
			continue
		}
		q := pt.Plan(len(m.cluster.Levels))
		q.Options.Stages = st
		return pt, q
	}
}

func TestAGroupOnAMeshReachesOnlyItsOwnLinks(t *testing.T) {
	c, err := cluster.Find("mi300x:8")
	if err != nil {
		t.Fatal(err)
	}
	w := newNetwork(c)
	seconds := func(ranks float64) float64 {
		var g group
		g.n = interval{ranks, ranks}
		for l := range g.cum {
			g.cum[l] = g.n
		}
		return w.hopSeconds(&g, 1e9)
	}
	if got, want := seconds(2), 1e9/(float64(c.Levels[0].Bandwidth)/7); got < want || got > want*1.01 {
		t.Errorf("1 GB to a neighbour takes %g s, want %g s over one of seven links", got, want)
	}
	if w.links(8) != float64(c.Levels[0].Bandwidth) || math.Abs(w.links(4)/w.links(8)-3.0/7) > 1e-12 {
		t.Errorf("4 ranks reach %g and 8 ranks %g bytes/s", w.links(4), w.links(8))
	}
}
