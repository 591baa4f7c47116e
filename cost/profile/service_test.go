package profile

import (
	"strings"
	"testing"
)

func TestPatternsMatchNames(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"nanotron", "nanotron", true},
		{"nanotron", "Nanotron", true},
		{"nanotron", "nanotron v0.5", false},
		{"nanotron*", "nanotron v0.5", true},
		{"*llm-foundry*", "Composer/llm-foundry FSDP", true},
		{"NeMo 2*", "NeMo 24.07", true},
		{"NeMo 2*", "NeMo/Megatron-Core 24.07", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"a*a", "a", false}, // no letter is used twice
		{"*a*", "banana", true},
		{"megatron", "", false},
	} {
		if got := matchAny([]string{c.pattern}, c.name) >= 0; got != c.want {
			t.Errorf("%q matches %q: %t, want %t", c.pattern, c.name, got, c.want)
		}
	}
}

func TestTheMostSpecificServiceHasTheLargestWeight(t *testing.T) {
	loose := Service{Names: []string{"*Speed*"}}
	exact := Service{Names: []string{"Megatron-DeepSpeed"}}
	kernel := Service{Names: []string{"*Speed*"}, Kernels: []string{"fa*"}}
	weight := func(s Service, framework, kernel string) int {
		w, ok := s.Serves(Software{Framework: framework, Kernel: kernel})
		if !ok {
			return -1
		}
		return w
	}
	const name = "Megatron-DeepSpeed"
	if a, b, c := weight(loose, name, "fa2"), weight(exact, name, "fa2"), weight(kernel, name, "fa2"); a < 0 || a >= b || b >= c {
		t.Errorf("weights %d, %d, %d do not rise", a, b, c)
	}
	if weight(kernel, name, "torch") >= 0 || weight(kernel, name, "") >= 0 || weight(exact, "DeepSpeed", "fa2") >= 0 {
		t.Error("a service takes runs that are not its own")
	}
}

func TestAServiceThatIsWrongIsRefused(t *testing.T) {
	const good = "\n[[service]]\nnames = [\"x*\"]\nsource = \"s\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"without names", strings.Replace(good, `names = ["x*"]`, "", 1), "service 3 has no names"},
		{"of everything", strings.Replace(good, "x*", "*", 1), `service 3 has the pattern "*", which matches everything`},
		{"without a source", strings.Replace(good, `source = "s"`, "", 1), "service 3 has no source"},
		{"with degrees", good + "plan = \"tp=8\"\n", `service 3 has the plan "tp=8": want only sp, zero and recompute in it`},
		{"with a plan that is none", good + "plan = \"sp=maybe\"\n", `service 3 has a plan "sp=maybe": sp`},
		{"of unknown FLOPs", good + "flops = \"mine\"\n", `service 3 counts flops as "mine"`},
		{"with an unknown key", good + "kernel = \"fa\"\n", `unknown key "service.kernel"; nearest: kernels`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(fixture(t)+good+c.text), "p.toml")
			checkError(t, err, c.want)
		})
	}
	if p, err := Parse([]byte(fixture(t)+good), "p.toml"); err != nil || len(p.Services) != 2 {
		t.Errorf("%v", err)
	}
}

// Each published name of a framework, and release of it, has one profile that
// serves it best.
func TestFrameworksHaveTheirProfiles(t *testing.T) {
	for _, c := range []struct{ name, kernel, release, want string }{
		{"Megatron-Bridge/Megatron-Core", "", "", "megatron"},
		{"Megatron-Bridge/Megatron-Core", "", "26.06", "megatron"},
		{"Megatron-Bridge/Megatron-Core", "", "26.04", "megatron-26.04"},
		{"Megatron-Bridge/Megatron-Core", "", "25.11", "megatron-26.04"},
		{"NeMo/Megatron-Core (DGX Cloud recipe)", "", "25.05", "megatron-25.05"},
		{"NeMo/Megatron-Core (DGX Cloud recipe)", "", "", "megatron"},
		{"NeMo 24.03.01", "", "", "megatron"},
		{"Megatron-LM", "", "", "megatron"},
		{"Megatron-LM 2020", "", "", "megatron-2022"},
		{"Megatron-LM 2021", "", "", "megatron-2022"},
		{"Megatron-LM 2022", "", "", "megatron-2022"},
		{"Megatron-LM 2021", "", "25.05", "megatron-2022"},
		{"Megatron-DeepSpeed", "", "", "megatron-deepspeed"},
		{"AA-Scaling (Megatron-LM derived)", "torch", "", "aa-scaling-torch"},
		{"AA-Scaling (Megatron-LM derived)", "fa2+rms", "", "aa-scaling-fa2-rms"},
		{"AA-Scaling (Megatron-LM derived)", "fa2", "", "aa-scaling-fa2"},
		{"AA-Scaling (Megatron-LM derived)", "fa1", "", "aa-scaling"},
		{"nanotron v0.5", "", "", "nanotron"},
		{"torchtitan 2025-06", "", "", "torchtitan"},
		{"HF Transformers + PEFT/DeepSpeed", "", "", "deepspeed"},
		{"DeepSpeed 0.17", "", "", "deepspeed"},
		{"Composer/llm-foundry FSDP", "", "", "llm-foundry"},
		{"NeMo AutoModel (PyTorch FSDP2)", "", "", "automodel"},
		{"MaxText (JAX)", "", "", "maxtext"},
		{"InternEvo", "", "", "internevo"},
		{"homegrown", "", "", ""},
		{"", "", "", ""},
	} {
		best, second, weight := "", "", -1
		for _, name := range Names() {
			p, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Services {
				w, ok := p.Services[i].Serves(Software{Framework: c.name, Kernel: c.kernel, Release: c.release})
				switch {
				case !ok || w < weight:
				case w > weight:
					best, second, weight = name, "", w
				case name != best:
					second = name
				}
			}
		}
		if best != c.want || second != "" {
			t.Errorf("%q with kernel %q of release %q is served by %q and %q, want %q", c.name, c.kernel, c.release, best, second, c.want)
		}
	}
}

func TestReleasesAreServedByTheirPatterns(t *testing.T) {
	of := func(kernels, releases string) Service {
		s := Service{Names: []string{"*Bridge*"}}
		if kernels != "" {
			s.Kernels = strings.Fields(kernels)
		}
		if releases != "" {
			s.Releases = strings.Fields(releases)
		}
		return s
	}
	const name = "Megatron-Bridge"
	letters := len("Bridge")
	for _, c := range []struct {
		name            string
		service         Service
		kernel, release string
		weight          int // -1: not served
	}{
		{"a service without releases takes none", of("", ""), "", "", letters},
		{"and any", of("", ""), "", "25.09", letters},
		{"one with releases takes its own", of("", "25.09"), "", "25.09", 2*named + letters},
		{"and no other", of("", "25.09"), "", "25.11", -1},
		{"and not a run that says none", of("", "25.09"), "", "", -1},
		{"a pattern stands for several", of("", "25.0*"), "", "25.07", 2*named + letters},
		{"one of several patterns is enough", of("", "24.* 25.11"), "", "25.11", 2*named + letters},
		{"spaces and case do not matter", of("", "v25.09"), "", " V25.09 ", 2*named + letters},
		{"a release is not a prefix", of("", "25.0"), "", "25.09", -1},
		{"the longer pattern of releases weighs no more", of("", "25.0*"), "", "25.09", 2*named + letters},
		{"a kernel weighs more than a release", of("fa2", ""), "fa2", "25.09", 4*named + letters},
		{"both weigh most", of("fa2", "25.09"), "fa2", "25.09", 6*named + letters},
		{"both must match", of("fa2", "25.09"), "fa2", "25.11", -1},
	} {
		w, ok := c.service.Serves(Software{Framework: name, Kernel: c.kernel, Release: c.release})
		if !ok {
			w = -1
		}
		if w != c.weight {
			t.Errorf("%s: weight %d, want %d", c.name, w, c.weight)
		}
	}
	if _, ok := (&Service{Names: []string{"other"}, Releases: []string{"25.09"}}).Serves(Software{Framework: name, Release: "25.09"}); ok {
		t.Error("a release alone serves a run of another framework")
	}
	text := changed(t, fixture(t), `releases = ["1.*"]`, `releases = ["*"]`)
	_, err := Parse([]byte(text), "p.toml")
	checkError(t, err, `variant old: service 1 has the pattern "*", which matches everything`)
}
