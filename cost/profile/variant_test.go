package profile

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// child is the text of a profile with a base.
const child = `name = "mine"
base = "megatron"
version = "7"

[[recipe]]
name = "bf16"
weight = 3
grad = 4
optimizer = 12
source = "its own"

[memory]
dropout = true
logit_bytes = { value = 9, source = "its own" }

[time]
jitter = { value = 0.25, prior = 0.2, low = 0.1, high = 0.5, source = "its own" }
`

func parsed(t *testing.T, text string) *Profile {
	t.Helper()
	p, err := Parse([]byte(text), "p.toml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAProfileTakesFromItsBaseWhatItDoesNotSet(t *testing.T) {
	base, err := Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	p := parsed(t, child)
	own := map[string]float64{"memory.logit_bytes": 9, "time.jitter": 0.25}
	for key, c := range p.constants() {
		want := *base.constant(key)
		if value, ok := own[key]; ok {
			if c.Value != value || c.Source != "its own" {
				t.Errorf("%s is %+v, set to %g", key, *c, value)
			}
			continue
		}
		if want.Low, want.High = 0, 0; *c != want {
			t.Errorf("%s is %+v, in the base %+v", key, *c, want)
		}
	}
	switches := map[string]bool{}
	for key, on := range base.switches() {
		switches[key] = *on
	}
	switches["memory.dropout"] = true
	for key, on := range p.switches() {
		if *on != switches[key] {
			t.Errorf("%s is %t", key, *on)
		}
	}
	if p.Version != "7" || p.About != base.About || p.DefaultRecipe != base.DefaultRecipe || p.Precision != base.Precision || !slices.Equal(p.Frameworks, base.Frameworks) {
		t.Errorf("%+v", p)
	}
	if r, err := p.Recipe("bf16"); err != nil || r.Weight != 3 {
		t.Errorf("its own recipe is %+v, %v", r, err)
	}
	if r, err := p.Recipe("muon"); err != nil || r.NewtonSchulz == 0 || len(p.Recipes) != len(base.Recipes) {
		t.Errorf("the base's recipe is %+v, %v, of %d recipes", r, err, len(p.Recipes))
	}
	if len(p.Services) != 0 || len(p.Variants) != 0 || p.Calibrated != "" {
		t.Errorf("services %v, variants %v and %q are the base's own", p.Services, p.Variants, p.Calibrated)
	}
}

func TestConstantsOfABaseAreNotTheChildsToFit(t *testing.T) {
	p := parsed(t, child)
	var paths []string
	for _, param := range p.Parameters() {
		paths = append(paths, param.Path)
	}
	if !slices.Equal(paths, []string{"time.jitter"}) {
		t.Errorf("may be fitted: %v", paths)
	}
	base, err := Find("megatron")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rates) != len(base.Rates) || len(base.Rates) == 0 {
		t.Fatalf("%d rates, the base has %d", len(p.Rates), len(base.Rates))
	}
	if got, want := p.GEMMShare("H100-SXM", "bf16"), base.GEMMShare("H100-SXM", "bf16"); got != want {
		t.Errorf("share %g, the base's is %g", got, want)
	}
	// What was fitted for the base was, for the child, seen as well.
	if got, want := p.Unfitted().Time.TrafficHidden.Value, base.Time.TrafficHidden.Prior; got != want {
		t.Errorf("unfitted, a constant of the base is %g, its prior %g", got, want)
	}
	other := parsed(t, child+"\n[[rate]]\ngpus = [\"A100-SXM-80GB\"]\ngemm = { value = 0.5, source = \"its own\" }\n")
	if len(other.Rates) != 1 || other.GEMMShare("H100-SXM", "bf16") != 1 {
		t.Errorf("rates %+v beside its own", other.Rates)
	}
	if again, err := Find("megatron"); err != nil || len(again.Rates) != len(base.Rates) || !again.Rates[0].GEMM.Free() {
		t.Errorf("the base itself has changed: %+v, %v", again, err)
	}
}

func TestABaseThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an unknown base", `"megatron"`, `"megatorn"`, `p.toml:2:1: unknown base "megatorn": want a profile of the catalogue that has none itself`},
		{"a base with a base", `"megatron"`, `"maxtext"`, `p.toml:2:1: unknown base "maxtext"`},
		{"a variant for a base", `"megatron"`, `"megatron-26.04"`, `p.toml:2:1: unknown base "megatron-26.04"`},
		{"a path for a base", `"megatron"`, `"../catalogue/megatron"`, "p.toml:2:1: unknown base"},
		{"no name beside a base", `name = "mine"`, "", "p.toml: a profile needs a name"},
		{"a constant without a source", `, source = "its own" }`, " }", "p.toml:14:1: memory.logit_bytes has no source"},
		{"a constant that is impossible", "value = 9,", "value = -9,", "p.toml:14:1: memory.logit_bytes is -9: want a number of at least 0"},
		{"a default recipe of neither", `version = "7"`, `default_recipe = "bf61"`, `p.toml:3:1: default_recipe: profile mine has no recipe "bf61"`},
		{"an unknown key", "jitter =", "jittr =", `p.toml:17:1: unknown key "time.jittr"; nearest: jitter`},
		{"no base and everything missing", `base = "megatron"`, `default_recipe = "bf16"`, "p.toml:12:2: memory.norm_bytes is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(changed(t, child, c.old, c.new)), "p.toml")
			checkError(t, err, c.want)
		})
	}
}

func TestAVariantIsItsFileWithWhatItSets(t *testing.T) {
	file := fixtureProfile(t)
	family := file.Family()
	var names []string
	for _, p := range family {
		names = append(names, p.Name)
		if len(p.Variants) > 0 {
			t.Errorf("%s has variants of its own", p.Name)
		}
	}
	if !slices.Equal(names, []string{"fixture", "fixture-old", "fixture-new"}) {
		t.Fatalf("profiles %v", names)
	}
	first, old, fresh := family[0], family[1], family[2]
	differing := func(p *Profile) []string {
		var keys []string
		for key, c := range p.constants() {
			if *c != *first.constant(key) {
				keys = append(keys, key)
			}
		}
		on := map[string]bool{}
		for key, s := range first.switches() {
			on[key] = *s
		}
		for key, s := range p.switches() {
			if *s != on[key] {
				keys = append(keys, key)
			}
		}
		return keys
	}
	for _, c := range []struct {
		of   *Profile
		want string
	}{
		{old, "memory.score_bytes time.traffic_hidden_bytes time.tp_exposed memory.flash_attention"},
		{fresh, "time.host_layer_seconds"},
	} {
		if got := strings.Join(differing(c.of), " "); got != c.want {
			t.Errorf("%s differs in %s, want %s", c.of.Name, got, c.want)
		}
	}
	if old.Memory.ScoreBytes.Value != 5 || old.Time.TrafficHidden.Value != 33 || fresh.Time.HostLayer.Value != 0.0001 {
		t.Errorf("%+v, %+v", old, fresh)
	}
	if old.About != "a profile of the tests, of an older release" || fresh.About != first.About {
		t.Errorf("about %q and %q", old.About, fresh.About)
	}
	if len(first.Services) != 1 || len(old.Services) != 1 || len(old.Services[0].Releases) != 1 || len(fresh.Services) != 0 {
		t.Errorf("services %+v, %+v, %+v", first.Services, old.Services, fresh.Services)
	}
	if !reflect.DeepEqual(old.Recipes, first.Recipes) || !reflect.DeepEqual(old.Rates, first.Rates) || old.Precision != first.Precision {
		t.Error("recipes, rates and the precision are the file's")
	}
}

func TestAVariantThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	const oldName, newName = "name = \"old\"\n", "name = \"new\"\n"
	line := func(text string) string { // of the fixture, from 1
		before, _, _ := strings.Cut(fixture(t), text)
		return "p.toml:" + itoa(strings.Count(before, "\n")+1)
	}
	const free = `%s = { value = 3, prior = 2, low = 1, high = 4, source = "x" }`
	more := func(keys ...string) string {
		text := "[variant.time]\n"
		for _, key := range keys {
			text += strings.Replace(free, "%s", key, 1) + "\n"
		}
		return text
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"without a name", newName, "", `variant 2 is called "": want a name of its own`},
		{"of an empty name", newName, "name = \"\"\n", line(newName) + `:1: variant 2 is called "": want a name of its own`},
		{"of another's name", newName, oldName, line(newName) + `:1: variant 2 is called "old": want a name of its own`},
		{"with a name of two lines", newName, "name = \"a\\nb\"\n", line(newName) + ":1: the name of variant 2 "},
		{"with an unknown constant", "tp_exposed = { value = 1,", "tp_expsed = { value = 1,", `unknown key "variant.time.tp_expsed"; nearest: tp_exposed`},
		{"with a recipe that there is not", newName, newName + "default_recipe = \"large\"\n", `has no recipe "large"`},
		{"with a constant that is impossible", "tp_exposed = { value = 1,", "tp_exposed = { value = 2,", line("tp_exposed = { value = 1,") + ":1: variant old: time.tp_exposed is 2: want a share of at most 1"},
		{"with a constant without a source", `traffic_hidden_bytes = { value = 33, prior = 30, low = 15, high = 90, source = "a test, of the variant" }`, "traffic_hidden_bytes = { value = 33 }",
			line("traffic_hidden_bytes = { value = 33") + ":1: variant old: time.traffic_hidden_bytes has no source"},
		{"with a value out of its own range", "value = 33,", "value = 95,", line("traffic_hidden_bytes = { value = 33") + ":1: variant old: time.traffic_hidden_bytes is 95: want a value in its own range from 15 to 90"},
		{"with a prior alone", "value = 33, prior = 30, low = 15, high = 90,", "value = 33, prior = 30,", line("traffic_hidden_bytes = { value = 33") + ":1: variant old: time.traffic_hidden_bytes has the prior 30 alone"},
		{"with a service without names", "names = [\"fixture*\"]\nreleases", "releases", "variant old: service 1 has no names"},
		{"with too many constants to fit", "[variant.time]\nhost_layer", more("traffic_head_bytes", "traffic_kv_bytes", "traffic_ffn_bytes", "traffic_routed_bytes", "traffic_ring_bytes", "grad_comm_bytes") + "host_layer",
			"fixture-new has more than 8 constants in time that may be fitted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(changed(t, fixture(t), c.old, c.new)), "p.toml")
			checkError(t, err, c.want)
		})
	}
	text := changed(t, fixture(t), "[variant.time]\nhost_layer", more("traffic_head_bytes", "traffic_kv_bytes", "traffic_ffn_bytes")+"host_layer")
	if _, err := Parse([]byte(text), "p.toml"); err != nil {
		t.Errorf("four constants of a variant to fit: %v", err)
	}
}
