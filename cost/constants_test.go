package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"meshplan/cost/profile"
	"meshplan/plan"
)

// constantsOf are the constants of a section of a profile by their keys.
func constantsOf(section any) map[string]*profile.Constant {
	list := map[string]*profile.Constant{}
	for field, value := range reflect.ValueOf(section).Elem().Fields() {
		if c, ok := value.Addr().Interface().(*profile.Constant); ok {
			list[field.Tag.Get("toml")] = c
		}
	}
	return list
}

// odd are the limits between which constants are drawn that shipped profiles
// have at a neutral value or near it.
var odd = []struct {
	key    string
	lo, hi float64
}{
	{"gemm_slowdown", 0.3, 5},
	{"misaligned_slowdown", 1, 4},
	{"grouped_gemm_slowdown", 0.3, 5},
	{"attention_slowdown", 0.3, 5},
	{"host_layer_seconds", 0, 0.02},
	{"host_moe_layer_seconds", 0, 0.02},
	{"host_wide_tp_seconds", 0, 0.003},
	{"host_pipeline_tp_seconds", 0, 0.003},
	{"jitter", 0, 1},
	{"anchor", 0.2, 5},
	{"tp_slowdown", 0.2, 5},
	{"tp_wide_slowdown", 1, 5},
	{"ring_exposed", 0, 1},
	{"once_exposed", 0, 1},
	{"unit_exposed", 0, 1},
	{"shard_rank_seconds", 0, 0.01},
	{"reduce_rank_seconds", 0, 0.01},
	{"refuse_margin", 0, 1},
	{"fixed_bytes", 0, 2e10},
	{"undivided_bytes", 0, 20},
}

// oddProfile is the profile with odd constants drawn: a third of them at an end
// of their limits.
func oddProfile(r *rand.Rand, p *profile.Profile) *profile.Profile {
	q := *p
	time, memory := constantsOf(&q.Time), constantsOf(&q.Memory)
	for _, o := range odd {
		c := time[o.key]
		if c == nil {
			c = memory[o.key]
		}
		switch r.IntN(6) {
		case 0:
			c.Value = o.lo
		case 1:
			c.Value = o.hi
		default:
			c.Value = o.lo + float64(r.Float64()*(o.hi-o.lo))
		}
	}
	q.Memory.WholeLogits, q.Time.DistinctCopies = r.IntN(2) == 0, r.IntN(2) == 0
	q.Rates = []profile.Rate{{
		GPUs: []string{"H100-SXM", "A100-SXM-80GB", "H800-SXM", "GB200"},
		GEMM: profile.Constant{Value: 0.3 + r.Float64()}, Attention: profile.Constant{Value: 0.3 + r.Float64()},
	}}
	return &q
}

// under is the subject's price model with another profile.
func under(t testing.TB, m *Model, p *profile.Profile) *Model {
	t.Helper()
	n, err := m.With(p)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOddConstantsAreThoseOfAProfile(t *testing.T) {
	p := new(profile.Profile)
	time, memory := constantsOf(&p.Time), constantsOf(&p.Memory)
	for _, o := range odd {
		if (time[o.key] == nil) == (memory[o.key] == nil) {
			t.Errorf("%s is a constant of none, or of both sections", o.key)
		}
	}
}

func TestNoPlanOfABoxIsBelowItsBoundUnderOddConstants(t *testing.T) {
	profiles, points := 12, 30
	if testing.Short() {
		profiles, points = 3, 10
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(17, uint64(len(s.name))))
			m := s.price(t)
			for range profiles {
				noneBelow(t, under(t, m, oddProfile(r, m.profile)), r, points)
			}
		})
	}
}

// A model made of another by With prices as one that is made anew, whether or
// not either has made its tables.
func TestAModelUnderAnotherProfilePricesAsOneMadeAnew(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, uint64(len(s.name))))
			first := s.price(t)
			for _, p := range []*profile.Profile{first.profile, oddProfile(r, first.profile), oddProfile(r, first.profile)} {
				fresh, err := New(first.model, first.cluster, first.workload, p)
				if err != nil {
					t.Fatal(err)
				}
				from := under(t, first, oddProfile(r, first.profile))
				from.tabulated()
				derived := under(t, from, p)
				tabled := under(t, from, p)
				tabled.tabulated()
				for range 60 {
					pt, q := randomPlan(r, fresh)
					want := fresh.Price(&q)
					for name, m := range map[string]*Model{"made of another": derived, "with tables": tabled} {
						if got := m.Price(&q); got != want {
							t.Fatalf("%s prices %+v, anew %+v:\n%s", name, got, want, q.String())
						}
					}
					box := randomBox(r, fresh, &pt)
					if got, want := derived.Bound(&box), fresh.Bound(&box); got != want {
						t.Fatalf("bound %+v, anew %+v, of %v", got, want, box)
					}
				}
			}
		})
	}
}

// Where the workload names no precision it is the profile's, and so are the
// curves of its GEMMs.
func TestAModelUnderAnotherProfileHasItsPrecision(t *testing.T) {
	s := subjectCalled(t, "Mixtral on 64 H100 under DeepSpeed")
	m := s.price(t)
	m.expertTimes(1)
	other := *m.profile
	other.Precision = plan.Precision("tf32")
	if m.gpu.PeakOf(other.Precision) == 0 {
		t.Skipf("%s has no %s", m.gpu.Name, other.Precision)
	}
	fresh, err := New(m.model, m.cluster, m.workload, &other)
	if err != nil {
		t.Fatal(err)
	}
	derived := under(t, m, &other)
	if got, want := derived.expertTimes(1).at(4096), fresh.expertTimes(1).at(4096); got != want {
		t.Errorf("an expert takes %g s, anew %g s", got, want)
	}
	if got, was := derived.expertTimes(1).at(4096), m.expertTimes(1).at(4096); got <= was {
		t.Errorf("an expert takes %g s in %s, %g s in %s", got, other.Precision, was, m.precision)
	}
}

// raised is by how much a constant is raised, within what it can be.
func raised(r *rand.Rand, key string, value float64) float64 {
	share := strings.Contains(key, "exposed") || key == "jitter" || strings.HasSuffix(key, "margin")
	switch {
	case share:
		return min(1, value+float64(r.Float64()*(1-value)))
	case value == 0 && strings.HasSuffix(key, "_seconds"):
		return 0.001
	case value == 0:
		return 4
	}
	return value * (1 + r.Float64())
}

func TestNoConstantThatIsACostMakesAPlanFasterWhenRaised(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(29, uint64(len(s.name))))
			for range 12 {
				m := s.price(t)
				m = under(t, m, oddProfile(r, m.profile))
				var plans []plan.Plan
				var before []Figures
				for range 60 {
					_, q := randomPlan(r, m)
					plans, before = append(plans, q), append(before, m.Price(&q))
				}
				for _, o := range odd {
					p, key := *m.profile, o.key
					c := constantsOf(&p.Time)[key]
					if c == nil {
						continue
					}
					was := c.Value
					c.Value = raised(r, key, was)
					n := under(t, m, &p)
					for i := range plans {
						f := n.Price(&plans[i])
						if float64(f.Step) < float64(before[i].Step)*(1-1e-12) {
							t.Errorf("%s of %g, not %g: %v, not %v, %g of it:\n%s", key, c.Value, was, f.Step, before[i].Step, 1-float64(f.Step/before[i].Step), plans[i].String())
							break
						}
						if f.Peak != before[i].Peak || f.Usable != before[i].Usable {
							t.Errorf("%s, a constant of time, changes memory: %+v, before %+v", key, f, before[i])
							break
						}
					}
				}
			}
		})
	}
}

func TestNoConstantOfMemoryMakesAPlanSmallerWhenRaised(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(31, uint64(len(s.name))))
			for range 4 {
				m := s.price(t)
				p := oddProfile(r, m.profile)
				p.Memory.WholeLogits = false
				m = under(t, m, p)
				var plans []plan.Plan
				var before []Figures
				for range 40 {
					_, q := randomPlan(r, m)
					plans, before = append(plans, q), append(before, m.Price(&q))
				}
				grow := map[string]func(p *profile.Profile){"whole_logits": func(p *profile.Profile) { p.Memory.WholeLogits = true }}
				for key := range constantsOf(&m.profile.Memory) {
					switch key {
					case "vocab_multiple": // a larger multiple may be nearer
						continue
					case "checkpoint_bytes": // what is kept, and may lie on the host, is not made again
						continue
					}
					grow[key] = func(p *profile.Profile) {
						c := constantsOf(&p.Memory)[key]
						c.Value = raised(r, key, c.Value)
					}
				}
				for key, grow := range grow {
					p := *m.profile
					grow(&p)
					n := under(t, m, &p)
					for i := range plans {
						f := n.Price(&plans[i])
						if float64(f.Peak) < float64(before[i].Peak)*(1-1e-12) || f.Usable > before[i].Usable {
							t.Errorf("%s raised: %+v, before %+v:\n%s", key, f, before[i], plans[i].String())
							break
						}
						if key == "refuse_margin" && f.Verdict > before[i].Verdict {
							t.Errorf("%s raised: %s, before %s", key, f.Verdict, before[i].Verdict)
						}
					}
				}
			}
		})
	}
}

func TestJitterAndAnchorScaleTheStep(t *testing.T) {
	for _, s := range subjects {
		r := rand.New(rand.NewPCG(37, uint64(len(s.name))))
		m := s.price(t)
		p := *m.profile
		p.Time.Jitter.Value, p.Time.Anchor.Value = 0, 1
		even := under(t, m, &p)
		for range 20 {
			q := p
			q.Time.Jitter.Value, q.Time.Anchor.Value = 0.1*r.Float64(), 0.5+r.Float64()
			scaled := under(t, m, &q)
			_, one := randomPlan(r, m)
			factor := q.Time.Anchor.Value * (1 + q.Time.Jitter.Value*math.Log2(max(1, float64(one.Placement.GPUs())/8)))
			a, b := even.Price(&one), scaled.Price(&one)
			if math.Abs(float64(b.Step/a.Step)/factor-1) > 1e-12 {
				t.Errorf("%s: %v and %v, a factor of %g, want %g", s.name, a.Step, b.Step, float64(b.Step/a.Step), factor)
			}
			if a.Step = b.Step; a != b {
				t.Errorf("%s: %+v and %+v differ in more than the step", s.name, a, b)
			}
		}
	}
}

// GPUs that a plan leaves idle keep none waiting.
func TestAPlanTakesAsLongOnALargerCluster(t *testing.T) {
	step := func(gpus int) float64 {
		p, err := profile.Find("megatron")
		if err != nil {
			t.Fatal(err)
		}
		m := pricedBy(t, find(t, "llama-3-8b"), "h100", gpus, p, "", 128, 4096)
		q := degrees{tp: 1, pp: 1, dp: 32, mb: 1, zero: 1}.place(m.cluster)
		return float64(m.Price(&q).Step)
	}
	if small, large := step(32), step(256); small != large {
		t.Errorf("32 GPUs take %g s on a cluster of 32, %g s on one of 256", small, large)
	}
}

// Below eight GPUs nobody waits for a slower rank.
func TestJitterBeginsBeyondEightGPUs(t *testing.T) {
	for gpus, doublings := range map[int]float64{8: 0, 16: 1, 64: 3} {
		p, err := profile.Find("megatron")
		if err != nil {
			t.Fatal(err)
		}
		step := func(jitter float64) float64 {
			p.Time.Jitter.Value = jitter
			m := pricedBy(t, find(t, "llama-3-8b"), "h100", gpus, p, "", 128, 4096)
			q := degrees{tp: 1, pp: 1, dp: int32(gpus), mb: 1, zero: 1}.place(m.cluster)
			return float64(m.Price(&q).Step)
		}
		if got := step(0.05) / step(0); math.Abs(got-(1+0.05*doublings)) > 1e-12 {
			t.Errorf("%d GPUs: a factor of %g, want %g", gpus, got, 1+0.05*doublings)
		}
	}
}

func TestAnExplainedStepAddsUpWithJitterAndAnchor(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(41, uint64(len(s.name))))
			base := s.price(t)
			for range 40 {
				p := oddProfile(r, base.profile)
				switch r.IntN(4) {
				case 0:
					p.Time.Anchor.Value = 1
				case 1:
					p.Time.Jitter.Value = 0
				case 2:
					p.Time.Jitter.Value, p.Time.Anchor.Value = 0, 1
				}
				m := under(t, base, p)
				_, q := randomPlan(r, m)
				e := m.Explain(&q)
				if f := m.Price(&q); f != e.Figures || e.Time.Value != float64(f.Step) {
					t.Fatalf("explained %+v, a step of %g, priced %+v", e.Figures, e.Time.Value, f)
				}
				addsUpTo(t, e.Time, q.String())
				names := map[string]float64{}
				for _, x := range e.Time.Terms {
					names[x.Name] = x.Value
				}
				if _, ok := names["anchor"]; ok != (p.Time.Anchor.Value != 1) {
					t.Errorf("anchored by %g: %v", p.Time.Anchor.Value, e.Time.Terms)
				}
				if _, ok := names["waiting for slower ranks"]; ok != (p.Time.Jitter.Value != 0 && q.Placement.GPUs() > 8) {
					t.Errorf("jitter %g: %v", p.Time.Jitter.Value, e.Time.Terms)
				}
				for _, st := range e.Stages {
					sum := 0.0
					for _, x := range st.Terms {
						sum += x.Value
					}
					if math.Abs(sum/float64(st.Allocated)-1) > 1e-12 {
						t.Errorf("stage %d: terms add up to %g of %g:\n%s", st.Stage, sum, float64(st.Allocated), q.String())
					}
				}
			}
		})
	}
}

// addsUpTo is addsUp that gives up at the first difference.
func addsUpTo(t *testing.T, x Term, of string) {
	t.Helper()
	if len(x.Terms) == 0 {
		return
	}
	sum := 0.0
	var parts []string
	for _, y := range x.Terms {
		sum += y.Value
		parts = append(parts, fmt.Sprintf("%s %g", y.Name, y.Value))
		addsUpTo(t, y, of)
	}
	if math.Abs(sum-x.Value) > 1e-9*max(1e-3, math.Abs(x.Value)) {
		t.Fatalf("parts of %q add up to %g of %g: %s\nof %s", x.Name, sum, x.Value, strings.Join(parts, ", "), of)
	}
}
