package profile

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meshplan/strict"
)

// megatron is the text of a profile without fault; the cases change one thing.
func megatron(t testing.TB) string {
	t.Helper()
	text, err := catalogue.ReadFile("catalogue/megatron.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Lines of the profile that the cases change.
const (
	lineNorm     = `norm_bytes = { value = 8, source = "two norms, bf16 input and output of each" }`
	lineMargin   = `fit_margin = { value = 0.1, `
	lineReserved = `reserved_ratio = { value = 1.04, `
	lineOverlap  = `grad_overlap = { value = 1, `
	lineRecipe   = "name = \"bf16\"\nweight = 2\n"
)

func TestAProfileThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an unknown key", "about =", "abuot =", `p.toml:7:1: unknown key "abuot"; nearest: about`},
		{"an unknown constant", "norm_bytes = {", "nrom_bytes = {", `unknown key "memory.nrom_bytes"; nearest: norm_bytes`},
		{"an unknown key of a constant", "norm_bytes = { value", "norm_bytes = { valu", `unknown key "memory.norm_bytes.valu"; nearest: value`},
		{"a key in capitals", "[memory]", "[Memory]", `unknown key "Memory"; nearest: memory`},
		{"a missing constant", lineNorm, "", "p.toml:97:2: memory.norm_bytes is missing"},
		{"a constant of the other section", "[time]", "[time]\n" + lineNorm, `unknown key "time.norm_bytes"`},
		{"a section that is missing", "[time]", "[tine]", `unknown key "tine"; nearest: time`},
		{"a constant without its source", lineNorm, "norm_bytes = { value = 8 }", "p.toml:101:1: memory.norm_bytes has no source"},
		{"a constant that is negative", lineNorm, `norm_bytes = { value = -8, source = "x" }`, "p.toml:101:1: memory.norm_bytes is -8: want a number of at least 0"},
		{"a constant that is not a number", lineNorm, `norm_bytes = { value = nan, source = "x" }`, "memory.norm_bytes is NaN: want a number"},
		{"a constant that is infinite", lineNorm, `norm_bytes = { value = inf, source = "x" }`, "memory.norm_bytes is +Inf: want a number"},
		{"a constant that is a word", lineNorm, `norm_bytes = { value = "8", source = "x" }`, `p.toml:101:16: memory.norm_bytes.value wants a number, not "8"`},
		{"a constant that is a bare number", lineNorm, `norm_bytes = 8`, "p.toml:101:1: memory.norm_bytes wants a table, not 8"},
		{"a margin of everything", lineMargin, strings.Replace(lineMargin, "0.1", "1", 1), "memory.fit_margin is 1: want a share below 1"},
		{"a reserve below what is allocated", lineReserved, strings.Replace(lineReserved, "1.04", "0.9", 1), "memory.reserved_ratio is 0.9: want at least 1"},
		{"an overlap above 1", lineOverlap, strings.Replace(lineOverlap, "1", "1.5", 1), "time.grad_overlap is 1.5: want a share of at most 1"},
		{"a constant beyond any number of bytes", lineNorm, `norm_bytes = { value = 1e300, source = "x" }`, "memory.norm_bytes is 1e+300: want at most 1e+12"},
		{"more exposed than there is", `ep_exposed = { value = 1,`, `ep_exposed = { value = 1.5,`, "time.ep_exposed is 1.5: want a share of at most 1"},
		{"an fp8 GEMM that never ends", `fp8_gemm_share = { value = 0.95,`, `fp8_gemm_share = { value = 0,`, "time.fp8_gemm_share is 0: want more than 0"},
		{"a backward that takes nothing", `gemm_backward = { value = 2,`, `gemm_backward = { value = 0,`, "time.gemm_backward is 0: want at least 1"},
		{"a vocabulary padded to a multiple of 0", `vocab_multiple = { value = 128,`, `vocab_multiple = { value = 0,`, "memory.vocab_multiple is 0: want at least 1"},
		{"a switch that is missing", "flash_attention = true\n", "", "p.toml:97:2: memory.flash_attention is missing: want true or false"},
		{"a switch of the other section that is missing", "gather_each_forward = false\n", "", "time.gather_each_forward is missing: want true or false"},
		{"no name", `name = "megatron"`, "", "p.toml: a profile needs a name"},
		{"a default recipe that is unknown", `default_recipe = "bf16"`, `default_recipe = "bf61"`, `p.toml:10:1: default_recipe: profile megatron has no recipe "bf61"; nearest: bf16`},
		{"a recipe of nothing", lineRecipe, "name = \"bf16\"\nweight = nan\n", `recipe "bf16" keeps NaN + 4 + 12 bytes per parameter`},
		{"a negative recipe", lineRecipe, "name = \"bf16\"\nweight = -2\n", `recipe "bf16" keeps -2 + 4 + 12 bytes per parameter`},
		{"a recipe in bits", lineRecipe, "name = \"bf16\"\nweight = 2000\n", "add up to at most 1000"},
		{"a recipe without a name", lineRecipe, "weight = 2\n", `p.toml:12:3: recipe 1 is called ""`},
		{"two recipes of one name", `name = "fp16"`, `name = "bf16"`, `recipe 3 is called "bf16": want a name of its own`},
		{"a number for a name", `name = "megatron"`, "name = 3", "p.toml:5:1: name wants a string, not 3"},
		{"text that is no TOML", "[memory]", "[memory", "not TOML"},
		{"a key given twice", lineNorm, lineNorm + "\n" + lineNorm, "not TOML"},
		{"a key without end", lineNorm, strings.Repeat("a.", 30_000) + "a = 1", "p.toml:101:18: nested too deeply"},
		{"tables without end", lineNorm, "a = " + strings.Repeat("{a=", 30_000), "p.toml:101:29: nested too deeply"},
		{"lists without end", lineNorm, "a = " + strings.Repeat("[", 200_000), "p.toml:101:13: nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(megatron(t), c.old, c.new, 1)
			if text == megatron(t) {
				t.Fatal("the case changes nothing")
			}
			_, err := Parse([]byte(text), "p.toml")
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
		{"nothing alike", "zzzzzz", `unknown profile "zzzzzz"; known: deepspeed, fsdp, llm-foundry, megatron, megatron-2022, nanotron, torchtitan`},
		{"no name", "", `unknown profile ""; known: deepspeed, fsdp, llm-foundry`},
		{"a directory", dir, "is a directory, not a file"},
		{"a directory that ends in .toml", filepath.Join(dir, "dir.toml"), "is a directory, not a file"},
		{"a missing file", filepath.Join(dir, "none.toml"), "no such file"},
		{"random bytes", write("random.toml", "\x8f\x00\xc3\x28{"), "random.toml:1:1: not TOML"},
		{"an empty file", write("empty.toml", ""), "empty.toml: a profile needs a name"},
		{"a file cut short", write("cut.toml", megatron(t)[:3000]), "cut.toml:"},
		{"a file too large", write("large.toml", strings.Repeat("#", strict.MaxFile+1)), "large.toml: larger than 256 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(c.given)
			checkError(t, err, c.want)
		})
	}
	if p, err := Load(write("mine.toml", megatron(t))); err != nil || p.Name != "megatron" {
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
	for _, name := range Names() {
		text, err := catalogue.ReadFile("catalogue/" + name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("name = \"x\"\n[[recipe]]\nweight = 2\n[memory]\nnorm_bytes = { value = nan }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text, "f.toml")
		if err != nil {
			if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("not one short line: %q", err)
			}
			return
		}
		for key, c := range p.constants() {
			if !(c.Value >= 0 && c.Value <= math.MaxFloat64) || c.Source == "" {
				t.Errorf("%s = %+v", key, c)
			}
		}
		if r, err := p.Recipe(""); err != nil || r.PerParameter() <= 0 {
			t.Errorf("default recipe %+v, %v", r, err)
		}
	})
}
