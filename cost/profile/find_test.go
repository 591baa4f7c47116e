package profile

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meshplan/strict"
)

// fixture is the text of a profile without fault; the cases change one thing.
func fixture(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/fixture.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fixtureProfile is that profile.
func fixtureProfile(t testing.TB) *Profile {
	t.Helper()
	p, err := Parse([]byte(fixture(t)), "fixture.toml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// changed is a text with one thing in it changed.
func changed(t testing.TB, text, old, new string) string {
	t.Helper()
	out := strings.Replace(text, old, new, 1)
	if out == text {
		t.Fatal("the case changes nothing")
	}
	return out
}

// Lines of the profile that the cases change.
const (
	lineNorm     = `norm_bytes = { value = 8, source = "a test" }`
	lineLogit    = `logit_bytes = { value = 6, prior = 5, low = 2, high = 12, source = "a test, of its memory" }`
	lineMargin   = `fit_margin = { value = 0.1, `
	lineReserved = `reserved_ratio = { value = 1.04, `
	lineOverlap  = `grad_overlap = { value = 1, `
	lineRecipe   = "name = \"bf16\"\nweight = 2\n"
)

func TestAProfileThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an unknown key", "about =", "abuot =", `p.toml:6:1: unknown key "abuot"; nearest: about`},
		{"an unknown constant", "norm_bytes = {", "nrom_bytes = {", `unknown key "memory.nrom_bytes"; nearest: norm_bytes`},
		{"an unknown key of a constant", "norm_bytes = { value", "norm_bytes = { valu", `unknown key "memory.norm_bytes.valu"; nearest: value`},
		{"a key in capitals", "[memory]", "[Memory]", `unknown key "Memory"; nearest: memory`},
		{"a missing constant", lineNorm, "", "p.toml:25:2: memory.norm_bytes is missing"},
		{"a constant of the other section", "[time]", "[time]\n" + lineNorm, `unknown key "time.norm_bytes"`},
		{"a section that is missing", "[time]", "[tine]", `unknown key "tine"; nearest: time`},
		{"a constant without its source", lineNorm, "norm_bytes = { value = 8 }", "p.toml:29:1: memory.norm_bytes has no source"},
		{"a constant that is negative", lineNorm, `norm_bytes = { value = -8, source = "x" }`, "p.toml:29:1: memory.norm_bytes is -8: want a number of at least 0"},
		{"a constant that is not a number", lineNorm, `norm_bytes = { value = nan, source = "x" }`, "memory.norm_bytes is NaN: want a number"},
		{"a constant that is infinite", lineNorm, `norm_bytes = { value = inf, source = "x" }`, "memory.norm_bytes is +Inf: want a number"},
		{"a constant that is a word", lineNorm, `norm_bytes = { value = "8", source = "x" }`, `p.toml:29:16: memory.norm_bytes.value wants a number, not "8"`},
		{"a constant that is a bare number", lineNorm, `norm_bytes = 8`, "p.toml:29:1: memory.norm_bytes wants a table, not 8"},
		{"a margin of everything", lineMargin, strings.Replace(lineMargin, "0.1", "1", 1), "memory.fit_margin is 1: want a share below 1"},
		{"a reserve below what is allocated", lineReserved, strings.Replace(lineReserved, "1.04", "0.9", 1), "memory.reserved_ratio is 0.9: want at least 1"},
		{"an overlap above 1", lineOverlap, strings.Replace(lineOverlap, "1", "1.5", 1), "time.grad_overlap is 1.5: want a share of at most 1"},
		{"a constant beyond any number of bytes", lineNorm, `norm_bytes = { value = 1e300, source = "x" }`, "memory.norm_bytes is 1e+300: want at most 1e+12"},
		{"more exposed than there is", `ep_exposed = { value = 1,`, `ep_exposed = { value = 1.5,`, "time.ep_exposed is 1.5: want a share of at most 1"},
		{"an fp8 GEMM that never ends", `fp8_gemm_share = { value = 0.95,`, `fp8_gemm_share = { value = 0,`, "time.fp8_gemm_share is 0: want more than 0"},
		{"a backward that takes nothing", `gemm_backward = { value = 2,`, `gemm_backward = { value = 0,`, "time.gemm_backward is 0: want at least 1"},
		{"a vocabulary padded to a multiple of 0", `vocab_multiple = { value = 128,`, `vocab_multiple = { value = 0,`, "memory.vocab_multiple is 0: want at least 1"},
		{"a switch that is missing", "flash_attention = true\n", "", "p.toml:25:2: memory.flash_attention is missing: want true or false"},
		{"a switch of the other section that is missing", "gather_each_forward = false\n", "", "time.gather_each_forward is missing: want true or false"},
		{"no name", `name = "fixture"`, "", "p.toml: a profile needs a name"},
		{"no frameworks", `frameworks = ["any"]`, "", "p.toml: a profile needs frameworks"},
		{"no precision", `precision = "bf16"`, "", `p.toml: unknown precision ""; known: bf16`},
		{"a precision that is unknown", `precision = "bf16"`, `precision = "bf61"`, `p.toml:8:1: unknown precision "bf61"; nearest: bf16`},
		{"a variant of a precision that is unknown", "[[variant]]\n", "[[variant]]\nprecision = \"fp88\"\n", `: unknown precision "fp88"; nearest: fp8`},
		{"a rate of a GPU that is unknown", `gpus = ["H200-SXM"]`, `gpus = ["H200-SMX"]`, `p.toml:127:3: rate 2 is of an unknown GPU "H200-SMX"; nearest: H200-SXM`},
		{"a rate of a GPU by another name", `gpus = ["H200-SXM"]`, `gpus = ["h200"]`, `rate 2 is of GPU "h200": want its name in the catalogue, "H200-SXM"`},
		{"a rate of no GPU", `gpus = ["H200-SXM"]`, `gpus = []`, `p.toml:127:3: rate 2 names no gpus`},
		{"a rate of a precision that is unknown", `precisions = ["bf16"]`, `precisions = ["bf61"]`, `p.toml:121:3: rate 1 is of an unknown precision "bf61"; nearest: bf16`},
		{"a rate of nothing", "[[rate]]\n", "[[rate]]\ngpus = [\"H100-SXM\"]\n[[rate]]\n", `p.toml:121:3: rate 1 has no share: want gemm or attention`},
		{"a default recipe that is unknown", `default_recipe = "bf16"`, `default_recipe = "bf61"`, `p.toml:9:1: default_recipe: profile fixture has no recipe "bf61"; nearest: bf16`},
		{"a recipe of nothing", lineRecipe, "name = \"bf16\"\nweight = nan\n", `recipe "bf16" keeps NaN + 4 + 12 bytes per parameter`},
		{"a negative recipe", lineRecipe, "name = \"bf16\"\nweight = -2\n", `recipe "bf16" keeps -2 + 4 + 12 bytes per parameter`},
		{"a recipe in bits", lineRecipe, "name = \"bf16\"\nweight = 2000\n", "add up to at most 1000"},
		{"a recipe without a name", lineRecipe, "weight = 2\n", `p.toml:11:3: recipe 1 is called ""`},
		{"two recipes of one name", `name = "small"`, `name = "bf16"`, `recipe 2 is called "bf16": want a name of its own`},
		{"a number for a name", `name = "fixture"`, "name = 3", "p.toml:4:1: name wants a string, not 3"},
		{"text that is no TOML", "[memory]", "[memory", "not TOML"},
		{"a key given twice", lineNorm, lineNorm + "\n" + lineNorm, "not TOML"},
		{"a key without end", lineNorm, strings.Repeat("a.", 30_000) + "a = 1", "p.toml:29:18: nested too deeply"},
		{"tables without end", lineNorm, "a = " + strings.Repeat("{a=", 30_000), "p.toml:29:29: nested too deeply"},
		{"lists without end", lineNorm, "a = " + strings.Repeat("[", 200_000), "p.toml:29:13: nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(changed(t, fixture(t), c.old, c.new)), "p.toml")
			checkError(t, err, c.want)
		})
	}
}

func TestPathsThatHoldNoProfileAreExplained(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, given, want string }{
		{"a slip of the keyboard", "megatorn", `unknown profile "megatorn"; nearest: megatron`},
		{"nothing alike", "zzzzzz", `unknown profile "zzzzzz"; known: ` + strings.Join(Names()[:4], ", ")},
		{"no name", "", `unknown profile ""; known: ` + strings.Join(Names()[:4], ", ")},
		{"a directory", dir, "is a directory, not a file"},
		{"a directory that ends in .toml", filepath.Join(dir, "dir.toml"), "is a directory, not a file"},
		{"a missing file", filepath.Join(dir, "none.toml"), "no such file"},
		{"random bytes", write("random.toml", "\x8f\x00\xc3\x28{"), "random.toml:1:1: not TOML"},
		{"an empty file", write("empty.toml", ""), "empty.toml: a profile needs a name"},
		{"a file cut short", write("cut.toml", fixture(t)[:3000]), "cut.toml:"},
		{"a file too large", write("large.toml", strings.Repeat("#", strict.MaxFile+1)), "large.toml: larger than 256 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(c.given)
			checkError(t, err, c.want)
		})
	}
	if p, err := Load(write("mine.toml", fixture(t))); err != nil || p.Name != "fixture" {
		t.Errorf("%v, %v", p, err)
	}
}

// checkError wants a short one-line error with the text.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Error("accepted")
	case !strings.Contains(err.Error(), want):
		t.Errorf("error %q, want %q in it", err, want)
	case len(err.Error()) > 400 || strings.Contains(err.Error(), "\n"):
		t.Errorf("not one short line: %q", err)
	}
}

// FuzzParse wants of any text a profile whose constants are sane or one short
// error.
func FuzzParse(f *testing.F) {
	files, err := Catalogue()
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := FileText(file.Name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(fixture(f)))
	f.Add([]byte("name = \"x\"\nbase = \"megatron\"\n[[variant]]\nname = \"y\"\n[variant.time]\njitter = { value = 0.1, prior = 0.1, low = 0.05, high = 0.2, source = \"s\" }\n"))
	f.Add([]byte("name = \"x\"\n[[recipe]]\nweight = 2\n[memory]\nnorm_bytes = { value = nan }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(text, "f.toml")
		if err != nil {
			if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("not one short line: %q", err)
			}
			return
		}
		values := make([]float64, len(file.Parameters()))
		for i, param := range file.Parameters() {
			if values[i] = param.Value; !(param.Low > 0 && param.Low <= param.Value && param.Value <= param.High) {
				t.Errorf("%s = %+v", param.Path, param.Constant)
			}
		}
		for _, of := range []*Profile{file, file.Unfitted(), file.WithParameters(values)} {
			for _, p := range of.Family() {
				sound(t, p)
			}
		}
	})
}

// sound wants constants that are numbers and have a source, and a default recipe.
func sound(t *testing.T, p *Profile) {
	t.Helper()
	for key, c := range p.constants() {
		if !(c.Value >= 0 && c.Value <= math.MaxFloat64) || c.Source == "" {
			t.Errorf("%s: %s = %+v", p.Name, key, c)
		}
	}
	for path, c := range p.rates {
		if !(c.Value > 0 && c.Value <= math.MaxFloat64) {
			t.Errorf("%s: %s = %+v", p.Name, path, c)
		}
	}
	if r, err := p.Recipe(""); err != nil || r.PerParameter() <= 0 {
		t.Errorf("%s: default recipe %+v, %v", p.Name, r, err)
	}
}
