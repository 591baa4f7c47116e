package cost

import (
	"testing"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// recipePlan is 70B on 256 H100 under a recipe.
func recipePlan(t *testing.T, prof, recipe, text string) Estimate {
	t.Helper()
	s := subjects[0]
	s.profile = prof
	base := s.price(t)
	w := base.workload
	w.Recipe = recipe
	m, err := New(base.model, base.cluster, w, base.profile)
	if err != nil {
		t.Fatal(err)
	}
	part, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q := part.Plan
	q.Placement.Levels = int8(len(m.cluster.Levels))
	pt := q.Point()
	if q.Options.Stages, err = m.Split(&pt, plan.AllForms()); err != nil {
		t.Fatal(err)
	}
	return m.Explain(&q)
}

func namedTerm(t *testing.T, e *Term, name string) float64 {
	t.Helper()
	for i := range e.Terms {
		if e.Terms[i].Name == name {
			return e.Terms[i].Value
		}
	}
	t.Fatalf("no term %q", name)
	return 0
}

func TestARecipeChangesStateAndOptimizerTimeByItsBytes(t *testing.T) {
	const text = "tp=8,pp=4,dp_shard=8,zero=1,sp=on,placement=tp:8/1;dp_shard:1/8;pp:1/4"
	usual := recipePlan(t, "megatron", "", text)
	p, err := profile.Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	reference, err := p.Recipe("")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Recipes {
		t.Run(r.Name, func(t *testing.T) {
			e := recipePlan(t, "megatron", r.Name, text)
			local := namedTerm(t, &Term{Terms: usual.Stages[0].Terms}, "weight matrices") / (6 + 12.0/8)
			want := local * (r.Weight + r.Grad + r.Optimizer/8)
			if got := namedTerm(t, &Term{Terms: e.Stages[0].Terms}, "weight matrices"); got < want*(1-1e-9) || got > want*(1+1e-9) {
				t.Errorf("weight matrices take %g bytes, want %g", got, want)
			}
			faster := namedTerm(t, &e.Time, "optimizer") < namedTerm(t, &usual.Time, "optimizer")
			if smaller := r.Optimizer < reference.Optimizer && r.NewtonSchulz == 0; smaller != faster {
				t.Errorf("optimizer step %g s with %g bytes of state, %g s with %g", namedTerm(t, &e.Time, "optimizer"), r.Optimizer,
					namedTerm(t, &usual.Time, "optimizer"), reference.Optimizer)
			}
		})
	}
}

func TestMuonPaysForItsIterations(t *testing.T) {
	const text = "tp=8,pp=4,dp_shard=8,zero=1,sp=on,placement=tp:8/1;dp_shard:1/8;pp:1/4"
	muon, small := recipePlan(t, "megatron", "muon", text), recipePlan(t, "megatron", "bf16-moments", text)
	if a, b := namedTerm(t, &muon.Time, "optimizer"), namedTerm(t, &small.Time, "optimizer"); a < 2*b {
		t.Errorf("Muon's step takes %g s, Adam's with as much state %g s; the iterations are missing", a, b)
	}
}

func TestOffloadMovesTheOptimizerToTheHostAndTakesLonger(t *testing.T) {
	const text = "tp=8,pp=4,dp_shard=8,zero=1,sp=on,placement=tp:8/1;dp_shard:1/8;pp:1/4"
	none := recipePlan(t, "megatron", "", text)
	local := namedTerm(t, &Term{Terms: none.Stages[0].Terms}, "weight matrices") / (6 + 12.0/8)
	last := 0.0
	for _, percent := range []string{"25", "50", "100"} {
		e := recipePlan(t, "megatron", "", text+",optimizer-offload="+percent)
		share := map[string]float64{"25": 0.25, "50": 0.5, "100": 1}[percent]
		want := local * (6 + 12.0/8*(1-share))
		if got := namedTerm(t, &Term{Terms: e.Stages[0].Terms}, "weight matrices"); got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("at %s %%: weight matrices take %g bytes, want %g", percent, got, want)
		}
		if got := namedTerm(t, &e.Time, "optimizer"); got <= last {
			t.Errorf("at %s %% the optimizer takes %g s, no longer than before", percent, got)
		} else {
			last = got
		}
		if len(e.Warnings) == 0 {
			t.Error("no word about the host")
		}
	}
}

// TestTheHostKeepsEveryParametersOptimizerState: with a pipeline that of
// embedding and head was once left out.
func TestTheHostKeepsEveryParametersOptimizerState(t *testing.T) {
	for _, name := range []string{"llama-3.1-8b", "llama-3.2-1b"} {
		model, err := models.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		machine, err := cluster.Find("h100:8")
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Find("megatron")
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(model, machine, plan.Workload{GlobalBatch: 16, SeqLen: 2048, Precision: plan.BF16, LoadFactor: 1}, p)
		if err != nil {
			t.Fatal(err)
		}
		want := float64(model.Total())
		if model.TieEmbeddings { // the last stage has a copy
			want += float64(model.Vocab) * float64(model.Hidden)
		}
		for _, text := range []string{"pp=8", "pp=2,tp=4", "pp=4,dp_shard=2,zero=1"} {
			part, err := plan.Parse(text + ",optimizer-offload=100")
			if err != nil {
				t.Fatal(err)
			}
			pt := part.Plan.Point()
			b := pt.Box()
			v := m.look(&b)
			if got := m.hostNeed(&v) / m.recipe.Optimizer; got < want*0.999 || got > want*1.003 {
				t.Errorf("%s by %s: the state of %.0f parameters on the host, want %.0f", name, text, got, want)
			}
		}
	}
}

func TestHostMemoryBoundsOffload(t *testing.T) {
	s := subjectCalled(t, "8B on 64 A100 by FSDP") // 8B on 64 A100 by FSDP
	m := s.price(t)
	c := *m.cluster
	part, err := plan.Parse("dp_shard=8,zero=3,recompute=full,optimizer-offload=100,placement=dp_shard:8/1")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[bool]Verdict{}
	for _, small := range []bool{false, true} {
		if c.HostMemory = 1 << 40; small {
			c.HostMemory = 64 << 30
		}
		m, err := New(m.model, &c, m.workload, m.profile)
		if err != nil {
			t.Fatal(err)
		}
		pt := part.Plan.Point()
		b := pt.Box()
		verdicts[small] = m.Price(&part.Plan).Verdict
		if bound := m.Bound(&b); small != (bound.Peak > bound.Usable) {
			t.Errorf("bound %+v with host memory %v", bound, c.HostMemory)
		}
	}
	if verdicts[false] == DoesNotFit || verdicts[true] != DoesNotFit {
		t.Errorf("verdicts %v: 96 GB of optimizer state fit 1 TiB of a node and not 64 GiB", verdicts)
	}
}

// A profile that takes a plan somewhat beyond the usable memory for borderline
// says so of the GPU's memory, not of a host's.
func TestAPlanSlightlyBeyondTheHostsMemoryIsRefused(t *testing.T) {
	s := subjects[0]
	s.profile = "megatron"
	m := s.price(t)
	if m.RefuseMargin() == 0 {
		t.Fatal("the profile has no refuse_margin")
	}
	part, err := plan.Parse("tp=8,pp=8,dp_shard=4,zero=1,sp=on,recompute=full,optimizer-offload=100,layers=10*8,placement=tp:8/1;pp:1/8;dp_shard:1/4")
	if err != nil {
		t.Fatal(err)
	}
	pt := part.Plan.Point()
	b := pt.Box()
	v := m.look(&b)
	need := m.hostNeed(&v)
	for beyond, want := range map[float64]bool{0.99: false, 1.001: true} {
		c := *m.cluster
		c.HostMemory = units.Bytes(need / beyond)
		m, err := New(m.model, &c, m.workload, m.profile)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Price(&part.Plan).Verdict; (got == DoesNotFit) != want {
			t.Errorf("with %g of the host's memory taken the plan is %v", beyond, got)
		}
	}
}
