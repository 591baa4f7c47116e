package profile

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/strict"
	"meshplan/units"
)

func TestTheCatalogueLoads(t *testing.T) {
	files, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	profiles := 0
	for _, file := range files {
		names = append(names, file.Name)
		profiles += len(file.Family())
	}
	const want = "aa-scaling automodel deepspeed fsdp internevo llm-foundry maxtext megatron megatron-2022 megatron-deepspeed nanotron primus torchtitan"
	slices.Sort(names)
	if got := strings.Join(names, " "); got != want {
		t.Errorf("files of profiles %s, want %s", got, want)
	}
	if profiles != len(Names()) {
		t.Errorf("%d profiles have %d names", profiles, len(Names()))
	}
	for _, name := range Names() {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name || p.Version == "" || p.About == "" || len(p.Frameworks) == 0 || p.Precision == "" || len(p.Variants) > 0 {
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
		for key, c := range p.constants() {
			if strings.TrimSpace(c.Source) == "" {
				t.Errorf("%s: %s has no source", name, key)
			}
		}
	}
	for name, text := range filesAndFixture(t) {
		file, err := Parse(text, name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := strict.Decode(name, text, new(Profile))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for range file.rates {
			n++
		}
		if !doc.Has("rate") {
			n = 0 // the base's
		}
		for key := range file.constants() {
			if doc.HasElement(key) {
				n++
			} else if file.Base == "" {
				t.Errorf("%s: %s is not in the file", name, key)
			}
			for i := range file.Variants {
				if doc.HasElement(element(i, key)) {
					n++
				}
			}
		}
		if written := strings.Count(string(text), "{ value ="); n != written || n == 0 {
			t.Errorf("%s: %d constants of %d in the file", name, n, written)
		}
	}
}

// filesAndFixture are the texts of the catalogue's files and of the fixture.
func filesAndFixture(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{"fixture": []byte(fixture(t))}
	files, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if texts[file.Name], err = FileText(file.Name); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// The fixture sets each constant and each switch once, without a base, so that
// taking any of them away is an error.
func TestTheFixtureIsComplete(t *testing.T) {
	p := fixtureProfile(t)
	if p.Base != "" || p.Name != "fixture" || p.Version == "" || p.About == "" || p.Calibrated == "" || len(p.Frameworks) == 0 || p.Precision == "" {
		t.Errorf("%+v", p)
	}
	var keys []string
	for key := range p.constants() {
		keys = append(keys, key)
	}
	for key := range p.switches() {
		keys = append(keys, key)
	}
	own, _, _ := strings.Cut(fixture(t), "[[service]]")
	for _, key := range keys {
		_, name, _ := strings.Cut(key, ".")
		lines := 0
		for line := range strings.Lines(own) {
			if strings.HasPrefix(line, name+" = ") {
				lines++
				_, err := Parse([]byte(changed(t, fixture(t), "\n"+line, "\n")), "p.toml")
				checkError(t, err, key+" is missing")
			}
		}
		if lines != 1 {
			t.Errorf("%s is set %d times", key, lines)
		}
	}
}

func TestAssumptionsListTheConstantsThatNobodyMeasured(t *testing.T) {
	var texts []string
	for _, a := range fixtureProfile(t).Assumptions() {
		texts = append(texts, a.Text)
	}
	got := strings.Join(texts, "\n")
	const want = "profile fixture assumes memory.context_bytes = 1.000 GiB: a guess\n" +
		"profile fixture assumes memory.fit_margin = 0.1: another guess\n" +
		"profile fixture assumes time.step_seconds = 60.00 ms: a third guess"
	if got != want {
		t.Errorf("assumptions\n%s\nwant\n%s", got, want)
	}
	for _, name := range Names() {
		p, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		list := p.Assumptions()
		for key, c := range p.constants() {
			if !c.Assumed {
				continue
			}
			if c.Free() {
				t.Errorf("%s: %s may be fitted, and so is not assumed", name, key)
			}
			if len(list) == 0 || list[0].Key != key || !strings.HasPrefix(list[0].Text, "profile "+name+" assumes "+key+" = ") || !strings.HasSuffix(list[0].Text, ": "+c.Source) {
				t.Fatalf("%s: %v is not about %s", name, list, key)
			}
			list = list[1:]
		}
		if len(list) > 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
}

func TestAProfileAroundAConstantHasHalfAndTwiceOfItWithinItsRange(t *testing.T) {
	p := fixtureProfile(t)
	for _, c := range []struct {
		name, key          string
		value, half, twice float64
	}{
		{"a time", "time.step_seconds", 0.06, 0.03, 0.12},
		{"a share that has a most", "time.unit_overlap", 0.85, 0.425, 1},
	} {
		p.constant(c.key).Value = c.value
		around := p.Around(c.key)
		if half, twice := around[0].constant(c.key).Value, around[1].constant(c.key).Value; half != c.half || twice != c.twice {
			t.Errorf("%s: %v and %v, want %v and %v", c.name, half, twice, c.half, c.twice)
		}
		if got := p.constant(c.key).Value; got != c.value {
			t.Errorf("%s: the profile itself has %v now", c.name, got)
		}
	}
}

func TestTheDefaultRecipeAndOthersAreFound(t *testing.T) {
	p := fixtureProfile(t)
	for _, c := range []struct{ name, given, want, err string }{
		{"the default", "", "bf16", ""},
		{"by name", "small", "small", ""},
		{"a slip of the keyboard", "bf61", "", `profile fixture has no recipe "bf61"; nearest: bf16`},
		{"nothing alike", "zzzzzz", "", `profile fixture has no recipe "zzzzzz"; known: bf16, small`},
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
