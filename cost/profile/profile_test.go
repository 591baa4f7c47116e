package profile

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/units"
)

func TestTheCatalogueLoads(t *testing.T) {
	names := Names()
	if want := "deepspeed fsdp llm-foundry megatron megatron-2022 nanotron torchtitan"; strings.Join(names, " ") != want {
		t.Errorf("profiles %v, want %s", names, want)
	}
	for _, name := range names {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name || p.Version == "" || p.About == "" || len(p.Frameworks) == 0 || p.Precision == "" {
			t.Errorf("%s: %+v", name, p)
		}
		for _, r := range p.Recipes {
			if got, err := p.Recipe(r.Name); err != nil || got != r || r.Source == "" || r.PerParameter() < 8 || r.PerParameter() > 20 {
				t.Errorf("%s: recipe %+v, %v", name, got, err)
			}
		}
	}
}

func TestEveryConstantHasASource(t *testing.T) {
	for _, name := range Names() {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for key, c := range p.constants() {
			if n++; strings.TrimSpace(c.Source) == "" {
				t.Errorf("%s: %s has no source", name, key)
			}
		}
		text, err := catalogue.ReadFile("catalogue/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		if written := strings.Count(string(text), "{ value ="); n != written || n == 0 {
			t.Errorf("%s: %d constants of %d in the file", name, n, written)
		}
	}
}

func TestAssumptionsListTheConstantsThatNobodyMeasured(t *testing.T) {
	for name, want := range map[string][]string{
		"megatron": {"memory.context_bytes", "memory.fit_margin", "time.host_layer_seconds", "time.host_moe_layer_seconds", "time.step_seconds"},
		"megatron-2022": {"memory.reserved_ratio", "memory.context_bytes", "memory.fit_margin",
			"time.host_layer_seconds", "time.host_moe_layer_seconds", "time.step_seconds"},
	} {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Assumptions()
		if len(got) != len(want) {
			t.Fatalf("%s: %d assumptions, want %d: %q", name, len(got), len(want), got)
		}
		for i, key := range want {
			if !strings.HasPrefix(got[i], "profile "+name+" assumes "+key+" = ") {
				t.Errorf("%s: %q is not about %s", name, got[i], key)
			}
		}
	}
}

func TestTheDefaultRecipeAndOthersAreFound(t *testing.T) {
	p, err := Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, given, want, err string }{
		{"the default", "", "bf16", ""},
		{"by name", "bf16-bf16grad", "bf16-bf16grad", ""},
		{"a slip of the keyboard", "bf61", "", `profile megatron has no recipe "bf61"; nearest: bf16`},
		{"nothing alike", "zzzzzz", "", `profile megatron has no recipe "zzzzzz"; known: bf16, bf16-bf16grad, fp16`},
	} {
		r, err := p.Recipe(c.given)
		if c.err == "" && (err != nil || r.Name != c.want) {
			t.Errorf("%s: %v, %v", c.name, r, err)
		}
		if c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.err)
		}
	}
}

func TestStateIsThePublishedMemoryOfTheOptimizerSplit(t *testing.T) {
	// Figure 1 of the ZeRO paper (arXiv 1910.02054): 7.5e9 parameters at 16
	// bytes take 120 GB, and 31.4 GB when the optimizer is split over 64 GPUs
	// ("P_os"; 2 + 2 + 12/64 bytes a parameter).
	r := Recipe{Weight: 2, Grad: 2, Optimizer: 12}
	for group, want := range map[float64]units.Bytes{1: 120 * units.GB, 64: 31.4 * units.GB} {
		if got := r.State(7.5e9, group); math.Abs(float64(got/want)-1) > 2e-3 {
			t.Errorf("%v over %g GPUs, want %v", got, group, want)
		}
	}
}

func TestStateFollowsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Float64Range(0, 20)
		r := Recipe{Weight: size.Draw(t, "weight"), Grad: size.Draw(t, "grad"), Optimizer: size.Draw(t, "optimizer")}
		params := rapid.Float64Range(1, 1e13).Draw(t, "params")
		group := float64(rapid.IntRange(1, 1<<20).Draw(t, "group"))
		state, whole := float64(r.State(params, group)), float64(r.State(params, 1))
		kept := params * (r.Weight + r.Grad)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(math.Abs(a)+math.Abs(b)) }
		switch {
		case !near(whole, params*r.PerParameter()):
			t.Fatalf("unsplit %g, want %g", whole, params*r.PerParameter())
		case state > whole*(1+1e-12) || state < kept*(1-1e-12):
			t.Fatalf("%g is not between %g and %g", state, kept, whole)
		case float64(r.State(params, group+1)) > state:
			t.Fatal("a larger group needs more")
		case float64(r.State(2*params, group)) != 2*state:
			t.Fatal("twice the parameters are not twice the bytes")
		}
		// The group holds the optimizer state once, weights and gradients on
		// every GPU.
		if sum := group*kept + params*r.Optimizer; !near(group*state, sum) {
			t.Fatalf("the group holds %g, want %g", group*state, sum)
		}
	})
}
